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

from clawfeed.cli.backtest.backtest import backtest
from clawfeed.cli.backtest.picture_formats import choose_renderer
from clawfeed.cli.backtest.plot import COLOURS, HEIGHT, WIDTH, Curve, lay_out
from clawfeed.cli.backtest.progress import BacktestProgress
from clawfeed.cli.backtest.traces import choose, read_traces
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
            "cat": "forum" if gap == DAY else "web",
            "ttl_seconds": 6 * 3600 if gap == 3600 * 6 else None,
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
    assert lines[0] == "3 sources, 100 items; delays in minutes; documents of 30 items"
    assert [line.split()[0] for line in lines[3:5]] == ["forecast", "cadence"]
    assert "miniflux" in done.stdout
    assert "price of a poll: 200.0 item-seconds" in done.stdout


def test_the_table_says_what_runs_here_and_what_peers_do_by_default(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Miniflux defaults to round robin and Nextcloud News to a fixed hour."""
    monkeypatch.setenv("SCHEDULER_POLICY", "fixed")
    fixed = run("--policy", "miniflux", "--policy", "nextcloud", "--policy", "fixed-60")
    monkeypatch.setenv("SCHEDULER_POLICY", "cadence")
    ours = run("--policy", "cadence")
    monkeypatch.setenv("SCHEDULER_POLICY", "nonsense")
    broken = run("--policy", "cadence")

    assert "SCHEDULER_POLICY=fixed is what runs here today; it has no line above" in fixed.stdout
    assert "miniflux and nextcloud: when asked to adapt; their default is fixed-60." in fixed.stdout
    assert "\ncadence *" in ours.stdout
    assert "* SCHEDULER_POLICY=cadence is what runs here today." in ours.stdout
    assert broken.exit_code == 0
    assert "runs here" not in broken.stdout


def figures(done: Result) -> dict[str, float]:
    found: dict[str, float] = json.loads(done.stdout)["results"][0]
    return found


def test_circumstances_are_options_and_tell_on_the_figures(run: Run) -> None:
    """Hints, a cold start and a small document cost; what is lost is no delay."""
    words = ("--policy", "forecast", "--price", "200", "--json")
    plain = figures(run(*words))

    hinted, cold = (figures(run(*words, option)) for option in ("--hints", "--cold-start"))
    small = figures(run("--policy", "fixed-240", "--window", "1", "--json"))

    assert hinted["mean"] > 2 * plain["mean"], "one of the three asks for six hours"
    assert cold["polls_per_day"] != plain["polls_per_day"], "less is known"
    assert (plain["lost"], plain["lost_share"]) == (0, 0)
    assert small["lost"] > 0
    assert small["lost_share"] == pytest.approx(small["lost"] / small["items"])
    assert small["items"] == plain["items"]
    assert "p99" in plain
    assert plain["worse_than_an_hour"] <= 3


def test_sources_with_an_interval_of_their_own_are_told_apart(run: Run) -> None:
    done = run("--policy", "fixed-60", "--pinned", "forum=30", "--json")
    wrong = run("--pinned", "forum")

    document = json.loads(done.stdout)
    assert document["results"][0]["sources"] == 2
    assert document["pinned"]["sources"] == 1
    assert document["pinned"]["polls_per_day"] == pytest.approx(48, abs=1)
    assert wrong.exit_code == 2
    assert "'forum' is not CAT=MINUTES" in wrong.output


def test_progress_is_drawn_for_people_and_not_for_programs(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    in_a_pipe = run("--policy", "fixed-60")
    shown, quiet = BacktestProgress(is_shown=True), BacktestProgress(is_shown=False)

    shown("forecast", 3, 500)
    quiet("forecast", 4, 500)
    shown.clear()

    drawn = capsys.readouterr().err
    assert "forecast: 3 of 500 sources" in drawn
    assert "4 of 500" not in drawn
    assert drawn.endswith("\r"), "the line is left to the table"
    assert in_a_pipe.stderr == ""


@pytest.mark.slow
def test_json_carries_the_price_that_keeps_the_budget(run: Run) -> None:
    done = run("--policy", "forecast", "--policy", "fixed-60", "--polls-per-day", "24", "--json")

    document = json.loads(done.stdout)
    learned, fixed = document["results"]
    assert learned["polls_per_day"] == pytest.approx(fixed["polls_per_day"], rel=0.02)
    assert learned["mean"] < fixed["mean"]
    assert learned["price"] > 0
    assert fixed["price"] is None
    assert (learned["polls_asked"], fixed["polls_asked"]) == (24, None)


@pytest.mark.slow
def test_the_table_says_how_near_the_price_comes_to_the_polls_asked_for(run: Run) -> None:
    sought = run("--policy", "forecast", "--polls-per-day", "12")
    given = run("--policy", "forecast", "--price", "200")

    assert "polls a day, asked for were 12" in sought.stdout
    assert "asked for" not in given.stdout


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


def test_a_picture_that_cannot_be_written_is_one_sentence(
    traces: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before the work where that can be known, after it where it cannot."""
    nowhere = tmp_path / "no" / "polls.svg"
    full = tmp_path / "full.svg"
    full.symlink_to("/dev/full")

    code, sentence = complaint_about(nowhere, traces, capsys)
    failed = main(
        ["backtest", "--traces", str(traces), "--policy", "fixed-60", "--plot", str(full)]
    )

    said = capsys.readouterr()
    assert code == failed == 1
    assert sentence == (
        f"clawfeed: --plot cannot draw into {nowhere}: there is no folder {nowhere.parent}\n"
    )
    assert said.err == f"clawfeed: --plot cannot draw into {full}: No space left on device\n"
    assert "fixed-60" in said.out, "the figures are not lost with the picture"


def test_a_png_without_pillow_says_what_to_install(
    traces: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)  # what Python finds where it is not installed
    monkeypatch.delitem(sys.modules, "clawfeed.cli.backtest.png", raising=False)

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
