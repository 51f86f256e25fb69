"""docs/api.md does what it says: its commands run, its JSON fits the OpenAPI document."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jsonschema_rs
import pytest

from clawfeed.api.application import build_routes
from clawfeed.app.config import load_config
from clawfeed.app.server_wiring import routers, signing_in_of
from clawfeed.app.source_tools import opened_sources
from clawfeed.storage.database import Database
from tests.support.callers import NAME_TAGS
from tests.support.ports import free_port
from tests.support.processes import clean_environment, running_clawfeed

MANUAL = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
KEY = "0123456789abcdef0123456789abcdef"
COMMANDS = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)
EXAMPLES = re.compile(r"^```json\n(.*?)^```", re.DOTALL | re.MULTILINE)


@contextmanager
def a_feed() -> Iterator[str]:
    """The address of a feed on loopback."""
    command = [sys.executable, "-m", "clawfeed.simulator", "--feeds", "1", "--speed", "0.0001"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as world:
        assert world.stdout
        try:
            yield json.loads(world.stdout.readline())["url"] + "/f/0"
        finally:
            world.terminate()


@pytest.mark.slow
def test_somebody_new_gets_from_nothing_to_items_with_curl_alone(tmp_path: Path) -> None:
    """Every command of the manual, in its order, in one shell."""
    port = str(free_port())
    with a_feed() as feed:
        script = "set -eu\n" + "\n".join(COMMANDS.findall(MANUAL))
        script = script.replace("https://example.org/feed.xml", feed).replace(":8767", f":{port}")
        env = {"DIGEST_PORT": port, "API_KEY": KEY, "COLLECTOR_TICK": "1"}
        env["EGRESS_ALLOW"] = urlsplit(feed).netloc
        with running_clawfeed("run", cwd=tmp_path, env=env) as product:
            product.wait_for("listening")
            shell = subprocess.run(
                ["bash", "-c", script],
                cwd=tmp_path,
                env=clean_environment(API_KEY=KEY),
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )

    assert shell.returncode == 0, shell.stderr
    assert '"subscribed":1' in shell.stdout
    assert '"outcome":"new"' in shell.stdout
    assert KEY not in shell.stdout + product.stderr


async def test_every_json_in_the_manual_fits_what_is_served(
    database: Database, tmp_path: Path
) -> None:
    config = load_config({}, directory=tmp_path)
    async with opened_sources(config, database) as tools:
        rooms = routers(config, database, tools, signing_in_of(config, database))
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
