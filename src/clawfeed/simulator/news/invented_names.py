"""The words of the simulated world: invented people, places and firms, in English and Chinese.

Every organisation here is made up, so that a demo never spreads news about a real one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

# A name in English and in Chinese.
Pair: TypeAlias = tuple[str, str]


# By beat: nobody should read of a browser that lands on the Moon, and no day has two stories of one
# firm that are easily taken for one.
FIRMS: Mapping[str, tuple[Pair, ...]] = {
    "ai": (
        ("Tessera AI", "泰瑟拉智能"),
        ("Lumen Forge", "流明工坊"),
        ("Delta Nine Labs", "德尔塔九实验室"),
        ("Calla Health", "卡拉健康"),
        ("Parrot & Stone", "鹦石科技"),
    ),
    "chips": (
        ("Harrow Semiconductor", "哈罗半导体"),
        ("Polder Computing", "圩田计算"),
        ("Rowan Instruments", "花楸仪器"),
        ("Sixth River", "第六河微电子"),
        ("Kite Silicon", "纸鸢硅业"),
    ),
    "space": (
        ("Silverline Aerospace", "银线航天"),
        ("Perihelion", "近日点航天"),
        ("Anchor Orbit", "锚定轨道"),
        ("Tern Launch", "燕鸥发射"),
    ),
    "science": (
        ("Larkspur Optics", "翠雀光学"),
        ("Quarry Genomics", "采石基因"),
        ("Fennel Biotech", "茴香生物"),
    ),
    "climate": (
        ("Meridian Power", "子午能源"),
        ("Greywater Energy", "灰水能源"),
        ("Solstice Grid", "至日电网"),
        ("Moss & Mortar", "苔石材料"),
    ),
    "world": (
        ("Tollgate Rail", "通衢铁路"),
        ("Brightwater Works", "清川水务"),
        ("Cobble & Lane", "石巷建设"),
    ),
    "business": (
        ("Marigold Stores", "金盏商店"),
        ("Ostrava Motors", "奥斯特汽车"),
        ("Juniper & Vale", "杜松谷商贸"),
        ("Saddler Freight", "鞍匠货运"),
        ("Kestrel Robotics", "红隼机器人"),
        ("Copperfield Foods", "铜田食品"),
        ("Halyard Shipping", "帆索航运"),
    ),
    "software": (
        ("Quill Browser", "羽笔浏览器"),
        ("Anvil Database", "铁砧数据库"),
        ("Bluewater Cloud", "蓝水云"),
        ("Northgate Systems", "北门系统"),
        ("Ferry Mail", "渡船邮件"),
        ("Lattice Editor", "格架编辑器"),
    ),
}
INSTITUTES: tuple[Pair, ...] = (
    ("the Lindqvist Institute", "林奎斯特研究所"),
    ("Marlowe University", "马洛大学"),
    ("the Tallinn Polar Centre", "塔林极地中心"),
    ("the Azure Coast Observatory", "蔚蓝海岸天文台"),
    ("Hanlin Technical University", "翰林理工大学"),
    ("the Brennan Laboratory", "布伦南实验室"),
    ("the Okafor School of Medicine", "奥卡福医学院"),
    ("the Pacific Reef Survey", "太平洋珊瑚调查"),
)
PLACES: tuple[Pair, ...] = (
    ("Rotterdam", "鹿特丹"),
    ("Osaka", "大阪"),
    ("Nairobi", "内罗毕"),
    ("Lisbon", "里斯本"),
    ("Hangzhou", "杭州"),
    ("Montreal", "蒙特利尔"),
    ("Valparaíso", "瓦尔帕莱索"),
    ("Tallinn", "塔林"),
    ("Bengaluru", "班加罗尔"),
    ("Oslo", "奥斯陆"),
    ("Chengdu", "成都"),
    ("Wellington", "惠灵顿"),
    ("Gdansk", "格但斯克"),
    ("Kumasi", "库马西"),
    ("Bergen", "卑尔根"),
    ("Cusco", "库斯科"),
    ("Suzhou", "苏州"),
    ("Halifax", "哈利法克斯"),
    ("Trieste", "的里雅斯特"),
    ("Kyoto", "京都"),
    ("Porto", "波尔图"),
    ("Mombasa", "蒙巴萨"),
    ("Adelaide", "阿德莱德"),
    ("Ghent", "根特"),
    ("Penang", "槟城"),
    ("Turku", "图尔库"),
    ("Rosario", "罗萨里奥"),
    ("Dunhuang", "敦煌"),
    ("Galway", "戈尔韦"),
    ("Pune", "浦那"),
)
PEOPLE: tuple[Pair, ...] = (
    ("Ingrid Solheim", "英格丽·索尔海姆"),
    ("Daniel Achebe", "丹尼尔·阿契贝"),
    ("Mei Tanaka", "田中芽衣"),
    ("Lin Yuqing", "林语晴"),
    ("Rafael Moreira", "拉斐尔·莫雷拉"),
    ("Sofia Brandt", "索菲娅·勃兰特"),
    ("Arjun Rao", "阿琼·拉奥"),
    ("Clara Whitfield", "克拉拉·惠特菲尔德"),
    ("Zhou Ming", "周明"),
    ("Nadia Haddad", "纳迪娅·哈达德"),
    ("Tove Lindgren", "托芙·林格伦"),
    ("Kwame Boateng", "夸梅·博阿滕"),
    ("Hiro Nakagawa", "中川广"),
    ("Xu Wanqing", "许婉清"),
    ("Lucía Ferrer", "露西娅·费雷尔"),
    ("Piotr Zielak", "彼得·杰拉克"),
    ("Meera Iyer", "米拉·艾耶"),
    ("Oscar Blythe", "奥斯卡·布莱斯"),
    ("Gao Yifan", "高一凡"),
    ("Salma Benali", "萨尔玛·贝纳利"),
    ("Janek Novotny", "亚内克·诺沃特尼"),
    ("Rosalind Achterberg", "罗莎琳德·阿赫特贝格"),
    ("Teuila Fonoti", "特薇拉·福诺蒂"),
    ("Mateus Quaresma", "马特乌斯·夸雷斯马"),
)
AUTHORS: tuple[Pair, ...] = (
    ("Hannah Reid", "陈思远"),
    ("Tomás Vidal", "王晓棠"),
    ("Priya Menon", "李若溪"),
    ("Owen Gallagher", "赵一鸣"),
    ("Yuki Arai", "孙嘉禾"),
    ("Elena Petrova", "吴清扬"),
    ("Samuel Osei", "郑知行"),
    ("Freya Lund", "何映雪"),
)

PARAGRAPHS: tuple[str, ...] = (
    (
        "“We did not expect it to go this well,” said {person}. “The first results from "
        "{place} were so good that we checked them three times before we told anybody outside "
        "the team.”"
    ),
    (
        "Outside observers remain careful. Figures of this kind have disappointed before, and "
        "the full data will be open to inspection only next month, when an independent group "
        "in {place} repeats the work."
    ),
    (
        "The project began four years ago with a handful of people in a borrowed room. Today "
        "{n} people work on it, most of them in {place}, and a second site is to open before "
        "the end of the year."
    ),
    (
        "Critics point to the cost. Of the {m} million set aside, about a third has been "
        "spent, and {person} concedes that the rest will not last if prices keep rising as "
        "they did in spring."
    ),
    (
        "For people nearby little changes at first. A public meeting in {place} drew a full "
        "hall; most questions were about noise, traffic and whether local firms will get a "
        "share of the contracts."
    ),
    (
        "What happens next depends on two decisions. The regulator has until autumn to object, "
        "and partners must say whether they stay for the second phase, which is larger than "
        "the first by {pct} percent."
    ),
    (
        "Similar attempts elsewhere went differently. A programme of the same size was stopped "
        "last year after eleven months; its authors have since published a frank account of "
        "what they would do otherwise."
    ),
    (
        "The details are in a report of {n} pages, with methods, raw numbers and a list of "
        "known weaknesses. It is unusually readable, and its appendix answers most of the "
        "questions raised so far."
    ),
    (
        "{person}, who has followed the field for twenty years, calls it “the most careful "
        "work so far” and warns against reading more into it: “One good year is not a trend. "
        "Ask me again in three.”"
    ),
)
PARAGRAPHS_ZH: tuple[str, ...] = (
    "“我们没想到会如此顺利，”{person}说，“{place}的第一批结果好得让我们反复核对了三遍。”",
    "外界观察者仍持谨慎态度。完整数据要到下个月才会公开，届时{place}的独立团队将重复这项工作。",
    (
        "项目四年前在一间借来的房间里起步，如今已有{n}人参与，其中大部分在{place}，年底前还将启"
        "用第二个基地。"
    ),
    (
        "批评者关注成本问题。{m}百万的预算已用去约三分之一，{person}承认，如果价格继续上涨，余"
        "款难以支撑。"
    ),
    "接下来取决于两个决定：监管机构秋季前是否反对，以及合作方是否参与规模扩大{pct}%的第二阶段。",
    (
        "长期关注该领域的{person}称这是“迄今最扎实的工作”，但提醒不要过度解读：“一年好不算趋势"
        "，三年后再问我。”"
    ),
)
