"""The overview of the house, for who runs it."""

from __future__ import annotations

from typing import Final

from clawfeed.web.texts.text import Text, Texts

OPERATIONS: Final[Texts] = {
    "operations.title": Text("Operations", "运行状况"),
    "operations.tabs": Text("Pages about the house", "运行页面"),
    "operations.tab_overview": Text("Overview", "概览"),
    "operations.tab_editions": Text("Editions", "简报"),
    "operations.tab_outbox": Text("Outbox", "发件箱"),
    "operations.tab_alarms": Text("Alarms", "告警"),
    "operations.tab_people": Text("People", "用户"),
    "operations.tab_configuration": Text("Configuration", "配置"),
    "operations.not_live": Text(
        "Not live any more: these figures stand still. ClawFeed keeps trying.",
        "实时连接已断开：以下数字不再更新，正在重试。",
    ),
    "operations.again": Text("Load again", "重新加载"),
    "operations.as_of": Text("As of {time}.", "截至 {time}。"),
    "operations.well": Text("All is well.", "一切正常。"),
    "operations.well_text": Text(
        "Sources are polled, editions are made, messages leave, and no alarm rings.",
        "来源正常抓取，简报按时生成，消息正常发出，没有告警。",
    ),
    "operations.unpolled": Text(
        "Nothing was polled in the last 24 hours.", "过去 24 小时没有任何抓取。"
    ),
    "operations.unpolled_text": Text(
        "{n} sources wait. Polls begin within seconds; if none does, this machine may be offline, "
        "and the log says so.",
        "{n} 个来源在等待抓取。抓取会在数秒内开始；若一直没有，本机可能离线，日志中会有说明。",
        "{n} source waits. Polls begin within seconds; if none does, this machine may be offline, "
        "and the log says so.",
    ),
    "operations.nothing_followed": Text("There is no source to poll yet.", "还没有可抓取的来源。"),
    "operations.add": Text("Add one", "添加来源"),
    "operations.wrong": Text(
        "{n} things need a look.", "有 {n} 件事需要处理。", "{n} thing needs a look."
    ),
    "operations.look": Text("Look at it", "查看"),
    "operations.unread": Text("The database does not answer.", "数据库没有响应。"),
    "operations.unread_advice": Text(
        "Nothing is lost: the figures below are the last ones. Look whether its disk is full or "
        "its server is down.",
        "数据没有丢失，下方为最后一次读取的数字。请检查磁盘是否已满或数据库服务是否停止。",
    ),
    "operations.now": Text("Now, and in the last hour", "现在与过去一小时"),
    "operations.due": Text("due now", "等待抓取"),
    "operations.in_flight": Text("in flight", "正在抓取"),
    "operations.longest_wait": Text("longest wait now", "当前最长等待"),
    "operations.polls": Text("polls in the last hour", "过去一小时抓取次数"),
    "operations.success": Text("of them succeeded", "成功率"),
    "operations.new": Text("new items in the last hour", "过去一小时新内容"),
    "operations.lag": Text(
        "Half of the last hour's polls began within {half} of their date, 99 of 100 within {most}.",
        "过去一小时，一半的抓取在计划时间后 {half}内开始，99% 在 {most}内开始。",
    ),
    "operations.no_lag": Text(
        "No poll that had a date began within the last hour.", "过去一小时没有按计划开始的抓取。"
    ),
    "operations.waiters": Text(
        "{n} wait for their host's turn, the first until {at}.",
        "{n} 个来源在等待其主机的轮次，最早 {at} 开始。",
        "{n} waits for its host's turn, until {at}.",
    ),
    "operations.seconds": Text("{n} s", "{n} 秒"),
    "operations.minutes": Text("{n} min", "{n} 分钟"),
    "operations.hours": Text("{n} h", "{n} 小时"),
    "operations.days": Text("{n} days", "{n} 天"),
    "operations.collectors": Text("Collectors", "采集器"),
    "operations.collector": Text("Name", "名称"),
    "operations.state": Text("State", "状态"),
    "operations.seen": Text("Last sign of life", "最近活动"),
    "operations.since": Text("Started", "启动时间"),
    "operations.held": Text("In flight", "正在抓取"),
    "operations.alive": Text("alive", "运行中"),
    "operations.ended": Text("ended", "已结束"),
    "operations.more_collectors": Text(
        "{n} more ended within the last day.", "过去一天另有 {n} 个已结束。"
    ),
    "operations.no_collectors": Text(
        "None gave a sign of life within the last day: {command} starts one.",
        "过去一天没有采集器活动，可用 {command} 启动。",
    ),
    "operations.failures": Text("Why polls failed, in 24 hours", "24 小时内的失败原因"),
    "operations.no_failures": Text("No poll failed.", "没有失败的抓取。"),
    "operations.cause_unknown": Text("Nobody wrote down why.", "没有记录原因。"),
    "operations.at_sources": Text("at {n} sources", "涉及 {n} 个来源", "at {n} source"),
    "operations.times": Text("{n} times", "{n} 次", "{n} time"),
    "operations.more_sources": Text("{n} more sources", "另有 {n} 个来源", "{n} more source"),
    "operations.private": Text("a private source (number {id})", "私有来源（编号 {id}）"),
    "operations.failed": Text("What failed last", "最近的失败"),
    "operations.nothing_failed": Text("Nothing, in the last 24 hours.", "过去 24 小时没有失败。"),
    "operations.source": Text("Source", "来源"),
    "operations.last_at": Text("Last time", "最近一次"),
    "operations.why": Text("Why", "原因"),
    "operations.times_since": Text("{n} times since {at}", "自 {at} 起共 {n} 次"),
    "operations.works_again": Text("works again", "已恢复"),
    "operations.still_fails": Text("still fails", "仍在失败"),
    "operations.cadences": Text("How often sources are polled", "抓取频率分布"),
    "operations.cadences_label": Text("Sources by cadence.", "按频率统计的来源数。"),
    "operations.cadences_text": Text(
        "Active sources by what their history taught. The interval is where each begins; when it "
        "is polled stands on its own page.",
        "按历史规律统计的活跃来源。间隔为各频率的起点，实际抓取时间见各来源页面。",
    ),
    "operations.unlearned": Text("not known yet", "尚未得知"),
    "operations.lag_title": Text("How late polls began", "抓取延迟"),
    "operations.lag_label": Text(
        "Each of the last 24 hours. The longest wait of all was {most}; in the last hour the mean "
        "was {mean} and the longest {longest}.",
        "过去 24 小时每小时的延迟。最长等待 {most}；过去一小时平均 {mean}，最长 {longest}。",
    ),
    "operations.lag_text": Text(
        "Each hour's longest wait after a poll's date (pale) and the mean (full).",
        "每小时抓取晚于计划的最长时间（浅色）与平均时间（深色）。",
    ),
    "operations.day_ago": Text("24 h ago", "24 小时前"),
    "operations.right_now": Text("now", "现在"),
    "operations.cooling": Text("Hosts that rest", "暂停访问的主机"),
    "operations.cooling_text": Text(
        "Their servers asked us to come back later, and no collector goes there before.",
        "这些服务器要求稍后再来，在此之前所有采集器都不会访问。",
    ),
    "operations.no_cooling": Text("No host asked us to wait.", "没有主机要求等待。"),
    "operations.until": Text("until {at}", "至 {at}"),
    "operations.more_hosts": Text("And {n} more.", "另有 {n} 个。"),
    "operations.private_hosts": Text("{n} of private sources alone.", "{n} 个，仅属于私有来源。"),
    "operations.budgets": Text("Budgets", "预算"),
    "operations.budget_polls": Text("Polls in 24 hours", "24 小时抓取次数"),
    "operations.budget_x": Text("X reads this month", "本月 X 读取次数"),
    "operations.budget_tokens": Text("Model tokens this month", "本月模型令牌数"),
    "operations.budget_money": Text("Model cost this month", "本月模型费用"),
    "operations.of": Text("of {limit}", "/ {limit}"),
    "operations.no_limit": Text("no limit set", "未设上限"),
    "operations.model": Text(
        "{model} was asked {calls} times; {remembered} answers were remembered.",
        "{model} 被调用 {calls} 次，其中 {remembered} 个回答来自缓存。",
    ),
    "operations.no_model": Text(
        "No language model is set: editions use their sources' own words, for nothing.",
        "未设置语言模型：简报使用来源原文，不产生费用。",
    ),
    "operations.editions": Text("Editions of the last day", "过去一天的简报"),
    "operations.all": Text("See all", "查看全部"),
    "operations.stories": Text("{done} of {n} stories written", "已写 {done}/{n} 条"),
    "operations.stories_failed": Text("{n} failed", "{n} 条失败"),
    "operations.batches": Text("{done} of {n} batches", "{done}/{n} 批"),
    "operations.published": Text("published {at}", "{at} 发布"),
    "operations.left": Text("about {n} minutes left", "预计还需 {n} 分钟", "about {n} minute left"),
    "operations.no_editions": Text(
        "None was due. The first is made once something was collected.",
        "没有到期的简报。收集到内容后会生成第一期。",
    ),
    "operations.readers": Text("Readers' own:", "读者各自的简报："),
    "edition_state.init": Text("begun", "已开始"),
    "edition_state.list_fetched": Text("stories chosen", "已选题"),
    "edition_state.processing": Text("being written", "撰写中"),
    "edition_state.aggregating": Text("being put together", "汇编中"),
    "edition_state.published": Text("published", "已发布"),
    "edition_state.archived": Text("given up", "已放弃"),
    "operations.outbox": Text("Outbox", "发件箱"),
    "operations.waiting": Text("waiting", "等待发送"),
    "operations.uncertain": Text("uncertain", "结果不明"),
    "operations.dead": Text("given up", "已放弃"),
    "operations.undecided": Text(
        "Uncertain ones may have arrived, so they are not sent again by themselves: a person "
        "decides.",
        "结果不明的消息可能已送达，因此不会自动重发，需人工决定。",
    ),
    "operations.alarms": Text("Alarms that ring", "正在响的告警"),
    "operations.no_alarms": Text("None.", "没有。"),
    "operations.rang": Text("since {at}", "自 {at} 起"),
}
