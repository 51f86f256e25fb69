"""The first minutes: what to follow, and how far the first edition is."""

from __future__ import annotations

from typing import Final

from clawfeed.web.texts.text import Text, Texts

FIRST_RUN: Final[Texts] = {
    "welcome.title": Text("Welcome", "欢迎"),
    "welcome.hello": Text("Welcome, {name}", "欢迎，{name}"),
    "welcome.lead": Text(
        "Say what you want to hear of. ClawFeed reads it for you and makes one short edition of "
        "it, today and every day.",
        "选择你想了解的内容。ClawFeed 替你阅读，每天汇成一份简报，今天就开始。",
    ),
    "welcome.steps": Text("Two steps", "两个步骤"),
    "welcome.step_choose": Text("What to follow", "选择关注"),
    "welcome.step_read": Text("Your first edition", "第一份简报"),
    "welcome.packs": Text("Sets of sources", "现成的来源合集"),
    "welcome.followed": Text(
        "You follow {n} sources now. Everybody begins with some; change them as you like.",
        "你目前关注 {n} 个来源。新读者会先关注一些来源，你可以随意增减。",
        "You follow {n} source now. Everybody begins with some; change them as you like.",
    ),
    "welcome.none": Text(
        "You follow nothing yet. Take a whole set, or single sources of it.",
        "你还没有关注任何来源。可以关注整个合集，也可以只选其中几个。",
    ),
    "welcome.no_packs": Text(
        "There are no sets here yet. Single sources are under",
        "这里还没有现成的合集。单个来源见",
    ),
    "welcome.follow_all": Text("Follow all {n}", "全部关注（{n} 个）"),
    "welcome.all": Text("all followed", "已全部关注"),
    "welcome.leave_all": Text("Unfollow all", "全部取消"),
    "welcome.inside": Text(
        "What is in it: {n} sources", "包含 {n} 个来源", "What is in it: {n} source"
    ),
    "welcome.more": Text("{n} more of them", "另外 {n} 个", "{n} more of them"),
    "welcome.own": Text("Or bring your own", "或添加你自己的来源"),
    "welcome.url": Text("An address", "网址"),
    "welcome.url_text": Text(
        "A page, a feed, a subreddit, an account: you see what was found before it is saved.",
        "网页、订阅源、subreddit 或账号均可，保存前会先显示找到的内容。",
    ),
    "welcome.onward": Text("Make my first edition", "生成我的第一份简报"),
    "welcome.skip": Text("Not now, to the front page", "暂时跳过，前往首页"),
    "progress.nothing": Text("You follow nothing yet", "你还没有关注任何来源"),
    "progress.nothing.text": Text(
        "An edition is made of what your sources publish.", "简报由你关注的来源汇编而成。"
    ),
    "progress.ready": Text("Your first edition is here", "你的第一份简报已完成"),
    "progress.making": Text("Your edition is being made", "正在生成你的简报"),
    "progress.making.text": Text(
        "Everything that came in is compared, chosen and put into words. This takes seconds; with "
        "a language model a few minutes.",
        "正在比对、筛选并撰写内容。通常只需几秒，使用语言模型时可能需要几分钟。",
    ),
    "progress.reading": Text("Your sources are being read", "正在读取你的来源"),
    "progress.reading.text": Text(
        "Most answer within seconds; nobody waits for the slow ones longer than twenty. Then your "
        "edition is made by itself, also if you leave this page.",
        "大多数来源几秒内就会响应，较慢的最多等待二十秒。随后会自动生成简报，离开此页也不影响。",
    ),
    "progress.silent": Text("Nothing came in yet", "还没有收到任何内容"),
    "progress.silent.text": Text(
        "None of your sources had anything for us so far. Is this computer online? They are "
        "read as soon as the network is back, and your edition is made right after.",
        "你的来源至今没有返回任何内容。请检查网络：恢复后会立即读取，并随即生成简报。",
    ),
    "progress.empty": Text("Nothing that came in makes an edition", "收到的内容不足以生成简报"),
    "progress.empty.text": Text(
        "All of it is older than a day, or there is too little of it. The next edition: {when}. "
        "More sources make a fuller one.",
        "内容都是一天以前的，或者数量太少。下一期时间：{when}。关注更多来源会让简报更充实。",
    ),
    "progress.ask": Text("You chose other sources", "你更改了关注的来源"),
    "progress.ask.text": Text(
        "The next edition takes them into account, on {when}. You need not wait for it.",
        "下一期简报将于 {when} 开始采用。你也可以现在就生成。",
    ),
    "progress.unattended": Text(
        "Nobody makes editions here at present. Whoever runs this ClawFeed starts {run}, or {cron} "
        "beside the server.",
        "目前没有进程在生成简报。请管理员运行 {run}，或在服务器之外运行 {cron}。",
    ),
    "progress.polled": Text("sources read", "已读取的来源"),
    "progress.of": Text("{n} of {m}", "{n} / {m}"),
    "progress.items": Text("items so far", "已收到的内容"),
    "progress.failing": Text("do not answer", "未响应"),
    "progress.read": Text("Read it", "开始阅读"),
    "progress.change": Text("Follow something else", "更改关注"),
    "progress.make": Text("Make it now", "立即生成"),
    "progress.choose": Text("Choose what to follow", "选择关注的来源"),
    "progress.look": Text("See what is wrong", "查看来源状态"),
    "progress.again": Text("Look again", "刷新"),
    "progress.everybodys": Text("Read everybody’s edition meanwhile", "先读面向所有人的简报"),
    "progress.front": Text("To the front page", "前往首页"),
}
