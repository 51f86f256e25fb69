"""Services that answer 200 whatever happens, and say in the body what did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from clawfeed.domain.errors import Reason
from clawfeed.egress.request_and_response import Response
from clawfeed.publish.message import Receipt, RetryVerdict, SendError
from clawfeed.publish.webhooks.webhook_sender import json_object, too_often


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyErrorCodes:
    """What the numbers in *key* mean; 0 is success. A number not named here is given up on.

    Their sentences are not passed on: they name our address and change from day to day.
    """

    name: str
    key: str
    pausing: Mapping[int, str]  # each with what its owner must do
    busy: Mapping[int, timedelta]  # each with the rest it asks for
    passing: frozenset[int] = field(default_factory=frozenset)

    def read(self, response: Response) -> Receipt | None:
        """The receipt of a message that was taken, or `SendError`."""
        code = json_object(response).get(self.key)
        if isinstance(code, bool) or not isinstance(code, int):
            if response.status >= 400:
                return None
            raise SendError(
                Reason.UNREADABLE,
                f"{self.name} answers with something that does not say whether it was taken.",
                may_have_arrived=True,
                status=response.status,
            )
        if code == 0:
            return Receipt()
        raise self._refusal(code, response.status)

    def _refusal(self, code: int, status: int) -> SendError:
        if code in self.busy:
            return too_often(self.name, self.busy[code])
        detail = f"{self.name} refuses with code {code}"
        if code in self.pausing:
            detail = f"{detail}: {self.pausing[code]}"
            return SendError(Reason.REFUSED, detail, verdict=RetryVerdict.PAUSE, status=status)
        verdict = RetryVerdict.RETRY if code in self.passing else RetryVerdict.GIVE_UP
        return SendError(Reason.REFUSED, f"{detail}.", verdict=verdict, status=status)
