"""One's own X: connecting it, what is read of it, taking it back."""

from __future__ import annotations

from typing import Final

from clawfeed.web.texts.text import Text, Texts

OWN_X: Final[Texts] = {
    "done.x_revoked": Text("X is disconnected, here and at X.", "已断开连接，X 一侧也已撤销授权。"),
    "done.x_revoked_here": Text(
        "X is disconnected here. X did not confirm it: end it in X's settings, too.",
        "本站已断开连接，但 X 未确认撤销：请到 X 的设置中一并撤销授权。",
    ),
    "done.x_followed": Text(
        "You follow it now. Its first items are here within minutes.",
        "已关注，几分钟内即可看到首批内容。",
    ),
    "x.account": Text("Your X account", "你的 X 账户"),
    "x.lead": Text(
        "Connect it, and what you bookmark, like or see in your timeline can be in your edition.",
        "连接后，你在 X 上的书签、喜欢和时间线都可以进入你的简报。",
    ),
    "x.not_set_up": Text("This is not set up here", "此功能尚未配置"),
    "x.not_set_up_text": Text(
        "Whoever runs this ClawFeed has to register it at X first and set {setting}.",
        "需要管理员先在 X 注册应用，并设置 {setting}。",
    ),
    "x.none": Text("Not connected", "未连接"),
    "x.promise": Text(
        "ClawFeed only reads. It never posts, likes or follows in your name, and never sees your "
        "password.",
        "ClawFeed 只会读取，绝不会以你的名义发帖、点赞或关注，也看不到你的密码。",
    ),
    "x.private": Text(
        "What is read this way is yours alone. Nobody else here sees it, admins neither.",
        "由此读取的内容只属于你，这里的其他人（包括管理员）都看不到。",
    ),
    "x.connect": Text("Connect X", "连接 X"),
    "x.again": Text("Connect again", "重新连接"),
    "x.connected": Text("Connected as {handle}", "已连接：{handle}"),
    "x.since": Text("Since {when}.", "连接时间：{when}。"),
    "x.renewed": Text(
        "It renews itself: there is nothing for you to do.", "授权会自动续期，无需操作。"
    ),
    "x.not_renewed": Text(
        "X gave nothing to renew it with: it ends {when}, and then you connect again.",
        "X 未提供续期凭据：授权将于 {when} 失效，届时请重新连接。",
    ),
    "x.ended": Text("{handle} is no longer connected", "{handle} 的连接已失效"),
    "x.ended_text": Text(
        "X takes the authorisation no more: it was withdrawn there, or it expired. Connect again, "
        "and your sources go on.",
        "X 不再接受该授权：可能已在 X 撤销，或已过期。重新连接后，来源会继续更新。",
    ),
    "x.sources": Text("What to read of it", "要读取的内容"),
    "x.follow": Text("Follow", "关注"),
    "x.follow_one": Text("Follow {name}", "关注{name}"),
    "x.followed": Text("followed", "已关注"),
    "x.may": Text("What ClawFeed may do", "ClawFeed 获得的权限"),
    "x.revoke": Text("Disconnect X", "断开 X"),
    "x.revoke_text": Text(
        "The authorisation is deleted here and ended at X. What was read stays; your bookmarks, "
        "likes and timeline are not read any more until you connect again.",
        "将删除本站保存的授权，并在 X 撤销。已读取的内容会保留；重新连接之前，"
        "不再读取你的书签、喜欢和时间线。",
    ),
    "x.revoke_sure": Text("Disconnect it", "确认断开"),
    "x.leaving": Text("On to X", "前往 X"),
    "x.leaving_text": Text(
        "X asks whether ClawFeed may read your account, and sends you back here.",
        "X 会询问是否允许 ClawFeed 读取你的账户，随后将你带回这里。",
    ),
    "x.go": Text("Go on to X", "前往 X"),
    "x.not_now": Text("Not now", "暂不"),
    "x.until": Text("This way is open until {when}.", "此链接在 {when} 前有效。"),
    "x.choose": Text("Choose what to read of it", "选择要读取的内容"),
    "x.retry": Text("Begin again", "重新开始"),
    "x.hint": Text(
        "Your own X bookmarks, likes or timeline? Connect your X account",
        "想关注自己的 X 书签、喜欢或时间线？连接你的 X 账户",
    ),
    "x_source.twitter_bookmarks": Text("My X bookmarks", "我的 X 书签"),
    "x_about.twitter_bookmarks": Text("Posts you saved for later.", "你收藏以便稍后阅读的帖子。"),
    "x_source.twitter_favorites": Text("My X likes", "我的 X 喜欢"),
    "x_about.twitter_favorites": Text("Posts you liked.", "你点过喜欢的帖子。"),
    "x_source.twitter_foryou": Text("My X timeline", "我的 X 时间线"),
    "x_about.twitter_foryou": Text(
        "The newest posts of the accounts you follow there.", "你在 X 关注的账号的最新帖子。"
    ),
    "x_scope.posts": Text("read the posts that you can see", "读取你能看到的帖子"),
    "x_scope.person": Text("read your name and your handle", "读取你的名字和用户名"),
    "x_scope.bookmarks": Text("read your bookmarks", "读取你的书签"),
    "x_scope.likes": Text("read your likes", "读取你的喜欢"),
    "x_scope.renewal": Text(
        "go on reading without asking you each time", "持续读取，无需每次向你确认"
    ),
}
