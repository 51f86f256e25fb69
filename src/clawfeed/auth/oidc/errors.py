"""How a sign-in by a provider is refused: one sentence for people, the reason for the log."""

from __future__ import annotations

from typing import Final

from clawfeed.domain.errors import NotAllowedError, RefusalCode

SENTENCES: Final = {
    # The same for a stranger, an unverified address, a taken one and a disabled account: whoever
    # comes here must not learn who has an account.
    RefusalCode.NO_ACCOUNT: (
        "this sign-in opens no account here: ask the admin of this ClawFeed for one"
    ),
    RefusalCode.SIGN_IN_AGAIN: (
        "this sign-in was used already, is too old, or began elsewhere: start it again"
    ),
    RefusalCode.NOT_CONFIRMED: (
        "the provider did not confirm who you are: try again, or sign in another way"
    ),
    RefusalCode.PROVIDER_UNREACHABLE: (
        "the provider cannot be reached at the moment: try again, or sign in another way"
    ),
}


class OidcRefusedError(NotAllowedError):
    """Nobody gets in. *why* is a constant phrase of ours, never a word of the provider's."""

    def __init__(self, told: RefusalCode, why: str, *, status: int = 403) -> None:
        super().__init__(SENTENCES[told], told)
        self.why = why
        self.status = status


def unproven(why: str) -> OidcRefusedError:
    """The provider's answer does not hold."""
    return OidcRefusedError(RefusalCode.NOT_CONFIRMED, why)


def stale(why: str) -> OidcRefusedError:
    """The browser has no such sign-in under way."""
    return OidcRefusedError(RefusalCode.SIGN_IN_AGAIN, why, status=400)
