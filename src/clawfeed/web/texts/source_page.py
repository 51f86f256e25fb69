"""The page of one source."""

from __future__ import annotations

from typing import Final

from clawfeed.web.texts.text import Text, Texts

ONE_SOURCE: Final[Texts] = {
    "done.paused": Text("It is paused.", "已暂停。"),
    "done.resumed": Text(
        "It goes on: its failures are forgotten, and it is polled now.",
        "已恢复：清除失败记录并立即抓取。",
    ),
    "done.cadence_set": Text("Its cadence is set.", "抓取频率已设定。"),
    "source.next": Text("Next poll", "下次抓取"),
    "source.now": Text("now", "现在"),
    "source.no_next": Text("None: it is paused.", "已暂停，没有计划。"),
    "source.first_soon": Text("As soon as a collector is free.", "采集器空闲后立即进行。"),
    "source.why": Text("Because: {why}.", "原因：{why}。"),
    "source.later": Text("The polls after that", "之后的抓取"),
    "source.later_text": Text(
        "If nothing new comes; each poll that finds something changes the plan.",
        "假设没有新内容；每次发现新内容都会调整计划。",
    ),
    "watch.waiting": Text(
        "Asked for. It is polled as soon as its host allows, within a minute as a rule.",
        "已请求。将在其主机允许时尽快抓取，通常在一分钟内。",
    ),
    "watch.late": Text(
        "It was not polled yet: its host may be resting, or no collector is free. The date below "
        "says when its turn comes.",
        "尚未抓取：其主机可能在休息，或暂无空闲的采集器。下方日期为预定时间。",
    ),
    "watch.came": Text(
        "It was polled: {n} new items.", "已抓取：新增 {n} 条。", "It was polled: {n} new item."
    ),
    "watch.nothing_new": Text("It was polled: nothing new there.", "已抓取：没有新内容。"),
    "watch.failed": Text("It was polled, and that failed.", "已抓取，但失败了。"),
    "watch.put_off": Text(
        "Its poll was put off; the date below says until when.", "抓取被推迟，下方日期为新的时间。"
    ),
    "watch.look": Text("See how it went", "查看结果"),
    "source.week": Text("Its week", "一周规律"),
    "source.outlook": Text("{text}.", "{text}。"),
    "source.week_text": Text(
        "The darker, the more is expected at that hour. A dot: something was published then in the "
        "last seven days. The frame: the next poll.",
        "颜色越深，该时段预计发布越多。圆点：过去七天该时段有内容发布。方框：下次抓取。",
    ),
    "source.week_label": Text(
        "When it usually publishes, by day and hour; the same in figures below.",
        "按日期和小时显示的发布规律；下方有对应数字。",
    ),
    "source.stale": Text("It has been silent for long.", "它已长时间没有更新。"),
    "source.figures": Text("The same in figures", "对应数字"),
    "source.compare": Text("What was expected, and what came", "预计与实际"),
    "source.compare_label": Text(
        "Expected items and those that came, for each of the last seven days; the same in figures "
        "below.",
        "过去七天每天的预计与实际条数；下方有对应数字。",
    ),
    "source.compare_text": Text(
        "items a day; expected by what is known of its rhythm now",
        "每天条数；预计值按目前已知的规律计算",
    ),
    "verdict.as_expected": Text(
        "As expected: {came} came in the last seven days, and about {expected} were expected.",
        "符合预期：过去七天有 {came} 条，预计约 {expected} 条。",
    ),
    "verdict.more": Text(
        "Livelier than usual: {came} came in the last seven days, and about {expected} were "
        "expected.",
        "比预期活跃：过去七天有 {came} 条，预计约 {expected} 条。",
    ),
    "verdict.less": Text(
        "Quieter than usual: {came} came in the last seven days, and about {expected} were "
        "expected.",
        "比预期安静：过去七天有 {came} 条，预计约 {expected} 条。",
    ),
    "source.known_since": Text(
        "We know of it since {when} only; nothing is expected of the time before.",
        "自 {when} 起才有数据，之前的时间不作预计。",
    ),
    "source.today": Text("today", "今天"),
    "source.day": Text("Day", "日期"),
    "source.expected": Text("expected", "预计"),
    "source.came": Text("came", "实际"),
    "source.usual": Text("Items expected", "预计条数"),
    "source.busiest": Text("Busiest hour", "最活跃时段"),
    "weekday.0": Text("Mon", "周一"),
    "weekday.1": Text("Tue", "周二"),
    "weekday.2": Text("Wed", "周三"),
    "weekday.3": Text("Thu", "周四"),
    "weekday.4": Text("Fri", "周五"),
    "weekday.5": Text("Sat", "周六"),
    "weekday.6": Text("Sun", "周日"),
    "source.trouble": Text("What is wrong", "出了什么问题"),
    "source.items": Text("Latest items", "最新内容"),
    "source.all_items": Text("All its items", "查看全部内容"),
    "source.no_items": Text("Nothing was collected from it yet.", "尚未收集到内容。"),
    "source.polls": Text("Latest polls", "抓取记录"),
    "source.no_polls": Text("It was not polled yet.", "尚未抓取。"),
    "source.hits": Text(
        "{hits} of the last {n} polls found something new.",
        "最近 {n} 次抓取中有 {hits} 次发现新内容。",
        "{hits} of {n} poll found something new.",
    ),
    "source.took_seconds": Text("{seconds} s", "{seconds} 秒"),
    "source.new": Text("{n} new", "新增 {n} 条", "{n} new"),
    "source.nothing_new": Text("nothing new", "没有新内容"),
    "source.failed": Text("failed", "失败"),
    "source.put_off": Text("put off", "推迟"),
    "source.do": Text("Look after it", "管理"),
    "source.poll_now": Text("Poll now", "立即抓取"),
    "source.pause": Text("Pause", "暂停"),
    "source.resume": Text("Resume", "恢复"),
    "source.pause_sure": Text("Pause it for everybody who follows it?", "要为所有关注者暂停它吗？"),
    "source.cadence": Text("How often to poll", "抓取频率"),
    "source.cadence_auto": Text("Automatic", "自动"),
    "source.cadence_text": Text("As its history teaches.", "根据历史自动调整。"),
    "source.cadence_learned": Text(
        "As its history teaches: {code} at present.", "根据历史自动调整，目前为 {code}。"
    ),
    "source.cadence_every": Text("{code}: every {span}", "{code}：每 {span}"),
    "source.minutes": Text("{n} minutes", "{n} 分钟"),
    "source.hours": Text("{n} hours", "{n} 小时", "{n} hour"),
    "source.set": Text("Set", "设定"),
    "source.place": Text("Follows", "地址"),
    "source.sign_in": Text("Sign in to follow it", "登录后关注"),
}
