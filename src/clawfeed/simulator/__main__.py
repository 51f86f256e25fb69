"""`python -m clawfeed.simulator`: a world in a process of its own.

Prints one JSON line `{"url": ..., "mail_url": ...}` when it is ready and ends on SIGTERM or SIGINT.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from clawfeed.simulator.accelerated_time import sped_up
from clawfeed.simulator.demo_setup import demo_world
from clawfeed.simulator.large_feeds import fleet
from clawfeed.simulator.origin import Origin, serve
from clawfeed.simulator.world import World

# Beyond this a day of the world passes in less than a tenth of a second of ours.
FASTEST = 1_000_000


def main(arguments: Sequence[str] | None = None) -> None:
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        _runner()(_run(options))
    except _CannotStartError as error:
        parser.exit(2, f"{parser.prog}: {error}\n")


class _CannotStartError(Exception):
    """Somebody must choose another port or file; says which."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m clawfeed.simulator", description=__doc__)
    add = parser.add_argument
    add("--port", type=_whole(0, 65_535), default=0, help="0 takes a free one")
    feeds = "so many feeds at /f/N; 0 is the demo's world"
    add("--feeds", type=_whole(0, 1_000_000), default=0, help=feeds)
    add("--seed", type=int, default=1, help="another seed is another world")
    add("--journal", type=Path, help="append what was served to this file")
    add("--speed", type=_speed, default=1.0, help="how much faster than ours its time runs")
    add("--start", type=datetime.fromisoformat, help="the moment its time starts from; default now")
    add("--own-links", action="store_true", help="items link to pages of this server")
    return parser


def _whole(low: int, high: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not (text.isascii() and text.isdigit() and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(f"expected a whole number from {low} to {high}")
        return int(text)

    return parse


def _speed(text: str) -> float:
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0 < speed <= FASTEST:
        raise argparse.ArgumentTypeError(f"expected a number above 0, at most {FASTEST:,}")
    return speed


async def _run(options: argparse.Namespace) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with AsyncExitStack() as stack:
        try:
            origin = await stack.enter_async_context(_served(options))
        except OSError as error:
            raise _CannotStartError(_way_out(options, error)) from error
        sys.stdout.write(json.dumps({"url": origin.url, "mail_url": origin.mail_url}) + "\n")
        sys.stdout.flush()
        await stop.wait()


def _served(options: argparse.Namespace) -> AbstractAsyncContextManager[Origin]:
    return serve(
        _world(options),
        port=options.port,
        journal=options.journal,
        own_links=options.own_links,
    )


def _way_out(options: argparse.Namespace, error: OSError) -> str:
    why = os.strerror(error.errno or 0)
    if error.filename is not None:
        return f"cannot write --journal {options.journal} ({why}): name a file that can be written"
    return f"cannot listen on --port {options.port} ({why}): choose another, or 0 for a free one"


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
