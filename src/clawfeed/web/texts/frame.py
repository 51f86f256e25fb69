"""What stands around every page: its frame, its mistakes, what was just done."""

from __future__ import annotations

from typing import Final

from clawfeed.web.texts.text import Text, Texts

FRAME: Final[Texts] = {
    "frame.skip": Text("Skip to the content", "跳到正文"),
    "frame.pages": Text("Pages", "页面"),
    "frame.account": Text("Account", "账户"),
    "frame.sign_in": Text("Sign in", "登录"),
    "frame.sign_out": Text("Sign out", "退出"),
    "frame.language": Text("Language", "语言"),
    "frame.theme": Text("Colours", "配色"),
    "frame.motto": Text(
        "Follow many sources, read one short edition a day.", "关注众多来源，每天只读一份简报。"
    ),
    "frame.feed": Text("Daily editions", "每日简报"),
    "frame.api": Text("API", "API"),
    "frame.keys": Text("Keys", "快捷键"),
    "frame.close": Text("Close", "关闭"),
    "frame.undo": Text("Undo", "撤销"),
    "frame.offline": Text(
        "ClawFeed did not answer. Your change was not made; try again.",
        "ClawFeed 没有响应，更改未保存，请重试。",
    ),
    "nav.today": Text("Today", "今日"),
    "nav.editions": Text("Editions", "往期"),
    "nav.marks": Text("Saved", "收藏"),
    "nav.sources": Text("Sources", "来源"),
    "nav.items": Text("Items", "内容"),
    "nav.my_edition": Text("My edition", "我的简报"),
    "nav.operations": Text("Operations", "运维"),
    "theme.auto": Text("Automatic", "自动"),
    "theme.light": Text("Light", "浅色"),
    "theme.dark": Text("Dark", "深色"),
    "keys.title": Text("Keyboard", "键盘快捷键"),
    "keys.next": Text("next", "下一条"),
    "keys.previous": Text("previous", "上一条"),
    "keys.open": Text("open", "打开"),
    "keys.mark": Text("save, or take back", "收藏或取消收藏"),
    "keys.search": Text("search", "搜索"),
    "keys.help": Text("this list", "显示此列表"),
    "error.400.title": Text("This request makes no sense to us", "无法理解这个请求"),
    "error.400.advice": Text("Go back, load the page again and repeat it.", "请返回，刷新后重试。"),
    "error.403.title": Text("This is not yours to do", "你没有权限"),
    "error.403.advice": Text(
        "Sign in with another account, or ask whoever runs this ClawFeed.",
        "请换一个账户登录，或联系管理员。",
    ),
    "error.404.title": Text("There is nothing here", "这里什么也没有"),
    "error.404.advice": Text(
        "The address is wrong, or what was here is gone or not yours to read.",
        "地址有误，或内容已被移除，或你无权查看。",
    ),
    "error.405.title": Text("This page cannot do that", "此页面不支持该操作"),
    "error.405.advice": Text("Go back and use its buttons.", "请返回并使用页面上的按钮。"),
    "error.413.title": Text("This is too large", "内容过大"),
    "error.413.advice": Text("Go back and send less at once.", "请返回并减少内容后重试。"),
    "error.422.title": Text("Something in the form is wrong", "表单有误"),
    "error.422.advice": Text("Go back and put it right.", "请返回修改。"),
    "error.429.title": Text("A little slower, please", "请慢一点"),
    "error.429.advice": Text("Wait a moment, then try again.", "请稍候再试。"),
    "error.500.title": Text("This is our mistake", "这是我们的错误"),
    "error.500.advice": Text(
        "It was written to the log. Try again; if it stays, tell whoever runs this ClawFeed.",
        "错误已记入日志。请重试；若仍出现，请告知管理员。",
    ),
    "error.503.title": Text("Back in a moment", "稍后恢复"),
    "error.503.advice": Text(
        "The database cannot answer now. Nothing is lost; try again shortly.",
        "数据库暂时无法响应，数据不会丢失，请稍后再试。",
    ),
    "error.home": Text("Read today's edition", "阅读今日简报"),
    "error.said": Text("In detail: {detail}.", "详细信息：{detail}。"),
}
