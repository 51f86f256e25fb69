"""The stage manager's door: order faults, and see what there is. Open to loopback only."""

from __future__ import annotations

import ipaddress
import json

from clawfeed.domain.errors import InvalidInputError
from clawfeed.simulator.faults import Fault, from_json
from clawfeed.simulator.serving.http import Request
from clawfeed.simulator.serving.responses import Answer, as_json, not_found
from clawfeed.simulator.world import World


class Control:
    """Answers below `/_control/`: `misbehave` and `behave` (POST), and what there is (GET).

    `effects` is what services carried out for senders.
    """

    def __init__(self, world: World) -> None:
        self._world = world

    def answer(self, request: Request) -> Answer:
        if not ipaddress.ip_address(request.peer).is_loopback:
            return as_json({"error": "loopback only"}, status=403)
        name = request.path.removeprefix("/_control/")
        if request.method == "GET":
            return self._shown(name)
        match request.method, name:
            case "POST", "misbehave":
                return self._misbehave(request)
            case "POST", "behave":
                return self._behave(request)
        return not_found()

    def _shown(self, name: str) -> Answer:
        match name:
            case "faults":
                return as_json({fault.name.lower(): fault.value for fault in Fault})
            case "effects":
                return as_json(self._world.effects.as_json())
            case "feeds":
                return as_json(self._feeds())
        return not_found()

    def _misbehave(self, request: Request) -> Answer:
        try:
            order = _read(request)
            times = order.get("times")
            how = from_json(order)
        except InvalidInputError as error:
            return as_json({"error": str(error)}, status=400)
        self._world.misbehave(str(order["path"]), how, None if times is None else int(str(times)))
        return as_json({"path": order["path"], "fault": how.fault.name.lower(), "times": times})

    def _behave(self, request: Request) -> Answer:
        try:
            order = _read(request)
        except InvalidInputError as error:
            return as_json({"error": str(error)}, status=400)
        self._world.behave(str(order["path"]))
        return as_json({"path": order["path"]})

    def _feeds(self) -> list[dict[str, str]]:
        return [
            {"id": feed.id, "path": feed.path, "shape": feed.shape.value, "title": feed.title}
            for feed in self._world.feeds.values()
        ]


def _read(request: Request) -> dict[str, object]:
    try:
        order = json.loads(request.body)
    except ValueError as error:
        raise InvalidInputError("the body is not JSON") from error
    if not isinstance(order, dict) or "path" not in order:
        raise InvalidInputError("`path` is missing")
    if not isinstance(order.get("times"), int | None):
        raise InvalidInputError("`times` is not a whole number")
    return order
