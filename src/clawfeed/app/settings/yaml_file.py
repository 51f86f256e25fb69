"""A YAML file as texts by variable name; what is wrong with it, by line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from clawfeed.app.settings.setting_table import SettingTable
from clawfeed.domain.settings.setting import Setting

if TYPE_CHECKING:
    import yaml


class YamlReading:
    """One YAML file as texts by variable name, with a label for messages and what is wrong.

    The nodes are read, not the values YAML would make of them: every text stays as written
    (`10:80` is no number in base 60), and every message knows its line.
    """

    def __init__(self, path: Path, table: SettingTable) -> None:
        self.path = path
        self._table = table
        self.texts: dict[str, str] = {}
        self.labels: dict[str, str] = {}
        self.problems: list[str] = []

    def read(self) -> None:
        try:
            text = self.path.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError:
            self.problems.append(f"CONFIG_FILE names {self.path.name}, which is not UTF-8 text")
        except OSError as error:
            named = f"CONFIG_FILE names {self.path}"
            self.problems.append(f"{named}, which cannot be read: {error.strerror}")
        else:
            self._parse(text)

    def _parse(self, text: str) -> None:
        import yaml

        try:
            root = yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.YAMLError as error:
            self.problems.append(f"{self.path.name} {_yaml_fault(error, text)}")
            return
        if isinstance(root, yaml.MappingNode):
            self._walk(root, "")
        elif root is not None:
            self.problems.append(
                f"{self.path.name} must hold names and values, such as timezone: UTC"
            )

    def _walk(self, mapping: yaml.MappingNode, above: str) -> None:
        for key, node in mapping.value:
            path = above + str(key.value)
            label = f"{path} in {self.path.name} line {key.start_mark.line + 1}"
            is_branch = path in self._table.yaml_branches
            if is_branch and node.id == "mapping":
                self._walk(node, path + ".")
            elif is_branch and _is_null(node):
                continue
            elif is_branch:
                self.problems.append(f"{label} must hold settings, not a value")
            else:
                self._take(path, label, node)

    def _take(self, path: str, label: str, node: yaml.Node) -> None:
        name = self._table.yaml_name(path)
        setting = self._table.by_name.get(name or "")
        if name is None:
            self.problems.append(f"{label} is not a setting{_did_you_mean(path, self._table)}")
        elif name in self.texts:
            self.problems.append(f"{label} sets {name} a second time: keep one of them")
        elif (text := _node_text(node, setting)) is None:
            expected = setting.kind.expected if setting else "one value"
            self.problems.append(f"{label}: expected {expected}")
        else:
            self.texts[name] = text
            self.labels[name] = label


def _node_text(node: yaml.Node, setting: Setting[object] | None) -> str | None:
    """The node as the text a variable would hold; None when it has the wrong shape."""
    import yaml

    if isinstance(node, yaml.ScalarNode):
        return "" if _is_null(node) else str(node.value)
    is_list = setting is not None and setting.kind.is_list and isinstance(node, yaml.SequenceNode)
    if is_list and all(isinstance(part, yaml.ScalarNode) for part in node.value):
        return ",".join(str(part.value) for part in node.value)
    return None


def _is_null(node: yaml.Node) -> bool:
    return bool(node.tag == "tag:yaml.org,2002:null")


def _did_you_mean(path: str, table: SettingTable) -> str:
    from difflib import get_close_matches

    # Many know a setting by its variable: DIGEST_PORT is server.port here.
    guess = [place for place, name in table.yaml_names.items() if name == path.upper()]
    guess = guess or get_close_matches(path, [*table.yaml_names, *table.yaml_branches], 1, 0.7)
    return f": did you mean {guess[0]}?" if guess else ""


def _yaml_fault(error: yaml.YAMLError, text: str) -> str:
    """Where and why a file is not YAML, without its content: `*x` may be a password."""
    mark = getattr(error, "problem_mark", None)
    position = getattr(error, "position", 0)
    line = mark.line + 1 if mark else text.count("\n", 0, position) + 1
    why = getattr(error, "problem", None) or "a character that YAML does not allow"
    why = re.sub(r" '[^']{3,}'", "", why)
    return f"line {line} is not valid YAML: {why}"
