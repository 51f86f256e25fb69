"""Signing in, the first password, coming back from elsewhere, and leaving a list."""

from __future__ import annotations

from typing import Final

from clawfeed.web.texts.text import Text, Texts

ENTRANCE: Final[Texts] = {
    "login.title": Text("Sign in", "登录"),
    "login.lead": Text("Sign in to read your own edition.", "登录后阅读你自己的简报。"),
    "login.with": Text("Sign in with {name}", "使用 {name} 登录"),
    "login.lost": Text(
        "No account, or the password is lost? The admin of this ClawFeed can send you a one-time "
        "link.",
        "没有账户或忘记密码？请联系管理员获取一次性链接。",
    ),
    "sign_in.email": Text("E-mail address", "电子邮箱"),
    "sign_in.new_email": Text("E-mail address, to sign in with", "电子邮箱（用于登录）"),
    "sign_in.name": Text("Name", "名字"),
    "sign_in.password": Text("Password", "密码"),
    "setup.title": Text("Set your password", "设置密码"),
    "setup.welcome": Text("Welcome. Choose a password to begin.", "欢迎！请先设置密码。"),
    "setup.shut": Text("This link opens nothing now.", "此链接已失效。"),
    "setup.new_link": Text(
        "An admin makes a new one, or whoever runs this ClawFeed does, from a terminal: {command}. "
        "Before there is a first admin, every start of {serve} prints one.",
        "管理员可以生成新链接，也可以在终端运行：{command}。"
        "在首位管理员设置密码之前，每次启动 {serve} 都会输出一个链接。",
    ),
    "setup.advice": Text(
        "At least 12 characters. Several unrelated words are good; a password manager is better.",
        "至少 12 个字符。几个不相关的词就很好，用密码管理器更好。",
    ),
    "setup.submit": Text("Set password and sign in", "设置密码并登录"),
    "setup.instead": Text("Sign in instead", "改为登录"),
    "refused.title": Text("Not signed in", "未登录"),
    "refused.lead": Text("You are not signed in.", "登录未成功。"),
    "refused.again": Text("To the sign-in page", "返回登录页"),
    "x.title": Text("X", "X"),
    "x.done": Text("X is connected.", "X 已连接。"),
    "x.not_done": Text("X is not connected.", "X 未连接。"),
    "x.allowed": Text(
        "ClawFeed may read X as {handle} now.", "ClawFeed 现在可以以 {handle} 的身份读取 X。"
    ),
    "x.for_commands": Text(
        "If a command asked you to come here, copy the address of this page into it.",
        "如果是命令让你打开此页，请把本页网址复制到命令中。",
    ),
    "unsubscribe.title": Text("Unsubscribe", "退订"),
    "unsubscribe.ask": Text("Do you want no more of these?", "不再接收这些内容？"),
    "unsubscribe.done": Text("You are unsubscribed.", "已退订。"),
    "unsubscribe.unknown": Text("This link opens nothing.", "此链接无效。"),
    "unsubscribe.submit": Text("Unsubscribe", "退订"),
    "unsubscribe.resume": Text(
        "Nothing more is sent there. Whoever set it up can resume it among their channels.",
        "不会再发送任何内容。设置此渠道的人可以在渠道列表中恢复它。",
    ),
    "unsubscribe.newest": Text(
        "Use the link of the newest e-mail, as it stands there.", "请使用最新邮件中的完整链接。"
    ),
    "unsubscribe.front": Text("To the front page", "返回首页"),
}
