"""What a scope's readers were told, also before it was their scope.

Whoever follows one source more, moves their hour or votes for the first time has a new scope. Its
week is still the week they read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Mapping
from dataclasses import replace
from datetime import datetime

from clawfeed.domain.editions.digest import DigestContent
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.ids import SourceId, StoryId, TaskId
from clawfeed.storage.database import Database
from clawfeed.storage.digests.digests import DigestStore, StoredDigest
from clawfeed.storage.editions.edition_scopes import scope_named
from clawfeed.storage.timestamps import seconds

# `inherit_stories` copies a story with its tellings: they name the edition and the place in it.
_INHERITED = """
SELECT d.task_id, t.position, t.story_id
FROM stories s JOIN story_tellings t ON t.story_id = s.id
JOIN digests d ON d.id = t.digest_id JOIN edition_tasks k ON k.id = d.task_id
WHERE s.scope = :scope AND d.scope <> :scope AND d.type = :type
  AND k.due_at >= :since AND k.due_at < :until
ORDER BY k.due_at, d.id, t.position
"""


async def told_digests(
    database: Database, scope: str, kind: EditionType, *, since: datetime, until: datetime
) -> list[StoredDigest]:
    """The editions of one type due in [*since*, *until*): first the inherited, then the own ones.

    An inherited one has the stories that the scope knows, under its own ids, as told by sources
    that it follows: the editions of a set are no way to what its other readers do not follow.
    """
    store = DigestStore(database)
    own = await store.of_scope(scope, kind, since=since, until=until)
    rows = await database.read(
        _INHERITED,
        {"scope": scope, "type": kind, "since": seconds(since), "until": seconds(until)},
    )
    places: defaultdict[TaskId, dict[int, StoryId]] = defaultdict(dict)
    for row in rows:
        places[TaskId(row["task_id"])][row["position"]] = StoryId(row["story_id"])
    followed = await scope_named(database, scope) if places else None
    sources = frozenset(followed.sources) if followed else frozenset()
    found = [(await store.of_task(each), known) for each, known in places.items()]
    inherited = [
        replace(digest, content=_as_known(digest.content, known, sources))
        for digest, known in found
        if digest is not None
    ]
    return [*(each for each in inherited if each.content.stories), *own]


def _as_known(
    content: DigestContent, known: Mapping[int, StoryId], followed: Container[SourceId | None]
) -> DigestContent:
    stories = (
        replace(
            story,
            story_id=known[position],
            sources=tuple(each for each in story.sources if each.source_id in followed),
        )
        for position, story in enumerate(content.stories, 1)
        if position in known
    )
    return replace(content, stories=tuple(story for story in stories if story.sources))
