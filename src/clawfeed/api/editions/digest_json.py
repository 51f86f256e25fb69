"""Finished editions as JSON. Additions are fine, changes are not."""

from __future__ import annotations

from clawfeed.digest.preview import EditionPreview
from clawfeed.digest.selection.omitted_stories import left_out
from clawfeed.digest.selection.selection import StoryVerdict
from clawfeed.domain.editions.edition import EditionTask
from clawfeed.domain.editions.story import Telling
from clawfeed.domain.moments import iso
from clawfeed.rendering.json_edition import edition_as_json, score_as_json
from clawfeed.storage.digests.digests import DigestHead, StoredDigest

Json = dict[str, object]
# Of a preview as many are shown as an edition names and half as many again.
MOST_LEFT_OUT = 30


def head_as_json(head: DigestHead) -> Json:
    return {
        "id": head.id,
        "type": str(head.type),
        "period": head.period,
        "title": head.title,
        "language": head.language,
        "is_own": not head.is_systems,
        "created_at": iso(head.created_at),
        "published_at": iso(head.published_at),
    }


def digest_as_json(digest: StoredDigest) -> Json:
    return {**head_as_json(digest), **edition_as_json(digest.content)}


def task_as_json(task: EditionTask) -> Json:
    return {
        "id": task.id,
        "type": str(task.type),
        "period": task.period,
        "state": str(task.state),
    }


def preview_as_json(preview: EditionPreview) -> Json:
    rest = left_out(preview.stories, MOST_LEFT_OUT)
    chosen = [story for story in preview.stories if story.dropped is None]
    return {
        "items": preview.items,
        "sources": preview.sources,
        "stories": [_verdict(story) for story in chosen],
        "left_out": [_verdict(story) for story in rest.best],
        "left_out_counts": {str(why): count for why, count in rest.counts.items()},
    }


def _verdict(story: StoryVerdict) -> Json:
    dropped = story.dropped
    return {
        "headline": story.title,
        "section": str(story.section),
        "score": score_as_json(story.verdict.score),
        "publishers": story.reason.publishers,
        "interests": list(story.reason.interests),
        "raw_item_ids": [item.id for item in story.items],
        "sources": sorted({item.source_name for item in story.items}),
        "dropped": None if dropped is None else str(dropped),
    }


def telling_as_json(telling: Telling) -> Json:
    return {
        "digest_id": telling.digest_id,
        "told_at": iso(telling.told_at),
        "headline": telling.headline,
        "what_changed": telling.what_changed,
    }
