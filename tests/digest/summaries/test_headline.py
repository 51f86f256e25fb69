"""Titles become headlines: without the site's name, without shouting, not too long."""

from __future__ import annotations

import pytest

from clawfeed.digest.summaries.headline import LONGEST_HEADLINE, clean_headline, shorten_at_clause


@pytest.mark.parametrize(
    ("title", "headline"),
    [
        ("Old bridge closed - BBC News", "Old bridge closed"),
        ("Old bridge closed | The Verge", "Old bridge closed"),
        ("Old bridge closed – River Times", "Old bridge closed"),
        ("Old bridge closed | Local | River Times", "Old bridge closed"),
        ("Old bridge closed - river.example", "Old bridge closed"),
        ("老桥今天对行人关闭_新浪网", "老桥今天对行人关闭"),
        ("老桥今天对行人关闭 - 36氪", "老桥今天对行人关闭"),
        ("BREAKING: Old bridge closed", "Old bridge closed"),
        ("【快讯】老桥今天对行人关闭", "老桥今天对行人关闭"),
        ("Old &amp; new bridges", "Old & new bridges"),
        ("Show HN: A bridge of matches", "Show HN: A bridge of matches"),
        ("Bridges - a love story", "Bridges - a love story"),
        ("Bridge closed: what now?", "Bridge closed: what now?"),
        ("River Times", "River Times"),
        ("Update", "Update"),
    ],
)
def test_a_title_is_cleaned(title: str, headline: str) -> None:
    assert clean_headline(title, source_name="River Times", publisher="river.example") == headline


def test_of_a_post_the_first_sentence_is_the_headline() -> None:
    post = (
        "The old bridge at Riverton is closed. Nobody knows for how long, said the mayor, who had "
        "walked across it that very morning…"
    )

    assert clean_headline(post) == "The old bridge at Riverton is closed"
    assert clean_headline(f"No. {post}").startswith("No. The old bridge")
    assert clean_headline("Bridge closed. Now what?") == "Bridge closed. Now what?"


def test_a_repository_says_what_it_is() -> None:
    about = "A small, fast queue. With no dependencies."

    assert clean_headline("oddpixel/tiny-queue", about=about) == (
        "oddpixel/tiny-queue: A small, fast queue"
    )
    assert clean_headline("oddpixel/tiny-queue") == "oddpixel/tiny-queue"
    assert clean_headline("Bridge closed", about=about) == "Bridge closed"


def test_a_long_title_is_cut_where_a_clause_ends() -> None:
    title = "The old bridge is closed" + " and closed" * 7 + ", said the mayor" * 5

    headline = clean_headline(title)

    assert len(headline) <= LONGEST_HEADLINE
    assert headline.endswith("mayor…")
    assert title.startswith(headline[:-1])


def test_what_has_no_clauses_is_cut_between_words_if_it_has_any() -> None:
    assert shorten_at_clause("one two three four", 12) == "one two…"
    assert shorten_at_clause("老桥今天关闭五月重新开放", 8) == "老桥今天关闭五…"
