"""Which sources and packs a person may know of, as conditions for statements (T18)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final, TypeAlias

from clawfeed.domain.errors import NotFoundError, RefusalCode
from clawfeed.domain.ids import SourceId, UserId
from clawfeed.storage.database import Statement, Steps
from clawfeed.storage.sql_lists import chunks, in_list


class Operator(Enum):
    """Whoever runs the command on the machine: every source is theirs to look after.

    Never a caller of the API; what is in private items stays their owner's all the same.
    """

    OPERATOR = "operator"


OPERATOR: Final = Operator.OPERATOR
# Who acts on a source; and who looks at it, where None is a stranger.
Actor: TypeAlias = UserId | Operator
Viewer: TypeAlias = Actor | None

# Over the alias `s` for sources; `:user` is NULL for a stranger.
PUBLIC_SOURCE = "s.is_public = 1"
OWN_SOURCE = "s.created_by = :user"
VISIBLE_SOURCE = f"s.is_deleted = 0 AND ({PUBLIC_SOURCE} OR {OWN_SOURCE})"
# What everybody may know of: strangers, and who begins to read.
VISIBLE_TO_ALL = f"s.is_deleted = 0 AND {PUBLIC_SOURCE}"
# The same over the alias `p` for packs, which are removed and not marked as deleted.
VISIBLE_PACK = "(p.is_public = 1 OR p.created_by = :user)"


def require_visible(user: UserId, ids: Sequence[SourceId], *, and_public: bool) -> Steps[None]:
    """Raise `NotFoundError` naming those of *ids* that *user* may not know of.

    With *and_public*, also those that are theirs alone.
    """
    seen: set[int] = set()
    for some in chunks(sorted(set(ids))):
        names, params = in_list(some)
        rows = yield Statement(
            f"SELECT s.id, s.is_public FROM sources s WHERE s.id IN ({names}) AND {VISIBLE_SOURCE}",  # noqa: S608
            {"user": user, **params},
        )
        seen |= {int(row["id"]) for row in rows if row["is_public"] or not and_public}
    missing = sorted(set(ids) - seen)
    if missing:
        kind = "public source" if and_public else "source"
        raise NotFoundError(
            f"there is no {kind} {', '.join(map(str, missing[:5]))}", RefusalCode.SOURCE_MISSING
        )
