"""Utilities: a world on loopback, for the demo, the tests and the benchmarks."""

from clawfeed.simulator.accelerated_time import sped_up
from clawfeed.simulator.channel_setup import channel_settings
from clawfeed.simulator.demo_settings import settings
from clawfeed.simulator.demo_setup import (
    DemoSource,
    demo_sources,
    demo_world,
    troubled_demo_sources,
)
from clawfeed.simulator.faults import Fault, Misbehaviour, busy, moved, status
from clawfeed.simulator.journal import Entry, gaps, keys_served, max_in_flight, read_journal
from clawfeed.simulator.large_feeds import fleet
from clawfeed.simulator.news.feed_model import Feed, Language, Shape, Story
from clawfeed.simulator.news.publish_times import NEVER, At, Bursts, Every, WorkingHours, once
from clawfeed.simulator.origin import Origin, serve
from clawfeed.simulator.world import World

__all__ = [
    "NEVER",
    "At",
    "Bursts",
    "DemoSource",
    "Entry",
    "Every",
    "Fault",
    "Feed",
    "Language",
    "Misbehaviour",
    "Origin",
    "Shape",
    "Story",
    "WorkingHours",
    "World",
    "busy",
    "channel_settings",
    "demo_sources",
    "demo_world",
    "fleet",
    "gaps",
    "keys_served",
    "max_in_flight",
    "moved",
    "once",
    "read_journal",
    "serve",
    "settings",
    "sped_up",
    "status",
    "troubled_demo_sources",
]
