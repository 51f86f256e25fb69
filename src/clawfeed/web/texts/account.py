"""One's own account: password, sessions, keys, secret feed addresses."""

from __future__ import annotations

from typing import Final

from clawfeed.web.texts.text import Text, Texts

ACCOUNT: Final[Texts] = {
    "done.password_changed": Text(
        "Your password is changed, and all other sessions ended.", "密码已更改，其他登录均已退出。"
    ),
    "done.signed_out_elsewhere": Text("Signed out there.", "已在该处退出登录。"),
    "done.key_revoked": Text("The key opens nothing any more.", "密钥已失效。"),
    "done.feed_revoked": Text("That address is gone.", "该地址已失效。"),
    "account.title": Text("Your account", "你的账户"),
    "account.admin": Text("admin", "管理员"),
    "account.since": Text("Here since {when}", "注册于 {when}"),
    "account.my_edition": Text("Language, zone and interests", "语言、时区与兴趣"),
    "account.x": Text("Your X", "你的 X"),
    "account.password": Text("Password", "密码"),
    "account.current": Text("Current password", "当前密码"),
    "account.new": Text("New password", "新密码"),
    "account.password_text": Text(
        "All other sessions end with the old one.", "更改后，其他登录都会退出。"
    ),
    "account.change": Text("Change password", "更改密码"),
    "account.sessions": Text("Where you are signed in", "登录的设备"),
    "account.unknown": Text("Unknown device", "未知设备"),
    "account.this": Text("this one", "当前设备"),
    "account.seen": Text("last seen {when}", "最近活动：{when}"),
    "account.sign_out_one": Text("Sign out of {name}", "退出 {name}"),
    "account.sign_out_others": Text("Sign out everywhere else", "退出其他所有设备"),
    "account.keys": Text("API keys", "API 密钥"),
    "account.keys_text": Text(
        "For programs that act as you. A key never does more than its scope, and ends by itself.",
        "供程序以你的身份使用。密钥的权限不会超出其范围，到期自动失效。",
    ),
    "account.ended": Text("opens nothing", "已失效"),
    "account.ends": Text("ends {when}", "到期：{when}"),
    "account.used": Text("last used {when}", "最近使用：{when}"),
    "account.unused": Text("never used", "从未使用"),
    "account.revoke": Text("Revoke", "撤销"),
    "account.revoke_one": Text("Revoke {name}", "撤销 {name}"),
    "account.revoke_ask": Text(
        "Whatever uses it stops working. Revoke it?", "使用它的程序将无法继续工作。确定撤销？"
    ),
    "account.key_name": Text("What it is for", "用途"),
    "account.key_scope": Text("What it may do", "权限"),
    "account.key_days": Text("How long it works", "有效期"),
    "account.days": Text("{n} days", "{n} 天"),
    "account.make_key": Text("Make a key", "创建密钥"),
    "scope.read": Text("read", "读取"),
    "scope.write": Text("read and change", "读取和修改"),
    "scope.admin": Text("everything an admin may", "管理员的全部权限"),
    "account.feeds": Text("Your editions in a feed reader", "在阅读器中订阅你的简报"),
    "account.feeds_text": Text(
        "A secret address of your own editions. Whoever has it can read them: give it to your feed "
        "reader alone.",
        "你的简报的私密地址。任何持有者都能阅读，请只填入你自己的阅读器。",
    ),
    "account.feed_made": Text("Made on {when}", "创建于 {when}"),
    "account.make_feed": Text("Make an address", "创建地址"),
    "account.confirm_first": Text("Confirm that it is you, to make one", "先确认身份，再创建"),
    "account.new_key": Text("Your new key", "你的新密钥"),
    "account.new_feed": Text("Your new feed address", "你的新订阅地址"),
    "account.once": Text(
        "It is shown this once. Copy it now; what is lost can only be replaced.",
        "只显示这一次，请立即复制。丢失后只能重新创建。",
    ),
    "account.key": Text("Key", "密钥"),
    "account.feed": Text("Address", "地址"),
    "account.copy": Text("Copy", "复制"),
    "confirm.title": Text("Is it you?", "确认身份"),
    "confirm.lead": Text(
        "Keys and secret addresses are made within ten minutes of a sign-in. Enter your password "
        "once more.",
        "创建密钥和私密地址需要在登录后十分钟内进行，请再次输入密码。",
    ),
    "confirm.submit": Text("Confirm", "确认"),
    "confirm.back": Text("Back", "返回"),
}
