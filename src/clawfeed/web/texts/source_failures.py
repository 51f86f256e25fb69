"""How a source is doing, why it fails, and what to do about it: plain words for each code."""

from __future__ import annotations

from typing import Final

from clawfeed.web.texts.text import Text, Texts

SOURCE_FAILURES: Final[Texts] = {
    "status.ok": Text("fine", "正常"),
    "status.paused": Text("paused", "已暂停"),
    "status.paused_by_error": Text("stopped after failures", "多次失败后停止"),
    "status.auth_required": Text("needs a login", "需要登录"),
    "status.backing_off": Text("failing, tried again later", "失败，稍后重试"),
    "status.never_fetched": Text("not polled yet", "尚未抓取"),
    "todo.paused": Text("Somebody paused it. Resume it to go on.", "已被手动暂停，恢复后继续。"),
    "todo.paused_by_error": Text(
        "It failed too often. Look at its address, then resume it.",
        "失败次数过多。请检查地址后恢复。",
    ),
    "todo.auth_required": Text("Give it a login that works.", "请提供有效的登录信息。"),
    "todo.backing_off": Text("Nothing to do: it is tried again.", "无需处理，会自动重试。"),
    "cause.unreachable": Text("Its server cannot be reached.", "无法连接其服务器。"),
    "advice.unreachable": Text(
        "It is tried again by itself. If it lasts for days, the address may have changed.",
        "会自动重试。若持续数日，地址可能已变更。",
    ),
    "cause.timed_out": Text("Its server takes too long to answer.", "其服务器响应过慢。"),
    "advice.timed_out": Text(
        "Nothing to do: it is tried again, each time a little later.",
        "无需处理，会逐渐延长间隔重试。",
    ),
    "cause.busy": Text("Its server asks us to come less often.", "其服务器要求降低访问频率。"),
    "advice.busy": Text(
        "Nothing to do: we wait as long as it asks. A slower cadence avoids it.",
        "无需处理，会按其要求等待。降低抓取频率可避免。",
    ),
    "cause.refused": Text("Its server does not let us in.", "其服务器拒绝访问。"),
    "advice.refused": Text(
        "Open it in a browser: if it shows there, it refuses programs. Look for a feed of it.",
        "请在浏览器中打开：若能显示，说明它拒绝程序访问。可另找其订阅源。",
    ),
    "cause.auth_required": Text(
        "It wants a login, or the one we have expired.", "需要登录，或现有登录已过期。"
    ),
    "advice.auth_required": Text(
        "Renew its key or token where it was set, then resume it.",
        "请更新其密钥或令牌，然后恢复。",
    ),
    "cause.gone": Text("There is nothing at its address any more.", "该地址已没有内容。"),
    "advice.gone": Text(
        "Look for its new address and edit this one, or add that and unfollow this.",
        "请寻找新地址并编辑此来源，或添加新地址后取消关注此来源。",
    ),
    "cause.broken": Text("Its server has an error of its own.", "其服务器自身出错。"),
    "advice.broken": Text("Nothing to do: such errors pass.", "无需处理，这类错误通常会自行恢复。"),
    "cause.unreadable": Text(
        "It answered with something that is no feed.", "返回的内容无法识别为订阅源。"
    ),
    "advice.unreadable": Text(
        "Open the address in a browser: it may be a page now. Add the page instead.",
        "请在浏览器中打开该地址：它可能已变成网页，可改为添加该网页。",
    ),
    "cause.too_large": Text("Its answer is larger than we take.", "返回的内容过大。"),
    "advice.too_large": Text(
        "Look for a feed with fewer entries, or one without full texts.",
        "请寻找条目较少或不含全文的订阅源。",
    ),
    "cause.blocked": Text(
        "Its address leads where this ClawFeed may not go.", "该地址不在允许访问的范围内。"
    ),
    "advice.blocked": Text(
        "Check the address. Only an operator can allow places in the own network.",
        "请检查地址。内网地址只能由运维人员放行。",
    ),
    "cause.misconfigured": Text("Its settings cannot work.", "其设置无法工作。"),
    "advice.misconfigured": Text(
        "Add it again by its address, and unfollow this one.",
        "请用地址重新添加，并取消关注此来源。",
    ),
    "cause.offline": Text("This ClawFeed itself was offline.", "本机当时处于离线状态。"),
    "advice.offline": Text(
        "Nothing to do: it goes on when the network is back.", "无需处理，网络恢复后会继续。"
    ),
    "cause.our_bug": Text("We made a mistake reading it.", "我们在读取时出错。"),
    "advice.our_bug": Text(
        "It is in the log. Please tell whoever runs this ClawFeed.",
        "错误已记入日志，请告知管理员。",
    ),
    # What to do about an address that somebody wants to add.
    "try.unreachable": Text(
        "Look at its spelling, and whether it opens in a browser.",
        "请检查拼写，并确认能在浏览器中打开。",
    ),
    "try.timed_out": Text("Try it again in a while.", "请稍后再试。"),
    "try.busy": Text("Try it again in a while.", "请稍后再试。"),
    "try.refused": Text(
        "It may refuse programs: look for a feed of it.", "它可能拒绝程序访问，可另找其订阅源。"
    ),
    "try.auth_required": Text(
        "Only what is open to everybody can be read, or what a login was set up for.",
        "只能读取公开内容，或已设置登录的内容。",
    ),
    "try.gone": Text(
        "There is nothing there. Look at its spelling, or paste the address of the front page.",
        "该地址没有内容。请检查拼写，或粘贴首页地址。",
    ),
    "try.broken": Text("Try it again in a while.", "请稍后再试。"),
    "try.unreadable": Text(
        "Paste the address of a page with articles on it, or of its feed.",
        "请粘贴含有文章的网页地址或其订阅源地址。",
    ),
    "try.too_large": Text("Look for a feed with fewer entries.", "请寻找条目较少的订阅源。"),
    "try.blocked": Text(
        "Only an operator can allow places in the own network.", "内网地址只能由运维人员放行。"
    ),
    "try.misconfigured": Text(
        "Look at its spelling. If it is right, something is not set up for it here: ask whoever "
        "runs this ClawFeed.",
        "请检查拼写。若无误，则是此处尚未为它完成设置，请联系管理员。",
    ),
    "try.offline": Text("Try it again in a while.", "请稍后再试。"),
    "try.our_bug": Text("Please tell whoever runs this ClawFeed.", "请告知管理员。"),
}
