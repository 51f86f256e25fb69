"""Which file a picture of a backtest may become."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from clawfeed.cli.backtest_plot import Shape
from clawfeed.domain.errors import ConfigError, InvalidInputError

Renderer: TypeAlias = Callable[[Sequence[Shape]], bytes]


def choose_renderer(path: Path) -> Renderer:
    """What draws a file of this name, or one sentence; ask before the long work, not after it."""
    folder = path.absolute().parent
    if not os.access(folder, os.W_OK | os.X_OK):
        why = "cannot be written to" if folder.is_dir() else "is not there"
        raise InvalidInputError(f"--plot cannot draw {path}: the folder {folder} {why}")
    match path.suffix.lower():
        case ".svg":
            from clawfeed.cli.backtest_svg import render

            return render
        case ".png":
            return _png_renderer()
        case _:
            message = f"--plot draws .svg and .png files; {path.name} is named like neither"
            raise InvalidInputError(message)


def _png_renderer() -> Renderer:
    try:
        from clawfeed.cli.backtest_png import render
    except ImportError as error:
        sentence = "a .png needs Pillow: pip install 'clawfeed[plot]', or name an .svg file instead"
        raise ConfigError(sentence) from error
    return render
