"""Faults of the sources' data, and what mends them."""

from __future__ import annotations

from typing import Final

from clawfeed.web.texts.text import Text, Texts

SOURCE_FAULTS: Final[Texts] = {
    "done.fault_mended": Text("It is mended.", "已修复。"),
    "done.fault_gone": Text("There was nothing to mend any more.", "已无需修复。"),
    "faults.title": Text("Faults", "数据问题"),
    "faults.lead": Text(
        "Sources that repeat another, follow many where one belongs, or bear a wrong name. See "
        "what mending would change before you do it.",
        "重复、一个来源包含多个对象或名称有误的来源。修复前可先查看会有哪些变化。",
    ),
    "faults.none": Text("No faults found", "没有发现问题"),
    "faults.none_text": Text(
        "No two sources are the same, and each is called what it follows.",
        "没有重复的来源，名称也都正确。",
    ),
    "faults.said": Text("This source", "此来源："),
    "faults.look": Text("What would change", "查看会有哪些变化"),
    "faults.look_one": Text("What would change: {name}", "查看会有哪些变化：{name}"),
    "faults.unsure": Text(
        "They only look alike: see for yourself.", "只是看起来相似，请自行确认。"
    ),
    "faults.edit": Text("Edit it", "编辑"),
    "faults.edit_one": Text("Edit {name}", "编辑 {name}"),
    "faults.merge": Text(
        "It would be merged into {into}, with all that hangs on it.",
        "将连同其全部关联并入 {into}。",
    ),
    "faults.rename": Text("It would be called {name}.", "将更名为 {name}。"),
    "faults.split": Text(
        "It would be split into one source for each name.", "将按名称拆分为多个来源。"
    ),
    "faults.moved": Text(
        "Moved: items {items}, saved {marks}, followers {followers}, places in packs {packs}.",
        "移动：内容 {items}，收藏 {marks}，关注 {followers}，合集位置 {packs}。",
    ),
    "faults.added": Text("New:", "新增："),
    "faults.found": Text("Here already:", "已存在："),
    "faults.left_out": Text("Left out:", "略过："),
    "faults.fix": Text("Mend it", "修复"),
    "faults.leave": Text("Leave it", "暂不处理"),
    "faults.more": Text("And {n} more after these.", "之后还有 {n} 个。"),
    "fault.duplicate": Text("repeated", "重复"),
    "fault.looks_like": Text("looks like another", "疑似重复"),
    "fault.absurd_config": Text("odd settings", "设置异常"),
    "fault.misnamed": Text("wrong name", "名称有误"),
}
