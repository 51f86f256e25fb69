"""What was collected: its list, its search, and what sources count of it."""

from __future__ import annotations

from typing import Final

from clawfeed.web.texts.text import Text, Texts

ITEMS: Final[Texts] = {
    "items.title": Text("Items", "内容"),
    "items.lead": Text(
        "Everything collected from the {n:,} sources you follow, the latest find first.",
        "你关注的 {n:,} 个来源的全部内容，最新收集的在前。",
        "Everything collected from the {n} source you follow, the latest find first.",
    ),
    "items.search": Text("Search items", "搜索内容"),
    "items.find": Text("Search", "搜索"),
    "items.source": Text("Source", "来源"),
    "items.no_source": Text(
        "No source you follow is called {name}.", "你关注的来源中没有名为 {name} 的。"
    ),
    "items.every_source": Text("All sources", "全部来源"),
    "items.type": Text("Type", "类型"),
    "items.every_type": Text("All types", "全部类型"),
    "items.period": Text("Period", "时间"),
    "items.every_day": Text("30 days", "30 天"),
    "period.today": Text("Today", "今天"),
    "period.3d": Text("3 days", "3 天内"),
    "period.7d": Text("A week", "一周内"),
    "items.count": Text("{n:,} found", "找到 {n:,} 条"),
    "items.many": Text("{n:,} or more found", "找到至少 {n:,} 条"),
    "items.shown": Text("{n} items are shown.", "显示 {n} 条内容。", "{n} item is shown."),
    "items.without": Text("Without “{name}”", "去掉“{name}”"),
    "items.clear": Text("Show everything", "显示全部"),
    "items.no_word": Text(
        "There is no word to search for: type at least one letter or digit.",
        "没有可搜索的词：请至少输入一个字、字母或数字。",
    ),
    "items.found_on": Text("found {when}", "收录于 {when}"),
    "items.came_late": Text("{published}, found {when}", "{published}，收录于 {when}"),
    "items.told": Text("In an edition", "已入简报"),
    "items.nothing": Text("Nothing found", "没有找到"),
    "items.nothing_text": Text(
        "Try fewer or other words, or a longer time. All words must be in an item, and what is "
        "older than 30 days is gone.",
        "试试更少或其他的词，或更长的时间。内容须包含所有词，超过 30 天的不再保留。",
    ),
    "items.none": Text("Nothing was collected yet", "还没有收集到内容"),
    "items.none_until": Text(
        "Your next source is polled on {when}; what it brings is here at once.",
        "下次抓取：{when}，新内容会立即出现在这里。",
    ),
    "items.none_soon": Text(
        "Your sources are polled as soon as a collector is free. Look again in a minute.",
        "采集器空闲后会立即抓取你的来源，请过一分钟再来。",
    ),
    "items.see_sources": Text("See how they are doing", "查看来源状态"),
    "items.follows_nothing": Text("You follow nothing yet", "你还没有关注任何来源"),
    "items.follows_nothing_text": Text(
        "What the sources you follow publish is collected here. Begin with a pack, or add a source "
        "by its address.",
        "你关注的来源发布的内容会汇集在这里。可以从合集开始，或粘贴网址添加来源。",
    ),
    "items.end": Text("There is nothing older", "没有更早的内容"),
    "items.parts": Text("Parts of the list", "列表分页"),
    "items.older": Text("older", "更早"),
    "items.newest": Text("newest", "最新"),
    "signal.score": Text("{n:,} points", "{n:,} 分", "{n} point"),
    "signal.upvotes": Text("{n:,} upvotes", "{n:,} 赞", "{n} upvote"),
    "signal.stars_today": Text("{n:,} stars today", "今日 {n:,} 星", "{n} star today"),
    "signal.stars_this_week": Text("{n:,} stars this week", "本周 {n:,} 星", "{n} star this week"),
    "signal.stars_this_month": Text(
        "{n:,} stars this month", "本月 {n:,} 星", "{n} star this month"
    ),
    "signal.like_count": Text("{n:,} likes", "{n:,} 个赞", "{n} like"),
    "signal.comments": Text("{n:,} comments", "{n:,} 条评论", "{n} comment"),
}
