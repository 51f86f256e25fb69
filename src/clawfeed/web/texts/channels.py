"""Channels: where editions go and when, what a test came to, what became of each edition."""

from __future__ import annotations

from typing import Final

from clawfeed.web.texts.text import Text, Texts

CHANNELS: Final[Texts] = {
    "done.channel_added": Text(
        "The channel is added. Send a test to see it arrive.",
        "渠道已添加。发送一条测试消息看看能否送达。",
    ),
    "done.channel_changed": Text("The channel is changed.", "渠道已更新。"),
    "done.channel_paused": Text(
        "The channel is paused: nothing leaves to it.", "渠道已暂停，不再发送。"
    ),
    "done.channel_resumed": Text(
        "The channel goes on. Send a test to see whether it works.",
        "渠道已恢复。可发送一条测试消息确认。",
    ),
    "done.channel_removed": Text("The channel is removed.", "渠道已移除。"),
    "done.resent": Text("It is sent again within seconds.", "将在几秒内重新发送。"),
    "channels.title": Text("Channels", "推送渠道"),
    "channels.pages": Text("Pages of your edition", "我的简报页面"),
    "channels.tab_interests": Text("What is in it", "内容偏好"),
    "channels.lead": Text(
        "Each of your editions comes to these places by itself.",
        "你的每份简报会自动发送到这些地方。",
    ),
    "channels.add": Text("Add a channel", "添加渠道"),
    "channels.add_one": Text("Add a channel: {kind}", "添加渠道：{kind}"),
    "channels.choose": Text(
        "Where shall your editions go? You need what stands on its card.",
        "简报要发送到哪里？所需的东西写在各卡片上。",
    ),
    "channels.not_here": Text("not set up here", "此处未配置"),
    "channels.other_kind": Text("Another kind of channel", "换一种渠道"),
    "channels.none": Text("Your editions go nowhere yet", "简报还没有发送到任何地方"),
    "channels.none_text": Text(
        "They are always here to read. Add a channel, and they also come to your chat, your "
        "mailbox or your repository.",
        "简报随时可以在这里阅读。添加渠道后，也会发送到你的聊天、邮箱或代码仓库。",
    ),
    "channels.house": Text("For everybody", "面向所有人"),
    "channels.house_text": Text(
        "Everybody's editions go there. Only admins see and change these.",
        "公共简报会发送到这些渠道，仅管理员可见和更改。",
    ),
    "channels.house_none": Text("There are none.", "暂无。"),
    "channels.for_all": Text("for everybody", "面向所有人"),
    "channels.from_settings": Text("from the settings", "来自配置"),
    "channels.from_settings_text": Text(
        "It is set in the server's settings, and changed or removed there.",
        "它由服务器配置设定，请在配置中更改或移除。",
    ),
    "channels.active": Text("active", "正常"),
    "channels.paused": Text("paused", "已暂停"),
    "channels.broken": Text("needs you", "需要处理"),
    "channels.stopped": Text("Nothing is sent there", "已停止发送"),
    "channels.paused_title": Text("It is paused", "已暂停"),
    "channels.paused_do": Text(
        "Somebody paused it, or unsubscribed by an e-mail's link. Resume it to go on: you then get "
        "the editions of the last week at most.",
        "已被手动暂停，或通过邮件中的链接退订。恢复后会继续发送，最多补发最近一周的简报。",
    ),
    "channels.then_resume": Text(
        "Then resume it: that forgets what was wrong.", "处理后请恢复渠道，错误记录会随之清除。"
    ),
    "channels.no_secret": Text(
        "What opens it is not there any more, or cannot be read.", "所需的密钥已丢失或无法读取。"
    ),
    "channels.no_secret_do": Text("Edit it and enter it again.", "请编辑此渠道并重新填写。"),
    "channels.said": Text("In detail: {message}", "详细信息：{message}"),
    "channels.last": Text("Last:", "最近一次："),
    "channels.nothing_yet": Text("Nothing was sent there yet.", "尚未发送过内容。"),
    "channels.next": Text("The next edition: not before {when}.", "下一份简报：不早于 {when}。"),
    "channels.comma": Text(", ", "、"),
    "channels.from_hour": Text("not before {time}", "不早于 {time}"),
    "channels.at_once": Text("as soon as it is ready", "就绪后立即发送"),
    "channels.quiet": Text("quiet from {start} until {end}", "{start} 至 {end} 免打扰"),
    "channel_type.4h": Text("every 4 hours", "每 4 小时"),
    "channel_type.daily": Text("daily", "每日"),
    "channel_type.weekly": Text("weekly", "每周"),
    "channel_type.monthly": Text("monthly", "每月"),
    "channels.optional": Text("(optional)", "（可选）"),
    "channels.is_set": Text("It is set. Leave this empty to keep it.", "已设置，留空则保持不变。"),
    "channels.forget": Text("Forget it", "清除"),
    "channels.own_address": Text(
        "Letters go to your account's own address, {address}, and to no other.",
        "邮件只会发送到你账户的邮箱 {address}。",
    ),
    "channels.everybody": Text("For everybody's editions", "用于公共简报"),
    "channels.everybody_text": Text(
        "Then it belongs to the house, and all admins see it. Otherwise it gets your own editions.",
        "勾选后归整个站点所有，所有管理员可见；否则只发送你自己的简报。",
    ),
    "channels.name": Text("Name", "名称"),
    "channels.which": Text("Which editions", "发送哪些简报"),
    "channels.alarms": Text("alarms, too", "同时接收告警"),
    "channels.alarms_text": Text(
        "What is wrong with this ClawFeed, once each.", "本站出现的问题，每个只提醒一次。"
    ),
    "channels.when": Text("When, and in which language", "时间与语言"),
    "channels.not_before": Text("Not before", "最早发送时间"),
    "channels.not_before_text": Text(
        "Empty: as soon as an edition is ready.", "留空则在简报就绪后立即发送。"
    ),
    "channels.quiet_from": Text("Quiet from", "免打扰开始"),
    "channels.quiet_until": Text("Until", "结束"),
    "channels.quiet_text": Text(
        "Nothing is sent between these two. Leave both empty for none.",
        "此时段内不发送任何内容。两项都留空则不设免打扰。",
    ),
    "channels.zone": Text("Time zone", "时区"),
    "channels.zone_text": Text(
        "Of these hours, like Europe/Berlin.", "以上时间所用的时区，例如 Asia/Shanghai。"
    ),
    "channels.language": Text("Language", "语言"),
    "channels.save_new": Text("Add it", "添加"),
    "channels.test_after": Text(
        "You can send a test on the next page.", "下一页可以发送测试消息。"
    ),
    "channels.save": Text("Save", "保存"),
    "channels.back": Text("Back to the channel", "返回渠道"),
    "channels.edit": Text("Edit", "编辑"),
    "channels.edit_one": Text("Edit {name}", "编辑 {name}"),
    "channels.pause": Text("Pause", "暂停"),
    "channels.resume": Text("Resume", "恢复"),
    "channels.settings": Text("What it gets", "发送内容"),
    "channels.do": Text("What you can do", "操作"),
    "channels.remove": Text("Remove it", "移除"),
    "channels.remove_text": Text(
        "Its secrets, its history and what still waits to leave go with it. Pausing keeps them.",
        "它的密钥、发送记录和待发送的内容会一并删除。若想保留，请改为暂停。",
    ),
    "channels.remove_sure": Text("Remove it for good", "确认移除"),
    "channels.history": Text("What became of each edition", "发送记录"),
    "channels.history_parts": Text("Parts of the history", "记录分页"),
    "channels.older": Text("Older", "更早"),
    "channels.newest": Text("Newest", "最新"),
    "channels.history_none": Text(
        "Nothing yet. The next edition comes here.", "暂无记录，下一份简报会发送到这里。"
    ),
    "channels.history_alarms": Text(
        "It gets no editions: choose some by editing it.", "它不接收简报，可在编辑中选择。"
    ),
    "test.title": Text("Test it", "测试"),
    "test.text": Text(
        "A short message leaves at once, whatever the channel's hours. It may take half a minute.",
        "立即发送一条短消息，不受时间设置限制，可能需要半分钟。",
    ),
    "test.send": Text("Send a test message", "发送测试消息"),
    "test.again": Text("Send another test", "再次测试"),
    "test.arrived": Text("The test arrived. Look there.", "测试消息已送达，请查看。"),
    "test.failed": Text("The test did not arrive.", "测试消息未能送达。"),
    "test.unknown": Text(
        "The test may have arrived: the answer was lost. Look there.",
        "测试消息可能已送达，但没有收到回应。请到该处查看。",
    ),
    "test.too_often": Text(
        "That is too many tests. Wait a minute.", "测试过于频繁，请一分钟后再试。"
    ),
    "delivery.sent": Text("arrived", "已送达"),
    "delivery.pending": Text("waiting", "等待发送"),
    "delivery.sending": Text("on its way", "发送中"),
    "delivery.retry": Text("not taken yet", "尚未接收"),
    "delivery.uncertain": Text("may have arrived", "可能已送达"),
    "delivery.partial": Text("arrived in part", "部分送达"),
    "delivery.failed": Text("not delivered", "未送达"),
    "delivery.until": Text("until {when}", "直到 {when}"),
    "delivery.next_try": Text("next try {when}", "下次重试：{when}"),
    "delivery.parts": Text("{sent} of {n} parts arrived", "共 {n} 部分，已送达 {sent} 部分"),
    "delivery.look": Text(
        "Look there first. If it is not there, send it again; it is never sent twice by itself.",
        "请先到该处查看。若没有收到，再重新发送；系统不会自行重复发送。",
    ),
    "delivery.resend": Text("Send it again", "重新发送"),
    "delivery.resend_one": Text("Send it again: {title}", "重新发送：{title}"),
    "delivery.resend_sure": Text(
        "If it did arrive, it is there twice then. Send it again?",
        "如果其实已经送达，就会出现两次。确定重新发送吗？",
    ),
    "delivery.resume_first": Text(
        "To send it again, resume the channel first.", "要重新发送，请先恢复渠道。"
    ),
}
