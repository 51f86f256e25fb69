"""Editions and what readers do with them: today, the archive, stories over days, what is saved."""

from __future__ import annotations

from typing import Final

from clawfeed.web.texts.text import Text, Texts

READING: Final[Texts] = {
    "done.marked": Text("Saved.", "已收藏。"),
    "done.unmarked": Text("No longer saved.", "已取消收藏。"),
    "done.voted": Text("Thank you: your next editions go by it.", "已记下，之后的简报会据此调整。"),
    "done.unvoted": Text("Your vote is taken back.", "已撤回你的评价。"),
    "today.title": Text("Today", "今日"),
    "today.everybodys": Text(
        "This is everybody's edition. {sign_in} to follow your own sources, to save and to vote.",
        "这是面向所有人的简报。{sign_in}后即可关注自己的来源、收藏和评价。",
    ),
    "today.sign_in": Text("Sign in", "登录"),
    "today.yours_at": Text(
        "This is everybody's edition; your own is begun on {when}.",
        "这是面向所有人的简报；你自己的简报将于 {when} 开始制作。",
    ),
    "today.yours_now": Text(
        "This is everybody's edition; your own is being made. Look again in a few minutes.",
        "这是面向所有人的简报；你自己的简报正在制作，请过几分钟再来。",
    ),
    "today.yours_follow": Text(
        "This is everybody's edition. Follow sources of your own to get yours.",
        "这是面向所有人的简报。关注一些来源，即可获得你自己的简报。",
    ),
    "today.choose": Text("Choose what to follow", "选择关注的来源"),
    "today.see": Text("See how far it is", "查看进度"),
    "today.find_sources": Text("Find sources", "寻找来源"),
    "today.earlier": Text("Earlier", "往期"),
    "today.all": Text("All editions", "全部往期"),
    "first.title": Text("The first edition is on its way", "第一期简报即将完成"),
    "first.nothing": Text("Nothing is followed yet", "还没有关注任何来源"),
    "first.nothing_text": Text(
        "An edition is made of what sources publish. Add the first one, or from a terminal: "
        "{command}",
        "简报由各来源的内容编成。请先添加一个来源，或在终端运行：{command}",
    ),
    "first.soon": Text(
        "The sources are being read. It is here within a minute of the first answers.",
        "正在读取各个来源。收到首批内容后一分钟内即可阅读。",
    ),
    "first.how_far": Text("See how far it is", "查看进度"),
    "first.sources": Text("sources", "来源"),
    "first.due": Text("due now", "待抓取"),
    "first.polls": Text("polls in 24 h", "24 小时抓取次数"),
    "first.items": Text("new items in 24 h", "24 小时新内容"),
    "first.errors": Text("errors in 24 h", "24 小时错误"),
    "first.figures": Text("Figures", "数据"),
    "story.tools": Text("This story", "这则故事"),
    "story.save": Text("Save", "收藏"),
    "story.more": Text("More like this", "多来点"),
    "story.less": Text("Less", "少来点"),
    "story.share": Text("Copy link", "复制链接"),
    "story.copied": Text("Copied", "已复制"),
    "story.timeline": Text("Why and when", "缘由与时间线"),
    "story.told": Text("How it was told", "报道历程"),
    "story.told_by": Text("Who told it", "报道来源"),
    "story.not_told": Text("No edition of yours told it.", "你的简报还没有讲过它。"),
    "story.no_reports": Text("What the sources said is no longer kept.", "来源原文已不再保留。"),
    "story.first_seen": Text("First seen {when}", "首次出现：{when}"),
    "story.in_edition": Text("Edition: {edition}", "所属简报：{edition}"),
    "story.why": Text("Why it is here", "为何入选"),
    "story.why_not": Text("Why it was left out", "为何未收录"),
    "story.score": Text("What spoke for it", "评分依据"),
    "score.corroboration": Text("told by independent publishers", "多方独立报道"),
    "score.signal": Text("loud where it was told", "在来源处的热度"),
    "score.recency": Text("fresh", "时效"),
    "score.lasting": Text("told again and again", "持续报道"),
    "score.interest": Text("meets your interests", "符合你的兴趣"),
    "editions.title": Text("Editions", "往期简报"),
    "editions.types": Text("Types", "类型"),
    "editions.every": Text("All", "全部"),
    "editions.4h": Text("Four hours", "四小时"),
    "editions.daily": Text("Days", "每日"),
    "editions.weekly": Text("Weeks", "每周"),
    "editions.monthly": Text("Months", "每月"),
    "editions.months": Text("Months", "月份"),
    "editions.neighbours": Text("Before and after", "上一期与下一期"),
    "editions.yours": Text("yours", "你的"),
    "editions.none": Text("No editions here", "这里没有简报"),
    "editions.none_text": Text(
        "None was made in this month, or none of this type.", "这个月没有这类简报。"
    ),
    "editions.newest": Text("The newest edition", "最新一期"),
    "marks.title": Text("Saved", "收藏"),
    "marks.lead": Text("What you wanted to keep.", "你想留下的内容。"),
    "marks.none": Text("Nothing is saved yet", "还没有收藏"),
    "marks.none_text": Text(
        "Press “Save” below a story, or the key m, and find it here.",
        "在故事下方点“收藏”，或按 m 键，就会出现在这里。",
    ),
    "marks.remove": Text("Remove", "移除"),
    "marks.remove_one": Text("Remove “{title}”", "移除“{title}”"),
    "marks.pages": Text("More of them", "更多"),
    "marks.older": Text("older", "更早"),
    "marks.saved_on": Text("saved {when}", "收藏于 {when}"),
}
