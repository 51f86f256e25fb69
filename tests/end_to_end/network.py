"""A real network between a collector and its origin, to be cut, flapped and made slow."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path

from clawfeed.simulator import fleet, serve
from tests.end_to_end.fleet import Fleet
from tests.support.processes import Running, running_clawfeed
from tests.support.system_packages import needed

_numbers = count()


def _tool(name: str) -> Path | None:
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    return Path(found) if found else None


def command(*words: str) -> subprocess.CompletedProcess[str]:
    """Run `ip ...` or `tc ...` to its end; the caller looks what came of it."""
    tool = needed("iproute2", _tool(words[0]))
    return subprocess.run(
        [str(tool), *words[1:]], capture_output=True, text=True, timeout=20, check=False
    )


def do(*words: str) -> None:
    done = command(*words)
    assert done.returncode == 0, f"{' '.join(words)}: {done.stderr}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Namespace:
    """A network of its own, in which only a collector lives. Empty, it has no route to anywhere."""

    name: str

    def ip(self, *words: str) -> None:
        do("ip", "-n", self.name, *words)

    def run(self, *words: str) -> str:
        """What a command that is run inside prints."""
        done = command("ip", "netns", "exec", self.name, *words)
        assert done.returncode == 0, f"{' '.join(words)}: {done.stderr}"
        return done.stdout

    @contextmanager
    def collector(self, folder: Path, environment: Mapping[str, str]) -> Iterator[Running]:
        """`clawfeed collect --loop` inside; killed at the end if it still runs."""
        inside = (str(_tool("ip")), "netns", "exec", self.name)
        with running_clawfeed(
            "collect", "--loop", cwd=folder, env=environment, inside=inside
        ) as running:
            yield running


@contextmanager
def namespace() -> Iterator[Namespace]:
    """A new one, removed at the end. Only root may make one."""
    name = f"clawfeed-{os.getpid()}-{next(_numbers)}"
    do("ip", "netns", "add", name)
    try:
        yield Namespace(name=name)
    finally:
        do("ip", "netns", "delete", name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A cable from the origin's *address* out here to the collector's namespace.

    The address is a public one behind a default route: to the collector this is the internet.
    """

    inside: Namespace
    near_end: str
    far_end: str
    router: str
    collector: str
    address: str

    def cut(self) -> None:
        """Take the collector's end down; the kernel forgets all routes over it."""
        self.inside.ip("link", "set", self.far_end, "down")

    def mend(self) -> None:
        """Bring it up again, with the default route that the kernel does not remember."""
        self.inside.ip("link", "set", self.far_end, "up")
        self.inside.ip("route", "replace", "default", "via", self.router)

    def repeat_late(self) -> None:
        """What gets lost on its way to the collector is not sent again within 20 s."""
        do("ip", "route", "replace", self.collector, "dev", self.near_end, "rto_min", "20s")

    def backlog(self) -> int:
        """How many bytes of answers wait in the queue of `slow_down` right now."""
        shown = command("tc", "-json", "-statistics", "qdisc", "show", "dev", self.near_end)
        assert shown.returncode == 0, shown.stderr
        return sum(int(queue["backlog"]) for queue in json.loads(shown.stdout))

    def has_orphans(self) -> bool:
        """Whether the collector's kernel still holds bytes that the collector has given up."""
        return bool(self.inside.run("ss", "-Htn", "state", "fin-wait-1").strip())

    def slow_down(self, *queue: str) -> None:
        """Answers pass a queue of `tc` from now on."""
        do("tc", "qdisc", "replace", "dev", self.near_end, "root", *queue)


@contextmanager
def linked() -> Iterator[Link]:
    """A namespace with a link and a default route over it, all removed at the end."""
    number, pid = next(_numbers), os.getpid()
    # Tests run side by side in processes with different numbers.
    net = f"10.{200 + number % 50}.{pid // 250 % 250}.{pid % 62 * 4}".split(".")
    near, far = (".".join([*net[:3], str(int(net[3]) + host)]) for host in (1, 2))
    # A public address that nobody here needs meanwhile: to the guard, this is the internet.
    address = ".".join(["11", *near.split(".")[1:]])
    near_end, far_end = f"cf{pid}n{number}", f"cf{pid}f{number}"
    with namespace() as inside:
        link = Link(
            inside=inside,
            near_end=near_end,
            far_end=far_end,
            router=near,
            collector=far,
            address=address,
        )
        cable = ("type", "veth", "peer", "name", far_end, "netns", inside.name)
        do("ip", "link", "add", near_end, *cable)
        try:
            do("ip", "address", "add", f"{near}/30", "dev", near_end)
            do("ip", "address", "add", f"{address}/32", "dev", near_end)
            inside.ip("address", "add", f"{far}/30", "dev", far_end)
            do("ip", "link", "set", near_end, "up")
            link.mend()
            yield link
        finally:
            do("ip", "link", "delete", near_end)


class LinkedFleet(Fleet):
    """A fleet at another address than loopback."""

    __slots__ = ()

    @property
    def host(self) -> str:
        return self.url.removeprefix("http://")


@asynccontextmanager
async def fleet_at(
    address: str,
    folder: Path,
    size: int,
    *,
    clock: Callable[[], datetime],
    age: timedelta,
    hold: timedelta,
) -> AsyncIterator[LinkedFleet]:
    """Feeds with an item an hour since *age*, in documents from which nothing scrolls out."""
    world = fleet(size, seed=7, clock=clock, gap=timedelta(hours=1), window=120, hold=hold)
    world.began_at = clock() - age
    journal = folder / "journal.jsonl"
    async with serve(world, host=address, journal=journal) as origin:
        yield LinkedFleet(url=origin.url, world=world, journal=journal, size=size, origin=origin)
