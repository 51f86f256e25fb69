"""Words that tell nothing: what may open a sentence, what names places in two languages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final


def words_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Capitalised at the start of a sentence they are no names, whether a source has them or not.
OPENERS: Final = words_of(
    """
    a about above according across additionally after again against ahead all almost along already
    also although amid among an analysts and another any are around as at authorities based
    because before behind below besides between beyond both but by can citing companies compared
    consequently consumers could critics currently customers data despite developers did do does
    during each earlier early either elsewhere employees engineers even eventually every everyone
    everything executives experts few figures finally firms first five following for former four
    from further furthermore given government had half has have having he health her here his
    hours how however hundreds if in including indeed industry initially inside instead
    investigators investors is it its just known last late later latest lawmakers lawyers leaders
    least less like local locals local long many markets may meanwhile millions ministers months
    more moreover most much nearly neither never nevertheless new news next no nobody none
    nonetheless nor not nothing now observers of officials often on once one only opponents
    opposition or other others otherwise our out outside over overall owners parents part parties
    people perhaps plans players police politicians prices previously prosecutors protesters
    publishers readers recent recently regulators report reporters reports researchers residents
    results rising roughly sales same scientists separately several severe shareholders shares she
    should similar similarly since six so some someone something sources spokespeople staff state
    states still stocks students studies such supporters survivors teams ten that the their them
    then there therefore these they thirty this those though thousands three through thus to
    together too toward towards tests traders troops two ultimately under unless unlike until up
    upon users using various versions very via victims viewers volunteers voters was we were what
    whatever when where whether which while who whose why will with within without witnesses women
    workers work would years yet you your
    """
)
# What joins words in any text; never what a sentence is about.
FUNCTION_WORDS: Final = OPENERS | words_of(
    """
    am being been be him himself herself itself myself me my themselves us doing done got get gets
    made make makes making said say says saying told tell tells stated called came come comes went
    go goes going took take takes taking gave give gives given put set let lets seen see sees than
    must might shall off down back well way ways time times year month week day days today
    """
)
TITLES: Final = words_of(
    """
    president vice prime minister chancellor secretary senator governor mayor chief executive ceo
    cto cfo chairman chairwoman chair director general judge justice king queen prince princess
    pope sir dr mr mrs ms prof professor captain colonel sergeant officer founder foreign former
    """
)
PARTICLES: Final = words_of("of de la le du des del der den van von da dos di al bin and the for")
# Names of the same thing; the first found in a source stands for the others.
ALIASES: Final[tuple[frozenset[str], ...]] = tuple(
    frozenset(group.split("|"))
    for group in (
        "us|usa|united states|america|american|americans|washington",
        "uk|united kingdom|britain|british|briton|britons",
        "eu|european union", "un|united nations", "france|french", "spain|spanish",
        "netherlands|dutch", "switzerland|swiss", "germany|german|germans", "greece|greek",
        "ireland|irish", "denmark|danish|dane", "turkey|turkish|türkiye", "wales|welsh",
        "ai|artificial intelligence", "gdp|gross domestic product", "ceo|chief executive",
        "cpi|consumer price index", "ipo|initial public offering",
    )
)  # fmt: skip
# What an ending of a country's name becomes in the word for its people.
DEMONYMS: Final = frozenset(
    {
        "",
        "a",
        "an",
        "ans",
        "ain",
        "e",
        "ean",
        "ese",
        "i",
        "ian",
        "ians",
        "ic",
        "ish",
        "n",
        "na",
        "ns",
        "s",
        "y",
    }
)
# Chinese names of what English texts name: checked where sources and words differ in language.
BILINGUAL_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "中国": ("china", "chinese"), "北京": ("beijing",), "上海": ("shanghai",),
    "深圳": ("shenzhen",), "广州": ("guangzhou",), "香港": ("hong kong",),
    "台湾": ("taiwan", "taiwanese"),
    "美国": ("us", "usa", "united states", "america", "american", "americans"),
    "英国": ("uk", "united kingdom", "britain", "british"), "法国": ("france", "french"),
    "德国": ("germany", "german"), "俄罗斯": ("russia", "russian"), "日本": ("japan", "japanese"),
    "韩国": ("south korea", "korea", "korean"), "朝鲜": ("north korea",),
    "印度": ("india", "indian"), "巴西": ("brazil", "brazilian"),
    "加拿大": ("canada", "canadian"), "西班牙": ("spain", "spanish"),
    "意大利": ("italy", "italian"), "澳大利亚": ("australia", "australian"),
    "瑞士": ("switzerland", "swiss"), "瑞典": ("sweden", "swedish"),
    "挪威": ("norway", "norwegian"), "荷兰": ("netherlands", "dutch"),
    "波兰": ("poland", "polish"), "乌克兰": ("ukraine", "ukrainian"),
    "以色列": ("israel", "israeli"), "伊朗": ("iran", "iranian"), "伊拉克": ("iraq", "iraqi"),
    "土耳其": ("turkey", "turkish"), "埃及": ("egypt", "egyptian"),
    "墨西哥": ("mexico", "mexican"), "阿根廷": ("argentina", "argentine"),
    "欧盟": ("eu", "european union"), "欧洲": ("europe", "european"),
    "非洲": ("africa", "african"), "亚洲": ("asia", "asian"), "联合国": ("un", "united nations"),
    "伦敦": ("london",), "巴黎": ("paris",), "柏林": ("berlin",), "东京": ("tokyo",),
    "首尔": ("seoul",), "莫斯科": ("moscow",), "纽约": ("new york",), "华盛顿": ("washington",),
    "加州": ("california",), "硅谷": ("silicon valley",), "白宫": ("white house",),
    "特朗普": ("trump",), "拜登": ("biden",), "普京": ("putin",),
    "泽连斯基": ("zelensky", "zelenskyy"), "马斯克": ("musk",), "谷歌": ("google",),
    "苹果": ("apple",), "微软": ("microsoft",), "亚马逊": ("amazon",), "脸书": ("facebook",),
    "英伟达": ("nvidia",), "特斯拉": ("tesla",), "三星": ("samsung",), "华为": ("huawei",),
    "腾讯": ("tencent",), "阿里巴巴": ("alibaba",), "百度": ("baidu",),
    "字节跳动": ("bytedance",), "小米": ("xiaomi",), "英特尔": ("intel",), "高通": ("qualcomm",),
    "台积电": ("tsmc",), "丰田": ("toyota",), "索尼": ("sony",),
    "美联储": ("fed", "federal reserve"), "路透社": ("reuters",), "彭博社": ("bloomberg",),
    "新华社": ("xinhua",),
}  # fmt: skip

# Chinese words of any report. What a sentence consists of beside them must stand in its sources.
HAN_COMMON: Final = words_of(
    """
    的 了 在 是 和 与 及 或 并 而 但 也 都 就 将 会 已 被 把 对 为 从 向 到 于 以 其 该 这 那 此
    各 每 又 还 再 更 最 很 较 约 近 超 多 少 有 无 不 未 没 可 能 应 需 要 使 让 由 因 故 则 若
    如 等 中 上 下 内 外 前 后 间 里 时 之 所 者 们 他 她 它 我 你 我们 他们 她们 它们 自己 年 月
    日 号 人 名 个 家 次 位 种 项 条 份 台 只 只是 只有 表示 说 称 指出 认为 透露 强调 告诉 介绍
    宣布 发布 公布 推出 报道 据 根据 消息 显示 预计 计划 目前 当前 此前 此次 近日 日前 最近 随后
    同时 其中 此外 另外 不过 然而 因此 由于 为了 通过 进行 开始 继续 可以 可能 已经 正在 将会 成为
    作为 关于 对于 以及 包括 相关 有关 主要 重要 表明 意味着 有望 或将 可能会 需要 能够 应该 必须
    没有 不会 不再 仍然 仍 并未 尚未 预期 以来 之后 之前 以后 以前 期间 方面 情况 问题 影响 发展
    增长 下降 上升 提高 降低 增加 减少 达到 超过 接近 约为 至少 最多 最大 最高 最低 首次 首个 第一
    第二 全球 国际 国内 市场 公司 企业 政府 用户 产品 服务 技术 系统 项目 行业 数据 信息 研究 报告
    分析 专家 人士 官员 发言人 负责人 研究人员 记者 民众 居民 消费者 投资者 客户 员工 今年 去年
    明年 本月 上月 本周 上周 今天 昨天 明天 当天 当地 当地时间 时间 支持 提供 采取 要求 允许 禁止
    决定 批准 同意 拒绝 反对 呼吁 警告 担忧 关注 讨论 合作 竞争 管理 使用 利用 实现 完成 结束 发生
    出现 造成 导致 引发 带来 面临 涉及 属于 位于 来自 分别 共同 一些 一个 一种 一项 一名 一家 许多
    多个 多家 多名 部分 全部 所有 任何 其他 另一 新 新的 大 小 高 低 好 差 长 短 快 慢 早 晚 去 来
    做 用 看 见 想 知道 希望 相信 高官 高层 方式 方法 水平 规模 范围 领域 过程 结果 原因 目标 机会
    挑战 风险 安全 质量
    """
)
SURNAMES: Final = frozenset(
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦许何吕施张孔曹严华金魏陶姜谢邹喻苏潘葛范彭郎鲁韦"
    "马苗方任袁柳鲍史唐费薛雷贺倪汤罗毕郝邬安常傅卞齐伍余顾孟黄穆萧尹姚邵汪毛米贝戴宋庞熊"
    "纪舒屈项祝董梁杜阮蓝闵季贾江童颜郭梅林钟徐邱骆高夏蔡田樊胡凌霍虞万柯卢莫房丁邓单洪包"
    "左石崔吉龚程邢裴陆荣翁段侯班秋仲宫宁仇甘武刘景龙叶司黎白蒲卓池乔闻翟谭温柴瞿阎曾沙聂"
    "关相查游"
)
# Before or after these stands who says or does something.
SPEECH_VERBS: Final = (
    "表示|说道|说，|说：|称，|称：|指出|认为|透露|强调|告诉|介绍说|坦言|回应|宣布|担任|"
    "出任|先生|女士|教授|博士|院士"
)
POSTS: Final = (
    "总裁|主席|总统|总理|部长|记者|创始人|董事长|总经理|经理|主任|局长|市长|省长|律师|分"
    "析师|发言人|演员|导演|作者|学者|选手|队长|首席执行官|院长|校长|工程师|科学家|研究员|"
    "教授|博士"
)
# What precedes these is a place's or an organisation's name.
ORGANISATION_ENDINGS: Final = (
    "公司|集团|大学|学院|银行|科技|医院|研究院|研究所|基金会|协会|委员会|省|市|县|州|岛|镇|村"
)
# Characters that foreign names are written with.
FOREIGN_SOUNDS: Final = frozenset(
    "阿埃艾奥巴贝宾彼伯博布查达戴丹德蒂杜顿恩尔菲费芬弗福盖戈格古哈赫亨霍吉贾杰卡凯坎科克"
    "肯库拉莱兰劳勒雷里利琳卢鲁伦罗洛麦曼梅蒙密默姆穆纳尼妮诺欧帕佩普奇乔琼瑞萨塞桑森莎圣"
    "史斯苏索塔坦汤特提廷图托瓦威韦维沃乌希谢辛休雅亚耶伊尤约泽扎詹茨茜娜丝基"
)
