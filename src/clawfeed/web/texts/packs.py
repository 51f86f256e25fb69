"""Making, changing and removing packs."""

from __future__ import annotations

from typing import Final

from clawfeed.web.texts.text import Text, Texts

PACKS: Final[Texts] = {
    "done.pack_made": Text("The pack is made.", "合集已创建。"),
    "done.pack_changed": Text("The pack is changed.", "合集已修改。"),
    "done.pack_removed": Text("The pack is removed.", "合集已删除。"),
    "packs.make": Text("Make a pack", "创建合集"),
    "packs.make_lead": Text(
        "Put sources together under one name, for yourself or for everybody here.",
        "把一组来源归到一个名字下，供自己使用，或与这里的所有人分享。",
    ),
    "packs.edit": Text("Edit", "编辑"),
    "packs.edit_title": Text("Edit {name}", "编辑 {name}"),
    "packs.edit_heading": Text("Edit this pack", "编辑合集"),
    "packs.save": Text("Save", "保存"),
    "packs.name": Text("Name", "名称"),
    "packs.no_name": Text("Give it a name.", "请填写名称。"),
    "packs.description": Text("What it is for, in a sentence (may be empty)", "用途说明（可留空）"),
    "packs.who": Text("Who sees it", "谁可以看到"),
    "packs.who_me": Text("Only I", "仅自己"),
    "packs.who_all": Text("Everybody; it may hold public sources only", "所有人；只能包含公开来源"),
    "packs.not_public": Text(
        "A pack for everybody holds public sources only. Take these out, or keep it to yourself: "
        "{names}",
        "公开的合集只能包含公开来源。请移出以下来源，或设为仅自己可见：{names}",
    ),
    "packs.in_it": Text("In the pack", "合集中的来源"),
    "packs.nothing_in_it": Text(
        "Nothing is in it yet: tick some below.", "还没有来源，请在下方勾选。"
    ),
    "packs.to_add": Text("What you follow", "你关注的来源"),
    "packs.find": Text("Find among what you follow", "在关注的来源中查找"),
    "packs.find_do": Text("Find", "查找"),
    "packs.not_found": Text("Nothing else that you follow.", "你关注的来源中没有其他结果。"),
    "packs.is_cut": Text(
        "These are the first {n}; find the others by their names.", "仅显示前 {n} 个，其余请查找。"
    ),
    "packs.remove": Text("Remove this pack", "删除合集"),
    "packs.remove_title": Text("Remove {name}", "删除 {name}"),
    "packs.remove_sure": Text("Remove {name}?", "要删除 {name} 吗？"),
    "packs.remove_keeps": Text(
        "Its sources stay, and everybody goes on following what they follow.",
        "其中的来源会保留，大家的关注也不受影响。",
    ),
    "packs.remove_forever": Text(
        "Its address leads nowhere afterwards. This cannot be undone.",
        "删除后其地址将失效。此操作无法撤销。",
    ),
    "packs.keep": Text("Keep it", "保留"),
    "packs.default": Text("Choose what new readers begin with", "设置新读者的默认合集"),
    "configuration.see_pack": Text("See this pack", "查看此合集"),
}
