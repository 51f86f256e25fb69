"""Finished editions as JSON. Additions are fine, changes are not."""

from __future__ import annotations

from clawfeed.api.status_json import iso
from clawfeed.digest.left_out import left_out
from clawfeed.digest.preview import EditionPreview
from clawfeed.digest.selection import StoryVerdict
from clawfeed.domain.digest import (
    DigestContent,
    DigestStory,
    LeftOutStory,
    ModelUse,
    StorySource,
    WhatChanged,
)
from clawfeed.domain.edition import EditionTask
from clawfeed.domain.selection import Score
from clawfeed.domain.story import Telling
from clawfeed.rendering.edition_view import told_order
from clawfeed.rendering.reasons import reason_sentence
from clawfeed.rendering.wording import wording_of
from clawfeed.storage.digests import DigestHead, StoredDigest

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
    content = digest.content
    numbers = content.numbers
    return {
        **head_as_json(digest),
        "covers_from": iso(content.covers_from),
        "covers_until": iso(content.covers_until),
        "made_at": iso(content.made_at),
        "zone": content.zone,
        "summary": list(content.summary),
        "numbers": {
            "items": numbers.items,
            "sources": numbers.sources,
            "stories": numbers.stories,
            "minutes": numbers.minutes,
            "ungrounded": numbers.ungrounded,
        },
        "stories": [
            _story(story, number, content) for number, story in enumerate(told_order(content), 1)
        ],
        "left_out": [_left_out(each, content) for each in content.left_out],
        "left_out_counts": {str(why): count for why, count in content.left_out_counts.items()},
        "model": _model(content.model) if content.model else None,
    }


def _story(story: DigestStory, number: int, content: DigestContent) -> Json:
    words = story.words
    return {
        "number": number,
        "story_id": story.story_id,
        "section": str(story.section),
        "headline": words.headline,
        "sentences": [{"text": each.text, "cites": list(each.cites)} for each in words.sentences],
        "words_by": str(words.by),
        "language": words.language,
        "ungrounded": words.ungrounded,
        "sources": [_source(each) for each in story.sources],
        "reason": reason_as_json(story, content),
        "first_seen_at": iso(story.first_seen_at),
        "what_changed": _changed(story.what_changed) if story.what_changed else None,
    }


def reason_as_json(story: DigestStory, content: DigestContent) -> Json:
    reason = story.reason
    return {
        "because": because_in(story, content),
        "score": score_as_json(reason.score),
        "publishers": reason.publishers,
        "loud_source": reason.loud_at,
        "interests": list(reason.interests),
        "days_told": reason.days_told,
    }


def because_in(story: DigestStory, content: DigestContent) -> str:
    """Why it is in, in the edition's language."""
    return reason_sentence(story, content.made_at, wording_of(content.language))


def score_as_json(score: Score) -> Json:
    return {"total": round(score.total, 3), **score_parts_as_json(score)}


def score_parts_as_json(score: Score) -> Json:
    return {
        "corroboration": round(score.corroboration, 3),
        "signal": round(score.signal, 3),
        "recency": round(score.recency, 3),
        "interest": round(score.interest, 3),
        "lasting": round(score.lasting, 3),
    }


def _source(source: StorySource) -> Json:
    return {
        "number": source.number,
        "name": source.source_name,
        "publisher": source.publisher,
        "title": source.title,
        "url": source.url,
        "published_at": iso(source.published_at),
        "raw_item_id": source.item_id,
        "source_id": source.source_id,
    }


def _changed(changed: WhatChanged) -> Json:
    return {
        "told_at": iso(changed.told_at),
        "headline": changed.headline,
        "news": changed.news,
    }


def _left_out(story: LeftOutStory, content: DigestContent) -> Json:
    return {
        "story_id": story.story_id,
        "headline": story.headline,
        "dropped": str(story.because),
        "because": wording_of(content.language).dropped[story.because],
        "score": round(story.score, 3),
    }


def _model(use: ModelUse) -> Json:
    return {
        "model": use.model,
        "calls": use.calls,
        "remembered": use.remembered,
        "tokens": use.tokens,
        "cost_micros": use.cost_micros,
    }


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
