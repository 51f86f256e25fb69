"""The pages about the house, in the order of their tabs. One that is not built yet is not shown."""

from __future__ import annotations

from typing import Final

from markupsafe import Markup

from clawfeed.web.frame.site import PageView

# Where it is, and the key of its name.
TABS: Final = (
    ("/operations", "operations.tab_overview"),
    ("/operations/editions", "operations.tab_editions"),
    ("/operations/outbox", "operations.tab_outbox"),
    ("/operations/alarms", "operations.tab_alarms"),
    ("/operations/people", "operations.tab_people"),
    ("/operations/configuration", "operations.tab_configuration"),
)


def operations_tabs(page: PageView) -> list[tuple[str, Markup, bool]]:
    """Address, name, and whether it is this page: what the macro `operations.tabs` takes."""
    return [
        (path, page.say(text), path == page.path) for path, text in TABS if is_served(page, path)
    ]


def is_served(page: PageView, path: str) -> bool:
    """Whether this application has such a page: no link leads nowhere."""
    served: frozenset[str] = page.request.app.state.paths
    return path in served
