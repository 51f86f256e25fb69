"""Why a channel did not take something, and what to do about it: plain words for each code."""

from __future__ import annotations

from typing import Final

from clawfeed.web.texts.text import Text, Texts

DELIVERY_FAILURES: Final[Texts] = {
    "send_cause.unreachable": Text("The service cannot be reached.", "无法连接该服务。"),
    "send_advice.unreachable": Text(
        "Try again in a few minutes. If it stays so, check its address.",
        "请过几分钟再试。若一直如此，请检查地址。",
    ),
    "send_cause.timed_out": Text("The service takes too long to answer.", "该服务响应过慢。"),
    "send_advice.timed_out": Text(
        "Try again in a few minutes; editions are tried again by themselves.",
        "请过几分钟再试；简报会自动重试。",
    ),
    "send_cause.busy": Text("The service asks us to send less often.", "该服务要求降低发送频率。"),
    "send_advice.busy": Text(
        "Nothing to do: we wait as long as it asks.", "无需处理，会按其要求等待。"
    ),
    "send_cause.refused": Text("The service refuses our message.", "该服务拒绝了消息。"),
    "send_advice.refused": Text(
        "Look there whether the bot, the robot or the token may still write.",
        "请确认机器人或令牌仍有发送权限。",
    ),
    "send_cause.auth_required": Text(
        "What opens it is wrong, or holds no longer.", "密钥或令牌错误，或已失效。"
    ),
    "send_advice.auth_required": Text(
        "Make a new token there, and enter it by editing the channel.",
        "请在该服务中生成新令牌，并编辑渠道填写。",
    ),
    "send_cause.gone": Text(
        "There is nothing at that place, or we may not see it.", "目标不存在，或我们无权访问。"
    ),
    "send_advice.gone": Text(
        "Check its name or address, and that the bot or the token may write there.",
        "请检查名称或地址，并确认机器人或令牌有权写入。",
    ),
    "send_cause.broken": Text("The service has an error of its own.", "该服务自身出错。"),
    "send_advice.broken": Text(
        "Such errors pass. Try again later.", "这类错误通常会恢复，请稍后再试。"
    ),
    "send_cause.unreadable": Text(
        "It answered with something that does not say whether it took it.",
        "返回的内容无法说明是否已接收。",
    ),
    "send_advice.unreadable": Text(
        "Check the address: it may be of something else.", "请检查地址，它可能指向别处。"
    ),
    "send_cause.too_large": Text(
        "The message is larger than it takes.", "消息超过了该服务的上限。"
    ),
    "send_advice.too_large": Text(
        "Nothing to do for this one; if it stays so, choose another kind of channel.",
        "此条无需处理；若一直如此，请换一种渠道。",
    ),
    "send_cause.blocked": Text(
        "Its address leads where this ClawFeed may not go.", "该地址不在允许访问的范围内。"
    ),
    "send_advice.blocked": Text(
        "Check the address. Only an operator can allow places in the own network (EGRESS_ALLOW).",
        "请检查地址。内网地址只能由运维人员放行（EGRESS_ALLOW）。",
    ),
    "send_cause.misconfigured": Text("Its settings cannot work.", "其设置无法工作。"),
    "send_advice.misconfigured": Text(
        "Edit it, and enter its secrets again.", "请编辑此渠道，重新填写密钥。"
    ),
    "send_cause.offline": Text("This ClawFeed itself was offline.", "本机当时处于离线状态。"),
    "send_advice.offline": Text(
        "Nothing to do: it goes on when the network is back.", "无需处理，网络恢复后会继续。"
    ),
    "send_cause.our_bug": Text("We made a mistake sending it.", "我们在发送时出错。"),
    "send_advice.our_bug": Text(
        "It is in the log. Please tell whoever runs this ClawFeed.",
        "错误已记入日志，请告知管理员。",
    ),
    "send_cause.too_old": Text(
        "It waited for more than a week and is no news any more.", "等待超过一周，已不是新闻。"
    ),
    "send_advice.too_old": Text(
        "Send it again if you want it still.", "如果仍想要，可以重新发送。"
    ),
    "send_cause.sender_stopped": Text(
        "ClawFeed was stopped while sending, before the answer came.",
        "发送过程中 ClawFeed 被停止，未收到回应。",
    ),
    "send_advice.sender_stopped": Text(
        "Look there whether it arrived, and send it again if not.",
        "请查看是否已送达，若没有再重新发送。",
    ),
    "send_cause.not_set": Text(
        "It is not in the server's settings any more.", "服务器配置中已没有它。"
    ),
    "send_advice.not_set": Text(
        "Set it there again, or remove it here.", "请在配置中重新设置，或在此移除。"
    ),
    "send_cause.unknown": Text("It did not take the message.", "消息未被接收。"),
    "send_advice.unknown": Text(
        "Send a test to see whether it works now.", "请发送测试消息，看现在是否可用。"
    ),
}
