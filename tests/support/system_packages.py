"""What tests need from the machine's own packages; `make test` installs it where it may."""

from __future__ import annotations

from pathlib import Path


def needed(package: str, found: Path | None) -> Path:
    """What was found; without it the test fails and says what to install."""
    assert found, f"needs {package}: make test-packages, as root, or install it in your own way"
    return found
