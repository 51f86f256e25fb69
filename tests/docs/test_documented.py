"""What exists is documented, and what the documents point at exists."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
import urllib.request
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import click
import pytest

from clawfeed.cli.main import COMMANDS, cli
from clawfeed.digest.edition_config import EditionConfig
from clawfeed.domain.because import PARAMETERS, Rule
from clawfeed.domain.channels.delivery_retry import MOST_ATTEMPTS, wait_before_retry
from clawfeed.domain.editions.edition import BATCH_SIZE, plan_batches
from clawfeed.domain.editions.selection import MOST_STORIES
from clawfeed.publish.channel_types import (
    apprise,
    dingtalk,
    discord,
    feishu,
    ntfy,
    slack,
    wecom,
)
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.sources.source_types.source_type import SourceType
from clawfeed.storage.channels.channels import MOST_CHANNELS
from tests.support.manual import type_complaints
from tests.support.ports import free_port
from tests.support.processes import running_clawfeed

ROOT = Path(__file__).parents[2]
READMES = (ROOT / "README.md", ROOT / "README.zh-CN.md")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
# Places of somebody's machine, and hosts of packages. The brackets keep this file from matching.
FORBIDDEN = re.compile(
    r"/[w]ork/|/[r]oot/|[p]ypi\.org|[p]ythonhosted\.org|[n]pmjs\.|[i]ndex-url[= ]\S*https?:"
)


def text_of(*paths: Path) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def prose(path: Path) -> str:
    """A document without its code blocks."""
    return re.sub(r"^```.*?^```", "", text_of(path), flags=re.DOTALL | re.MULTILINE)


def command_lines() -> Iterator[str]:
    """Every command as one types it, those inside groups included."""
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        yield f"clawfeed {name}"
        if isinstance(command, click.Group):
            yield from (f"clawfeed {name} {inner}" for inner in command.list_commands(context))


@pytest.mark.parametrize("line", sorted(command_lines()))
def test_every_command_is_in_the_manual(line: str) -> None:
    manual = text_of(ROOT / "docs" / "operating.md")

    assert re.search(rf"`{re.escape(line)}[ `]", manual)


@pytest.mark.slow
def test_every_endpoint_is_in_the_manual(tmp_path: Path) -> None:
    """As the running server tells them itself."""
    port = free_port()
    with running_clawfeed("serve", cwd=tmp_path, env={"DIGEST_PORT": str(port)}) as server:
        server.wait_for("listening")
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/openapi.json", timeout=10) as answer:
            paths = json.load(answer)["paths"]

    manual = text_of(ROOT / "docs" / "api.md")
    served = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    missing = {line for line in served | {"GET /openapi.json"} if f"## {line}\n" not in manual}
    assert "GET /healthz" in served
    assert missing == set()


@pytest.mark.parametrize("described", [*BUILT_IN], ids=lambda described: described.name)
def test_every_source_type_has_its_section_with_its_interval_its_keys_and_an_example(
    described: SourceType,
) -> None:
    """(S000-1, S001-5)."""
    manual = text_of(ROOT / "docs" / "sources.md")

    assert type_complaints(described, manual) == []


@pytest.mark.parametrize("described", [*BUILT_IN], ids=lambda described: described.name)
def test_a_key_too_many_and_a_key_too_few_are_noticed_for_every_type(
    described: SourceType,
) -> None:
    before, heading, section = text_of(ROOT / "docs" / "sources.md").partition(
        f"\n## {described.name}\n"
    )
    first = f"| `{described.keys[0]}` |"
    more = section.replace(first, f"| `nonsense` | nothing |\n{first}", 1)
    fewer = section.replace(first, "| nothing |", 1)

    assert "nonsense" in str(type_complaints(described, before + heading + more))
    assert described.keys[0] in str(type_complaints(described, before + heading + fewer))


def test_every_other_name_of_a_type_is_mentioned() -> None:
    manual = text_of(ROOT / "docs" / "sources.md")

    assert [
        alias for each in BUILT_IN for alias in each.aliases if f"`{alias}`" not in manual
    ] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_relative_links_lead_somewhere(document: Path) -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", prose(document))

    local = [link.partition("#")[0] for link in links if "://" not in link]
    broken = [link for link in local if link and not (document.parent / link).exists()]
    assert broken == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_of_this_repository_that_a_document_names_are_there(document: Path) -> None:
    named = re.findall(r"`((?:src|tests|docs|scripts|bench|deploy)/[\w./-]+)`", text_of(document))

    assert [name for name in named if not (ROOT / name).exists()] == []


def test_both_readmes_have_the_same_shape_and_fit_on_a_page() -> None:
    english, chinese = (re.findall(r"^(#+) \S", prose(readme), re.MULTILINE) for readme in READMES)

    assert english == chinese
    for readme in READMES:
        assert len(text_of(readme).splitlines()) < 120


def test_both_readmes_show_the_same_commands_names_and_links() -> None:
    english, chinese = (
        {
            "names": set(re.findall(r"`([^`\n]+)`", prose(readme))),
            "links": {
                link.replace(".zh.png", ".en.png")
                for link in re.findall(r"\]\(((?!README)[^)]+)\)", prose(readme))
            },
            "commands": re.findall(r"(?m)^(?:make|cd|\S*clawfeed|export) .*?(?=  |$)", text),
        }
        for readme, text in ((readme, text_of(readme)) for readme in READMES)
    )

    assert len(english["commands"]) > 5
    assert english == chinese


def test_both_readmes_name_commands_there_are_and_lead_to_all_of_them() -> None:
    for readme in READMES:
        named = re.findall(r"^\| `(clawfeed [^`]+)` \|", text_of(readme), re.MULTILINE)
        unknown = {each for each in named if not each.startswith(tuple(command_lines()))}
        assert (unknown, len(named) > 5) == (set(), True), readme.name
        assert "(docs/operating.md#running-it)" in text_of(readme)


def test_every_dependency_has_its_line_in_the_decision() -> None:
    """(decision 0005): each new one says what it replaces, its weight and who keeps it."""
    settings = tomllib.loads(text_of(ROOT / "pyproject.toml"))
    extras = settings["project"]["optional-dependencies"].values()
    wanted = settings["project"]["dependencies"] + settings["dependency-groups"]["dev"]
    wanted += [each for extra in extras for each in extra]
    decision = text_of(ROOT / "docs" / "decisions" / "0005-dependencies.md")

    named = dict(
        re.findall(r"^\| ([\w-]+) \| ([\d.]+) \| .+ \| [<\d. ]+ \| .+ \|$", decision, re.MULTILINE)
    )
    floors = dict(re.findall(r"^([\w-]+)>=([\d.]+)", "\n".join(wanted), re.MULTILINE))
    assert named == floors


def test_the_decision_names_the_dependencies_that_come_with_others() -> None:
    """Its consequences repeat what their lines say."""
    decision = text_of(ROOT / "docs" / "decisions" / "0005-dependencies.md")
    at_run_time = decision.partition("### At run time")[2].partition("### ")[0]

    by_line = re.findall(
        r"^\| ([\w-]+) \|.*\bcomes with ", at_run_time, re.MULTILINE | re.IGNORECASE
    )
    [told] = re.findall(r"some come with another[^(]+\(([^)]+)\)", decision)
    assert told.split(", ") == by_line


def first_to_last_try(dice: float) -> int:
    """How long a message is tried, in hours, if it is never taken and nobody asks for a rest."""
    waits = [wait_before_retry(attempts, None, dice) for attempts in range(1, MOST_ATTEMPTS)]
    return sum(waits, timedelta()) // timedelta(hours=1)


TRIES = f"{first_to_last_try(0.0)} to {first_to_last_try(1.0)} hours"
PLAN = plan_batches(MOST_STORIES, BATCH_SIZE, EditionConfig().interval)
MINUTES = PLAN.duration // timedelta(minutes=1)
BLOCKS = f"{slack.MOST_BLOCKS} blocks of {slack.LONGEST_BLOCK:,} characters"
BATCHES = f"`TASK_BATCH_SIZE` of {BATCH_SIZE} every 10 minutes are {PLAN.batches} batches"
# What is said in figures, as the constants have it.
FIGURES = [
    ("channels.md", f"tried again, up to {MOST_ATTEMPTS} times in all over {TRIES}"),
    ("decisions/0015-deliveries.md", f"limited to {MOST_ATTEMPTS}, over {TRIES},"),
    ("channels.md", f"up to {MOST_CHANNELS}, each to another place"),
    ("channels.md", f"at most {feishu.LARGEST_MESSAGE:,} bytes a message; 100 messages a minute"),
    ("channels.md", f"at most {dingtalk.LARGEST_MESSAGE:,} bytes a message; nobody is mentioned"),
    ("channels.md", f"at most {wecom.LARGEST_MESSAGE:,} bytes a message: its Markdown"),
    ("channels.md", f"at most {discord.LONGEST_MESSAGE:,} characters a message"),
    ("channels.md", f"At most {ntfy.LARGEST_MESSAGE:,} bytes"),
    ("channels.md", f"in messages of {apprise.LONGEST_MESSAGE:,} characters"),
    ("channels.md", f"at most {BLOCKS}, and {slack.LONGEST_MESSAGE:,} characters, a message"),
    ("operating.md", f"{MOST_STORIES} stories, the most there are, by {BATCHES} and {MINUTES} min"),
]


@pytest.mark.parametrize(("document", "sentence"), FIGURES)
def test_figures_are_those_of_the_code(document: str, sentence: str) -> None:
    assert sentence in " ".join(prose(ROOT / "docs" / document).split())


def tracked_texts() -> Iterator[tuple[str, str]]:
    """Every file git knows or would take in, with its text; pictures and the like are left out."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        try:
            yield name, (ROOT / name).read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
            continue


def test_no_file_names_a_place_of_somebodys_machine_or_a_package_host() -> None:
    found = {name: hit[0] for name, text in tracked_texts() if (hit := FORBIDDEN.search(text))}

    assert found == {}


def test_every_rule_that_dates_a_source_is_in_the_table_with_its_parameters() -> None:
    text = (ROOT / "docs" / "scheduling.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1:3] for line in text.splitlines() if line.startswith("| `")]
    told = {
        rule: set(re.findall(r"`(\w+)`", parameters))
        for rules, parameters in rows
        for rule in re.findall(r"`(\w+)`", rules)
    }

    assert {rule: told.get(rule) for rule in Rule} == {
        rule: set(PARAMETERS.get(rule, ())) for rule in Rule
    }
