"""How a `.env` file is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from clawfeed.app.settings.dotenv import parse_dotenv, read_dotenv


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("A=b", "b"),
        ("  A = b  ", "b"),
        ("export A=b", "b"),
        ("A=", ""),
        ("A=b # comment", "b"),
        ("A= # comment", ""),
        ("A=b#c", "b#c"),
        ("A='b # c'", "b # c"),
        ("A='b\\n'", "b\\n"),
        ('A="b # c" # d', "b # c"),
        ('A="b\\n\\"c\\""', 'b\n"c"'),
        ("A=b=c", "b=c"),
        ("A=$HOME", "$HOME"),
        ("A=b\r", "b"),
        ("A=1\nA=2", "2"),
        ("\ufeffA=b", None),
    ],
)
def test_a_line_means_what_people_expect(line: str, value: str | None) -> None:
    found = parse_dotenv(line)

    assert found.values == ({} if value is None else {"A": value})


def test_comments_and_empty_lines_are_skipped() -> None:
    found = parse_dotenv("# A=1\n\n   # B=2\n")

    assert found.values == {}
    assert found.problems == ()


def test_a_problem_never_shows_the_line() -> None:
    """(T17)."""
    found = parse_dotenv("API_KEY='hunter2\nhunter2\n=hunter2\n")

    assert len(found.problems) == 3
    assert "hunter2" not in str(found.problems)


def test_a_file_saved_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"\xef\xbb\xbfA=b\n")

    assert read_dotenv(tmp_path / ".env").values == {"A": "b"}


def test_a_missing_file_says_nothing_and_a_folder_is_a_problem(tmp_path: Path) -> None:
    missing = read_dotenv(tmp_path / ".env")
    folder = read_dotenv(tmp_path)

    assert (missing.values, missing.problems) == ({}, ())
    assert "cannot be read: Is a directory" in folder.problems[0]
