"""What is somebody's own at X stays theirs, whichever command brings it in (S001-20)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.source_command import SourceCommand
from tests.support.in_process import run_here

pytestmark = pytest.mark.slow

LIST = """<opml xmlns:clawfeed="urn:clawfeed:opml"><body>
<outline text="Mine" clawfeed:type="twitter_bookmarks" clawfeed:config="{}"/>
<outline text="Ours" xmlUrl="https://1.example/feed"/>
</body></opml>"""
OWNED = """
    SELECT s.name, s.is_public, o.email, r.email FROM sources s
    LEFT JOIN users o ON o.id = s.created_by
    LEFT JOIN user_subscriptions b ON b.source_id = s.id LEFT JOIN users r ON r.id = b.user_id
    ORDER BY s.id
"""


@pytest.fixture
def house(tmp_path: Path) -> SourceCommand:
    (tmp_path / "list.opml").write_text(LIST)
    return SourceCommand(tmp_path, {})


def test_what_is_ones_own_at_x_cannot_be_made_public(house: SourceCommand) -> None:
    """(S001-20) By command as by the API."""
    assert house("add", "--type", "twitter_bookmarks").returncode == 0

    refused = house("edit", "1", "--public")

    assert refused.returncode == 1
    assert "one person's own, so it cannot be public: leave it private" in refused.stderr
    assert house.sql("SELECT is_public FROM sources") == [(0,)]


def test_a_list_brings_ones_own_x_to_its_owner_who_follows_it(house: SourceCommand) -> None:
    """(S001-20) Also where the list does not say that it is private; the rest is the admin's."""
    alone = house.json("import", "list.opml")

    assert len(alone["added"]) == 2
    assert house.sql(OWNED) == [
        ("Mine", 0, "admin@localhost", "admin@localhost"),
        ("Ours", 1, None, "admin@localhost"),
    ]


def test_of_several_people_the_import_asks_whose_x_it_is(house: SourceCommand) -> None:
    for email in ("anna@example.org", "ben@example.org"):
        run_here("user", "add", email, "--link", cwd=house.folder, env=house.env)

    [refused] = house.json("import", "list.opml")["refused"]
    named = house.json("import", "list.opml", "--user", "Anna@Example.org")

    assert "import it with --user EMAIL" in refused["reason"]
    assert len(named["added"]) == 1
    assert ("Mine", 0, "anna@example.org", "anna@example.org") in house.sql(OWNED)
