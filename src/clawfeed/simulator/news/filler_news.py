"""What one feed alone tells: small news, put together from parts, in English and Chinese.

Quiet, and of many names: a day of look-alikes, as few patterns would make it, is no real day. Any
kind goes with any thing of its beat. The words around them are everybody's, so they bind nobody.
"""

from __future__ import annotations

from collections.abc import Mapping

from clawfeed.simulator.news.deterministic_random import RandomDraws
from clawfeed.simulator.news.events import Topic
from clawfeed.simulator.news.feed_model import BEATS
from clawfeed.simulator.news.invented_names import Pair


def _pairs(table: str) -> tuple[Pair, ...]:
    """Each entry in English and, behind its last space, in Chinese."""
    entries = (" ".join(entry.split()) for entry in table.split(","))
    return tuple((entry.rpartition(" ")[0], entry.rpartition(" ")[2]) for entry in entries)


# What it is about: of what kind, and what; by beat.
_KINDS: Mapping[str, tuple[Pair, ...]] = {
    "ai": _pairs(
        """handwriting 手写, speech 语音, translation 翻译, subtitle 字幕, homework 作业,
        x-ray X光, chess 国际象棋, sign-language 手语, archive 档案, receipt 收据, traffic 交通,
        harvest 收成, recipe 菜谱, dialect 方言, complaint 投诉, spelling 拼写, poetry 诗歌,
        lecture 讲座, diary 日记, letter 信件, debate 辩论, riddle 谜语, melody 旋律,
        portrait 肖像, medicine 用药, grammar 语法, maths 数学, geography 地理, sketch 草图,
        reading 阅读, shopping 购物, weather 天气"""
    ),
    "chips": _pairs(
        """sensor 传感器, battery 电池, antenna 天线, camera 摄像头, radio 无线电, memory 存储,
        display 显示屏, charger 充电器, hearing-aid 助听器, motor 电机, quartz 石英, laser 激光,
        audio 音频, circuit 电路, solar-cell 光伏片, wafer 晶圆, copper 铜线, solder 焊料,
        relay 继电器, ceramic 陶瓷, cable 线缆, crystal 晶体, diode 二极管, switch 开关,
        fan 风扇, lens 镜片, magnet 磁体, pump 水泵, valve 阀门, meter 仪表, plug 插头,
        fuse 保险丝"""
    ),
    "space": _pairs(
        """comet 彗星, meteor 流星, lunar 月球, satellite 卫星, rocket 火箭, telescope 望远镜,
        balloon 气球, asteroid 小行星, aurora 极光, eclipse 日食, beacon 信标, sunspot 太阳黑子,
        rover 探测车, orbit 轨道, starlight 星光, planet 行星, crater 陨坑, nebula 星云,
        capsule 返回舱, spacesuit 航天服, parachute 降落伞, thruster 推进器, equinox 春分,
        twilight 暮光, tides 潮汐观测, zodiac 黄道, galaxy 星系, pulsar 脉冲星, debris 碎片,
        gravity 重力, vacuum 真空, zenith 天顶"""
    ),
    "science": _pairs(
        """coral 珊瑚, fossil 化石, glacier 冰川, sleep 睡眠, bird 鸟类, pollen 花粉,
        mushroom 蘑菇, volcano 火山, seed 种子, dolphin 海豚, river 河流, whale 鲸鱼,
        lichen 地衣, hearing 听力, beetle 甲虫, butterfly 蝴蝶, salmon 鲑鱼, otter 水獭,
        orchid 兰花, amber 琥珀, bacteria 细菌, yeast 酵母, owl 猫头鹰, moss 苔藓, snail 蜗牛,
        mammoth 猛犸, enzyme 酶, hedgehog 刺猬, jellyfish 水母, fern 蕨类, squirrel 松鼠,
        plankton 浮游生物"""
    ),
    "climate": _pairs(
        """tidal 潮汐, heat-pump 热泵, peat 泥炭, rooftop 屋顶, hydrogen 氢能, rainwater 雨水,
        ferry 渡轮, seaweed 海藻, wind 风电, bicycle 自行车, compost 堆肥, flood 防洪,
        forest 森林, drought 抗旱, insulation 保温, dune 沙丘, marsh 沼泽, biogas 沼气,
        tram 电车, hedge 树篱, pond 池塘, straw 秸秆, smog 雾霾, orchard 果园, canal 运河,
        meadow 草地, timber 木材, snow 积雪, cistern 蓄水池, beach 海滩, geothermal 地热,
        charcoal 木炭"""
    ),
    "world": _pairs(
        """school 学校, harbour 港口, market 市场, library 图书馆, bridge 桥梁, museum 博物馆,
        park 公园, hospital 医院, theatre 剧院, road 道路, bus 公交, police 警务, stadium 体育场,
        lighthouse 灯塔, swimming-pool 泳池, housing 住房, choir 合唱团, chapel 礼拜堂,
        fountain 喷泉, playground 游乐场, cemetery 墓园, kitchen 食堂, pavement 人行道,
        railway 铁路, monument 纪念碑, archaeology 考古, carnival 狂欢, orphanage 福利院,
        jetty 栈桥, cinema 影院, allotment 菜地, kindergarten 幼儿园"""
    ),
    "business": _pairs(
        """bakery 烘焙, furniture 家具, tea 茶叶, toy 玩具, brewery 啤酒, parcel 包裹,
        textile 纺织, insurance 保险, bookshop 书店, spectacles 眼镜, hotel 酒店, pottery 陶器,
        paper 纸业, chocolate 巧克力, shoe 鞋业, gardening 园艺, carpet 地毯, umbrella 雨伞,
        cheese 奶酪, jewellery 珠宝, doorbell 门铃, candle 蜡烛, perfume 香水, button 纽扣,
        laundry 洗衣, piano 钢琴, mattress 床垫, vinegar 食醋, leather 皮革, stationery 文具,
        glass 玻璃, honey 蜂蜜"""
    ),
    "software": _pairs(
        """calendar 日历, backup 备份, font 字体, password 密码, map 地图, chat 聊天,
        spreadsheet 电子表格, printing 打印, payroll 薪资, video 视频, keyboard 键盘, photo 照片,
        music 音乐, invoice 账单, terminal 终端, bookmark 书签, clipboard 剪贴板, podcast 播客,
        wallpaper 壁纸, stopwatch 秒表, ledger 账本, barcode 条码, caption 字幕文件, emoji 表情,
        scanner 扫描, notebook 笔记, firewall 防火墙, crossword 填字, whiteboard 白板,
        cookbook 菜谱夹, thesaurus 词库, alarm 闹钟"""
    ),
}
_THINGS: Mapping[str, tuple[Pair, ...]] = {
    "ai": _pairs(
        """assistant 助手, benchmark 基准, dataset 数据集, helper 小工具, tutor 辅导,
        checker 校验器, competition 竞赛, guideline 指南, quiz 测验, companion 伴侣,
        predictor 预测器, glossary 词表"""
    ),
    "chips": _pairs(
        """line 产线, module 模块, prototype 样机, board 板卡, kit 套件, adapter 适配器,
        assembly 组装, foundry 代工厂, tester 测试台, connector 接头, casing 外壳, array 阵列"""
    ),
    "space": _pairs(
        """mission 任务, image 影像, camp 营地, model 模型, programme 计划, film 影片,
        club 俱乐部, award 奖项, night 观测夜, simulator 模拟器, stamp 邮票, playlist 歌单"""
    ),
    "science": _pairs(
        """atlas 图谱, collection 馆藏, census 普查, garden 园地, expedition 考察,
        database 数据库, grant 资助, almanac 年历, aquarium 水族馆, seminar 研讨会,
        sanctuary 保护地, trail 步道"""
    ),
    "climate": _pairs(
        """scheme 计划, reserve 保护区, subsidy 补贴, depot 仓库, pilot 试点, nursery 苗圃,
        target 目标, permit 许可, corridor 走廊, loan 贷款, barrier 屏障, cooperative 合作社"""
    ),
    "world": _pairs(
        """renovation 翻修, timetable 时刻表, budget 预算, festival 节庆, vote 投票, fee 收费,
        partnership 合作, petition 请愿, anniversary 周年纪念, charter 章程, tender 招标,
        bazaar 义卖"""
    ),
    "business": _pairs(
        """chain 连锁, merger 合并, factory 工厂, warehouse 仓储, brand 品牌, fair 展会,
        lease 租约, auction 拍卖, export 出口, apprenticeship 学徒计划, discount 折扣,
        workshop 作坊"""
    ),
    "software": _pairs(
        """plugin 插件, editor 编辑器, server 服务器, viewer 查看器, toolkit 工具包,
        dashboard 仪表板, converter 转换器, installer 安装器, tutorial 教程, template 模板,
        tracker 追踪器, widget 小组件"""
    ),
}
# Where it is and who does it is made of parts: in small news hardly anybody appears twice a day.
_TOWN = (
    _pairs(
        """Ash 阿什, Brook 布鲁克, Cal 卡尔, Dun 邓, Elm 埃尔姆, Fair 费尔, Glen 格伦, Haw 霍,
        Ips 伊普斯, Kel 凯尔, Lang 兰, Mar 马尔, Nor 诺, Oak 奥克, Pen 彭, Rad 拉德, Stan 斯坦,
        Thorn 索恩, Wal 沃尔, Wood 伍德, Yar 亚, Hart 哈特, Crow 克劳, Bex 贝克斯, Chis 奇斯,
        Den 登, Farn 法恩, Hex 赫克斯, Mal 马尔文, Nant 南特, Pick 皮克, Ross 罗斯, Sel 塞尔,
        Tam 塔姆, Abing 阿宾, Bod 博德, Grim 格里姆, Lym 利姆, Melk 梅尔克, Tot 托特"""
    ),
    (("", ""), *_pairs("ing 英, er 尔, en 恩, le 勒, ers 厄斯, sing 辛, ber 贝尔, ter 特")),
    _pairs(
        """ford 福德, ton 顿, field 菲尔德, bury 伯里, mouth 茅斯, ham 汉姆, wick 威克, ley 利,
        dale 代尔, worth 沃思, stead 斯特德, holm 霍姆, bridge 布里奇, minster 明斯特, pool 浦,
        haven 黑文, borough 伯勒, combe 库姆, hurst 赫斯特, chester 切斯特, gate 盖特,
        thorpe 索普, mere 米尔, cote 科特, well 韦尔, by 比"""
    ),
)
_FAMILY = (
    _pairs(
        """Lind 林德, Berg 贝里, Ek 埃克, Sand 桑德, Dahl 达尔, Ny 尼, Strand 斯特兰德, Eng 恩格,
        Hav 哈弗, Ros 罗斯, Alm 阿尔姆, Björk 比约克, Vest 韦斯特, Stern 斯特恩, Feld 费尔德,
        Gold 戈德, Kron 克伦, Löw 勒夫, Morg 摩尔格, Ost 奥斯特, Palm 帕尔姆, Silb 西尔伯,
        Tann 坦恩, Wein 魏因, Ahl 阿尔, Brand 布兰德, Frost 弗罗斯特, Hell 赫尔, Kast 卡斯特,
        Mull 穆勒"""
    ),
    (("", ""), *_pairs("en 恩, er 尔, a 阿, el 埃尔, in 因, es 埃斯, or 奥尔")),
    _pairs(
        """gren 格伦, qvist 奎斯特, ström 斯特伦, lund 伦德, man 曼, blad 布拉德, wall 瓦尔,
        feldt 费尔特, stein 斯坦, heim 海姆, thal 塔尔, berger 贝格尔, mark 马克, hof 霍夫,
        bach 巴赫, rup 鲁普, sen 森, dorf 多夫, meyer 迈耶, roth 罗特, hagen 哈根, vik 维克,
        sson 松, nes 内斯"""
    ),
)
SMALL_NEWS: Mapping[str, tuple[Topic, ...]] = {
    beat: (
        Topic(
            beat,
            ("{family} and {other} plan {kind} {thing} for {town} and {next}",),
            (
                (
                    "The towns of {town} and {next} are to have a {kind} {thing}. {family} and "
                    "{other} want to begin within {n} weeks."
                ),
            ),
            ("{family}与{other}为{town}和{next}筹划{kind}{thing}",),
            "{town}和{next}将有一个{kind}{thing}，{family}与{other}希望在{n}周内动工。",
        ),
        Topic(
            beat,
            ("{town} and {next} share {kind} {thing}, say {family} and {other}",),
            (
                (
                    "From next month {town} shares its {kind} {thing} with {next}. That saves {m} "
                    "thousand a year, {family} and {other} reckon."
                ),
            ),
            ("{town}与{next}共用{kind}{thing}，{family}和{other}透露",),
            "下月起{town}与{next}共用{kind}{thing}。{family}和{other}估算，每年可省{m}千。",
        ),
        Topic(
            beat,
            ("{family} follows {other} at {kind} {thing} of {town} and {next}",),
            (
                (
                    "{other} leaves the {kind} {thing} of {town} and {next} after {n} years. "
                    "{family}, a deputy so far, takes over in spring."
                ),
            ),
            ("{family}接替{other}，执掌{town}与{next}的{kind}{thing}",),
            "{other}任职{n}年后离开{town}与{next}的{kind}{thing}，副手{family}将于春季接任。",
        ),
    )
    for beat in BEATS
}


def parts_of(beat: str, draws: RandomDraws) -> dict[str, Pair]:
    """What fills the blanks of `SMALL_NEWS` beside the numbers of any event."""
    family, other = _name(draws, _FAMILY), _name(draws, _FAMILY)
    return {
        "town": _name(draws, _TOWN),
        "next": _name(draws, _TOWN),
        "family": family,
        "other": other,
        "person": family,
        "kind": draws.pick(_KINDS[beat]),
        "thing": draws.pick(_THINGS[beat]),
    }


def _name(draws: RandomDraws, parts: tuple[tuple[Pair, ...], ...]) -> Pair:
    chosen = [draws.pick(part) for part in parts]
    return "".join(pair[0] for pair in chosen), "".join(pair[1] for pair in chosen)
