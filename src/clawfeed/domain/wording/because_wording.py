"""A reason in the words of the person who reads it: one sentence for each rule and language."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.wording.because_figures import SHOWN_IN_CHINESE, SHOWN_IN_ENGLISH, Shown


class Language(StrEnum):
    """The languages that reasons are written in."""

    ENGLISH = "en"
    CHINESE = "zh"


def render_because(because: Because | None, language: Language = Language.ENGLISH) -> str:
    """*because* as a sentence without its full stop; empty if there is none."""
    if because is None:
        return ""
    sentences, words = _LANGUAGES[language]
    shown = {
        name: words[name](value) if name in words else value
        for name, value in because.parameters.items()
    }
    return sentences[because.rule].format_map(shown)


_BUDGET = "X budget: {left} of {limit} reads left for {days}, a share of {share} a day; "
_ENGLISH: Mapping[Rule, str] = {
    Rule.TYPE_INTERVAL: "every {minutes} (the usual for {type})",
    Rule.OWN_INTERVAL: "every {minutes} (source's own interval)",
    Rule.INTERVAL_SETTING: "every {minutes} ({setting})",
    Rule.CADENCE: "publishes {frequency} ({cadence}): every {every_minutes}",
    Rule.USUAL_HOUR: "usually publishes around {hour} (±{deviation} h), so next poll {poll_at}",
    Rule.BEFORE_USUAL_HOUR: (
        "usually publishes around {hour} (±{deviation} h); until then every {every_minutes}"
    ),
    Rule.FORECAST: "{expected}; publishes {per_day}",
    Rule.FORECAST_LONGEST: "publishes {per_day}; never left alone for longer than a day",
    Rule.SILENCE: "silent for {silent_days}, far beyond its own rhythm: every {every_minutes}",
    Rule.SERVER_HINT: "the server asked us to wait",
    Rule.SKIP_HOUR: "the feed asked us not to come at that hour",
    Rule.SKIP_DAY: "the feed asked us not to come on that day",
    Rule.READ_BUDGET: _BUDGET + "it posts {posts_per_day} a day",
    Rule.READ_BUDGET_PER_POLL: _BUDGET + "a poll costs {cost} and brings {posts_found} posts",
    Rule.SOURCE_QUOTA: (
        "it brought as much as one source may store in a day "
        "({items} items or {megabytes} MB); the rest is read tomorrow"
    ),
    Rule.PERSON_QUOTA: (
        "its owner's own sources brought as much as one person may store in a day "
        "({items} items or {megabytes} MB); the rest is read tomorrow"
    ),
    Rule.BACK_OFF: "backing off after {failures}",
    Rule.RATE_LIMITED: "the server said we come too often",
    Rule.AUTH_REQUIRED: "waiting for a working login",
    Rule.FORBIDDEN: "the server refused us",
    Rule.RETRY_AFTER: "the server asked us to wait",
    Rule.OFFLINE: "our own network is down",
    Rule.NOBODY_ANSWERED: "nobody answered, so it may be our own network; trying again",
    Rule.HOST_RESTS: "{host} asked us to stay away until {until} UTC",
    Rule.HOST_QUEUE: "too many requests of ours are waiting for {host}",
    Rule.HOST_TURN: "waiting for its turn",
    Rule.SITE_PACE: "without an account {site} is asked every {every_minutes} at most",
    Rule.API_RESTS: "the {api} API is left alone until {until} UTC",
    Rule.READS_SPENT: "monthly {api} read budget used up",
    Rule.READ_TURN: (
        "the monthly {api} read budget is short: read every {every_days}, {posts} at a time"
    ),
    Rule.NO_FETCHER: "{why}",
    Rule.NEVER_POLLED: "never polled before",
    Rule.ASKED: "somebody asked for a poll",
    Rule.ASKED_HOST_RESTS: "the host asked us to wait until then",
    Rule.RESUMED: "resumed by hand",
    Rule.SETTINGS_CHANGED: "its settings were changed",
    Rule.STARTED_ANEW: "started anew",
    Rule.DATE_MENDED: "its date made no sense",
    Rule.PAUSED_ERRORS: "paused after too many failures in a row; resume it to poll again",
    Rule.PAUSED_GONE: "paused because the server says it is gone for good",
    Rule.PAUSED_PERSON: "paused by hand; resume it to poll again",
    Rule.OTHER_VERSION: "set by another version of ClawFeed",
    Rule.FORECAST_HABIT: "usually publishes {on_days} {at_hours}; next expected {next_expected}",
    Rule.FORECAST_NEXT: (
        "publishes {per_day}, at no usual time; next expected around {next_expected}"
    ),
    Rule.FORECAST_QUIET: "publishes {per_day}, so polls are few",
    Rule.FEED_HINT_CAPPED: (
        "the feed asks for {asked_minutes} between polls, but publishes {per_day}: polled sooner"
    ),
}
_BUDGET_ZH = "X 读取额度：剩余 {left}/{limit}，要用 {days} 天，该源每天可用 {share}；"
_CHINESE: Mapping[Rule, str] = {
    Rule.TYPE_INTERVAL: "每 {minutes}一次（{type} 的默认间隔）",
    Rule.OWN_INTERVAL: "每 {minutes}一次（该源自己的间隔）",
    Rule.INTERVAL_SETTING: "每 {minutes}一次（{setting}）",
    Rule.CADENCE: "更新频率：{frequency}（{cadence}），每 {every_minutes}抓取一次",
    Rule.USUAL_HOUR: "通常在 {hour} 左右发布（±{deviation} 小时），因此下次在 {poll_at} 抓取",
    Rule.BEFORE_USUAL_HOUR: (
        "通常在 {hour} 左右发布（±{deviation} 小时），在此之前每 {every_minutes}抓取一次"
    ),
    Rule.FORECAST: "{expected}；{per_day}",
    Rule.FORECAST_LONGEST: "{per_day}；抓取间隔最长一天",
    Rule.SILENCE: "已有 {silent_days}没有更新，远超其更新规律：每 {every_minutes}抓取一次",
    Rule.SERVER_HINT: "服务器要求稍后再来",
    Rule.SKIP_HOUR: "该订阅源要求在那个时段不要访问",
    Rule.SKIP_DAY: "该订阅源要求在那一天不要访问",
    Rule.READ_BUDGET: _BUDGET_ZH + "它每天约发 {posts_per_day} 条",
    Rule.READ_BUDGET_PER_POLL: _BUDGET_ZH + "每次抓取消耗 {cost}，约得 {posts_found} 条",
    Rule.SOURCE_QUOTA: (
        "该源今天存入的内容已达上限（{items} 条或 {megabytes} MB），其余内容明天再抓取"
    ),
    Rule.PERSON_QUOTA: (
        "所有者自己的源今天存入的内容已达上限（{items} 条或 {megabytes} MB），其余内容明天再抓取"
    ),
    Rule.BACK_OFF: "{failures}，推迟重试",
    Rule.RATE_LIMITED: "服务器表示访问过于频繁",
    Rule.AUTH_REQUIRED: "等待有效的登录凭据",
    Rule.FORBIDDEN: "服务器拒绝访问",
    Rule.RETRY_AFTER: "服务器要求稍后再来",
    Rule.OFFLINE: "本机网络不通",
    Rule.NOBODY_ANSWERED: "没有任何主机应答，可能是本机网络的问题，稍后重试",
    Rule.HOST_RESTS: "{host} 要求在 {until}（UTC）之前不要访问",
    Rule.HOST_QUEUE: "等待访问 {host} 的请求过多",
    Rule.HOST_TURN: "正在排队等候",
    Rule.SITE_PACE: "没有账号时，{site} 最多每 {every_minutes}访问一次",
    Rule.API_RESTS: "在 {until}（UTC）之前不访问 {api} API",
    Rule.READS_SPENT: "本月的 {api} 读取额度已用完",
    Rule.READ_TURN: "本月的 {api} 读取额度不足：每 {every_days} 天读取一次，每次 {posts} 条",
    Rule.NO_FETCHER: "无法抓取这类源：{why}",
    Rule.NEVER_POLLED: "尚未抓取过",
    Rule.ASKED: "有人要求抓取",
    Rule.ASKED_HOST_RESTS: "该主机要求在此之前不要访问",
    Rule.RESUMED: "已手动恢复",
    Rule.SETTINGS_CHANGED: "设置已更改",
    Rule.STARTED_ANEW: "重新开始",
    Rule.DATE_MENDED: "原定时间不合理，已更正",
    Rule.PAUSED_ERRORS: "连续失败次数过多，已暂停；恢复后继续抓取",
    Rule.PAUSED_GONE: "服务器表示内容已永久移除，已暂停",
    Rule.PAUSED_PERSON: "已手动暂停；恢复后继续抓取",
    Rule.OTHER_VERSION: "由另一个版本的 ClawFeed 设定",
    Rule.FORECAST_HABIT: "通常{on_days}{at_hours}发布；预计下次更新：{next_expected}",
    Rule.FORECAST_NEXT: "{per_day}，时间不定；预计下次更新在 {next_expected} 前后",
    Rule.FORECAST_QUIET: "{per_day}，因此很少抓取",
    Rule.FEED_HINT_CAPPED: (
        "该订阅源要求每次间隔 {asked_minutes}，但实际{per_day}，因此会提前抓取"
    ),
}
_LANGUAGES: Mapping[Language, tuple[Mapping[Rule, str], Shown]] = {
    Language.ENGLISH: (_ENGLISH, SHOWN_IN_ENGLISH),
    Language.CHINESE: (_CHINESE, SHOWN_IN_CHINESE),
}
