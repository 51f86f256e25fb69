"""The simulated world: who publishes what and when, and what goes wrong. No sockets here."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from clawfeed.simulator.faults import Misbehaviour
from clawfeed.simulator.formats import FORMATS
from clawfeed.simulator.news.deterministic_random import roll, share
from clawfeed.simulator.news.feed_model import Feed, Shape, Story
from clawfeed.simulator.news.publish_times import count_until
from clawfeed.simulator.news.stories import MOST_COMMON, news_slot, tell
from clawfeed.simulator.serving.http import Request
from clawfeed.simulator.serving.responses import Answer, Content, as_json
from clawfeed.simulator.side_effects import Effects

Clock = Callable[[], datetime]

# A Monday, long enough ago that every feed has a past.
BEGAN_AT = datetime(2024, 1, 1, tzinfo=UTC)
# X counts milliseconds from here in its post ids.
X_EPOCH = datetime(2010, 11, 4, 1, 42, 54, 657000, tzinfo=UTC)


@dataclass(slots=True)
class _Ordered:
    """A misbehaviour on a path and how often it is still to come (None: for ever)."""

    how: Misbehaviour
    left: int | None
    asked: int = 0


class World:
    """Feeds that publish by the clock they are given.

    Items and their moments are pure functions of (seed, feed, index): whoever knows the seed can
    recompute every key. *links* is the address in front of the items' pages; empty, they lie at
    invented hosts under `.example`. *remember* is how many rendered documents are kept.
    """

    def __init__(
        self,
        feeds: Iterable[Feed],
        *,
        seed: int,
        clock: Clock,
        began_at: datetime = BEGAN_AT,
        links: str = "",
        remember: int = 2000,
    ) -> None:
        self.feeds = {feed.id: feed for feed in feeds}
        self.seed = seed
        self.clock = clock
        self.began_at = began_at
        self.links = links
        self.effects = Effects()
        self._remember = remember
        self._rendered: OrderedDict[tuple[str, int, str], Content] = OrderedDict()
        self._counted: dict[str, tuple[int, datetime, datetime]] = {}
        self._faults: dict[str, _Ordered] = {}
        self._by_path = dict(_paths(self.feeds.values()))

    # What is published

    def published_at(self, feed: Feed, index: int) -> datetime | None:
        """When item *index* comes, to the second; None if it never does."""
        offset = feed.plan.offset(index, share(self.seed, feed.id, index, "moment"))
        if offset is None:
            return None
        return self.began_at + timedelta(seconds=offset // timedelta(seconds=1))

    def count(self, feed: Feed, at: datetime | None = None) -> int:
        """How many items *feed* has published by *at* (default: now)."""
        now = at or self.clock()
        known = self._counted.get(feed.id)
        if known and known[1] <= now < known[2]:
            return known[0]
        count = count_until(now - self.began_at, lambda index: self._offset(feed, index))
        since = self.published_at(feed, count - 1) if count else self.began_at
        until = self.published_at(feed, count)
        self._counted[feed.id] = (
            count,
            since or self.began_at,
            until or datetime.max.replace(tzinfo=UTC),
        )
        return count

    def story(self, feed: Feed, index: int) -> Story:
        """Item *index*; LookupError if there will never be one."""
        at = self.published_at(feed, index)
        if at is None or index < 0:
            raise LookupError(f"{feed.id} has no item {index}")
        url, place = self._url(feed, index, at), self._place(feed, index, at)
        return tell(self.seed, feed, index, url=url, at=at, place=place)

    def _place(self, feed: Feed, index: int, at: datetime) -> int:
        """How many items of *feed* came before it in its round of news, as far as it matters."""
        round_of_news = news_slot(at)
        for place in range(MOST_COMMON):
            before = self.published_at(feed, index - place - 1) if index > place else None
            if before is None or news_slot(before) != round_of_news:
                return place
        return MOST_COMMON

    def stories(self, feed: Feed, at: datetime | None = None) -> list[Story]:
        """What the document of *feed* holds at *at* (default: now), newest first."""
        return self._window(feed, self.count(feed, at))

    def keys(self, feed: Feed, at: datetime | None = None) -> tuple[str, ...]:
        """The keys in the document of *feed* at *at*: what the oracle expects to find stored."""
        return _keys(feed, self.stories(feed, at))

    def of_shape(self, shape: Shape) -> list[Feed]:
        return [feed for feed in self.feeds.values() if feed.shape is shape]

    def home(self, feed: Feed) -> str:
        return f"{self.links}{feed.path}" if self.links else f"https://{feed.id}.example/"

    def _window(self, feed: Feed, count: int) -> list[Story]:
        first = max(0, count - feed.window)
        return [self.story(feed, index) for index in range(count - 1, first - 1, -1)]

    def _offset(self, feed: Feed, index: int) -> timedelta | None:
        at = self.published_at(feed, index)
        return None if at is None else at - self.began_at

    def _url(self, feed: Feed, index: int, at: datetime) -> str:
        if feed.shape is Shape.X:
            return f"https://x.com/{feed.id}/status/{x_post_id(feed, index, at)}"
        if self.links:
            return f"{self.links}/read/{feed.id}/{index}"
        return f"https://{feed.id}.example/read/{index}"

    # What is served

    def document_at(self, request: Request) -> Answer | None:
        """The document at the request's path, or None if no feed lives there."""
        feed = self._by_path.get(request.path)
        if feed is None:
            return None
        if feed.required_header:
            name, value = feed.required_header
            if request.headers.get(name.lower()) != value:
                return as_json({"error": f"{name} is required"}, status=401, feed=feed.id)
        return self.document(feed)

    def document(self, feed: Feed) -> Answer:
        count = self.count(feed)
        latest = self.published_at(feed, count - 1) if count else None
        return Answer(
            content=lambda: self._content(feed, count),
            content_type=FORMATS[feed.shape].content_type,
            headers=feed.headers,
            tag=f"{roll(self.seed, feed.id, feed.shape, self.links, count):016x}",
            modified_at=latest or self.began_at,
            feed=feed.id,
            hold=feed.hold.total_seconds(),
        )

    def _content(self, feed: Feed, count: int) -> Content:
        key = (feed.path, count, self.links)
        content = self._rendered.get(key)
        if content is None:
            content = self._rendered[key] = self._render(feed, count)
            if len(self._rendered) > self._remember:
                self._rendered.popitem(last=False)
        self._rendered.move_to_end(key)
        return content

    def _render(self, feed: Feed, count: int) -> Content:
        stories = self._window(feed, count)
        body = FORMATS[feed.shape].render(feed, self.home(feed), stories).encode()
        # A front page only leads to its feed; the items are served there.
        keys = () if feed.shape is Shape.WEBSITE else _keys(feed, stories)
        return Content(body, keys)

    # What goes wrong

    def misbehave(self, path: str, how: Misbehaviour, times: int | None = None) -> None:
        """From now on, misbehave at *path* for the next *times* requests, or until `behave`.

        A path that ends in `*` stands for all that begin like it; an exact one goes before it.
        """
        self._faults[path] = _Ordered(how, times)

    def behave(self, path: str) -> None:
        """End the misbehaviour ordered for exactly this *path*; `*` ends all."""
        if path == "*":
            self._faults.clear()
        else:
            self._faults.pop(path, None)

    def misbehaviour_for(self, path: str) -> Misbehaviour | None:
        """What to do to this request, if anything; counts it."""
        if not self._faults:
            return None
        name = path if path in self._faults else self._wildcard(path)
        if name is None:
            return None
        ordered = self._faults[name]
        ordered.asked += 1
        if share(self.seed, name, ordered.asked, "fault") >= ordered.how.share:
            return None
        if ordered.left is not None:
            ordered.left -= 1
            if ordered.left <= 0:
                del self._faults[name]
        return ordered.how

    def _wildcard(self, path: str) -> str | None:
        matching = [
            name for name in self._faults if name.endswith("*") and path.startswith(name[:-1])
        ]
        return max(matching, key=len, default=None)


def x_post_id(feed: Feed, index: int, at: datetime) -> int:
    """A post id as X makes them: time in the high bits, so that ids rise with time."""
    return x_id_at(at) | roll(feed.id) % 2**10 << 12 | index % 2**12


def x_id_at(at: datetime) -> int:
    """The smallest post id of that moment."""
    return (at - X_EPOCH) // timedelta(milliseconds=1) << 22


def _keys(feed: Feed, stories: Sequence[Story]) -> tuple[str, ...]:
    if feed.shape is Shape.PAGE:  # one address with many versions
        return tuple(f"{feed.path}#{story.index}" for story in stories[:1])
    return tuple(story.url for story in stories)


def _paths(feeds: Iterable[Feed]) -> Iterable[tuple[str, Feed]]:
    for feed in feeds:
        if feed.shape not in FORMATS:
            continue
        yield feed.path, feed
        if feed.alternate:
            yield feed.alternate, replace(feed, path=feed.alternate, shape=Shape.RSS20)
