"""The pages in the header, in their order. One that is not built yet is not shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from fastapi import Request

from clawfeed.auth.authorization import Access
from clawfeed.domain.people.users import Caller


@dataclass(frozen=True, slots=True, kw_only=True)
class NavigationItem:
    """*text* is the key of its name. It is the active one for *path* and whatever is under it."""

    path: str
    text: str
    access: Access = Access.EVERYONE
    also: tuple[str, ...] = ()

    def is_active(self, here: str) -> bool:
        is_under = any(here == each or here.startswith(f"{each}/") for each in self._places)
        return here == self.path or is_under

    @property
    def _places(self) -> tuple[str, ...]:
        """Everything is under the front page, which is no reason to be there."""
        return tuple(each for each in (self.path, *self.also) if each != "/")

    def is_for(self, caller: Caller | None) -> bool:
        match self.access:
            case Access.ADMIN:
                return caller is not None and caller.is_admin
            case Access.READ | Access.WRITE:
                return caller is not None
            case _:
                return True


NAVIGATION: Final = (
    NavigationItem(path="/", text="nav.today"),
    NavigationItem(path="/digests", text="nav.editions", also=("/stories",)),
    NavigationItem(path="/sources", text="nav.sources"),
    NavigationItem(path="/items", text="nav.items", access=Access.READ),
    NavigationItem(path="/marks", text="nav.marks", access=Access.READ),
    NavigationItem(
        path="/my-edition", text="nav.my_edition", access=Access.READ, also=("/channels",)
    ),
    NavigationItem(path="/operations", text="nav.operations", access=Access.ADMIN),
)


def navigation_for(request: Request, caller: Caller | None) -> list[NavigationItem]:
    """What this caller may open of what this application serves: no link leads nowhere."""
    served: frozenset[str] = request.app.state.paths
    return [each for each in NAVIGATION if each.path in served and each.is_for(caller)]
