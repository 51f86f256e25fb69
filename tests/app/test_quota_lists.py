"""Every list at its quota: read in pages, and nobody else waits for it (T26)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from clawfeed.domain.people.users import Scope
from clawfeed.storage.channels.channels import MOST_CHANNELS
from clawfeed.storage.database import Database, execute
from clawfeed.storage.editions.interests import MOST_INTERESTS
from clawfeed.storage.people.api_keys import MOST_KEYS
from clawfeed.storage.people.feed_tokens import MOST_TOKENS
from clawfeed.storage.people.sessions import MOST_SESSIONS
from clawfeed.storage.readers.marks import MOST_MARKS
from clawfeed.storage.readers.votes import MOST_VOTES
from clawfeed.storage.sources.packs import MOST_PACKS
from clawfeed.storage.sources.subscriptions import MOST_SUBSCRIPTIONS
from tests.app.whole_server import WholeServer, whole_house
from tests.support.clocks import NOON
from tests.support.loop_turns import counted_turns

ANNA, PEOPLE, OWN = 2, 6, 1_000
# Three times what a page of 200 sources takes; 600 packs of 300 took millions.
MOST_CALLS = 30_000
# So many pages of each tell enough.
FURTHEST = 6


SOURCES, PACKS = MOST_SUBSCRIPTIONS + OWN, MOST_PACKS * PEOPLE
FEED = """'{"url": "https://s' || i || '.example/feed"}'"""
RULE = """'{"minutes":240,"rule":"type_interval","type":"rss"}'"""
HIDDEN = f"CASE WHEN i > {MOST_SUBSCRIPTIONS} THEN 0 ELSE 1 END"
# How many rows, of which table, and what each column of the one with the number *i* holds.
ROWS: tuple[tuple[int, str, dict[str, str]], ...] = (
    (PEOPLE - 3, "users", {
        "email": "'p' || i || '@example.org'", "name": "'p' || i", "slug": "'p' || i",
        "created_at": ":now", "updated_at": ":now",
    }),
    (SOURCES, "sources", {
        "name": "'Source ' || i", "type": "'rss'", "config": FEED, "identity": "'i' || i",
        "host": "'s' || i", "is_public": HIDDEN, "created_by": f"{ANNA}", "has_stats": "1",
        "last_fetched_at": ":now", "created_at": ":now", "updated_at": ":now",
    }),
    (SOURCES, "source_stats", {
        "source_id": "i", "source_type": "'rss'", "next_due_at": ":now", "because": RULE,
        "last_check_at": ":now", "created_at": ":now", "updated_at": ":now",
    }),
    (MOST_SUBSCRIPTIONS, "user_subscriptions", {
        "user_id": f"{ANNA}", "source_id": "i", "created_at": ":now",
    }),
    (PACKS, "source_packs", {
        "slug": "'pack-' || i", "name": "'Pack ' || i", "created_by": f"1 + i % {PEOPLE}",
        "created_at": ":now", "updated_at": ":now",
    }),
    (PACKS * 300, "source_pack_sources", {
        "pack_id": "1 + (i - 1) / 300", "source_id": "1 + (i - 1) % 300",
        "position": "i % 300 + CAST(:now * 0 AS INTEGER)",
    }),
    (MOST_MARKS, "marks", {
        "user_id": f"{ANNA}", "url": "'https://m.example/' || i", "title": "'Mark ' || i",
        "created_at": ":now",
    }),
    (MOST_SESSIONS, "sessions", {
        "user_id": f"{ANNA}", "token_hash": "{bytes}", "created_at": ":now",
        "last_seen_at": "4000000000 + i", "expires_at": "5000000000",
    }),
    (MOST_KEYS - 2, "api_keys", {
        "user_id": f"{ANNA}", "name": "'key'", "key_id": "'k' || i", "key_hash": "{bytes}",
        "last4": "'last'", "created_at": ":now",
    }),
    (20_000, "raw_items", {
        "source_id": "1 + i % 50", "title": "'Item ' || i", "url": "'https://i.example/' || i",
        "content": "'text'", "fetched_at": ":now + i", "dedup_key": "'d' || i",
    }),
    (5_000, "fetch_log", {
        "source_id": "1", "started_at": ":now + i", "finished_at": ":now + i",
        "outcome": "'unchanged'", "worker": "'w'",
    }),
    (5_000, "edition_tasks", {
        "kind": "'digest'", "scope": "'s' || i", "type": "'daily'", "period": "'2026-11-15'",
        "covers_from": "1", "covers_until": "2", "due_at": ":now", "expires_at": "5000000000",
        "batch_size": "8", "started_at": ":now", "created_at": ":now", "updated_at": ":now",
    }),
    (5_000, "digests", {
        "kind": "'digest'", "scope": "'system'", "type": "'daily'", "period": "'p' || i",
        "title": "'Edition ' || i", "content": "'{{}}'", "created_at": ":now",
    }),
    (MOST_CHANNELS, "channels", {
        "owner_id": f"{ANNA}", "kind": "'pigeon'", "name": "'Loft'", "address": "'loft ' || i",
        "created_at": ":now", "updated_at": ":now",
    }),
    (2_000, "outbox", {
        "channel_id": "1", "digest_id": "i", "part": "1", "parts": "1", "payload": "'p'",
        "idempotency_key": "'k' || i", "place": "'loft'", "not_before": ":now",
        "created_at": ":now", "updated_at": ":now",
    }),
    (MOST_TOKENS, "feed_tokens", {
        "user_id": f"{ANNA}", "token_hash": "{bytes}", "created_at": ":now",
    }),
    (MOST_VOTES, "story_votes", {
        "user_id": f"{ANNA}", "headline": "'Story ' || i", "vote": "1", "created_at": ":now",
    }),
    (MOST_INTERESTS, "interests", {
        "user_id": f"{ANNA}", "kind": "'word'", "text": "'word ' || i", "created_at": ":now",
    }),
    (5_000, "alarms", {
        "code": "'source_stale'", "subject": "'s' || i", "raised_at": ":now + i",
        "cleared_at": ":now + i",
    }),
    (5_000, "audit_log", {"at": ":now + i", "user_id": "1", "action": "'signed_in'"}),
)  # fmt: skip


async def fill(database: Database) -> None:
    """Six people with everything one may have; whatever matters for a list is Anna's."""
    hashed = {"sqlite": "CAST(CAST(i AS TEXT) AS BLOB)"}
    as_bytes = hashed.get(database.dialect.name, "decode(md5(CAST(i AS TEXT)), 'hex')")
    for count, table, columns in ROWS:
        values = ", ".join(columns.values()).replace("{bytes}", as_bytes)
        await execute(
            database,
            f"""
            INSERT INTO {table} ({", ".join(columns)})
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
            SELECT {values} FROM n
            """,
            {"now": NOON.timestamp()},
        )


