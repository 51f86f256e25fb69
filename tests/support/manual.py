"""Whether documents say of a setting and of a source type what the code does."""

from __future__ import annotations

import json
import re

from clawfeed.domain.settings.setting import Setting
from clawfeed.sources.source_types.source_type import SourceType


def type_complaints(described: SourceType, manual: str) -> list[str]:
    """What *manual* (docs/sources.md) lacks or makes up about a type, a sentence for each."""
    sections = [each for each in manual.split("\n## ") if each.startswith(f"{described.name}\n")]
    if len(sections) != 1:
        return [f"{described.name} has {len(sections)} sections"]
    [section] = sections
    complaints = []
    if f"Polled every {described.minutes} minutes." not in " ".join(section.split()):
        complaints.append(f"{described.name}: its {described.minutes} minutes are not there")
    documented = set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))
    if documented != set(described.keys):
        strange = sorted(documented ^ set(described.keys))
        complaints.append(f"{described.name}: table and descriptor differ in {strange}")
    examples = re.findall(r"^```json\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
    if len(examples) != 1 or not set(json.loads(examples[0])) <= set(described.keys):
        complaints.append(f"{described.name}: it takes one example, of its own keys")
    return complaints


def setting_complaints(setting: Setting[object], example: str, manual: str) -> list[str]:
    """What *example* (.env.example) and *manual* (docs/configuration.md) lack about a setting."""
    lines = manual.splitlines()
    row = next((line for line in lines if line.startswith(f"| `{setting.name}`")), "")
    said = {
        "its lines in the example": (
            f"# {setting.doc}\n#{setting.name}={setting.default or ''}\n" in example
        ),
        "its sentence": setting.doc in row,
        "its default": not setting.default or f"| `{setting.default}` |" in row,
        "its place in YAML": not setting.in_yaml or f"`{setting.path}`" in row,
        "its other place": not setting.other_path or f"`{setting.other_path}`" in row,
        "whether it is a secret": ("*Secret.*" in row) == setting.secret,
    }
    return [f"{setting.name}: {what} is not there" for what, is_said in said.items() if not is_said]
