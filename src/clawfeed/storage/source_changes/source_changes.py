"""What people do to sources: follow something new, change it, pause it, give it up.

Who may do what is passed in as a rule over the source as its viewer sees it. It is asked within
the transaction that acts on its answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

from clawfeed.domain.because import Because, to_text
from clawfeed.domain.because import Rule as DateRule
from clawfeed.domain.errors import InvalidInputError, RefusalCode
from clawfeed.domain.ids import NOT_STORED, JsonValue, SourceId, UserId
from clawfeed.domain.sources.source_faults import likeness
from clawfeed.domain.sources.type_facts import KnownTypes, TypeFacts
from clawfeed.storage.database import ConstraintError, Database, Statement, Steps
from clawfeed.storage.json_columns import to_json
from clawfeed.storage.person_lock import hold
from clawfeed.storage.source_changes.manual_polls import PollRequested, ask_for_poll
from clawfeed.storage.source_changes.source_cadence import CadenceChoice, apply_cadence_choice
from clawfeed.storage.sources.source_quota import check_source_quota
from clawfeed.storage.sources.source_resuming import start_anew
from clawfeed.storage.sources.source_row import SourceRow
from clawfeed.storage.sources.sources import NewSource, add_sources, already_there
from clawfeed.storage.sources.subscriptions import follow
from clawfeed.storage.sources.visibility_conditions import Actor, Operator
from clawfeed.storage.sources.visible_sources import one, twin
from clawfeed.storage.timestamps import seconds

# Raises `NotAllowedError` if the viewer may not.
Rule: TypeAlias = Callable[[SourceRow], None]
# The source as it shall be. It raises whatever is wrong with that; it is asked again on a retry.
Plan: TypeAlias = Callable[[SourceRow], NewSource]

BECAUSE_CHANGED = Because(DateRule.SETTINGS_CHANGED)
BECAUSE_PAUSED = Because(DateRule.PAUSED_PERSON)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceStored:
    row: SourceRow


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceExists:
    """Nothing was stored: *row* is the same thing already (S001-17)."""

    row: SourceRow


def stored_row(result: SourceStored | SourceExists) -> SourceRow:
    """The stored source, or `AlreadyExistsError` naming the one that is the same."""
    row = result.row
    if isinstance(result, SourceExists):
        raise already_there(row.type, row.id, row.name)
    return row


def as_it_is(row: SourceRow) -> NewSource:
    """The plan that changes nothing, to begin others with."""
    return NewSource(
        type=row.type,
        name=row.name,
        config=row.settings(),
        host=row.host,
        param_key=row.param_key,
        is_public=bool(row.is_public),
    )


class SourceChanges:
    """Changes of single sources, each in one transaction."""

    def __init__(self, database: Database, types: KnownTypes[TypeFacts]) -> None:
        self._db = database
        self._types = types

    async def add(
        self, new: NewSource, owner: UserId, *, most: int, now: datetime
    ) -> SourceStored | SourceExists:
        """Store *new* as the owner's, who follows it from then on: else nobody would read it.

        `QuotaError` if they have *most* sources, or follow as many as one may (T26).
        """
        return await self._db.run(lambda: _add(new, self._types, owner, most, now))

    async def update(
        self,
        source_id: SourceId,
        viewer: Actor,
        plan: Plan,
        *,
        now: datetime,
        cadence: CadenceChoice | None = None,
    ) -> SourceStored | SourceExists:
        """Make the source what *plan* says. With another config or *cadence* it is polled at once.

        A poll of the old config that is under way is dropped: its cursor belongs elsewhere.
        """
        return await self._db.run(
            lambda: _update(source_id, self._types, viewer, plan, now, cadence=cadence)
        )

    async def delete(
        self, source_id: SourceId, viewer: Actor, rule: Rule, *, now: datetime
    ) -> None:
        """Take the source out of everybody's sight; its row and its items stay."""
        await self._db.run(lambda: _delete(source_id, viewer, rule, now))

    async def pause(
        self, source_id: SourceId, viewer: Actor, rule: Rule, *, now: datetime
    ) -> SourceRow:
        """Poll no more until somebody resumes it; one that paused by errors stays so."""
        return await self._db.run(lambda: _pause(source_id, viewer, rule, now))

    async def poll_soon(
        self, source_id: SourceId, viewer: UserId, rule: Rule, *, now: datetime
    ) -> PollRequested:
        """Make the source due now, or when its host's rest is over: that is never cut short."""
        return await self._db.run(lambda: _poll_soon(source_id, self._types, viewer, rule, now))


def identities(new: NewSource, types: KnownTypes[TypeFacts]) -> list[str]:
    """*new*'s identity under each name of its type, and as it was spelled in older rows."""
    names = dict.fromkeys([new.type, *types.names(new.type)])
    configs = [new.config, *_marked(new, types.facts(new.type))]
    return [replace(new, type=name, config=each).identity for name in names for each in configs]


