"""An edition's way to a channel as people see it: how far it came, why, and what may be done."""

from __future__ import annotations

from typing import Final

from clawfeed.domain.editions.delivery import DeliveryState, MessageState
from clawfeed.rendering.dates import period_worded
from clawfeed.rendering.safe_text import one_line
from clawfeed.storage.outbox.delivery_states import Delivery
from clawfeed.web.frame.page_rendering import PageView
from clawfeed.web.texts.all_texts import TEXTS

_KINDS: Final = {
    DeliveryState.PENDING: "",
    DeliveryState.SENT: "good",
    DeliveryState.UNCERTAIN: "warn",
    DeliveryState.PARTIAL: "bad",
    DeliveryState.FAILED: "bad",
}


def delivery_line(page: PageView, delivery: Delivery) -> dict[str, object]:
    waiting, code = delivery.waiting, delivery.last_error_code
    is_pending = delivery.state is DeliveryState.PENDING
    at = delivery.sent_at or delivery.created_at
    return {
        "digest_id": delivery.digest_id,
        "title": one_line(delivery.title) or delivery.period,
        "period": one_line(period_worded(delivery.type, delivery.period, page.language)),
        "text": f"delivery.{_step(delivery)}",
        "kind": "warn" if is_pending and code else _KINDS[delivery.state],
        "at": page.when(at),
        "until": page.when(waiting.not_before)
        if waiting and is_pending and waiting.not_before > page.now
        else None,
        "is_retried": is_pending and code is not None,
        "parts": delivery.parts,
        "sent_parts": delivery.sent_parts,
        "cause": cause_of(code) if code else None,
        "said": one_line(delivery.last_error or ""),
        "is_uncertain": delivery.state is DeliveryState.UNCERTAIN,
        "resend": delivery.resendable,
    }


def _step(delivery: Delivery) -> str:
    """The state; of what is on its way also how: waiting, leaving now, or tried again."""
    if delivery.state is not DeliveryState.PENDING or delivery.waiting is None:
        return str(delivery.state)
    match delivery.waiting.state:
        case MessageState.SENDING | MessageState.RETRY as state:
            return str(state)
        case _:
            return str(DeliveryState.PENDING)


def cause_of(code: str | None) -> str:
    """The key of what went wrong, in plain words."""
    key = f"send_cause.{code}"
    return key if key in TEXTS else "send_cause.unknown"


def advice_of(code: str | None) -> str:
    """The key of what to do about it."""
    key = f"send_advice.{code}"
    return key if key in TEXTS else "send_advice.unknown"
