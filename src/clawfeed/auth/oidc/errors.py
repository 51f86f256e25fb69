"""How a sign-in by a provider is refused: one sentence for people, the reason for the log."""

from __future__ import annotations

from typing import Final

from clawfeed.domain.errors import NotAllowedError, RefusalCode

# The same for a stranger, an unverified address, a taken one and a disabled account: whoever
# comes here must not learn who has an account.
NO_ACCOUNT = "this sign-in opens no account here: ask the admin of this ClawFeed for one"
START_AGAIN = "this sign-in was used already, is too old, or began elsewhere: start it again"
NOT_CONFIRMED = "the provider did not confirm who you are: try again, or sign in another way"
UNREACHABLE = "the provider cannot be reached at the moment: try again, or sign in another way"

_TOLD: Final = {
    NO_ACCOUNT: RefusalCode.NO_ACCOUNT,
    START_AGAIN: RefusalCode.SIGN_IN_AGAIN,
    NOT_CONFIRMED: RefusalCode.NOT_CONFIRMED,
    UNREACHABLE: RefusalCode.PROVIDER_UNREACHABLE,
}


class OidcRefusedError(NotAllowedError):
    """Nobody gets in. *why* is a constant phrase of ours, never a word of the provider's."""

    def __init__(self, sentence: str, why: str, *, status: int = 403) -> None:
        super().__init__(sentence, _TOLD[sentence])
        self.why = why
        self.status = status


def unproven(why: str) -> OidcRefusedError:
    """The provider's answer does not hold."""
    return OidcRefusedError(NOT_CONFIRMED, why)


def stale(why: str) -> OidcRefusedError:
    """The browser has no such sign-in under way."""
    return OidcRefusedError(START_AGAIN, why, status=400)
