"""What the pages of one's own account have in common: what they need, and who may touch secrets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from clawfeed.auth.client_address import TrustedProxies
from clawfeed.auth.cookies import BrowserCookies
from clawfeed.auth.recent_sign_in import require_freshness
from clawfeed.auth.request_actor import Doorkeeper
from clawfeed.auth.sign_in import SignIn
from clawfeed.domain.errors import SignInAgainError
from clawfeed.domain.people.users import Caller
from clawfeed.storage.database import Database
from clawfeed.web.frame.page_rendering import Site

CONFIRM_PATH: Final = "/account/confirm"
# What browsers and systems call themselves, the more telling names first: Edge says Chrome, too.
_BROWSERS: Final = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
)
_SYSTEMS: Final = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("Linux", "Linux"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountPages(Doorkeeper):
    """What these pages need. *providers* are names and slugs of those who vouch for people."""

    site: Site
    database: Database
    signing_in: SignIn
    cookies: BrowserCookies
    base_url: str
    trusted_proxies: TrustedProxies = ()
    providers: tuple[tuple[str, str], ...] = ()

    def may_make_secrets(self, caller: Caller) -> bool:
        """Whether they proved who they are just now; `NotAllowedError` for a key, which cannot."""
        try:
            require_freshness(caller, self.site.now())
        except SignInAgainError:
            return False
        return True


def device_named(client: str) -> str:
    """The browser and the system in what a browser called itself; empty if it says neither."""
    browser = next((name for mark, name in _BROWSERS if mark in client), "")
    system = next((name for mark, name in _SYSTEMS if mark in client), "")
    return ", ".join(filter(None, (browser, system)))
