from __future__ import annotations

from collections import defaultdict
from datetime import timedelta

from clawfeed.simulator import NEVER, Feed, Shape, World, demo_world, fleet
from clawfeed.simulator.world import x_post_id
from tests.simulator.conftest import HandClock


def test_the_same_seed_tells_the_same_stories(clock: HandClock) -> None:
    one, other, stranger = (demo_world(seed=seed, clock=clock) for seed in (7, 7, 8))

    for feed in one.feeds.values():
        assert one.stories(feed) == other.stories(feed)
    differing = [f for f in one.feeds.values() if one.stories(f) != stranger.stories(f)]
    assert len(differing) == len(one.feeds)


def test_an_item_does_not_change_when_it_is_seen_later(world: World, clock: HandClock) -> None:
    feed = world.feeds["harbour-times"]
    before = {story.url: story for story in world.stories(feed)}

    clock.pass_time(timedelta(hours=5))

    after = {story.url: story for story in world.stories(feed)}
    shared = before.keys() & after.keys()
    assert 10 < len(shared) < feed.window
    assert all(before[url] == after[url] for url in shared)
    assert len(before.keys() | after.keys()) == world.count(feed) - min(
        story.index for story in before.values()
    )


def test_stories_are_never_from_the_future(world: World, clock: HandClock) -> None:
    for feed in world.feeds.values():
        moments = [story.published_at for story in world.stories(feed)]

        assert moments == sorted(moments, reverse=True)
        assert all(moment <= clock.now for moment in moments)


def test_going_back_in_time_gives_the_old_document(world: World, clock: HandClock) -> None:
    feed, then = world.feeds["night-sky"], clock.now
    old = world.keys(feed)

    clock.pass_time(timedelta(days=3))

    assert world.keys(feed) != old
    assert world.keys(feed, then) == old


def test_a_feed_that_never_publishes_is_empty(clock: HandClock) -> None:
    quiet = Feed(id="quiet", path="/quiet", shape=Shape.RSS20, title="Quiet", plan=NEVER)
    world = World([quiet], seed=1, clock=clock)

    assert world.keys(quiet) == ()
    assert b"<item>" not in world.document(quiet).content().body


def test_several_feeds_tell_the_same_story_in_other_words(world: World) -> None:
    """Clustering finds something: one lead's numbers and names in more than one feed."""
    telling: dict[tuple[str, str], set[str]] = defaultdict(set)
    titles: dict[tuple[str, str], set[str]] = defaultdict(set)

    for feed in world.feeds.values():
        for story in world.stories(feed):
            digits = "".join(c if c.isdigit() else " " for c in story.text).split()
            key = (story.beat, " ".join(sorted(digits)))
            if len(digits) > 1:
                telling[key].add(story.feed)
                titles[key].add(story.title)

    common = [key for key, feeds in telling.items() if len(feeds) >= 3]
    assert len(common) >= 5
    assert sum(len(titles[key]) > 1 for key in common) >= 5


def test_a_fleet_has_documents_of_real_size(clock: HandClock) -> None:
    world = fleet(20, seed=3, clock=clock)

    sizes = [len(world.document(feed).content().body) for feed in world.feeds.values()]

    assert all(40_000 < size < 65_000 for size in sizes)
    assert all(20 <= len(world.keys(feed)) <= 25 for feed in world.feeds.values())


def test_a_rendered_document_is_kept_until_it_changes(clock: HandClock) -> None:
    world = fleet(1, seed=3, clock=clock, gap=timedelta(hours=1))
    feed = world.feeds["f0"]
    first = world.document(feed).content()

    clock.pass_time(timedelta(seconds=1))
    same = world.document(feed).content()
    clock.pass_time(timedelta(hours=2))
    newer = world.document(feed).content()

    assert first is same
    assert newer.keys != first.keys


def test_post_ids_rise_with_time(world: World) -> None:
    account = world.feeds["chip_gossip"]

    stories = world.stories(account)

    ids = [x_post_id(account, story.index, story.published_at) for story in stories]
    assert ids == sorted(ids, reverse=True)
    assert len(set(ids)) == account.window
