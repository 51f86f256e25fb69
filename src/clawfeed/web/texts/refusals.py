"""Why forms are refused. In English pages show the error's own sentence, which says more."""

from __future__ import annotations

from typing import Final

from clawfeed.web.texts.text import Text, Texts

REFUSALS: Final[Texts] = {
    "refusal.address_missing": Text(
        "Give an address, or an account like @example.", "请填写网址，或 @example 这样的账号。"
    ),
    "refusal.channel_there": Text(
        "You have a channel to this place already.", "你已有一个发往此处的渠道。"
    ),
    "refusal.guessable_password": Text(
        "The password is easy to guess: use several unrelated words, or a password manager.",
        "密码容易被猜到：请使用几个互不相关的词，或使用密码管理器。",
    ),
    "refusal.half_quiet": Text(
        "Give both quiet hours, or neither.", "免打扰的开始和结束时间要么都填，要么都不填。"
    ),
    "refusal.long_password": Text(
        "The password is too long: use at most {most} bytes.", "密码太长：最多 {most} 字节。"
    ),
    "refusal.secret_missing": Text(
        "A secret is missing: fill in every field that asks for one.",
        "缺少密钥：请填写所有需要密钥的字段。",
    ),
    "refusal.short_password": Text(
        "The password is too short: use at least {least} characters.",
        "密码太短：至少 {least} 个字符。",
    ),
    "refusal.source_there": Text(
        "There is a source for the same thing already.", "已有内容相同的来源。"
    ),
    "refusal.telegram_chat": Text(
        "That is not a chat of Telegram: write @name, or its number.",
        "这不是 Telegram 聊天：请填写 @名称 或其数字编号。",
    ),
    "refusal.telegram_token": Text(
        "That is not a bot's token: it looks like 123456789:AAE..., and @BotFather shows it.",
        "这不是机器人令牌：令牌形如 123456789:AAE...，可在 @BotFather 处查看。",
    ),
    "refusal.too_many": Text(
        "{most} are the most: remove one first.", "最多 {most} 个：请先删除一个。"
    ),
    "refusal.wrong_language": Text("Choose one of the languages.", "请选择一种语言。"),
    "refusal.wrong_password": Text("The current password is wrong.", "当前密码不正确。"),
    "refusal.wrong_time": Text(
        "Write a time of day like 07:30, or leave it empty.",
        "请填写形如 07:30 的时间，或留空。",
    ),
    "refusal.wrong_zone": Text(
        "There is no such time zone: write it like Europe/Berlin.",
        "没有这个时区：请写成 Asia/Shanghai 这样的形式。",
    ),
}
