"""An edition as JSON, as programs get it or ask for it. Additions are fine, changes are not."""

from __future__ import annotations

from clawfeed.domain.editions.digest import (
    DigestContent,
    DigestStory,
    LeftOutStory,
    ModelUse,
    StorySource,
    WhatChanged,
)
from clawfeed.domain.editions.selection import Score
from clawfeed.domain.moments import iso
from clawfeed.rendering.edition_view import told_order
from clawfeed.rendering.story_reasons import reason_sentence
from clawfeed.rendering.wording import wording_of

Json = dict[str, object]


def edition_as_json(content: DigestContent) -> Json:
    """What an edition tells. Its title, type and period are its head's, wherever it is shown."""
    numbers = content.numbers
    return {
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
