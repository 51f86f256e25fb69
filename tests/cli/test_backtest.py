"""`clawfeed backtest` as people meet it: a table, JSON, a picture, one sentence per mistake."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner, Result
from PIL import Image

from clawfeed.cli.backtest import backtest, choose, read_traces
from clawfeed.cli.backtest_plot import COLOURS, HEIGHT, WIDTH, Curve, lay_out
from clawfeed.cli.backtest_renderers import choose_renderer
from clawfeed.cli.main import main
from clawfeed.domain.errors import InvalidInputError

DAY, MONDAY = 86400, 1_772_409_600
Run = Callable[..., Result]


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    """Three sources: one item a day at 09:00, four a day, one an hour."""
    path = tmp_path / "traces.jsonl.gz"
    rows = [
        {
            "id": f"source-{gap}",
            "cat": "web",
            "start": MONDAY - 30 * DAY,
            "eval": [MONDAY, MONDAY + 4 * DAY],
            "t0": MONDAY - 30 * DAY + 9 * 3600,
            "dt": [gap] * (33 * DAY // gap),
        }
        for gap in (DAY, DAY // 4, 3600)
    ]
    with gzip.open(path, "wt") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return path


@pytest.fixture
def run(traces: Path) -> Run:
    return lambda *words: CliRunner().invoke(backtest, ["--traces", str(traces), *words])


def test_the_table_has_a_line_per_rule(run: Run) -> None:
    done = run("--price", "200")

    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0] == "3 sources, 100 items; delays in minutes"
    assert [line.split()[0] for line in lines[3:5]] == ["forecast", "cadence"]
    assert "miniflux" in done.stdout
    assert "price of a poll: 200.0 item-seconds" in done.stdout


@pytest.mark.slow
def test_json_carries_the_price_that_keeps_the_budget(run: Run) -> None:
    done = run("--policy", "forecast", "--policy", "fixed-60", "--polls-per-day", "24", "--json")

    document = json.loads(done.stdout)
    learned, fixed = document["results"]
    assert learned["polls_per_day"] == pytest.approx(fixed["polls_per_day"], rel=0.02)
    assert learned["mean"] < fixed["mean"]
    assert learned["price"] > 0
    assert fixed["price"] is None


@pytest.mark.slow
def test_the_picture_has_a_line_and_a_name_for_each_rule(run: Run, tmp_path: Path) -> None:
    picture = tmp_path / "polls.svg"

    done = run(
        "--policy", "forecast", "--policy", "fixed-60", "--price", "200", "--plot", str(picture)
    )

    root = ET.fromstring(picture.read_text())  # noqa: S314 -- our own file
    words = {element.text for element in root.iter() if element.tag.endswith("text")}
    lines = [element for element in root.iter() if element.tag.endswith("polyline")]
    assert done.exit_code == 0, done.output
    assert {"forecast", "fixed-60", "mean delay in minutes"} <= words
    assert len(lines[0].attrib["points"].split()) == 4
    assert len(lines) == 2


@pytest.mark.parametrize("name", ["polls.svg", "polls.png"])
def test_a_picture_of_nothing_is_still_a_picture(name: str) -> None:
    shapes = lay_out([("<silent>", [(0.0, 0.0)])])

    drawn = choose_renderer(Path(name))(shapes)

    if name.endswith("svg"):
        assert ET.fromstring(drawn).tag.endswith("svg")  # noqa: S314 -- our own text
    else:
        assert Image.open(BytesIO(drawn)).format == "PNG"


def colour_at(picture: Image.Image, x: float, y: float) -> str:
    """The colour at a place given in the SVG's units."""
    scale = picture.width / WIDTH
    pixel = picture.getpixel((round(x * scale), round(y * scale)))
    assert isinstance(pixel, tuple)
    return "#" + "".join(f"{value:02x}" for value in pixel)


def test_the_png_shows_the_curve_of_the_svg() -> None:
    rules = [("forecast", [(6.0, 30.0), (24.0, 10.0)]), ("fixed-60", [(12.0, 50.0)])]
    shapes = lay_out(rules)

    picture = Image.open(BytesIO(choose_renderer(Path("polls.png"))(shapes)))

    curves = [shape for shape in shapes if isinstance(shape, Curve)]
    (x1, y1), (x2, y2) = curves[0].spots
    assert picture.width / picture.height == WIDTH / HEIGHT
    assert colour_at(picture, x1, y1) == colour_at(picture, x2, y2) == COLOURS[0]
    assert colour_at(picture, (x1 + x2) / 2, (y1 + y2) / 2) == COLOURS[0]
    assert colour_at(picture, *curves[1].spots[0]) == COLOURS[1]
    assert colour_at(picture, 2, 2) == "#ffffff"


def test_the_command_draws_a_png_when_the_name_says_so(run: Run, tmp_path: Path) -> None:
    picture = tmp_path / "polls.PNG"

    done = run("--policy", "fixed-60", "--plot", str(picture))

    assert done.exit_code == 0, done.output
    assert picture.read_bytes().startswith(b"\x89PNG")


def complaint_about(
    picture: Path, traces: Path, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str]:
    code = main(["backtest", "--traces", str(traces), "--plot", str(picture)])
    said = capsys.readouterr()
    assert said.out == "", "the work was done before the name was looked at"
    return code, said.err


@pytest.mark.parametrize("name", ["polls.jpg", "polls"])
def test_a_picture_of_another_kind_is_refused_in_one_sentence(
    name: str, traces: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, sentence = complaint_about(tmp_path / name, traces, capsys)

    assert code == 1
    assert sentence == f"clawfeed: --plot draws .svg and .png files; {name} is named like neither\n"


def test_a_plot_without_a_folder_is_refused_before_the_long_work(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"--plot cannot draw .*nowhere is not there"):
        choose_renderer(tmp_path / "nowhere" / "polls.svg")


def test_a_png_without_pillow_says_what_to_install(
    traces: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)  # what Python finds where it is not installed
    monkeypatch.delitem(sys.modules, "clawfeed.cli.backtest_png", raising=False)

    code, sentence = complaint_about(tmp_path / "polls.png", traces, capsys)

    assert code == 2
    assert "pip install 'clawfeed[plot]'" in sentence
    assert sentence.count("\n") == 1


def test_a_sample_is_the_same_every_time(traces: Path) -> None:
    fleet = read_traces(traces)

    first, second = choose(fleet, 2), choose(reversed(fleet), 2)

    assert first == second
    assert len(first) == 2


def test_price_and_budget_exclude_each_other(run: Run) -> None:
    done = run("--price", "1", "--polls-per-day", "24")

    assert done.exit_code == 2
    assert "not both" in done.output


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"not gzip", "is not a gzipped text"),
        (gzip.compress(b""), "holds no traces"),
        (gzip.compress(b'{"id": 1}\n'), "line 1 of"),
        (gzip.compress(b"{}\n" * 1000)[:-20], "is not a"),
    ],
    # Without names of their own, each process would name them by the second they were packed.
    ids=["no gzip", "nothing in it", "a line that is no trace", "cut off"],
)
def test_a_file_that_is_none_is_named_with_its_line(
    content: bytes, sentence: str, tmp_path: Path
) -> None:
    path = tmp_path / "broken.jsonl.gz"
    path.write_bytes(content)

    with pytest.raises(InvalidInputError, match=sentence):
        read_traces(path)
