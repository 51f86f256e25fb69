"""Whether a document says of a source type what its descriptor does."""

from __future__ import annotations

import json
import re

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
