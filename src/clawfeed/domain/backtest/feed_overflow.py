"""What a document that holds only the latest items may have hidden from us."""

from __future__ import annotations


def is_overflown(*, new: int, held: int, was_polled_before: bool) -> bool:
    """Whether items may have fallen out unseen: everything the document held was new.

    Of the *held* entries *new* were never seen before. At a first poll everything is new, and
    that says nothing.
    """
    return was_polled_before and new == held > 0