def _marked(new: NewSource, facts: TypeFacts) -> list[Mapping[str, JsonValue]]:
    """The config with its mark, `@openai`, as it was stored before marks were left out."""
    name = new.config.get(facts.main_key or "")
    if not facts.main_key or not facts.mark or not isinstance(name, str):
        return []
    return [{**new.config, facts.main_key: f"{facts.mark.prefix}{facts.mark.bare(name)}"}]


def _add(
    new: NewSource, types: KnownTypes[TypeFacts], owner: UserId, most: int, now: datetime
) -> Steps[SourceStored | SourceExists]:
    yield from hold(owner)
    found = yield from twin(identities(new, types), owner, besides=NOT_STORED)
    if found:
        return SourceExists(row=found)
    yield from check_source_quota(owner, most, now)
    stored = yield from add_sources([replace(new, created_by=owner)], now)
    if stored:
        added = stored[new.identity]
        yield from follow(owner, [added], now)
        return SourceStored(row=(yield from one(added, owner)))
    # Somebody else stored the same public thing a moment ago.
    found = yield from twin(identities(new, types), owner, besides=NOT_STORED)
    if found is None:
        raise ConstraintError("the same source came and went meanwhile")
    return SourceExists(row=found)


def _columns(new: NewSource) -> dict[str, str | int | None]:
    return {
        "name": new.name,
        "type": new.type,
        "config": to_json(new.config),
        "identity": new.identity,
        "host": new.host,
        "is_public": int(new.is_public),
        "param_key": new.param_key,
    }


def _update(
    source_id: SourceId,
    types: KnownTypes[TypeFacts],
    viewer: Actor,
    plan: Plan,
    now: datetime,
    *,
    cadence: CadenceChoice | None,
) -> Steps[SourceStored | SourceExists]:
    row = yield from one(source_id, viewer)
    new = plan(row)
    is_changed = to_json(new.config) != to_json(row.settings())
    if is_changed or int(new.is_public) != row.is_public:
        owner = row.created_by if isinstance(viewer, Operator) else viewer
        found = yield from twin(identities(new, types), owner, besides=source_id)
        if found:
            return SourceExists(row=found)
    yield Statement(
        """
        UPDATE sources SET is_auto_named = CASE WHEN name = :name THEN is_auto_named ELSE 0 END,
            name = :name, type = :type, config = :config, identity = :identity, host = :host,
            is_public = :is_public, param_key = :param_key, updated_at = :now
        WHERE id = :id
        """,
        {**_columns(new), "now": seconds(now), "id": source_id},
    )
    if is_changed:
        facts = types.facts(new.type)
        if likeness(facts, row.settings()) != likeness(facts, new.config):
            # What was read of another place says nothing of this one.
            yield Statement("UPDATE sources SET cursor = '{}' WHERE id = :id", {"id": source_id})
        yield from start_anew([source_id], because=BECAUSE_CHANGED, now=now, is_revoked=True)
    if cadence:
        yield from apply_cadence_choice(source_id, cadence, types, now)
    return SourceStored(row=(yield from one(source_id, viewer)))


def _delete(source_id: SourceId, viewer: Actor, rule: Rule, now: datetime) -> Steps[None]:
    rule((yield from one(source_id, viewer)))
    yield Statement(
        "UPDATE sources SET is_deleted = 1, updated_at = :now WHERE id = :id",
        {"now": seconds(now), "id": source_id},
    )
    yield from _leave_the_queue(source_id, now)


def _pause(source_id: SourceId, viewer: Actor, rule: Rule, now: datetime) -> Steps[SourceRow]:
    rule((yield from one(source_id, viewer)))
    yield Statement(
        """
        UPDATE sources SET is_active = 0, paused_because = 'person', updated_at = :now
        WHERE id = :id AND is_active = 1
        """,
        {"now": seconds(now), "id": source_id},
    )
    yield from _leave_the_queue(source_id, now)
    yield Statement(
        """
        UPDATE source_stats SET because = :because, updated_at = :now
        WHERE source_id IN (SELECT id FROM sources WHERE id = :id AND paused_because = 'person')
        """,
        {"because": to_text(BECAUSE_PAUSED), "now": seconds(now), "id": source_id},
    )
    return (yield from one(source_id, viewer))


def _leave_the_queue(source_id: SourceId, now: datetime) -> Steps[None]:
    """No date: claims must not wade through those that nobody may poll."""
    yield Statement(
        """
        UPDATE source_stats SET next_due_at = NULL, waiting_since = NULL, updated_at = :now
        WHERE source_id = :id
        """,
        {"now": seconds(now), "id": source_id},
    )


def _poll_soon(
    source_id: SourceId,
    types: KnownTypes[TypeFacts],
    viewer: UserId,
    rule: Rule,
    now: datetime,
) -> Steps[PollRequested]:
    row = yield from one(source_id, viewer)
    rule(row)
    if not row.is_active:
        raise InvalidInputError(
            f"source {source_id} is paused; resume it first", RefusalCode.SOURCE_PAUSED
        )
    return (yield from ask_for_poll(row, types.facts(row.type), now))
