"""What is said of each alarm, in each language: tables, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from clawfeed.domain.alarm import AlarmCode


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmSentences:
    """The sentences of one code; those of several at once, where there may be several."""

    title: str
    text: str
    over: str
    way_out: str = ""
    many: str = ""
    many_over: str = ""


ENGLISH: Mapping[AlarmCode, AlarmSentences] = {
    AlarmCode.SOURCE_PAUSED: AlarmSentences(
        title="a source was paused by its failures",
        text="source {what} is paused after too many failures",
        over="source {what} is no longer paused by failures",
        many="{count} sources are paused after too many failures: {what}",
        many_over="{count} sources are no longer paused by failures: {what}",
        way_out="`clawfeed status --problems` tells why, `clawfeed source resume` polls again",
    ),
    AlarmCode.SOURCE_STALE: AlarmSentences(
        title="a source fell silent",
        text="source {what} is silent far beyond its own rhythm",
        over="source {what} is no longer silent",
        many="{count} sources are silent far beyond their own rhythm: {what}",
        many_over="{count} sources are no longer silent: {what}",
        way_out="look whether its address is still right; pause or delete what has ended",
    ),
    AlarmCode.SOURCES_OVERDUE: AlarmSentences(
        title="sources wait too long",
        text="sources are due since {since}, and the collectors that run do not come to them",
        over="no source waits too long any more",
        way_out="look at the collectors' log, raise COLLECTOR_CONCURRENCY, or start one more",
    ),
    AlarmCode.POLLS_FAILING: AlarmSentences(
        title="most polls fail",
        text="{errors} of {fetches} polls within an hour failed",
        over="most polls succeed again",
        way_out="is the network, a proxy or a firewall in trouble? `clawfeed status` has reasons",
    ),
    AlarmCode.EDITION_UNFINISHED: AlarmSentences(
        title="an edition is unfinished after two hours",
        text="{what} is unfinished after two hours",
        over="{what} is no longer under way",
        many="{count} editions are unfinished after two hours: {what}",
        many_over="{count} editions are no longer under way: {what}",
        way_out="the log says what it waits for; GET /api/editions has its state, and a reset",
    ),
    AlarmCode.EDITION_MISSING: AlarmSentences(
        title="an edition is missing",
        text="{what} was not published",
        over="{what} is missed no longer: it is there, or a later one is",
        way_out="the log of `clawfeed cron` tells why",
    ),
    AlarmCode.NO_COLLECTOR: AlarmSentences(
        title="nobody collects",
        text="sources are due since {since} and no collector gives a sign of life",
        over="a collector gives signs of life again, or nothing is due",
        way_out="start `clawfeed collect --loop`, or look at its log",
    ),
    AlarmCode.NO_EDITION_TRIGGER: AlarmSentences(
        title="nobody triggers editions",
        text="nobody triggers editions, the last time was {since}",
        over="editions are triggered again",
        way_out=(
            "start `clawfeed cron --loop`, or set up what `clawfeed cron --print crontab` prints"
        ),
    ),
    AlarmCode.NO_DELIVERY: AlarmSentences(
        title="nobody delivers",
        text="messages wait since {since} and nobody sends them",
        over="messages are delivered again",
        way_out="look whether `clawfeed run` is alive, and at its log",
    ),
    AlarmCode.CHANNEL_FAILED: AlarmSentences(
        title="a channel was paused by its failures",
        text="channel {what} refused us for good and is paused ({reason})",
        over="channel {what} is no longer paused by failures",
        way_out="mend it, then resume it: until then nothing is sent there",
    ),
    AlarmCode.MODEL_CAP_REACHED: AlarmSentences(
        title="the language model's cap is reached",
        text="what the language model may cost in {month} is spent",
        over="the language model may be asked again",
        way_out="editions are told in their sources' own words until the month ends",
    ),
    AlarmCode.READS_SPENT: AlarmSentences(
        title="the reads of a paid API are spent",
        text="{used} of {limit} reads of {api} are used this month",
        over="there are reads of {api} again",
        way_out="its sources rest until the month ends, or raise X_MONTHLY_READS",
    ),
    AlarmCode.DATABASE_FAILED: AlarmSentences(
        title="the database cannot be used",
        text="the database cannot be written since {since}: {why}",
        over="the database can be written again",
    ),
}
CHINESE: Mapping[AlarmCode, AlarmSentences] = {
    AlarmCode.SOURCE_PAUSED: AlarmSentences(
        title="有源因失败被暂停",
        text="源 {what} 连续失败次数过多，已暂停",
        over="源 {what} 不再因失败而暂停",
        many="{count} 个源连续失败次数过多，已暂停：{what}",
        many_over="{count} 个源不再因失败而暂停：{what}",
        way_out="原因见 `clawfeed status --problems`，恢复抓取用 `clawfeed source resume`",
    ),
    AlarmCode.SOURCE_STALE: AlarmSentences(
        title="有源停止更新",
        text="源 {what} 长时间没有更新，远超其更新规律",
        over="源 {what} 又有更新了",
        many="{count} 个源长时间没有更新，远超其更新规律：{what}",
        many_over="{count} 个源又有更新了：{what}",
        way_out="请检查地址是否仍然正确；已停更的源可暂停或删除",
    ),
    AlarmCode.SOURCES_OVERDUE: AlarmSentences(
        title="源等待过久",
        text="自 {since} 起有源到期，采集进程在运行但没有抓取它们",
        over="不再有源等待过久",
        way_out="请查看采集进程的日志，调高 COLLECTOR_CONCURRENCY，或再启动一个采集进程",
    ),
    AlarmCode.POLLS_FAILING: AlarmSentences(
        title="多数抓取失败",
        text="一小时内 {fetches} 次抓取中有 {errors} 次失败",
        over="多数抓取恢复正常",
        way_out="请检查网络、代理或防火墙；原因见 `clawfeed status`",
    ),
    AlarmCode.EDITION_UNFINISHED: AlarmSentences(
        title="有一期两小时仍未完成",
        text="{what}两小时仍未完成",
        over="{what}不再处于制作中",
        many="{count} 期两小时仍未完成：{what}",
        many_over="{count} 期不再处于制作中：{what}",
        way_out="日志说明它在等什么；GET /api/editions 可查看状态并重置",
    ),
    AlarmCode.EDITION_MISSING: AlarmSentences(
        title="缺少一期",
        text="{what}没有发布",
        over="{what}不再缺少：它或更新的一期已发布",
        way_out="原因见 `clawfeed cron` 的日志",
    ),
    AlarmCode.NO_COLLECTOR: AlarmSentences(
        title="没有采集进程",
        text="自 {since} 起有源到期，但没有任何采集进程的活动迹象",
        over="采集进程恢复活动，或没有到期的源",
        way_out="请启动 `clawfeed collect --loop`，或查看其日志",
    ),
    AlarmCode.NO_EDITION_TRIGGER: AlarmSentences(
        title="没有进程触发制作",
        text="没有进程触发制作，上一次：{since}",
        over="制作恢复触发",
        way_out=(
            "请启动 `clawfeed cron --loop`，或设置 `clawfeed cron --print crontab` 给出的定时任务"
        ),
    ),
    AlarmCode.NO_DELIVERY: AlarmSentences(
        title="没有进程发送",
        text="自 {since} 起有消息待发，但没有进程发送",
        over="消息恢复发送",
        way_out="请检查 `clawfeed run` 是否在运行，并查看其日志",
    ),
    AlarmCode.CHANNEL_FAILED: AlarmSentences(
        title="有渠道因失败被暂停",
        text="渠道 {what} 一直拒收，已暂停（{reason}）",
        over="渠道 {what} 不再因失败而暂停",
        way_out="修复后请恢复它，在此之前不会向它发送",
    ),
    AlarmCode.MODEL_CAP_REACHED: AlarmSentences(
        title="语言模型额度已用完",
        text="{month} 的语言模型额度已用完",
        over="语言模型又可使用",
        way_out="本月内各期使用来源原文",
    ),
    AlarmCode.READS_SPENT: AlarmSentences(
        title="付费 API 的读取额度已用完",
        text="本月 {api} 的读取额度已用 {used}/{limit}",
        over="{api} 又有读取额度",
        way_out="本月内不再抓取这些源，或调高 X_MONTHLY_READS",
    ),
    AlarmCode.DATABASE_FAILED: AlarmSentences(
        title="数据库无法使用",
        text="自 {since} 起数据库无法写入：{why}",
        over="数据库恢复写入",
    ),
}
