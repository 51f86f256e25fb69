"""Changing a source, and giving it up."""

from __future__ import annotations

from typing import Final

from clawfeed.web.texts.text import Text, Texts

SOURCE_EDITING: Final[Texts] = {
    "done.source_changed": Text("It is changed.", "已修改。"),
    "done.source_removed": Text("The source is removed.", "来源已移除。"),
    "edit.title": Text("Edit {name}", "编辑 {name}"),
    "edit.heading": Text("Edit this source", "编辑来源"),
    "edit.link": Text("Edit or remove", "编辑或移除"),
    "edit.twin": Text(
        "That is followed here already, so nothing was changed: {link}",
        "已有相同的来源，未作修改：{link}",
    ),
    "edit.place_text": Text(
        "With another one it begins anew: its failures are forgotten and it is polled at once. "
        "Parts shown as *** stay as they are.",
        "更改后会重新开始：清除失败记录并立即抓取。显示为 *** 的部分保持不变。",
    ),
    "edit.interval": Text("Minutes between two polls", "两次抓取的间隔（分钟）"),
    "edit.interval_text": Text(
        "Empty: as its type and its history teach, which is best for most.",
        "留空则按其类型和历史自动决定，适合大多数来源。",
    ),
    "edit.save": Text("Save", "保存"),
    "edit.remove": Text("Remove this source", "移除此来源"),
    "edit.keep": Text("Keep it", "保留"),
    "edit.remove_title": Text("Remove {name}", "移除 {name}"),
    "edit.remove_sure": Text("Remove {name}?", "要移除 {name} 吗？"),
    "edit.remove_polls": Text(
        "It is polled no more, and nothing new comes from it.", "将不再抓取，也不会再有新内容。"
    ),
    "edit.remove_others": Text(
        "{n} others follow it. They lose it, too.",
        "另有 {n} 人关注，他们也会失去此来源。",
        "{n} other person follows it, and loses it, too.",
    ),
    "edit.remove_alone": Text("Nobody else follows it.", "没有其他人关注它。"),
    "edit.remove_keeps": Text(
        "Editions that were made stay as they are, and so does what you saved.",
        "已生成的简报和你收藏的内容保持不变。",
    ),
    "edit.remove_forever": Text(
        "It leaves every pack it is in. This cannot be undone, but it can be added again.",
        "它会从所有合集中消失。此操作无法撤销，但可以重新添加。",
    ),
}
