"""What feeds carry around a text, as a table: where it stands, and what it looks like.

Every repetition is bounded and each pattern meets a bounded text, so that none can be made slow.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class PatternPlace(StrEnum):
    """What of the text a pattern is held against, and what is taken away where it fits."""

    START = "start"  # the beginning of the text: what fits
    END = "end"  # the end of the text: what fits
    ANYWHERE = "anywhere"  # each place where it fits
    LINE = "line"  # a whole line
    SENTENCE = "sentence"  # a whole sentence, by how it begins


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    about: str
    where: PatternPlace
    regex: re.Pattern[str]


def _pattern(about: str, where: PatternPlace, regex: str) -> Pattern:
    return Pattern(about=about, where=where, regex=re.compile(regex, re.IGNORECASE))


def _exact(about: str, where: PatternPlace, regex: str) -> Pattern:
    """Where capital letters matter."""
    return Pattern(about=about, where=where, regex=re.compile(regex))


_MONTH = "(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]{0,6}"
_DAY = "(?:(?:mon|tue|tues|wed|wednes|thu|thurs|fri|sat|satur|sun)(?:day)?,? )?"
_DATE = (
    rf"{_DAY}(?:{_MONTH}\.? [0-9]{{1,2}}(?:st|nd|rd|th)?,? [0-9]{{4}}"
    rf"|[0-9]{{1,2}}(?:st|nd|rd|th)? {_MONTH}\.?,? [0-9]{{4}}"
    r"|[0-9]{4}[-/.年][0-9]{1,2}[-/.月][0-9]{1,2}日?)"
)
_TIME = r"(?:,? ?(?:at |t)?[0-9]{1,2}[:：][0-9]{2}(?:[:：][0-9]{2})?(?: ?[ap]\.?m\.?)?(?: ?(?:utc|gmt|z|[ecmp][sd]t|bst|cet|北京时间))?)"
_URL = r"https?://\S{1,2000}"
# "Jane Doe", "Jane van der Doe and John Q. Public": up to four people.
_PERSON = (
    r"[A-Z][\w.'’-]{0,30}(?: (?:van|von|de|der|la|del|bin|al|da)){0,2}(?: [A-Z][\w.'’-]{0,30}){1,3}"
)
_PEOPLE = rf"{_PERSON}(?:(?:, | and |, and | & ){_PERSON}){{0,3}}"
_AGENCY = (
    "AP|Reuters|AFP|UPI|dpa|DPA|PTI|ANI|IANS|Xinhua|Kyodo News|TASS|CNN|BBC|Bloomberg|ANSA|EFE|PA Media"
    "|Associated Press|The Associated Press|CBS News|NBC News|ABC News"
)
_PLACE = r"[A-Z][A-Z.'’ -]{2,40}(?:, [A-Z][\w.]{1,20}\.?){0,2}"
_MONTH_DAY = rf"(?:,? (?i:{_MONTH})\.? [0-9]{{1,2}})?"
_DASH = "(?:--|[-–—])"

PATTERNS: Final = (
    # --- what blogs and readers put around a post ------------------------------------------------
    _pattern(
        "WordPress's footer", PatternPlace.END,
        r"\bthe post .{1,300}? (?:appeared first on|first appeared on|was first published on) .{1,120}\Z",
    ),
    _pattern("WordPress's footer", PatternPlace.END, r"\bder beitrag .{1,300}? erschien zuerst auf .{1,120}\Z"),
    _pattern("WordPress's footer", PatternPlace.END, r"\bl['’]article .{1,300}? est apparu en premier sur .{1,120}\Z"),
    _pattern("WordPress's footer", PatternPlace.END, r"\b(?:la entrada|el artículo) .{1,300}? (?:aparece|se publicó|apareció) primero en .{1,120}\Z"),
    _pattern(
        "a way to the rest", PatternPlace.END,
        r"[\s(\[]*(?:continue reading|keep reading|read (?:the )?(?:full|whole|entire|rest of the|rest|original)"
        r"(?: (?:article|story|post|entry|report|interview|piece|here|of the article|of this entry))?"
        r"|read (?:more|on)(?: here| at [\w.' ]{1,40}| on [\w.' ]{1,40})?|see more|learn more|view (?:the )?(?:full )?(?:article|post|entry)"
        r"|click (?:here )?to (?:read|continue)(?: (?:more|reading))?|more (?:here|at link)|weiterlesen|lire la suite|leer más|seguir leyendo)"
        r"(?: [“\"'‘].{1,200})?[\s.…:>»→›)\]]*\Z",
    ),
    _pattern("a way to the rest", PatternPlace.END, r"[\s（(\[【]*(?:阅读全文|閱讀全文|查看全文|点击查看(?:原文|全文|更多)?|點擊查看原文|阅读原文|閱讀原文|全文阅读|查看更多|更多内容(?:请)?(?:点击)?.{0,40}|展开全文|原文链接.{0,200}|続きを読む|全文を読む)[\s.…:：>»→›)）\]】]*\Z"),
    _pattern("a way to the rest", PatternPlace.LINE, r"(?:continue reading|read more|read on|keep reading|see more|learn more|full story|source|via|link|permalink|comments?|discuss(?:ion)?|reply by email|tags?|filed under|related|advertisement|sponsored|listen to this (?:post|article)|play audio|table of contents|contents|introduction|tl;?dr|notes?|share|tweet|print|e-?mail|save|bookmark)\b.{0,3}"),
    _pattern("a cut of the feed's own", PatternPlace.ANYWHERE, r"\s?[\[(（【](?:\.\.\.|…|⋯|&hellip;)[\])）】]"),
    _pattern("a mark of a note", PatternPlace.ANYWHERE, r"\s?↩︎?|\s?\[(?:note )?[0-9]{1,2}\](?=[\s.,;]|\Z)"),
    _pattern("a mark of a heading", PatternPlace.ANYWHERE, r"(?:(?<=\s)|\A)#{1,6}(?=\s|\Z)\s?|¶"),
    # --- lists and communities -------------------------------------------------------------------
    _pattern(
        "Hacker News' facts", PatternPlace.ANYWHERE,
        rf"(?:article url: {_URL}\s*)?comments url: {_URL}(?:\s*points: [0-9]+)?(?:\s*#? ?comments: [0-9]+)?",
    ),
    _pattern("Hacker News' facts", PatternPlace.ANYWHERE, rf"article url: {_URL}"),
    _pattern("Hacker News' facts", PatternPlace.ANYWHERE, r"\bpoints: [0-9]+(?:\s*#? ?comments: [0-9]+)"),
    _pattern("Reddit's line", PatternPlace.ANYWHERE, r"\s{0,3}submitted by\s{1,3}/?u/[\w-]{1,40}(?:\s{1,3}to\s{1,3}/?r/\w{1,40})?(?:\s*\[link\])?(?:\s*\[comments\])?"),
    _pattern("Reddit's line", PatternPlace.ANYWHERE, r"\[link\]\s*\[comments\]"),
    # --- pictures --------------------------------------------------------------------------------
    _pattern(
        "a picture's credit", PatternPlace.ANYWHERE,
        r"\s?[(\[（【](?:image|photo|picture|pic|video|illustration|graphic|file photo|screenshot|photograph|图片来源|图源|图片|圖片來源|摄影|图|配图)"
        r"(?: (?:credits?|courtesy(?: of)?|by|source))?\s?[:：/ ][^()\[\]（）【】]{1,160}[)\]）】]",
    ),
    _pattern("a picture's credit", PatternPlace.LINE, r"(?:image|photo|picture|illustration|video|featured image|cover (?:image|photo))s? ?(?:credits?|courtesy(?: of)?|by|source|via)?\s?[:：/].{1,200}"),
    _pattern("a picture's credit", PatternPlace.LINE, r"(?:photo(?:graph)?|illustration|image)s? (?:by|courtesy of|via) .{1,120}"),
    _pattern("a picture's credit", PatternPlace.LINE, r"(?:图片来源|图源|图片|配图|摄影|圖片來源|封面图?|题图|图)\s?[:：/|].{1,100}"),
    _exact("a picture's credit", PatternPlace.LINE, r".{0,120}(?:/|\bvia |© ?)(?:Getty Images|AFP|AP Photo|Reuters|Shutterstock|EPA|Unsplash|iStock)\.?"),
    # --- who wrote it, and where -----------------------------------------------------------------
    _exact("a byline", PatternPlace.LINE, rf"(?:By|BY|by|Written by|Author:|Posted by|Reported by|Text by|Story by) {_PEOPLE}(?:[,|·•–—-].{{0,80}}| (?:on|for|in|at|\|) .{{0,120}})?\.?"),
    _exact("a byline and a moment", PatternPlace.START, rf"(?:[Bb]y )?(?:{_PEOPLE}|[\u4e00-\u9fff·]{{2,12}}),? ?(?:[|·•–—-] )?(?i:{_DATE}{_TIME}?)(?:\s*[|·•–—-]+\s*|\s+|\Z)"),
    _exact("a byline", PatternPlace.START, rf"(?:By|BY) {_PEOPLE},? (?:\| )?(?={_PLACE},? \({_AGENCY}\)|{_PLACE} {_DASH} )"),
    _pattern("a byline", PatternPlace.LINE, r"(?:作者|文|撰文|编辑|責任編輯|责任编辑|责编|編輯|编译|译者|翻译|校对|审校|记者|記者|通讯员|来源|來源|出处|原文|原标题|发布时间|更新时间|本文来源|监制|出品|整理|策划|排版)\s?[丨|｜:：/][^。！？]{1,80}"),
    _pattern("a byline", PatternPlace.END, r"[\s(（【\[]*(?:责任编辑|責任編輯|责编|编辑|本文来源|来源|文章来源)\s?[:：][^。！？\n]{1,40}[)）】\]]?\s*\Z"),
    _pattern("a byline", PatternPlace.START, r"(?:来源|來源|作者|原标题|文)\s?[丨|｜:：/]\s?[^\s。，！？]{1,40}\s{1,4}"),
    _pattern("a byline", PatternPlace.START, rf"(?:(?:posted|published|updated|last updated|written|created)(?: on| at|:)?|date:) {_DATE}{_TIME}?(?: by [\w.' -]{{1,40}}? ?[|·•–—-])?[\s|·•,.–—-]*"),
    _exact("a dateline", PatternPlace.START, rf"(?:{_PLACE}{_MONTH_DAY}|[A-Z][\w.]{{2,20}}(?: [A-Z][\w.]{{2,20}}){{0,2}}) ?\((?:{_AGENCY})\) ?{_DASH} ?"),
    _exact("a dateline", PatternPlace.START, rf"(?:{_AGENCY})\s?(?:{_DASH}|:) ?"),
    _exact("a dateline", PatternPlace.START, rf"\((?:{_AGENCY})\)\s?(?:{_DASH} ?)?"),
    _exact("a dateline", PatternPlace.START, rf"{_PLACE}{_MONTH_DAY} ?{_DASH} ?(?=[A-Z“\"])"),
    _exact("a dateline", PatternPlace.START, r"[A-Z]\w{2,20}(?: [A-Z]\w{2,20}){0,2} (?:--|—) ?(?=[A-Z“\"])"),
    _exact("a dateline", PatternPlace.START, r"\[[A-Za-z][^\[\]\n]{1,60}\] (?=[\"“A-Z])"),
    _pattern("a dateline", PatternPlace.START, r"(?:新华社|中新社|中新网|央视网|人民网|法新社|路透社|中央社|财联社|界面新闻|澎湃新闻|新华网|第一财经|证券时报网?|每经|快科技|IT之家|36氪获悉)[^，。！？：\n]{0,24}?(?:电|讯|消息|报道|獲悉|获悉)?\s*(?:[(（][^()（）]{1,60}[)）]\s?[-—–:：，,]{0,2}|[-—–:：，,]{1,2})\s?"),
    _pattern("a dateline", PatternPlace.START, r"(?:本报|本网|本刊|本台|[^\s，。：]{2,6}(?:网|报|社|台))?(?:讯|电|消息)?\s?[(（]?(?:特约)?(?:记者|記者|通讯员|见习记者)\s?[^，。！？：\n]{1,24}?\s?(?:报道|報導|摄影报道|综合报道|北京报道|上海报道)[)）]?\s?[:：，,]?\s?"),
    _pattern("a dateline", PatternPlace.START, r"(?:[^\s，。（(]{2,12}(?:网|社|报|日报|晚报|新闻|财经|科技))?[0-9]{1,2}月[0-9]{1,2}日(?:消息|讯|电|，?据[^，。]{2,20}(?:报道|消息))[\s，,：:]{1,2}"),
    _pattern("a tag in brackets", PatternPlace.START, r"(?:【[^【】]{1,40}】|［[^［］]{1,40}］|\[[^\[\]\n]{1,8}(?:讯|电|独家|快讯|视频|图集)\])\s?"),
    # --- calls -----------------------------------------------------------------------------------
    _pattern("a call to listen", PatternPlace.START, r"listen to this (?:post|article|story|episode)\s?:?\s?(?:log in to listen|[0-9]{1,2}:[0-9]{2})?\s?"),
    _pattern("a call to share", PatternPlace.LINE, r"(?:share (?:this|on|via|to|the)|follow us|like us|join us|tweet this|pin it|分享到|分享至|关注我们|扫码|扫一扫|微信扫|长按(?:识别)?二维码|转发|点赞).{0,120}"),
    _pattern("a call to share", PatternPlace.SENTENCE, r"(?:please )?(?:follow|find|join|like) (?:us|me|him|her|them|@\w+) (?:on|at) (?:x\b|twitter|facebook|instagram|linkedin|mastodon|bluesky|telegram|threads|youtube|social|discord)"),
    _pattern("a call to share", PatternPlace.SENTENCE, r"share this (?:article|story|post|page|on|with|via)\b"),
    _pattern("a call to subscribe", PatternPlace.SENTENCE, r"(?:enjoyed (?:the|this) (?:article|post)\b|(?:please |click here to |make sure to )?(?:subscribe|sign up|sign-up|register)\b.{0,60}?(?:newsletter|updates?|e-?mails?|inbox|podcast|channel|feed|list|alerts?|briefing|today|free|here|our|my|the|to)\b)"),
    _pattern("a call to subscribe", PatternPlace.SENTENCE, r"(?:(?:get|receive|want) .{0,60}(?:in|to|delivered to|straight to) your inbox|this (?:post|article|content|story) is for (?:paid |paying )?(?:subscribers|members)|already a (?:subscriber|member)|become a (?:subscriber|member|patron)|support (?:us|me|the channel|our (?:work|journalism))|buy me a coffee|thanks for reading)\b"),
    _pattern("a call to subscribe", PatternPlace.SENTENCE, r"(?:订阅|訂閱|关注|關注|欢迎关注|欢迎订阅|扫码关注|点击关注|更多精彩|更多资讯|想看更多|下载.{0,10}(?:app|客户端)|加入.{0,10}(?:群|频道)|本文为付费)"),
    _pattern("a cookie's consent", PatternPlace.SENTENCE, r"(?:we|this (?:web)?site|our (?:web)?site|by (?:continuing|using)) .{0,40}(?:use|uses|using|accept|agree).{0,40}cookies?\b|please (?:enable|turn on) (?:javascript|cookies)|(?:javascript|your browser) (?:is|does not|must)\b|accept (?:all )?cookies"),
    _pattern("an advertiser", PatternPlace.SENTENCE, r"(?:we|i|this (?:post|article|page)) (?:may|might|can|could) (?:earn|receive|contain|include).{0,60}(?:commissions?|affiliate)|(?:this|the) (?:post|article|episode|video) (?:is|was) sponsored by|advertisement\b|sponsored (?:by|content)\b|thanks to .{1,80} for sponsoring|(?:this (?:post|article) )?contains affiliate links"),
    _pattern("a note on itself", PatternPlace.SENTENCE, r"\[?(?:this|the) (?:article|story|post|review|piece|essay|interview|column) (?:was|is|has been|originally|first) (?:originally |first )?(?:posted|published|appeared|updated|cross-?posted|adapted|produced|translated)\b"),
    _pattern("a note on itself", PatternPlace.SENTENCE, r"(?:©|\(c\)|copyright (?:©|\(c\)|[0-9]{4})|all rights reserved|版权所有|未经(?:授权|许可|允许)|本文(?:仅代表|系|由|首发|转载|来自|为)|声明[:：]|免责声明|转载请|以上内容|特别声明|原文地址|延伸阅读|相关阅读|推荐阅读|更多新闻|举报|投诉)"),
    _pattern("a note on itself", PatternPlace.SENTENCE, r"(?:read more|also read|read also|see also|related|more on this|more from|don['’]t miss|editor['’]s note|watch|listen|in pictures|recommended)\s?:"),
    _pattern("a note on itself", PatternPlace.SENTENCE, r"(?:leave a (?:comment|reply)|let me know in the comments|click here|view (?:comments|on|in your browser)|(?:all )?comments (?:are )?(?:closed|off)|comments? feed|full video here|(?:more )?(?:details|information) (?:here|at the link))"),
    _pattern("thanks", PatternPlace.SENTENCE, r"thanks?(?: you)? (?:to|for)\b.{0,80}(?:sponsor|https?:|sharing|reading|watching|listening|support|subscri)"),
    _exact("who presents it", PatternPlace.SENTENCE, rf"(?:[A-Z][\w ]{{1,20}}['’]s? )?{_PERSON} (?:has (?:more|the story|details|the latest)|reports|explains|joins)\b.{{0,60}}\Z"),
    _exact("who presents it", PatternPlace.SENTENCE, rf"(?:NPR|PBS|CBS News|CNN|BBC|DW)['’]s? {_PERSON} (?:talks|speaks|spoke|talked|asks|reports)\b"),
    _pattern("who presents it", PatternPlace.SENTENCE, r"here['’]s (?:how|what|why|a look)\b.{0,50}\Z"),
    _pattern("a step to what follows", PatternPlace.SENTENCE, r"(?:but |and |yet )?(?:not everyone (?:agrees|is)|there['’]s (?:a|one|just one) catch|that['’]s not all|what happens next|opinions differ|critics (?:disagree|point)|experts (?:disagree|are divided)|outside observers|similar attempts|read on|find out)\b.{0,40}\Z"),
    _pattern("a greeting", PatternPlace.SENTENCE, r"(?:welcome (?:back )?to|hello|hi|hey|dear|good morning|happy) (?:this|the|our|my|everyone|all|there|readers?|friends|again|folks|new year|monday|friday|weekend)\b|(?:hello|hi|hey)[!,.]|as a reminder\b|大家好|各位(?:读者|朋友)"),
    # --- neither sentence nor news ---------------------------------------------------------------
    _pattern("an address", PatternPlace.LINE, rf"(?:[\w ]{{0,24}}[:：-]\s?)?{_URL}"),
    _pattern("an address", PatternPlace.END, rf"(?:\s|\A)(?:{_URL}\s*){{1,6}}\Z"),
    _pattern("a moment", PatternPlace.LINE, rf"(?:(?:posted|published|updated|last updated|date|发布时间|发布于|时间|更新)(?: on| at|:|：)? ?)?{_DATE}{_TIME}?\s?"),
    _pattern("a moment", PatternPlace.LINE, r"(?:[0-9]{1,3}|an?|one) (?:second|minute|min|hour|day|week|month)s?(?: ago| read)?"),
    _pattern("a moment", PatternPlace.START, rf"{_DATE}{_TIME}?(?:\s*[|·•–—-]+\s*|\s+(?=[A-Z\u4e00-\u9fff]))"),
    _pattern("numbers of a page", PatternPlace.LINE, r"[\d\s,.]{1,20}(?:views?|shares?|likes?|comments?|reads?|claps?|points?|阅读|评论|点赞|收藏|浏览|次)"),
    _pattern("tags", PatternPlace.LINE, r"(?:(?:tags?|topics?|categories|category|keywords|filed under|labels?|标签|关键词|分类)\s?[:：].{1,200}|(?:#[\w\u4e00-\u9fff-]{1,40}[\s,]*){1,20})"),
)  # fmt: skip
