"""Why forms are refused. In English pages show the error's own sentence, which says more."""

from __future__ import annotations

from typing import Final

from clawfeed.web.texts.text import Text, Texts

REFUSALS: Final[Texts] = {
    "refusal.address_missing": Text(
        "Give an address, or an account like @example.", "请填写网址，或 @example 这样的账号。"
    ),
    "refusal.address_taken": Text("{email} has an account already.", "{email} 已有账号。"),
    "refusal.alarms_for_admins": Text("Only admins get alarms.", "只有管理员会收到警报。"),
    "refusal.apprise_address": Text(
        "Give an address as apprise has them, pover://user@token.",
        "请填写 apprise 格式的地址，例如 pover://user@token。",
    ),
    "refusal.changed_meanwhile": Text(
        "It was changed meanwhile: look at it and try again.", "内容刚刚被更改：请查看后重试。"
    ),
    "refusal.channel_elsewhere": Text(
        "This channel is set in the server's settings: change it there.",
        "此渠道由服务器设置决定：请在那里修改。",
    ),
    "refusal.channel_kind": Text(
        "There is no kind of channel {kind} here.", "这里没有 {kind} 这种渠道。"
    ),
    "refusal.channel_not_offered": Text(
        "Channels of this kind are not set up here: ask whoever runs this ClawFeed.",
        "这里尚未启用此类渠道：请联系运维人员。",
    ),
    "refusal.channel_not_set": Text(
        "This channel is not in the server's settings any more: set it there.",
        "服务器设置中已没有此渠道：请在那里设置。",
    ),
    "refusal.channel_option_long": Text(
        "One of the fields is too long: at most {most} characters.",
        "有一项填写过长：最多 {most} 个字符。",
    ),
    "refusal.channel_option_unknown": Text(
        "Channels of this kind have no such option.", "此类渠道没有这一选项。"
    ),
    "refusal.channel_paused": Text(
        "The channel of this message is paused: resume it first.",
        "这条消息的渠道已暂停：请先恢复渠道。",
    ),
    "refusal.channel_there": Text(
        "You have a channel to this place already.", "你已有一个发往此处的渠道。"
    ),
    "refusal.choice_missing": Text(
        "There is no such choice here: load the page again.", "没有这个选项：请刷新页面后重试。"
    ),
    "refusal.credentials_twice": Text(
        "The address holds a user name or password, and so do the settings: give them once.",
        "网址和设置中都有用户名或密码：只需填写一处。",
    ),
    "refusal.edition_archived": Text(
        "It was given up: reopen it first.", "这一期已放弃：请先重新打开。"
    ),
    "refusal.edition_empty": Text(
        "It has no completed article, and an empty edition is not published: retry the failed "
        "ones or reset it.",
        "这一期没有完成的文章，空的一期不会发布：请重试失败的文章或重置。",
    ),
    "refusal.edition_goes_on": Text(
        "Only an edition that was given up can be reopened; this one goes on by itself.",
        "只有已放弃的一期才能重新打开；这一期会自行继续。",
    ),
    "refusal.edition_leaving": Text(
        "It is on its way to readers: resend or drop its messages instead.",
        "这一期正在发给读者：请改为重发或丢弃它的消息。",
    ),
    "refusal.edition_moved": Text(
        "This edition moved on this very moment: look at it again.",
        "这一期刚刚发生变化：请重新查看。",
    ),
    "refusal.edition_name": Text(
        "That is no edition's name: write it like {example}.",
        "没有这样的一期：请写成 {example} 这样的形式。",
    ),
    "refusal.edition_none_failed": Text(
        "None of its articles has failed.", "这一期没有失败的文章可以重试。"
    ),
    "refusal.edition_none_waited_for": Text(
        "No article is waited for any more.", "已不再等待任何文章。"
    ),
    "refusal.edition_not_begun": Text(
        "No edition of {date} was begun.", "{date} 这一期还没有开始制作。"
    ),
    "refusal.edition_nothing_yet": Text(
        "Nothing is completed yet; its triggers will go on with it.",
        "还没有完成任何文章；触发器会继续制作。",
    ),
    "refusal.edition_published": Text(
        "An edition is published once, and this one has been.", "每一期只发布一次，这一期已经发布。"
    ),
    "refusal.edition_written": Text(
        "It is written already: its failed articles stay out.", "这一期已写好：失败的文章不再收入。"
    ),
    "refusal.editions_a_day": Text(
        "{most} editions within a day are the most: ask tomorrow.",
        "一天最多制作 {most} 期：请明天再试。",
    ),
    "refusal.form_too_large": Text("This form is too large.", "表单内容过多。"),
    "refusal.github_branch": Text(
        "That is no branch's name: leave it out for the default one.",
        "这不是分支名：使用默认分支请留空。",
    ),
    "refusal.github_folder": Text(
        "The folder is made of letters, digits, _ and -, with / between them.",
        "文件夹只能由字母、数字、_ 和 - 组成，中间用 / 分隔。",
    ),
    "refusal.github_repository": Text(
        "That is no repository of GitHub: write owner/name.",
        "这不是 GitHub 仓库：请写成 owner/name。",
    ),
    "refusal.github_token": Text(
        "That is no token of GitHub: it begins with github_pat_ or ghp_.",
        "这不是 GitHub 令牌：令牌以 github_pat_ 或 ghp_ 开头。",
    ),
    "refusal.guessable_password": Text(
        "The password is easy to guess: use several unrelated words, or a password manager.",
        "密码容易被猜到：请使用几个互不相关的词，或使用密码管理器。",
    ),
    "refusal.half_quiet": Text(
        "Give both quiet hours, or neither.", "免打扰的开始和结束时间要么都填，要么都不填。"
    ),
    "refusal.house_for_admins": Text(
        "Only admins add channels of the house.", "只有管理员可以添加公共渠道。"
    ),
    "refusal.interest_empty": Text("There is nothing to see in it.", "没有可见的内容。"),
    "refusal.interest_invisible": Text(
        "An interest has no line breaks and no control characters.", "兴趣不能含有换行或控制字符。"
    ),
    "refusal.interest_long": Text(
        "An interest has {most} characters at most.", "一项兴趣最多 {most} 个字符。"
    ),
    "refusal.interest_twice": Text("{text} is in the list twice.", "{text} 在列表中出现了两次。"),
    "refusal.key_days": Text("A key lasts 1 to {most} days.", "密钥有效期为 1 到 {most} 天。"),
    "refusal.key_in_address": Text(
        "A key does not belong into an address, where it is logged: revoke it.",
        "密钥不应出现在网址中，那里会被记录：请将其吊销。",
    ),
    "refusal.not_there": Text("It is not there, or not any more.", "它不存在，或已不存在。"),
    "refusal.nothing_collected": Text(
        "Nothing was collected yet, so there is no edition to make.",
        "还没有采集到任何内容，无法制作简报。",
    ),
    "refusal.nothing_to_undo": Text("There is nothing to bring back.", "没有可以恢复的内容。"),
    "refusal.other_site": Text(
        "This request comes from another site: open ClawFeed itself and do it there.",
        "此请求来自其他网站：请打开 ClawFeed 后操作。",
    ),
    "refusal.page_outdated": Text(
        "This page is of another session: load it again and repeat it.",
        "此页面属于另一次登录：请刷新页面后重试。",
    ),
    "refusal.parameter_unknown": Text(
        "This address has a part that is not known here, or one twice.",
        "网址中有无法识别或重复的参数。",
    ),
    "refusal.previews_busy": Text(
        "Previews of others are being made: try again in a moment.",
        "正在为其他人生成预览：请稍后重试。",
    ),
    "refusal.registration_closed": Text(
        "This ClawFeed takes no registrations: ask its admin for a link.",
        "这里不开放注册：请向管理员索取链接。",
    ),
    "refusal.right_missing": Text(
        "You do not have the right to do this.", "你没有执行此操作的权限。"
    ),
    "refusal.setting_fixed": Text("This cannot be set here.", "此项不能在这里设置。"),
    "refusal.sign_in_first": Text("Sign in first.", "请先登录。"),
    "refusal.sign_in_freshly": Text(
        "Sign in again: this needs a sign-in of the last ten minutes.",
        "请重新登录：此操作要求在最近十分钟内登录过。",
    ),
    "refusal.source_creator": Text(
        "Only its creator can make this source private.", "只有添加者可以将此来源设为私有。"
    ),
    "refusal.source_name": Text(
        "This name cannot be one there: look at its spelling.", "名称无效：请检查拼写。"
    ),
    "refusal.source_settings": Text(
        "A source cannot work with this address or these settings: look at them again.",
        "此网址或设置无法使用：请检查后重试。",
    ),
    "refusal.source_type": Text("There is no such type of source.", "没有这种来源类型。"),
    "refusal.webhook_url": Text(
        "Paste the whole address of the webhook, https://...",
        "请粘贴 webhook 的完整地址，以 https:// 开头。",
    ),
    "refusal.key_too_long": Text(
        "The key you use ends on {last}, and one it makes not later: ask for fewer days, or sign "
        "in.",
        "你使用的密钥于 {last} 到期，用它创建的密钥不能更晚：请减少天数，或登录后再创建。",
    ),
    "refusal.key_too_strong": Text(
        "You may not make a key that may do what you may not do yourself.",
        "不能创建权限超过你自己的密钥。",
    ),
    "refusal.last_admin": Text(
        "This is the last admin: make somebody else an admin first.",
        "这是最后一位管理员：请先将其他人设为管理员。",
    ),
    "refusal.link_of_another": Text(
        "This link is for {email}: leave the address as it is.",
        "此链接属于 {email}：请勿更改邮箱地址。",
    ),
    "refusal.link_spent": Text(
        "This link was used already, or is older than a day: ask for a new one.",
        "此链接已使用过，或已超过一天：请索取新的链接。",
    ),
    "refusal.list_entry_address": Text("It has no address.", "没有网址。"),
    "refusal.list_missing": Text(
        "There was no file: choose an OPML list and send it again.",
        "没有收到文件：请选择一份 OPML 列表后重新提交。",
    ),
    "refusal.list_too_long": Text(
        "This list has {n} entries, and {most} at once is the most: divide it.",
        "这份列表有 {n} 项，一次最多 {most} 项：请将其拆分。",
    ),
    "refusal.list_unreadable": Text(
        "This list cannot be read: is it OPML?", "无法读取这份列表：它是 OPML 文件吗？"
    ),
    "refusal.long_password": Text(
        "The password is too long: use at most {most} bytes.", "密码太长：最多 {most} 字节。"
    ),
    "refusal.masked_secret": Text(
        "A secret is only shown as ***: give the whole value, or leave it out.",
        "密钥不能只填 ***：请填写完整的值，或留空。",
    ),
    "refusal.message_empty": Text(
        "This message has no text to send: it could not be made, and the next edition will be.",
        "这条消息没有可发送的内容：它未能生成，下一期会正常生成。",
    ),
    "refusal.message_moved": Text(
        "This message moved on this very moment: look at it again.",
        "这条消息刚刚发生变化：请重新查看。",
    ),
    "refusal.message_not_dropped": Text(
        "Only a message that waits, or of which nobody knows, can be dropped.",
        "只有等待中或结果不明的消息才能丢弃。",
    ),
    "refusal.message_not_resent": Text(
        "Only a message that was given up, or of which nobody knows, can be sent again.",
        "只有已放弃或结果不明的消息才能重新发送。",
    ),
    "refusal.no_account": Text(
        "This sign-in opens no account here: ask the admin of this ClawFeed for one.",
        "此登录方式在这里没有对应的账号：请向管理员申请。",
    ),
    "refusal.no_secrets_key": Text(
        "This house cannot keep secrets of channels yet: its operator must set SECRETS_KEY.",
        "这里还不能保存渠道的密钥：运维人员须先设置 SECRETS_KEY。",
    ),
    "refusal.not_confirmed": Text(
        "The provider did not confirm who you are: try again, or sign in another way.",
        "登录服务未能确认你的身份：请重试，或换一种方式登录。",
    ),
    "refusal.ntfy_token": Text(
        "An access token of ntfy is one word, tk_...", "ntfy 的访问令牌是一个词，形如 tk_...。"
    ),
    "refusal.ntfy_topic": Text(
        "Give the server and the topic, as in https://ntfy.sh/my-topic.",
        "请填写服务器和主题，例如 https://ntfy.sh/my-topic。",
    ),
    "refusal.own_account": Text(
        "This is your own account: another admin has to change it.",
        "这是你自己的账号：须由另一位管理员更改。",
    ),
    "refusal.own_address": Text(
        "Your own channel of this kind goes to your own address, {email}.",
        "你自己的此类渠道只能发往你自己的邮箱 {email}。",
    ),
    "refusal.pack_of_another": Text(
        "Only its owner and admins may change this pack.", "只有所有者和管理员可以更改此来源包。"
    ),
    "refusal.pack_there": Text(
        "There is a pack named {name} already.", "已有名为 {name} 的来源包。"
    ),
    "refusal.provider_missing": Text(
        "There is no such provider to sign in with.", "没有这种登录方式。"
    ),
    "refusal.provider_unreachable": Text(
        "The provider cannot be reached at the moment: try again, or sign in another way.",
        "暂时无法连接登录服务：请重试，或换一种方式登录。",
    ),
    "refusal.quiet_same": Text(
        "The quiet hours begin and end at the same time: leave both out.",
        "免打扰的开始和结束时间相同：请都留空。",
    ),
    "refusal.secret_missing": Text(
        "A secret is missing: fill in every field that asks for one.",
        "缺少密钥：请填写所有需要密钥的字段。",
    ),
    "refusal.short_password": Text(
        "The password is too short: use at least {least} characters.",
        "密码太短：至少 {least} 个字符。",
    ),
    "refusal.sign_in_again": Text(
        "This sign-in was used already, is too old, or began elsewhere: start it again.",
        "这次登录已使用过、已过期，或从别处开始：请重新登录。",
    ),
    "refusal.signing_key": Text(
        "The signing secret is whsec_ and random bytes in base64.",
        "签名密钥由 whsec_ 和 base64 编码的随机字节组成。",
    ),
    "refusal.source_followed": Text(
        "Others follow it: ask an admin, or add a private one of your own.",
        "还有其他人关注它：请联系管理员，或添加自己的私有来源。",
    ),
    "refusal.source_missing": Text(
        "One of these sources is not there any more.", "其中有来源已不存在。"
    ),
    "refusal.source_of_another": Text(
        "It is not yours: its creator or an admin may do this.",
        "它不属于你：只有添加者或管理员可以这样做。",
    ),
    "refusal.source_paused": Text(
        "This source is paused: resume it first.", "此来源已暂停：请先恢复。"
    ),
    "refusal.source_personal": Text(
        "It shows what is one person's own, so it cannot be public.",
        "它显示的是个人内容，因此不能公开。",
    ),
    "refusal.source_secret": Text(
        "Its settings hold headers or a token, so it cannot be public.",
        "其设置含有请求头或令牌，因此不能公开。",
    ),
    "refusal.source_there": Text(
        "There is a source for the same thing already.", "已有内容相同的来源。"
    ),
    "refusal.source_unfollowed": Text(
        "You do not follow this source: follow it first.", "你还没有关注此来源：请先关注。"
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
    "refusal.too_many_a_minute": Text(
        "{most} a minute is the most: try again in {seconds} s.",
        "每分钟最多 {most} 次：请在 {seconds} 秒后重试。",
    ),
    "refusal.too_many_at_once": Text(
        "{most} at a time is the most: wait for the last answer.",
        "同时最多 {most} 个：请等待上一次的结果。",
    ),
    "refusal.too_many_attempts": Text(
        "Too many attempts: try again in {seconds} s.", "尝试次数过多：请在 {seconds} 秒后重试。"
    ),
    "refusal.too_many_today": Text(
        "{most} a day is the most: add more tomorrow.", "每天最多 {most} 个：请明天再添加。"
    ),
    "refusal.user_email": Text(
        "The e-mail address is not one: write it like anna@example.org.",
        "邮箱地址无效：请写成 anna@example.org 这样的形式。",
    ),
    "refusal.user_name_invisible": Text(
        "A name has no line breaks and no invisible characters.", "名称不能含有换行或不可见字符。"
    ),
    "refusal.user_name_long": Text(
        "A name has 1 to {most} characters.", "名称须为 1 到 {most} 个字符。"
    ),
    "refusal.whole_minutes": Text(
        "Give a whole number of minutes, 1 or more.", "请填写不小于 1 的整数分钟数。"
    ),
    "refusal.wrong_credentials": Text(
        "The e-mail address or the password is wrong.", "邮箱地址或密码不正确。"
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
    "refusal.x_code": Text(
        "X did not take its own code: begin again.", "X 未接受自己给出的授权码：请重新开始。"
    ),
    "refusal.x_denied": Text(
        "X was not allowed to let ClawFeed in: nothing was changed.",
        "你未允许 ClawFeed 访问 X：没有任何更改。",
    ),
    "refusal.x_elsewhere": Text(
        "This authorisation was begun by somebody else or in another browser: begin again.",
        "此授权由他人或在另一个浏览器中开始：请重新开始。",
    ),
    "refusal.x_not_connected": Text("Connect your X account first.", "请先连接你的 X 账户。"),
    "refusal.x_not_set_up": Text(
        "X_CLIENT_ID is not set: ask whoever runs this ClawFeed to set up an X application.",
        "未设置 X_CLIENT_ID：请运维人员配置 X 应用。",
    ),
    "refusal.x_signed_out": Text(
        "You are not signed in here: sign in and begin again.", "你尚未登录：请登录后重新开始。"
    ),
    "refusal.x_stale": Text(
        "This authorisation is unknown, was used before or is older than ten minutes: begin again.",
        "此授权无效、已使用过或已超过十分钟：请重新开始。",
    ),
    "refusal.x_unreachable": Text(
        "X could not be asked: try again later.", "暂时无法连接 X：请稍后重试。"
    ),
}
