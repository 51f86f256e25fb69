"""A reader's own edition: interests, what they would change, and when it comes."""

from __future__ import annotations

from typing import Final

from clawfeed.web.texts.text import Text, Texts

MY_EDITION: Final[Texts] = {
    "done.interest_added": Text(
        "Kept. Your next edition is chosen by it.", "已保存，下一期简报将据此挑选。"
    ),
    "done.interest_removed": Text("Removed.", "已移除。"),
    "done.interests_back": Text("It is as it was before.", "已恢复原样。"),
    "done.edition_set": Text(
        "Saved. When your next editions come stands below.", "已保存。下方是接下来各期的时间。"
    ),
    "done.edition_made": Text("Your edition is made: here it is.", "你的简报已做好，就在这里。"),
    "done.edition_there": Text(
        "This is your edition of today; it was made before. What you changed since counts from the "
        "next one.",
        "这是你今天的简报，此前已做好。之后的更改从下一期起生效。",
    ),
    "done.edition_begun": Text(
        "Your edition is being made. It is on the front page as soon as it is done.",
        "正在制作你的简报，完成后会出现在首页。",
    ),
    "my.title": Text("My edition", "我的简报"),
    "my.coming": Text("What comes next", "接下来"),
    "my.coming_soon": Text("as soon as there is something to make it from", "有内容可用时立即制作"),
    "my.coming_today": Text("today at {time}, {zone}", "今天 {time}（{zone}）"),
    "my.coming_tomorrow": Text("tomorrow at {time}, {zone}", "明天 {time}（{zone}）"),
    "my.coming_later": Text("{day} {when}, {zone}", "{day} {when}（{zone}）"),
    "my.coming_none": Text(
        "You get no edition of your own: no kind of it is chosen.",
        "你没有选择任何类型，因此不会收到自己的简报。",
    ),
    "my.follow_first": Text("First, follow something", "请先关注一些来源"),
    "my.follow_first_text": Text(
        "Your edition is chosen from what you follow, and that is nothing yet. Words alone find "
        "nothing.",
        "你的简报从你关注的来源中挑选，而你还没有关注任何来源，只填词语不会有结果。",
    ),
    "my.explore": Text("Find sources", "寻找来源"),
    "my.packs": Text("Take a pack", "选用来源包"),
    "my.interests": Text("What you want to read about", "你想读什么"),
    "my.interests_text": Text(
        "“More” weighs as much as twice as many publishers telling a story, “much more” as eight "
        "times; where a word stands only in the first lines, half. Whatever has a muted word stays "
        "out.",
        "“多一些”相当于报道媒体数量翻倍，“多很多”相当于八倍；若词语只出现在开头几行，则减半。"
        "含有屏蔽词的内容一律不收录。",
    ),
    "my.no_interests": Text(
        "You have no interests yet: your edition is what is told by many, loud and fresh.",
        "你还没有填写任何偏好：简报按报道多、热度高、时间新来挑选。",
    ),
    "my.wanted": Text("More of", "多看"),
    "my.unwanted": Text("Less of", "少看"),
    "my.muted": Text("Muted", "屏蔽"),
    "my.much": Text("much", "强烈"),
    "my.remove_one": Text("Remove “{text}”", "移除“{text}”"),
    "my.words": Text("Words or topics", "词语或主题"),
    "my.words_hint": Text(
        "With commas between them, or one a line. A line like {example} is one topic. A word you "
        "have already is only given its new weight.",
        "用逗号分隔，或每行一个。形如 {example} 的一行是一个主题。已有的词语只会更新权重。",
    ),
    "my.example": Text("Energy: solar, wind", "能源：太阳能，风能"),
    "my.how": Text("How much of it", "想看多少"),
    "my_how.much_more": Text("Much more", "多很多"),
    "my_how.more": Text("More", "多一些"),
    "my_how.less": Text("Less", "少一些"),
    "my_how.much_less": Text("Much less", "少很多"),
    "my_how.none": Text("Nothing: mute it", "完全不看（屏蔽）"),
    "my.add": Text("Keep it", "保存"),
    "my.try": Text("Preview", "预览"),
    "my.no_words": Text("Write at least one word.", "请至少填写一个词语。"),
    "my.long_words": Text(
        "A word or topic may have 200 characters at most.", "每个词语或主题最多 200 个字符。"
    ),
    "my.too_many": Text(
        "You may have 200 interests at most. Remove some first.",
        "最多可有 200 条偏好，请先移除一些。",
    ),
    "my.preview": Text("What it would change", "会带来什么变化"),
    "my.preview_hint": Text(
        "Write a word above and see here what of today's edition would be another. Nothing is kept "
        "by it.",
        "在上方填写词语，这里会显示今日简报将如何变化。预览不会保存任何内容。",
    ),
    "my.nothing_there": Text(
        "There is nothing to compare yet: what you follow brought nothing within the last day.",
        "暂时无法比较：你关注的来源在过去一天没有新内容。",
    ),
    "my.nobody_met": Text(
        "No story of today has such a word, so today nothing would change.",
        "今天没有故事包含这样的词语，因此不会有变化。",
    ),
    "my.same_edition": Text(
        "{n} stories have such a word, but your edition would be the same.",
        "有 {n} 则故事包含这样的词语，但你的简报不会变化。",
        "{n} story has such a word, but your edition would be the same.",
    ),
    "my.changes": Text(
        "In: {come}, out: {go}, moved: {move}.", "新入选 {come} 则，移出 {go} 则，移位 {move} 则。"
    ),
    "my.of_todays": Text(
        "Chosen anew from what today's edition was chosen from: {stories} of {items} from "
        "{sources}.",
        "按今日简报的同一批内容重新挑选：从 {sources}的 {items}中选出 {stories}。",
    ),
    "my.of_last_day": Text(
        "Chosen from the last 24 hours, as your edition would be now: {stories} of {items} from "
        "{sources}.",
        "按最近 24 小时的内容挑选：从 {sources}的 {items}中选出 {stories}。",
    ),
    "my.busy": Text(
        "Another preview is being made. Try again in a moment.", "正在制作另一个预览，请稍后再试。"
    ),
    "my.comes_in": Text("Comes in", "新入选"),
    "my.goes_out": Text("Goes out", "移出"),
    "my.moves": Text("Moves", "移位"),
    "my.place": Text("no. {n}", "第 {n} 位"),
    "my.from_to": Text("no. {before} → {after}", "第 {before} 位 → 第 {after} 位"),
    "my.untitled": Text("Without a title", "无标题"),
    "my.why_met": Text("meets {words}", "符合：{words}"),
    "my.why_less": Text("weighs less with you", "对你的权重降低"),
    "my.why_room": Text("there is room for it now", "现在有位置了"),
    "my.and": Text(", ", "、"),
    "my.votes": Text("Your votes", "你的评价"),
    "my.votes_text": Text(
        "All votes together weigh as much as one doubling of publishers: a taste, not a filter.",
        "所有评价合计相当于报道媒体数量翻倍：影响口味，而非过滤。",
    ),
    "my.no_votes": Text(
        "None yet. “More like this” and “Less” stand below each story of an edition.",
        "还没有。每则故事下方都有“多来点”和“少来点”。",
    ),
    "my.vote_more": Text("more like this", "多来点"),
    "my.vote_less": Text("less like this", "少来点"),
    "my.take_back": Text("Take back", "撤回"),
    "my.take_one_back": Text("Take back your vote on “{title}”", "撤回对“{title}”的评价"),
    "my.more_votes": Text("More of them", "更多"),
    "my.older_votes": Text("older", "更早"),
    "my.settings": Text("How it comes", "送达方式"),
    "my.types": Text("Which editions", "哪些简报"),
    "my_type.4h": Text("Every four hours", "每四小时"),
    "my_type.daily": Text("Every day", "每日"),
    "my_type.weekly": Text("Every week", "每周"),
    "my_type.monthly": Text("Every month", "每月"),
    "my.time": Text("Ready by", "送达时间"),
    "my.zone": Text("Time zone", "时区"),
    "my.local_time": Text(
        "It is {time} in {zone}. Type a city to find yours.",
        "{zone} 现在是 {time}。输入城市可查找。",
    ),
    "my.language": Text("Language", "语言"),
    "my.never_lost": Text(
        "A new hour or zone costs you no edition, and brings none twice.",
        "更改时间或时区不会漏掉任何一期，也不会重复。",
    ),
    "my.save": Text("Save", "保存"),
    "my.wrong_time": Text("Write the hour like 07:30.", "请按 07:30 的格式填写时间。"),
    "my.wrong_zone": Text(
        "There is no such time zone. Write it like Europe/Berlin.",
        "没有这个时区，请按 Asia/Shanghai 的格式填写。",
    ),
    "my.wrong_language": Text("Choose one of the languages.", "请选择一种语言。"),
    "my.build": Text("Without waiting", "不想等待"),
    "my.build_text": Text(
        "Makes today's edition in a few seconds if there is none yet, and opens it. There is one a "
        "day: if yours is there, it is shown as it is.",
        "若今天还没有简报，几秒内即可做好并打开。每天一期：若已有，则直接显示。",
    ),
    "my.build_now": Text("Build my edition now", "立即制作我的简报"),
    "my.enough_for_today": Text(
        "You had more editions today than anybody reads. Try again tomorrow.",
        "你今天制作的简报已经够多了，请明天再试。",
    ),
    "my.nothing_to_make": Text(
        "There is nothing to make it from yet. Follow sources, and wait until they were polled.",
        "还没有可用的内容。请先关注来源，等待抓取完成。",
    ),
    "my.nothing_to_tell": Text(
        "Nothing came in that it could tell. The next one is made in its time.",
        "没有值得讲述的新内容，下一期将按时制作。",
    ),
    "my.elsewhere": Text("Where it goes", "送到哪里"),
    "my.channels": Text("Your channels ({n})", "你的频道（{n}）"),
    "my.feeds": Text("Your private feeds", "你的私有订阅地址"),
}