# The path of each list, and how many there are of what it lists.
LISTS = {
    "/api/sources": MOST_SUBSCRIPTIONS + OWN,
    "/api/sources/1/log": 5_000,
    "/api/raw-items": 20_000,
    "/api/raw-items/stats": MOST_SUBSCRIPTIONS + OWN,
    "/api/raw-items/for-digest": 500,
    "/api/auth/sessions": MOST_SESSIONS,
    "/api/keys": MOST_KEYS,
    "/api/users": PEOPLE,
    "/api/alarms": 5_000,
    "/api/audit": 5_000,
    "/api/subscriptions": MOST_SUBSCRIPTIONS,
    "/api/packs": MOST_PACKS * PEOPLE,
    "/api/packs/pack-1": 300,
    "/api/marks": MOST_MARKS,
    "/api/sources/faults": 0,
    "/api/scheduler/due": MOST_SUBSCRIPTIONS + OWN,
    "/api/collector/status": MOST_SUBSCRIPTIONS + OWN,
    "/api/config": 0,
    "/api/editions": 5_000,
    "/api/digests": 5_000,
    "/api/votes": MOST_VOTES,
    "/api/channels": MOST_CHANNELS,
    "/api/channels/1/deliveries": 2_000,
    "/api/outbox": 2_000,
    "/api/feed-tokens": MOST_TOKENS,
    "/api/interests": MOST_INTERESTS,
}


@pytest.mark.slow
async def test_every_list_at_its_quota_leaves_turns_to_everybody_else(
    database: Database, tmp_path: Path
) -> None:
    async with whole_house(database, tmp_path) as house:
        await fill(database)
        document = (await house.client.get("/openapi.json")).json()
        found, held = {}, {}
        for path in LISTS:
            found[path], held[path] = await walked(house, path)

    paged = {
        path
        for path, methods in document["paths"].items()
        if any(each["name"] == "cursor" for each in methods.get("get", {}).get("parameters", []))
    }
    assert {re.sub(r"\{\w+\}", "1", each) for each in paged} <= set(LISTS)
    assert found == {path: min(count, found[path]) for path, count in LISTS.items()}
    assert {path for path, count in LISTS.items() if found[path] < min(count, 200 * FURTHEST)} == (
        set()
    )
    assert {path: calls for path, calls in held.items() if calls > MOST_CALLS} == {}


async def walked(house: WholeServer, path: str) -> tuple[int, int]:
    """How many things came in how many pages, and the most calls between two turns."""
    is_admins = path in {
        "/api/users", "/api/audit", "/api/config", "/api/collector/status", "/api/sources/faults",
        "/api/scheduler/due", "/api/editions", "/api/alarms", "/api/outbox",
    }  # fmt: skip
    headers = house.as_("admin", Scope.ADMIN) if is_admins else house.as_("anna")
    count, cursor = 0, ""
    wants_pages = path not in {
        "/api/raw-items/for-digest", "/api/packs/pack-1", "/api/collector/status", "/api/config",
        "/api/interests",
    }  # fmt: skip
    with counted_turns() as turns:
        for _ in range(FURTHEST):
            query = f"?limit=1000&cursor={cursor}" if wants_pages else ""
            answer = await house.client.get(path + query, headers)
            assert answer.status == 200, (path, answer.text[:300])
            body: dict[str, Any] = answer.json()
            things = next((each for each in body.values() if isinstance(each, list)), [])
            count, cursor = count + len(things), body.get("next_cursor") or ""
            if not cursor:
                break
    return count, turns.longest
