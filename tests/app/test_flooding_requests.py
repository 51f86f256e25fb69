"""One request full of mistakes: refused in a sentence, at no more cost than one mistake (T26)."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from fastapi import HTTPException, Request

from clawfeed.auth.request_validation import refuse_unknown_parameters
from clawfeed.domain.people.users import Scope
from clawfeed.storage.database import Database
from tests.app.whole_server import whole_house
from tests.support.loop_turns import counted_turns

# A body has room for a hundred times as many. Each used to be told: in 23 MB and three seconds.
WRONG_FIELDS = {f"{number:x}": 0 for number in range(2_000)}
WRONG_IDS = [-1] * 2_000
# A few sentences: a fuller answer means that every mistake was looked at.
LONGEST_REFUSAL = 3_000


class Name(str):
    """A text that counts how often it is compared with another."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other: object) -> bool:
        Name.compared += 1
        return str.__eq__(self, cast("str", other))

    __hash__ = str.__hash__


@pytest.mark.slow
async def test_a_body_of_mistakes_is_refused_in_a_few_words_at_every_door(
    database: Database, tmp_path: Path
) -> None:
    async with whole_house(database, tmp_path) as house:
        document = (await house.client.get("/openapi.json")).json()
        answers = {}
        for method, path, floods in _with_bodies(document):
            at = path.replace("{source_id}", "1").replace("{user_id}", "1").replace("{slug}", "a")
            for what, body in floods.items():
                answers[method, path, what] = await house.client.ask(
                    method.upper(), at.replace("{key}", "a"), house.as_("admin", Scope.ADMIN), body
                )

    assert len(answers) > 15
    assert sum(what in {"source_ids", "unsubscribe"} for _, _, what in answers) >= 4
    assert {key: answer.status for key, answer in answers.items() if answer.status != 422} == {}
    long = {key: len(a.text) for key, a in answers.items() if len(a.text) > LONGEST_REFUSAL}
    assert long == {}


@pytest.mark.slow
async def test_a_config_of_too_many_values_is_not_looked_through(
    database: Database, tmp_path: Path
) -> None:
    """One's own 1 MiB held everybody up for a third of a second, as often as one liked."""
    count = 150_000
    wish = {"type": "rss", "config": {"a": [[]] * count}}
    async with whole_house(database, tmp_path) as house:
        with counted_turns() as turns:
            answer = await house.client.post("/api/sources", house.as_("anna"), wish)

    assert (answer.status, "64 KB at most" in answer.text) == (422, True)
    # Sending and reading it costs a call for each; our walk cost four more.
    assert turns.longest < 2 * count


def _with_bodies(document: dict[str, Any]) -> list[tuple[str, str, dict[str, object]]]:
    """Every operation that reads JSON, with a flood for the body and for each list in it."""
    found: list[tuple[str, str, dict[str, object]]] = []
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if "requestBody" not in operation:
                continue
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            # A body that may be left out is itself, or null.
            named = schema.get("anyOf", [schema])[0]["$ref"].rpartition("/")[2]
            fields = document["components"]["schemas"][named]
            lists = [name for name, each in fields["properties"].items() if "array" in str(each)]
            floods: dict[str, object] = {"strange fields": WRONG_FIELDS}
            floods |= {name: {name: WRONG_IDS} for name in lists}
            found.append((method, path, floods))
    return found


def test_an_address_full_of_parameters_is_looked_through_once() -> None:
    """A stranger's 64 KB of them held everybody up for a second: each was sought among all."""
    count = 2_000
    given = [(Name(f"a{number}"), "1") for number in range(count)]
    request = SimpleNamespace(query_params=SimpleNamespace(multi_items=lambda: given))
    Name.compared = 0

    with pytest.raises(HTTPException, match=r"422.*a0: no such parameter"):
        refuse_unknown_parameters(cast("Request", request), frozenset({"limit"}))

    assert Name.compared < 20 * count
