"""Which file a picture of a backtest may become."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from clawfeed.cli.backtest.plot import Shape
from clawfeed.domain.errors import ConfigError, InvalidInputError

Renderer: TypeAlias = Callable[[Sequence[Shape]], bytes]


def choose_renderer(path: Path) -> Renderer:
    """What draws a file of this name, or one sentence; ask before the long work, not after it."""
    folder = path.absolute().parent
    if not folder.is_dir():
        raise InvalidInputError(f"--plot cannot draw into {path}: there is no folder {folder}")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise InvalidInputError(f"--plot cannot draw into {path}: writing there is not allowed")
    match path.suffix.lower():
        case ".svg":
            from clawfeed.cli.backtest.svg import render

            return render
        case ".png":
            return _png_renderer()
        case _:
            message = f"--plot draws .svg and .png files; {path.name} is named like neither"
            raise InvalidInputError(message)


def write_picture(path: Path, picture: bytes) -> None:
    """Write the file, or say in one sentence why it cannot be written."""
    try:
        path.write_bytes(picture)
    except OSError as error:
        raise InvalidInputError(f"--plot cannot draw into {path}: {error.strerror}") from error


def _png_renderer() -> Renderer:
    try:
        from clawfeed.cli.backtest.png import render
    except ImportError as error:
        sentence = "a .png needs Pillow: pip install 'clawfeed[plot]', or name an .svg file instead"
        raise ConfigError(sentence) from error
    return render
