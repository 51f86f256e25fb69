"""Lists of sources, and following something new."""

from __future__ import annotations

from typing import Final

from clawfeed.web.texts.text import Text, Texts

SOURCES: Final[Texts] = {
    "done.followed": Text("You follow it now.", "已关注。"),
    "done.left": Text("You no longer follow it.", "已取消关注。"),
    "done.pack_followed": Text("You follow the pack now.", "已关注此合集。"),
    "done.source_added": Text(
        "You follow it now. Its first items are here within minutes.",
        "已关注，几分钟内即可看到首批内容。",
    ),
    "sources.title": Text("Sources", "来源"),
    "sources.lists": Text("Lists of sources", "来源列表"),
    "sources.mine": Text("Mine", "我的关注"),
    "sources.explore": Text("Explore", "发现"),
    "sources.packs": Text("Packs", "合集"),
    "sources.add": Text("Add a source", "添加来源"),
    "sources.total": Text("followed", "已关注"),
    "sources.fine": Text("fine", "正常"),
    "sources.failing": Text("need a look", "需要留意"),
    "sources.paused": Text("paused", "已暂停"),
    "sources.none_such": Text("None at present.", "目前没有。"),
    "sources.figures": Text("At a glance", "概览"),
    "sources.none": Text("You follow nothing yet", "你还没有关注任何来源"),
    "sources.none_text": Text(
        "Add a source by its address, or begin with a pack that somebody put together.",
        "粘贴网址即可添加来源，也可以从现成的合集开始。",
    ),
    "sources.nothing": Text("Nothing found", "没有找到"),
    "sources.nothing_text": Text(
        "Try other words, or add the source by its address.", "换个词试试，或粘贴网址添加。"
    ),
    "sources.see_packs": Text("See the packs", "查看合集"),
    "sources.follow": Text("Follow", "关注"),
    "sources.leave": Text("Unfollow", "取消关注"),
    "sources.follow_one": Text("Follow {name}", "关注 {name}"),
    "sources.leave_one": Text("Unfollow {name}", "取消关注 {name}"),
    "sources.private": Text("only you", "仅自己可见"),
    "sources.followers": Text("{n} followers", "{n} 人关注", "{n} follower"),
    "sources.checked": Text("last polled {when}", "上次抓取：{when}"),
    "sources.said": Text("In detail: {message}", "详细信息：{message}"),
    "sources.search": Text("Search sources", "搜索来源"),
    "sources.find": Text("Search", "搜索"),
    "sources.types": Text("Types", "类型"),
    "sources.every_type": Text("All", "全部"),
    "sources.parts": Text("Parts of the list", "列表分页"),
    "sources.more": Text("More", "更多"),
    "sources.back": Text("Back", "返回"),
    "packs.none": Text("There are no packs yet", "还没有合集"),
    "packs.none_text": Text(
        "A pack is a set of sources under one name. Explore what there is instead.",
        "合集是以一个名字汇集的一组来源。你可以先看看有哪些来源。",
    ),
    "packs.count": Text("{n} sources", "{n} 个来源", "{n} source"),
    "packs.follow": Text("Follow all of it", "全部关注"),
    "packs.follow_rest": Text(
        "Follow the {n} you do not follow yet",
        "关注尚未关注的 {n} 个",
        "Follow the {n} you do not follow yet",
    ),
    "packs.all": Text("You follow all of it.", "你已关注全部来源。"),
    "packs.sign_in": Text("Sign in to follow it", "登录后关注"),
    "packs.yours": Text("yours", "你的"),
    "add.title": Text("Add a source", "添加来源"),
    "add.lead": Text(
        "Paste the address of a page, a feed, a subreddit or an account. You see what was found "
        "before anything is saved.",
        "粘贴网页、订阅源、subreddit 或账号的地址。保存前会先让你看到找到的内容。",
    ),
    "add.url": Text("Address", "网址"),
    "add.look": Text("Look there", "查看"),
    "add.examples": Text("For instance:", "例如："),
    "add.cannot": Text("{place} cannot be read.", "无法读取 {place}。"),
    "add.slow": Text("This may take half a minute.", "可能需要半分钟。"),
    "add.found": Text("This was found", "找到的内容"),
    "add.name": Text("Name", "名称"),
    "add.who": Text("Who may follow it", "谁可以关注"),
    "add.who_me": Text("Just me", "仅自己"),
    "add.who_all": Text("Everybody here", "这里的所有人"),
    "add.share_text": Text(
        "An address with a secret in it cannot be shared.",
        "含有密钥的地址不能共享。",
    ),
    "add.save": Text("Follow it", "关注"),
    "add.other": Text("Another address", "换一个网址"),
    "add.latest": Text("Its latest items", "最新内容"),
    "add.no_items": Text(
        "Nothing is in it now. You can follow it all the same.", "目前没有内容，仍可关注。"
    ),
    "add.note": Text("Nothing can be shown yet: {note}", "暂时无法预览：{note}"),
    "add.others": Text("The page offers other feeds, too", "该页面还提供其他订阅源"),
    "add.use": Text("Look at {title}", "查看 {title}"),
    "add.there": Text("This is here already: {link}", "这里已经有了：{link}"),
    "add.there_followed": Text("You follow this already: {link}", "你已经关注了：{link}"),
    "opml.title": Text("From and to other readers", "与其他阅读器互通"),
    "opml.export": Text("Download what you follow (OPML)", "下载我的关注（OPML）"),
    "opml.file": Text("An OPML list from another reader", "来自其他阅读器的 OPML 列表"),
    "opml.text": Text(
        "At most 1,000 feeds and 1 MB at once. What is new is yours alone; folders become packs of "
        "yours.",
        "一次最多 1,000 个订阅源、1 MB。新增的来源仅自己可见，文件夹会成为你的合集。",
    ),
    "opml.import": Text("Import", "导入"),
    "opml.done": Text("This came of it", "导入结果"),
    "opml.failed": Text("The list was not imported", "列表未能导入"),
    "opml.added": Text("new", "新增"),
    "opml.followed": Text("were here already and are followed", "已存在并已关注"),
    "opml.refused": Text("not taken", "未导入"),
    "opml.folders": Text("folders, as packs", "文件夹（作为合集）"),
    "opml.without": Text(
        "{n} entries have no feed and were left out.",
        "{n} 个条目没有订阅源，已略过。",
        "{n} entry has no feed and was left out.",
    ),
    "opml.going": Text("Importing your list", "正在导入列表"),
    "opml.stay": Text(
        "Stay here until it says what came of it. If it stops on the way, import the same list "
        "again: only what is missing is added.",
        "请停留在此页直到显示结果。如果中途停止，再次导入同一列表即可，只会添加缺少的部分。",
    ),
    "opml.step": Text("{seen} of {n}", "{seen} / {n}"),
    "opml.stopped": Text("It stopped on the way", "导入中断"),
    "opml.again": Text(
        "What is counted here is stored. Import the same list again for the rest.",
        "以下内容已保存。请再次导入同一列表以完成其余部分。",
    ),
    "opml.more_refused": Text("And {n} more.", "以及另外 {n} 个。"),
    "opml.figures": Text("What became of the list", "列表的结果"),
    "opml.why": Text("Not taken, and why", "未导入的条目及原因"),
    "opml.onward": Text("Go on", "继续"),
    "opml.mine": Text("See what you follow", "查看我的关注"),
}
