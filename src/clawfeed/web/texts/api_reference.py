"""Around the API's reference; what it says of endpoints is the API's own English."""

from __future__ import annotations

from typing import Final

from clawfeed.web.texts.text import Text, Texts

REFERENCE: Final[Texts] = {
    "reference.title": Text("API", "API"),
    "reference.lead": Text(
        "What programs may ask of this ClawFeed. Send an API key as {header}; the same as a "
        "document for tools: {document}.",
        "程序可以向 ClawFeed 请求的内容。"
        "请以 {header} 发送 API 密钥；供工具使用的文档：{document}。",
    ),
    "reference.chapters": Text("Chapters", "章节"),
    "reference.needs": Text("Needs: {needs}.", "需要：{needs}。"),
    "reference.required": Text("required", "必填"),
}
