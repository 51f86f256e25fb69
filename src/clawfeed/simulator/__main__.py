"""`python -m clawfeed.simulator`: a world in a process of its own.

Prints one JSON line `{"url": ...}` when it is ready and ends on SIGTERM or SIGINT.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
from collections.abc import Callable, Coroutine, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from clawfeed.simulator.cast import demo_world
from clawfeed.simulator.fleet import fleet
from clawfeed.simulator.origin import serve
from clawfeed.simulator.pace import sped_up
from clawfeed.simulator.world import World


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    _runner()(_run(options))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m clawfeed.simulator", description=__doc__)
    add = parser.add_argument
    add("--port", type=int, default=0, help="0 takes a free one")
    add("--feeds", type=int, default=0, help="so many feeds at /f/N; 0 is the demo's world")
    add("--seed", type=int, default=1, help="another seed is another world")
    add("--journal", type=Path, help="append what was served to this file")
    add("--speed", type=float, default=1.0, help="how much faster than ours its time runs")
    add("--start", type=datetime.fromisoformat, help="the moment its time starts from; default now")
    add("--own-links", action="store_true", help="items link to pages of this server")
    return parser


async def _run(options: argparse.Namespace) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    world = _world(options)
    async with serve(
        world, port=options.port, journal=options.journal, own_links=options.own_links
    ) as origin:
        sys.stdout.write(json.dumps({"url": origin.url}) + "\n")
        sys.stdout.flush()
        await stop.wait()


def _world(options: argparse.Namespace) -> World:
    # A process of its own has nobody upstairs to pass the clock in.
    start = options.start or datetime.now(UTC)  # noqa: TID251
    clock = sped_up(start if start.tzinfo else start.replace(tzinfo=UTC), options.speed)
    if options.feeds:
        return fleet(options.feeds, seed=options.seed, clock=clock)
    return demo_world(seed=options.seed, clock=clock)


def _runner() -> Callable[[Coroutine[Any, Any, None]], None]:
    try:
        import uvloop
    except ImportError:  # not on Windows
        return asyncio.run
    return uvloop.run


if __name__ == "__main__":
    main()
