"""The kinds of channel: what each needs, where that is to be had, and the names of its fields."""

from __future__ import annotations

from typing import Final

from clawfeed.web.texts.text import Text, Texts

CHANNEL_KINDS: Final[Texts] = {
    "channel_kind.email": Text("E-mail", "电子邮件"),
    "channel_kind.slack": Text("Slack", "Slack"),
    "channel_kind.discord": Text("Discord", "Discord"),
    "channel_kind.feishu": Text("Feishu or Lark", "飞书 / Lark"),
    "channel_kind.dingtalk": Text("DingTalk", "钉钉"),
    "channel_kind.wecom": Text("WeCom", "企业微信"),
    "channel_kind.ntfy": Text("ntfy", "ntfy"),
    "channel_kind.webhook": Text("Webhook of your own", "自建 Webhook"),
    "channel_kind.apprise": Text("Apprise", "Apprise"),
    "channel_kind.telegram": Text("Telegram", "Telegram"),
    "channel_kind.github": Text("GitHub", "GitHub"),
    "channel_needs.email": Text(
        "The whole edition to your account's own address. Nothing else is needed.",
        "将完整简报发送到你账户的邮箱，无需其他设置。",
    ),
    "channel_needs.slack": Text(
        "The edition in short. You need the address of an incoming webhook.",
        "发送简报摘要。需要一个 Incoming Webhook 地址。",
    ),
    "channel_needs.discord": Text(
        "The edition in short. You need the address of a channel's webhook.",
        "发送简报摘要。需要频道的 Webhook 地址。",
    ),
    "channel_needs.feishu": Text(
        "The edition in short. You need the address of a group's custom bot.",
        "发送简报摘要。需要群自定义机器人的地址。",
    ),
    "channel_needs.dingtalk": Text(
        "The edition in short. You need the address of a group's custom robot.",
        "发送简报摘要。需要群自定义机器人的地址。",
    ),
    "channel_needs.wecom": Text(
        "The edition in short. You need the address of a group's robot.",
        "发送简报摘要。需要群机器人的地址。",
    ),
    "channel_needs.ntfy": Text(
        "One notification on your phone. You need a topic that nobody guesses.",
        "手机上的一条通知。需要一个不易被猜到的主题名。",
    ),
    "channel_needs.webhook": Text(
        "The edition as JSON, for a program of yours. You need its address.",
        "以 JSON 形式发送给你自己的程序。需要它的地址。",
    ),
    "channel_needs.apprise": Text(
        "The headlines, to any service that apprise reaches over HTTP. You need its address there.",
        "将标题发送到 Apprise 通过 HTTP 支持的任意服务。需要相应的 Apprise 地址。",
    ),
    "channel_needs.telegram": Text(
        "The whole edition in a chat. You need a bot of your own from @BotFather.",
        "在聊天中发送完整简报。需要向 @BotFather 申请一个自己的机器人。",
    ),
    "channel_needs.github": Text(
        "A Markdown file per edition in a repository. You need a token for it.",
        "每份简报在仓库中生成一个 Markdown 文件。需要该仓库的访问令牌。",
    ),
    "channel_how.slack": Text(
        "At api.slack.com/apps make an app for your workspace, switch on Incoming Webhooks, add "
        "one for the wanted channel, and copy its address.",
        "在 api.slack.com/apps 为工作区创建应用，启用 Incoming Webhooks，"
        "为目标频道添加一个并复制其地址。",
    ),
    "channel_how.discord": Text(
        "In Discord: Edit channel, Integrations, Webhooks, New webhook, Copy URL. With "
        "?thread_id=... behind it, it posts into a thread.",
        "在 Discord 中：编辑频道 → 整合 → Webhook → 新建 Webhook → 复制 URL。"
        "在末尾加上 ?thread_id=... 可发送到子区。",
    ),
    "channel_how.feishu": Text(
        "In the group: Settings, Bots, Add bot, Custom bot, and copy its address. If it asks for a "
        "signature or a keyword, enter them here, too.",
        "在群聊中：设置 → 群机器人 → 添加机器人 → 自定义机器人，复制其地址。"
        "若启用了签名校验或关键词，请一并填写。",
    ),
    "channel_how.dingtalk": Text(
        "In the group: Settings, Robots, Add robot, Custom, and copy its address. If it asks for a "
        "signature or a keyword, enter them here, too.",
        "在群聊中：设置 → 机器人 → 添加机器人 → 自定义，复制其地址。"
        "若启用了加签或关键词，请一并填写。",
    ),
    "channel_how.wecom": Text(
        "In the group: its menu, Add group robot, New, and copy its address.",
        "在群聊菜单中：添加群机器人 → 新建，复制其地址。",
    ),
    "channel_how.ntfy": Text(
        "Subscribe to a topic in the ntfy app and enter its address. Whoever knows the topic reads "
        "it, so choose a long name.",
        "在 ntfy 应用中订阅一个主题并填写其地址。知道主题名的人都能读取，请使用较长的名字。",
    ),
    "channel_how.webhook": Text(
        "We POST JSON there. Each message has an id by which a repetition is recognised.",
        "我们会向该地址 POST JSON。每条消息都有用于识别重复的编号。",
    ),
    "channel_how.telegram": Text(
        "Write /newbot to @BotFather: it shows a token. Add that bot to your channel or group as "
        "one who may post, or write to it once yourself.",
        "向 @BotFather 发送 /newbot，它会给出令牌。把该机器人加入频道或群并允许发言，"
        "或者先给它发一条消息。",
    ),
    "channel_how.github": Text(
        "In GitHub's settings: Developer settings, Fine-grained tokens. Let it into this one "
        "repository, with Contents: read and write.",
        "在 GitHub 设置中：Developer settings → Fine-grained tokens，"
        "仅授权该仓库，权限为 Contents: read and write。",
    ),
    "channel_missing.email": Text(
        "Whoever runs this ClawFeed has to set a mail server first (SMTP_URL and EMAIL_FROM).",
        "需要管理员先配置邮件服务器（SMTP_URL 和 EMAIL_FROM）。",
    ),
    "channel_missing.apprise": Text(
        "Whoever runs this ClawFeed has to install it first (clawfeed[apprise]).",
        "需要管理员先安装（clawfeed[apprise]）。",
    ),
    "channel_field.address": Text("Where to", "发送到"),
    "channel_field.telegram_address": Text("Chat", "聊天"),
    "channel_help.telegram_address": Text(
        "@name of a channel or group, or the chat's number.", "频道或群的 @名称，或聊天的数字编号。"
    ),
    "channel_field.github_address": Text("Repository", "仓库"),
    "channel_help.github_address": Text("Written as owner/name.", "格式为 owner/name。"),
    "channel_field.email_address": Text("Mailbox", "邮箱"),
    "channel_help.email_address": Text(
        "Only for everybody's editions: your own go to your account's address.",
        "仅用于公共简报；你自己的简报会发送到账户邮箱。",
    ),
    "channel_field.url": Text("Address", "地址"),
    "channel_help.url": Text(
        "Whoever knows it may post there, so it is kept secret and never shown again.",
        "知道它的人都能发送消息，因此会保密，之后不再显示。",
    ),
    "channel_help.slack_url": Text(
        "It begins with https://hooks.slack.com/services/ and is never shown again.",
        "以 https://hooks.slack.com/services/ 开头，之后不再显示。",
    ),
    "channel_help.ntfy_url": Text(
        "The server and the topic, like https://ntfy.sh/my-long-topic. Never shown again.",
        "服务器和主题，例如 https://ntfy.sh/my-long-topic，之后不再显示。",
    ),
    "channel_help.apprise_url": Text(
        "As apprise writes it, like pover://user@token. Never shown again.",
        "Apprise 格式的地址，例如 pover://user@token，之后不再显示。",
    ),
    "channel_field.bot_token": Text("Token of your bot", "机器人令牌"),
    "channel_help.bot_token": Text(
        "Like 123456789:AAE..., from @BotFather. Never shown again.",
        "形如 123456789:AAE...，由 @BotFather 提供，之后不再显示。",
    ),
    "channel_field.token": Text("Token", "令牌"),
    "channel_help.token": Text("Never shown again.", "之后不再显示。"),
    "channel_help.github_token": Text(
        "It begins with github_pat_ and is never shown again.",
        "以 github_pat_ 开头，之后不再显示。",
    ),
    "channel_help.ntfy_token": Text(
        "Only if the topic is protected. Never shown again.", "仅当主题受保护时需要，之后不再显示。"
    ),
    "channel_field.signing_secret": Text("Secret for signatures", "签名密钥"),
    "channel_help.signing_secret": Text(
        "Only if it asks for signed messages. Never shown again.",
        "仅当启用签名校验时需要，之后不再显示。",
    ),
    "channel_help.webhook_signing_secret": Text(
        "Begins with whsec_; we sign with it, so that you can tell that it was us. Never shown "
        "again.",
        "以 whsec_ 开头；我们用它签名，便于你确认消息来源，之后不再显示。",
    ),
    "channel_field.keyword": Text("Keyword", "关键词"),
    "channel_help.keyword": Text(
        "The word that the bot asks for; it stands at the end of each message.",
        "机器人要求的关键词，会附在每条消息末尾。",
    ),
    "channel_field.branch": Text("Branch", "分支"),
    "channel_help.branch": Text(
        "Empty: the repository's default branch.", "留空则使用仓库的默认分支。"
    ),
    "channel_field.folder": Text("Folder", "文件夹"),
    "channel_help.folder": Text(
        "It gets the files; empty: digests.", "文件存放位置，留空则为 digests。"
    ),
}
