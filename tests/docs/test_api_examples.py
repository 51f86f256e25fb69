"""docs/api.md does what it says: its commands run, its JSON fits the OpenAPI document."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from clawfeed.api.http.application import build_routes
from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.wiring.fetching import opened_sources
from clawfeed.app.wiring.pages import site_of
from clawfeed.app.wiring.people import signing_in_of
from clawfeed.app.wiring.server import routers
from clawfeed.storage.database import Database
from tests.support.api_callers import NAME_TAGS
from tests.support.ports import free_port
from tests.support.processes import clean_environment, running_clawfeed

MANUAL = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
KEY = "0123456789abcdef0123456789abcdef"
COMMANDS = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)
EXAMPLES = re.compile(r"^```json\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.mark.slow
def test_somebody_new_gets_from_nothing_to_items_with_curl_alone(tmp_path: Path) -> None:
    """Every command of the manual as it stands, but for the port, in its order, in one shell."""
    port = str(free_port())
    script = "set -eu\n" + "\n".join(COMMANDS.findall(MANUAL)).replace(":8767", f":{port}")
    with running_clawfeed("demo", cwd=tmp_path, env={"DIGEST_PORT": port, "API_KEY": KEY}) as demo:
        shell = subprocess.run(
            ["bash", "-c", script],
            cwd=tmp_path,
            env=clean_environment(API_KEY=KEY),
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )
        demo.signal(signal.SIGTERM)
        demo.wait()

    assert shell.returncode == 0, shell.stdout + shell.stderr
    assert '"is_subscribed":true' in shell.stdout
    assert '"outcome":"new"' in shell.stdout
    assert KEY not in shell.stdout + demo.stderr


def test_no_command_hides_a_refusal_or_repeats_a_key() -> None:
    commands = "\n".join(COMMANDS.findall(MANUAL))

    assert [
        line for line in commands.splitlines() if "curl" in line and "--fail-with" not in line
    ] == []
    assert re.findall(r"Idempotency-Key: (?!\$)", commands) == []


async def test_every_json_in_the_manual_fits_what_is_served(
    database: Database, tmp_path: Path
) -> None:
    config = load_config({}, directory=tmp_path)
    async with opened_sources(config, database) as tools:
        site = site_of(config, database)
        rooms = routers(config, database, tools, signing_in_of(config, database), site)
    document = build_routes("9.9", rooms, NAME_TAGS).openapi()

    wrong = [
        (heading, example)
        for heading, example, shapes in examples(document)
        if not any(fits(json.loads(example), shape, document) for shape in shapes)
    ]
    assert wrong == []


def examples(document: dict[str, Any]) -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
    """Each example with the shapes it may have: the request's, or one of the answers'."""
    for section in MANUAL.split("\n## ")[1:]:
        heading = section.partition("\n")[0]
        method, _, path = heading.partition(" ")
        operation = document["paths"].get(path, {}).get(method.lower())
        if operation is None:
            continue
        bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
        shapes = [
            content["schema"]
            for body in bodies
            for content in body.get("content", {}).values()
            if content.get("schema")
        ]
        for example in EXAMPLES.findall(section):
            yield heading, example, shapes


def fits(value: object, shape: dict[str, Any], document: dict[str, Any]) -> bool:
    """Whether *value* has only known fields of the right kinds; examples may leave some out."""
    schema = {**_lenient(shape), "components": _lenient(document["components"])}
    return jsonschema_rs.is_valid(schema, value)


def _lenient(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_lenient(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {name: _lenient(schema[name]) for name in schema if name != "required"}
    if "properties" in kept and isinstance(kept["properties"], dict):
        kept.setdefault("additionalProperties", False)
    return kept
