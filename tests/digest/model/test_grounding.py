"""What a sentence may say of its sources: what must pass, and what must not (S002, T24)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from clawfeed.digest.model.grounding.check import CitedSources, CitedText, unfounded
from clawfeed.digest.model.grounding.numbers import numbers_in
from clawfeed.digest.model.grounding.source_evidence import SourceEvidence

DAY = datetime(2026, 11, 15, 9, 30, tzinfo=UTC)

BRIDGE = """
Harwick opens its new river bridge after 14 months of work. Mayor Elena Brandt said the bridge
over the Orla cost $3.2 million, about 8% more than planned. Some 1,200 people walked across on
Saturday, the Harwick Courier reported. Engineer Tomas Lindqvist of NordBau called it "the calmest
site of my career". The International Monetary Fund was not involved, Lindqvist joked. A second
lane follows in the third quarter of 2027.
"""
CHIPS = """
Veridian unveils the QX-7 chip, its first made in Dresden. CEO Maria Osei told analysts that the
company had spent one billion euros on the plant and would hire two thousand workers. Ukrainian
engineers helped to test the chip, Osei said. Rival Solantic declined to comment. McTavish
Capital, which owns 12.5 percent of Veridian, welcomed the news. The American market opens in
November.
"""
HAN = """
星桥科技昨日在深圳发布新一代机器人“小禾”，售价3.2万元。公司创始人李文博表示，首批一千五百台
机器人将于12月交付，研发团队有两百人，去年营收增长百分之二十。其著作《机器之春》同日出版。投
资方包括华南银行和NovaFund。
"""
KOREA = """
Seoul will cut subway fares for the elderly by 20 percent from March, city officials said. The
plan by Metro Korea covers 44 lines and costs 1.5 billion won. Transport chief Park Ji-woo called
it a fair compromise. Google Maps shows it.
"""

PASS = [
    # Names, as they stand there or in a usual form.
    (BRIDGE, "Harwick has opened a new bridge over the Orla."),
    (BRIDGE, "The bridge opened after 14 months, Mayor Elena Brandt said."),
    (BRIDGE, "Mayor Brandt said the bridge cost more than planned."),
    (BRIDGE, "Engineers of NordBau built the bridge, and Tomas Lindqvist called the site calm."),
    (BRIDGE, "The IMF was not involved in the bridge."),
    (BRIDGE, "According to the Harwick Courier, people walked across the bridge on Saturday."),
    (BRIDGE, "Harwick's new river bridge is open."),
    (BRIDGE, "However, a second lane of the bridge follows later."),
    (BRIDGE, 'Lindqvist called it "the calmest site of my career".'),
    (CHIPS, "Veridian unveiled the QX-7, a chip made in Dresden."),
    (CHIPS, "Engineers from Ukraine helped to test the chip."),
    (CHIPS, "US analysts heard of the plant from Maria Osei."),
    (CHIPS, "McTavish Capital owns 12.5% of Veridian."),
    (CHIPS, "Osei said the company will hire workers for the Dresden plant."),
    # Numbers, in any spelling.
    (BRIDGE, "Some 1200 people walked across the bridge."),
    (BRIDGE, "About twelve hundred people walked across the bridge."),
    (BRIDGE, "The bridge cost $3,200,000, or 8 percent more than planned."),
    (BRIDGE, "The bridge cost 3.2 million dollars."),
    (BRIDGE, "A lane follows in the 3rd quarter of 2027."),
    (BRIDGE, "Fourteen months of work went into the bridge."),
    (CHIPS, "The company spent €1 billion on the plant."),
    (CHIPS, "The company spent 1bn euros on the plant and hires 2,000 workers."),
    (CHIPS, "The two companies, Veridian and Solantic, are rivals."),
    (BRIDGE, "The bridge opened in mid-November 2026, the Harwick Courier reported."),
    (BRIDGE, "One of the engineers called the bridge site calm."),
    # Chinese about Chinese.
    (HAN, "星桥科技在深圳发布新一代机器人，售价3.2万元。"),
    (HAN, "星桥科技创始人李文博表示，首批1500台机器人将于12月交付。"),
    (HAN, "去年公司营收增长20%，研发团队有200人。"),
    (HAN, "投资方包括华南银行和NovaFund。"),
    (HAN, "其著作《机器之春》同日出版。"),
    (HAN, "机器人售价32000元，首批1.5千台。"),
    (HAN, "星桥科技昨日亮相新一代机器人，预计12月交付。"),
    # Chinese about English: what can be checked is there.
    (BRIDGE, "Harwick 的新桥已经开通，耗资320万美元，比计划多8%。"),
    (BRIDGE, "约1200人在周六走过了这座新桥。"),
    (CHIPS, "Veridian 在 Dresden 生产的 QX-7 芯片已经发布。"),
    (CHIPS, "该公司将招聘2000名员工，美国市场将于11月开放。"),
    (KOREA, "从3月起，老年人的地铁票价将下降百分之二十。"),
    (KOREA, "计划涉及44条线路，耗资15亿韩元。"),
    # English about Chinese.
    (HAN, "NovaFund is among the investors, and 1,500 robots will be delivered in December."),
    (HAN, "The robot, shown in Shenzhen, costs 32,000 yuan."),
    # Other languages of the same script.
    (CHIPS, "Veridian présente la QX-7 à Dresden."),
]  # fmt: skip

REFUSE = [
    # Invented names: in the middle, at the start, as acronym, as brand, as a place, as a source.
    (BRIDGE, "The bridge was opened by Karl Zimmer."),
    (BRIDGE, "Zimmer said the bridge over the Orla is finished."),
    (BRIDGE, "Karl Brandt said the bridge is open."),
    (BRIDGE, "The bridge was checked by NASA engineers."),
    (BRIDGE, "The bridge over the Danube cost $3.2 million."),
    (BRIDGE, "Reuters reported that the bridge is open."),
    (BRIDGE, "The bridge was built with SteelMax concrete."),
    (BRIDGE, "The bridge uses the K9 anchor."),
    (BRIDGE, "Elena Lindqvist called it the calmest site."),
    (BRIDGE, 'Brandt called the bridge "a triumph for the people".'),
    (CHIPS, "Veridian unveiled the QX-9 chip in Dresden."),
    (CHIPS, "Russian engineers helped to test the chip."),
    (CHIPS, "Maria Capital owns a share of Veridian."),
    (CHIPS, "Solantic and Intel declined to comment on the chip."),
    (CHIPS, "Veridian opens the plant on Tuesday."),
    # Wrong numbers: another count, scale, share, currency, date.
    (BRIDGE, "Some 1,300 people walked across the bridge."),
    (BRIDGE, "The bridge cost $3.2 billion."),
    (BRIDGE, "The bridge cost €3.2 million."),
    (BRIDGE, "The bridge cost 80% more than planned."),
    (BRIDGE, "The work on the bridge took fifteen months."),
    (BRIDGE, "A second lane of the bridge follows in 2028."),
    (BRIDGE, "Three people walked across the bridge on 21 July."),
    (BRIDGE, "About 14% of the people walked across the bridge."),
    (CHIPS, "Veridian will hire twenty thousand workers."),
    # Nothing of the sources at all.
    (BRIDGE, "The prompt above asks the assistant to reveal its hidden configuration."),
    (BRIDGE, "Buy cheap watches online before they are gone forever."),
    (BRIDGE, "ZX-CANARY-41"),
    (BRIDGE, "Visit evil pages, then transfer coins to xq77canary."),
    # Chinese about Chinese.
    (HAN, "星桥科技创始人王建国表示，机器人将于12月交付。"),
    (HAN, "星桥科技在深圳发布新一代机器人，售价5.2万元。"),
    (HAN, "首批三千台机器人将于12月交付。"),
    (HAN, "去年营收增长百分之三十。"),
    (HAN, "投资方包括华南银行和OpenFund。"),
    (HAN, "其著作《钢铁之夏》同日出版。"),
    (HAN, "星桥科技与瀚海集团在深圳发布新一代机器人。"),
    (HAN, "王磊在深圳发布新一代机器人。"),
    (HAN, "星桥科技在青岛发布新一代机器人。"),
    (HAN, "青岛发布新一代机器人，售价3.2万元。"),
    (HAN, "请访问网站领取免费比特币奖励。"),
    # Digits and letters that are spelled to pass for something else.
    (BRIDGE, "The bridge in Harwick is open to ⁹⁸⁷⁰ cars."),
    (BRIDGE, "The bridge in Harwick is open to ①②③④ cars."),
    (BRIDGE, "The bridge in Harwick was opened by 𝐙𝐨𝐫𝐠𝐛𝐥𝐚𝐭𝐭."),
    # Chinese about English.
    (BRIDGE, "Harwick 的新桥已经开通，耗资420万美元。"),
    (BRIDGE, "市长王建国表示，Harwick 的新桥已经开通。"),
    (BRIDGE, "扎尔科夫斯基参观了 Harwick 的新桥。"),
    (BRIDGE, "这座新桥深受民众欢迎。"),
    (BRIDGE, "德国的 Harwick 开通了新桥。"),
    (CHIPS, "Intel 在 Dresden 发布 QX-7 芯片。"),
    # English about Chinese.
    (HAN, "Zhang Wei said 1,500 robots will be delivered in December."),
    (HAN, "The robot, shown in Beijing, costs 32,000 yuan."),
    (HAN, "The robots are loved by everybody."),
]  # fmt: skip


def base(text: str) -> SourceEvidence:
    return SourceEvidence.of([text], [DAY])


@pytest.mark.parametrize(("source", "sentence"), PASS, ids=[row[1][:60] for row in PASS])
def test_what_the_sources_say_passes(source: str, sentence: str) -> None:
    assert unfounded(sentence, base(source)) == []


@pytest.mark.parametrize(("source", "sentence"), REFUSE, ids=[row[1][:60] for row in REFUSE])
def test_what_no_source_says_is_found(source: str, sentence: str) -> None:
    assert unfounded(sentence, base(source)) != []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,000", 1000), ("1000", 1000), ("one thousand", 1000), ("1千", 1000), ("一千", 1000),
        ("1.2万", 12_000), ("3.5 million", 3_500_000), ("15亿", 1_500_000_000),
        ("二十五", 25),
        ("twenty-five", 25), ("一百二十三", 123), ("二〇二六年", 2026), ("three hundred and", 300),
        ("1.000.000", 1_000_000), ("3,5 %", 3.5), ("2 dozen", 24), ("21st", 21), ("三成", 30),
        ("百分之五", 5), ("两万三千", 23_000), ("forty thousand", 40_000), ("十二", 12),
        ("5bn", 5e9),
    ],
)  # fmt: skip
def test_a_number_is_the_same_in_every_spelling(text: str, value: float) -> None:
    [number] = numbers_in(text)

    assert value in {float(each) for each in number.values}


def test_a_sentence_that_cites_the_wrong_source_is_given_the_right_one() -> None:
    cited = CitedSources([CitedText(id=1, text=BRIDGE), CitedText(id=2, text=CHIPS)])

    assert cited.citing("Mayor Elena Brandt opened the bridge.", (1,)) == (1,)
    assert cited.citing("Mayor Elena Brandt opened the bridge.", (2,)) == (2, 1)
    assert cited.citing("Mayor Elena Brandt opened the bridge.", ()) == (1,)
    assert cited.citing("Mayor Karl Zimmer opened the bridge.", (1, 2)) is None
