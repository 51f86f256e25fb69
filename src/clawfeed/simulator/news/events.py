"""What happens in the simulated world, told in several wordings, in English and Chinese."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Topic:
    """One kind of event; the blanks are filled with the facts of a `stories.Event`."""

    beat: str
    headlines: tuple[str, ...]
    leads: tuple[str, ...]
    headlines_zh: tuple[str, ...]
    lead_zh: str


TOPICS: tuple[Topic, ...] = (
    Topic(
        "ai",
        (
            "{who} releases open-weight model with {n} billion parameters",
            "Open weights: {who}'s new {n}B model is free to download",
            "{who} puts a {n} billion parameter language model in the open",
            "A {n}B model anyone can run: {who} opens its weights",
        ),
        (
            (
                "{who} has published the weights of a language model with {n} billion "
                "parameters, and says it beats the best open model of last year on {most} "
                "percent of a public test suite."
            ),
            (
                "Anyone may now download the {n} billion parameter model that {who} trained in "
                "{place}; on a public suite it leads in {most} percent of the tests, the "
                "company reports."
            ),
        ),
        (
            "{who}开源{n}亿参数大模型",
            "{who}发布{n}亿参数开放权重模型，可免费下载",
        ),
        (
            "{who}今天公布了一个{n}亿参数语言模型的权重。公司称，该模型在公开测试集{most}%的项"
            "目上领先去年最好的开源模型。"
        ),
    ),
    Topic(
        "ai",
        (
            "Hospital trial in {place}: AI triage cuts waiting time by {pct}%",
            "{place} hospitals report {pct}% shorter waits with AI triage from {who}",
            "AI triage by {who} shortens emergency waits {pct}% in {place} study",
        ),
        (
            (
                "Emergency departments in {place} cut waiting times by {pct} percent after "
                "introducing a triage assistant made by {who}, according to a study of {n} "
                "thousand visits."
            ),
            (
                "A study of {n} thousand emergency visits in {place} finds waits {pct} percent "
                "shorter where nurses used the triage assistant of {who}."
            ),
        ),
        (
            "{place}医院试用AI分诊，候诊时间缩短{pct}%",
            "{who}AI分诊在{place}见效：候诊缩短{pct}%",
        ),
        (
            "一项覆盖{n}千人次急诊的研究显示，{place}的医院使用{who}的分诊助手后，候诊时间缩短"
            "了{pct}%。"
        ),
    ),
    Topic(
        "ai",
        (
            "{who} opens voice assistant that runs without a network",
            "No cloud needed: {who}'s assistant works offline on phones",
            "Offline voice assistant from {who} needs only {few} GB of memory",
        ),
        (
            (
                "{who} has released a voice assistant that runs on a phone without a network. "
                "It needs {few} gigabytes of memory and speaks {n} languages."
            ),
            (
                "The new assistant of {who} never sends a word to the cloud: {few} gigabytes "
                "of memory are enough for {n} languages."
            ),
        ),
        ("{who}推出离线语音助手，支持{n}种语言",),
        "{who}发布了一款无需联网的手机语音助手，只需{few}GB内存，支持{n}种语言。",
    ),
    Topic(
        "ai",
        (
            "Court in {place} rules on training data; {who} must list its sources",
            "{who} has to name its training sources, {place} court says",
            "Training data: {place} judges give {who} {n} days",
        ),
        (
            (
                "A court in {place} has ordered {who} to publish a list of the works its "
                "models were trained on within {n} days. {most} publishers had joined the case."
            ),
            (
                "Within {n} days {who} must say what its models were trained on, judges in "
                "{place} decided in a case brought by {most} publishers."
            ),
        ),
        ("{place}法院判决：{who}须在{n}天内公开训练数据来源",),
        "{place}一家法院要求{who}在{n}天内公布模型训练所用作品清单，此案由{most}家出版商提起。",
    ),
    Topic(
        "ai",
        (
            "Teachers in {place} test AI tutor: grades up {pct}%",
            "An AI tutor in {n} schools lifts maths results by {pct}%",
            "{place} schools: pupils with AI tutor score {pct}% higher",
        ),
        (
            (
                "Pupils in {n} schools of {place} improved their maths results by {pct} "
                "percent after a year with a tutor program of {who}; weaker pupils gained most."
            ),
            (
                "A year with the tutor program of {who} raised maths results in {n} schools of "
                "{place} by {pct} percent."
            ),
        ),
        ("{place}{n}所学校试用AI家教，成绩提高{pct}%",),
        (
            "{place}的{n}所学校使用{who}的辅导程序一年后，学生数学成绩提高了{pct}%，基础较弱的"
            "学生进步最大。"
        ),
    ),
    Topic(
        "chips",
        (
            "{who} to build ${m} million chip plant in {place}",
            "{place} wins {who}'s ${m} million semiconductor factory",
            "Chipmaker {who} picks {place} for a ${m} million fab",
            "{who} will spend ${m} million on a new fab in {place}",
        ),
        (
            (
                "{who} will build a semiconductor plant in {place} for {m} million dollars. It "
                "should employ {n} people and make its first wafers in two years."
            ),
            (
                "The {m} million dollar plant that {who} announced for {place} will give work "
                "to {n} people; first wafers are expected in two years."
            ),
        ),
        (
            "{who}将在{place}投资{m}百万美元建芯片厂",
            "{place}迎来{who}晶圆厂，投资{m}百万美元",
        ),
        (
            "{who}宣布将在{place}建设一座半导体工厂，投资{m}百万美元，预计两年后投产，提供{n}个"
            "工作岗位。"
        ),
    ),
    Topic(
        "chips",
        (
            "{who}'s laptop chip promises {pct}% better battery life",
            "New {who} processor: same speed, {pct}% less power",
            "{who} claims {pct}% longer battery life with its next chip",
        ),
        (
            (
                "The next laptop processor of {who} needs {pct} percent less energy at the "
                "same speed, the company said in {place}; machines with it will ship in {n} "
                "countries."
            ),
            (
                "At an event in {place}, {who} showed a processor that does the same work with "
                "{pct} percent less energy. It goes on sale in {n} countries."
            ),
        ),
        (
            "{who}新款笔记本芯片续航提升{pct}%",
            "{who}发布低功耗处理器，能耗降低{pct}%",
        ),
        "{who}在{place}发布新一代笔记本处理器，同等性能下能耗降低{pct}%，将在{n}个国家上市。",
    ),
    Topic(
        "chips",
        (
            "{who} and {other} agree on open chiplet standard",
            "Open chiplets: {n} firms follow {who} and {other}",
            "{n} companies back chiplet standard by {who}",
        ),
        (
            (
                "{who} and {other} have agreed on an open standard for joining chiplets, and "
                "{n} companies say they will follow. First parts are due next year."
            ),
            (
                "An open standard for chiplets, written by {who} and {other}, has the support "
                "of {n} companies."
            ),
        ),
        ("{who}与{other}发布开放芯粒标准，{n}家公司支持",),
        "{who}与{other}就开放芯粒互连标准达成一致，已有{n}家公司表示支持，首批产品预计明年面世。",
    ),
    Topic(
        "chips",
        (
            "Memory prices rise {pct}% as factories in {place} stand still",
            "Power cut in {place} pushes memory prices up {pct}%",
            "{pct}% dearer: memory chips after the {place} outage",
        ),
        (
            (
                "Memory chips cost {pct} percent more than a week ago after a power cut "
                "stopped {few} factories in {place}; {who} expects weeks of shortage."
            ),
            (
                "A power cut in {place} stopped {few} memory factories, and prices rose by "
                "{pct} percent within a week."
            ),
        ),
        ("{place}停电致存储芯片涨价{pct}%",),
        "{place}停电导致{few}家工厂停产，存储芯片价格一周内上涨{pct}%，{who}预计短缺将持续数周。",
    ),
    Topic(
        "chips",
        (
            "Students in {place} tape out a processor for ${n}",
            "A ${n} processor, designed in a {place} classroom",
            "Open tools let {place} students make a chip for ${n} apiece",
        ),
        (
            (
                "Students in {place} have designed a working processor with open tools; {who} "
                "makes it for {n} dollars apiece. {most} of the first hundred passed all tests."
            ),
            (
                "With open tools only, a class in {place} designed a processor that {who} now "
                "produces for {n} dollars apiece."
            ),
        ),
        ("{place}学生用开源工具设计处理器，单价{n}美元",),
        (
            "{place}的学生用开源工具设计出可用的处理器，由{who}代工，单价{n}美元，首批一百颗中{most}"
            "颗通过全部测试。"
        ),
    ),
    Topic(
        "space",
        (
            "Telescope finds water vapour on a planet {n} light-years away",
            "Water vapour detected on exoplanet {n} light-years from Earth",
            "{inst}: a humid world, {n} light-years from here",
        ),
        (
            (
                "Astronomers at {inst} have found water vapour in the atmosphere of a planet "
                "{n} light-years away, after observing {few} transits in front of its star."
            ),
            (
                "A planet {n} light-years from us has water vapour in its air, say astronomers "
                "at {inst}, who watched it cross its star {few} times."
            ),
        ),
        (
            "{n}光年外行星发现水汽",
            "天文学家在{n}光年外的系外行星上探测到水蒸气",
        ),
        "{inst}的天文学家在{n}光年外一颗行星的大气中发现了水汽，他们共观测了{few}次凌星。",
    ),
    Topic(
        "space",
        (
            "{who} lands reusable booster for the {few}th time",
            "{few} flights, one booster: {who} sets reuse record from {place}",
            "Record reuse: {who} booster returns from flight number {few}",
        ),
        (
            (
                "A first stage built by {who} has flown and landed for the {few}th time, "
                "carrying {n} small satellites to orbit from its site near {place}."
            ),
            (
                "{who} launched {n} small satellites near {place} with a booster on its "
                "{few}th flight; it landed again nine minutes later."
            ),
        ),
        (
            "{who}火箭第{few}次成功回收",
            "同一枚助推器飞行{few}次，{who}创下复用纪录",
        ),
        "{who}的一级火箭完成第{few}次飞行与回收，从{place}附近将{n}颗小卫星送入轨道。",
    ),
    Topic(
        "space",
        (
            "Lunar lander of {who} sends first pictures from the south pole",
            "{who} lands at the Moon's south pole, {n} minutes late",
            "First pictures from the lunar south pole reach {who} in {place}",
        ),
        (
            (
                "The lander of {who} touched down near the lunar south pole {n} minutes later "
                "than planned and sent {most} pictures to its control room in {place}."
            ),
            (
                "After {n} anxious minutes, {who} received {most} pictures from its lander at "
                "the south pole of the Moon."
            ),
        ),
        ("{who}着陆器传回月球南极首批照片",),
        "{who}的着陆器比计划晚{n}分钟降落在月球南极附近，并向{place}控制室传回{most}张照片。",
    ),
    Topic(
        "space",
        (
            "Astronomers count {n} new moons around outer planets",
            "{n} moons more: survey by {inst} fills the catalogue",
            "Outer planets gain {n} small moons",
        ),
        (
            (
                "{inst} has confirmed {n} new moons around the outer planets, most of them "
                "only {few} kilometres wide, with pictures taken over {few} years."
            ),
            "The catalogue grows by {n} moons, each some {few} kilometres wide, found by {inst}.",
        ),
        ("外行星新增{n}颗卫星",),
        "{inst}确认外行星周围有{n}颗新卫星，多数直径仅约{few}公里，观测历时{few}年。",
    ),
    Topic(
        "space",
        (
            "Debris warning: {n} satellites change course in one night",
            "{n} satellites had to dodge an old rocket stage",
            "Old rocket stage breaks up, {n} satellites step aside",
        ),
        (
            (
                "An old rocket stage broke into {most} pieces, and {n} satellites changed "
                "course in one night. {who} asks for a binding clean-up rule."
            ),
            (
                "{n} satellites were moved in one night because an old stage broke into {most} "
                "pieces."
            ),
        ),
        ("火箭残骸解体，{n}颗卫星连夜变轨",),
        "一枚旧火箭级解体成{most}块碎片，{n}颗卫星连夜变轨，{who}呼吁制定强制清理规则。",
    ),
    Topic(
        "science",
        (
            "Gene therapy restores hearing in {few} of {n} children, study finds",
            "{few} of {n} deaf children hear after one injection",
            "Hearing restored in gene therapy trial with {n} children",
        ),
        (
            (
                "A single injection restored hearing in {few} of {n} children born deaf, "
                "researchers at {inst} report; the oldest results are now two years old and "
                "stable."
            ),
            (
                "Of {n} children born deaf, {few} can hear after gene therapy at {inst}. The "
                "effect has lasted two years so far."
            ),
        ),
        (
            "基因疗法让{n}名失聪儿童中的{few}名恢复听力",
            "一针见效：{few}名先天失聪儿童重获听力",
        ),
        (
            "{inst}的研究人员报告，一次注射使{n}名先天失聪儿童中的{few}名恢复听力，疗效已稳定保"
            "持两年。"
        ),
    ),
    Topic(
        "science",
        (
            "Sodium battery keeps {most}% of its charge after {n} hundred cycles",
            "{inst} shows sodium battery that lasts {n} hundred cycles",
            "Cheap sodium cells: {most}% capacity left after {n} hundred cycles",
        ),
        (
            (
                "A sodium-ion cell developed at {inst} keeps {most} percent of its capacity "
                "after {n} hundred charging cycles, without lithium, nickel or cobalt."
            ),
            (
                "Without lithium, nickel or cobalt, a cell from {inst} still holds {most} "
                "percent of its charge after {n} hundred cycles."
            ),
        ),
        (
            "钠电池循环{n}百次后仍保持{most}%容量",
            "{inst}推出长寿命钠离子电池，可循环{n}百次",
        ),
        "{inst}研制的钠离子电池在{n}百次充放电后仍保持{most}%的容量，且不使用锂、镍和钴。",
    ),
    Topic(
        "science",
        (
            "Oldest known wooden tools are {n}0 thousand years old",
            "{n}0 thousand years: wooden tools rewrite a chapter of history",
            "Wooden tools from {place} are {n}0 thousand years old",
        ),
        (
            (
                "Wooden tools found near {place} are {n}0 thousand years old, {inst} says; "
                "{few} of them still show marks of fire."
            ),
            (
                "Near {place}, a team of {inst} dug out {few} wooden tools made {n}0 thousand "
                "years ago."
            ),
        ),
        ("{place}附近出土{n}0千年前木制工具",),
        "{inst}表示，在{place}附近发现的木制工具距今{n}0千年，其中{few}件仍留有用火痕迹。",
    ),
    Topic(
        "science",
        (
            "Bees recognise {few} human faces, experiment shows",
            "Experiment: bees tell {few} faces apart, and remember for {n} days",
            "{inst} finds bees that remember faces for {n} days",
        ),
        (
            (
                "Bees can learn to tell {few} human faces apart and remember them for {n} "
                "days, an experiment at {inst} with {most} colonies shows."
            ),
            "After {n} days, bees still knew {few} faces in an experiment of {inst}.",
        ),
        ("实验显示蜜蜂能辨认{few}张人脸",),
        "{inst}对{most}个蜂群的实验显示，蜜蜂能学会区分{few}张人脸，并能记住{n}天。",
    ),
    Topic(
        "science",
        (
            "New antibiotic kills resistant germs in {most}% of cases",
            "{inst} finds antibiotic in soil near {place}",
            "Soil from {place} yields an antibiotic against resistant germs",
        ),
        (
            (
                "A substance from soil near {place} healed {most} percent of infections with "
                "resistant germs in mice; {inst} will test it on {n} people next year."
            ),
            (
                "{inst} found an antibiotic in the soil of {place}: it healed {most} percent "
                "of infected mice, and {n} people will test it next year."
            ),
        ),
        ("土壤中发现新抗生素，对{most}%耐药感染有效",),
        (
            "{inst}从{place}附近土壤中提取的新物质治愈了{most}%的耐药感染小鼠，明年将在{n}名志"
            "愿者中试验。"
        ),
    ),
    Topic(
        "climate",
        (
            "{place} runs {n} hours on wind and sun alone",
            "For {n} hours, {place} needed no fossil power",
            "Wind and solar carry {place} for a record {n} hours",
        ),
        (
            (
                "The grid of {place} ran for {n} hours on wind and solar power alone, with "
                "batteries of {who} covering {pct} percent of the evening peak."
            ),
            (
                "No fossil plant fed the grid of {place} for {n} hours; batteries by {who} "
                "carried {pct} percent of the evening peak."
            ),
        ),
        (
            "{place}连续{n}小时仅靠风电和光伏供电",
            "{place}电网创纪录：{n}小时零化石能源",
        ),
        "{place}电网连续{n}小时仅靠风电和光伏运行，{who}的储能电池承担了晚高峰{pct}%的负荷。",
    ),
    Topic(
        "climate",
        (
            "Glacier survey: {pct}% of ice volume lost in {n} years",
            "{inst} measures {pct}% ice loss over {n} years",
            "Mountain glaciers shrank {pct}% in {n} years, survey says",
        ),
        (
            (
                "The glaciers surveyed by {inst} have lost {pct} percent of their volume in "
                "{n} years, faster than any model had expected for this decade."
            ),
            (
                "In {n} years, {pct} percent of the ice is gone: {inst} has measured what "
                "models expected only for the next decade."
            ),
        ),
        (
            "{n}年间冰川体积减少{pct}%",
            "{inst}调查：冰川{n}年消融{pct}%",
        ),
        "{inst}调查的冰川在{n}年间损失了{pct}%的体积，快于所有模型对本十年的预期。",
    ),
    Topic(
        "climate",
        (
            "Heat pumps overtake gas boilers in {place}",
            "For the first time, {place} buys more heat pumps than boilers",
            "{most}% of new heating in {place} is now a heat pump",
        ),
        (
            (
                "{most} percent of the heating systems sold in {place} this year were heat "
                "pumps, made mostly by {who}; a subsidy of {m} million helped."
            ),
            (
                "Heat pumps, most of them by {who}, made up {most} percent of heating sales in "
                "{place} this year."
            ),
        ),
        ("{place}热泵销量首超燃气锅炉，占比{most}%",),
        "今年{place}售出的供暖设备中{most}%为热泵，多数由{who}生产，{m}百万补贴起到推动作用。",
    ),
    Topic(
        "climate",
        (
            "Replanted mangroves in {place} hold back {pct}% of storm waves",
            "{inst}: young mangroves weaken storm waves by {pct}%",
            "Mangroves pay off: {pct}% lower waves, {m} million saved",
        ),
        (
            (
                "Mangroves replanted near {place} weaken storm waves by {pct} percent, {inst} "
                "measured. The damage avoided is put at {m} million a year."
            ),
            (
                "{inst} measured waves behind {n} kilometres of new mangroves near {place}: "
                "they were {pct} percent lower."
            ),
        ),
        ("红树林复种见效：风暴浪减弱{pct}%",),
        "{inst}测得，{place}附近复种的红树林使风暴浪减弱{pct}%，每年可避免约{m}百万损失。",
    ),
    Topic(
        "climate",
        (
            "{who} captures {n} thousand tonnes of CO2 from a cement plant",
            "Cement without smoke: {who} stores {n} thousand tonnes of CO2",
            "{place} cement plant hands {n} thousand tonnes of CO2 to {who}",
        ),
        (
            (
                "{who} has captured and stored {n} thousand tonnes of carbon dioxide from a "
                "cement plant in {place}, at {few}0 euros a tonne."
            ),
            (
                "At {few}0 euros a tonne, {who} stored {n} thousand tonnes of carbon dioxide "
                "from the cement plant of {place}."
            ),
        ),
        ("{who}从水泥厂捕集{n}千吨二氧化碳",),
        "{who}从{place}一家水泥厂捕集并封存了{n}千吨二氧化碳，成本为每吨{few}0欧元。",
    ),
    Topic(
        "world",
        (
            "{n} cities agree on night train network from {place}",
            "Night trains return: {n} cities sign up in {place}",
            "{place} summit: {n} cities back a shared night train network",
        ),
        (
            (
                "Mayors of {n} cities signed an agreement in {place} to run night trains "
                "together; {m} million euros are set aside for the first {pct} carriages."
            ),
            (
                "Night trains will link {n} cities under an agreement signed in {place}, "
                "starting with {pct} carriages and {m} million euros."
            ),
        ),
        (
            "{n}座城市在{place}签署夜行列车网络协议",
            "夜行列车回归：{n}城在{place}达成合作",
        ),
        "{n}座城市的市长在{place}签署协议，共同运营夜行列车，首批{pct}节车厢获{m}百万欧元拨款。",
    ),
    Topic(
        "world",
        (
            "{place} bans cars from its centre; {most}% of shops report more visitors",
            "A year without cars in {place}: {most}% of shops gain",
            "Car-free {place}: most shops, {most}%, see more customers",
        ),
        (
            (
                "One year after {place} closed its centre to cars, {most} percent of {n} shops "
                "asked report more visitors than before, the city council says."
            ),
            (
                "The council of {place} asked {n} shops about the year without cars: {most} "
                "percent have more visitors."
            ),
        ),
        (
            "{place}中心区禁车一年，{most}%商铺客流上升",
            "{place}无车街区满周年：{most}%店铺受益",
        ),
        "{place}中心区禁止汽车通行一年后，受访的{n}家商铺中有{most}%表示客流增加。",
    ),
    Topic(
        "world",
        (
            "Flood wall protects {place} for the first time",
            "{place} closes its new flood gates, {n} thousand homes stay dry",
            "Storm tide: new barrier saves {n} thousand homes in {place}",
        ),
        (
            (
                "The new flood barrier of {place} was closed for the first time, for {few} "
                "hours, and {n} thousand homes stayed dry. It had cost {m} million."
            ),
            (
                "{n} thousand homes in {place} stayed dry behind a barrier that cost {m} "
                "million and was closed for {few} hours."
            ),
        ),
        ("{place}新防洪闸首次启用，{n}千户免受水淹",),
        "{place}耗资{m}百万的新防洪闸首次关闭{few}小时，{n}千户居民家中未被水淹。",
    ),
    Topic(
        "world",
        (
            "Voters in {place} back four-day week with {most}%",
            "{most}% say yes: {place} tries the four-day week",
            "Four-day week: {place} starts with {n} thousand city workers",
        ),
        (
            (
                "{most} percent of voters in {place} want a four-day week for city workers. It "
                "starts in spring with {n} thousand people."
            ),
            (
                "The four-day week comes to {n} thousand city workers in {place}: {most} "
                "percent voted for it."
            ),
        ),
        ("{place}公投：{most}%支持四天工作制",),
        "{place}有{most}%的选民支持市政员工实行四天工作制，明年春天将覆盖{n}千人。",
    ),
    Topic(
        "world",
        (
            "Museum of {place} returns {n} works of art",
            "{n} works go home: {place} museum ends a long dispute",
            "After {few} years of talks, {place} gives back {n} works",
        ),
        (
            (
                "The museum of {place} returns {n} works of art after {few} years of talks. "
                "{person} called it late, but right."
            ),
            (
                "After {few} years of talks {n} works of art leave the museum of {place} and "
                "go home, said {person}."
            ),
        ),
        ("{place}博物馆归还{n}件艺术品",),
        "经过{few}年谈判，{place}博物馆归还{n}件艺术品。{person}称“虽迟但对”。",
    ),
    Topic(
        "business",
        (
            "{who} buys {other} for ${m} million",
            "{other} sold to {who} in ${m} million deal",
            "${m} million: {who} takes over {other}",
            "{who} agrees to acquire {other}, paying ${m} million",
        ),
        (
            (
                "{who} is buying {other} for {m} million dollars. All {n} employees keep their "
                "jobs, said {person}, who will lead both."
            ),
            (
                "{other} goes to {who} for {m} million dollars; {person} will lead the {n} "
                "employees of the joint company."
            ),
        ),
        (
            "{who}以{m}百万美元收购{other}",
            "{other}被{who}收购，作价{m}百万美元",
        ),
        "{who}将以{m}百万美元收购{other}。负责人{person}表示，全部{n}名员工将留任。",
    ),
    Topic(
        "business",
        (
            "{who} posts {pct}% growth, lifts forecast",
            "Strong quarter: {who} revenue up {pct}%",
            "{who} raises outlook after revenue climbs {pct}%",
        ),
        (
            (
                "Revenue at {who} rose {pct} percent to {m} million dollars last quarter, and "
                "the company now expects a better year, {person} told analysts."
            ),
            (
                "{who} earned {m} million dollars last quarter, {pct} percent more than a year "
                "ago, and raised its forecast."
            ),
        ),
        (
            "{who}营收增长{pct}%，上调全年预期",
            "{who}季度业绩亮眼：收入增长{pct}%",
        ),
        "{who}上季度营收增长{pct}%，达到{m}百万美元，{person}在分析师会议上表示将上调全年预期。",
    ),
    Topic(
        "business",
        (
            "{who} goes public, shares rise {pct}% on first day",
            "Strong debut: {who} up {pct}% in {place}",
            "{who} raises ${m} million at the {place} exchange",
        ),
        (
            (
                "Shares of {who} rose {pct} percent on their first day in {place}; the company "
                "raised {m} million dollars."
            ),
            (
                "{who} raised {m} million dollars at the exchange of {place}, where its shares "
                "closed {pct} percent higher."
            ),
        ),
        ("{who}上市首日上涨{pct}%，募资{m}百万美元",),
        "{who}在{place}上市首日股价上涨{pct}%，募集资金{m}百万美元。",
    ),
    Topic(
        "business",
        (
            "{who} cuts {n} hundred jobs and names {person} chief",
            "{person} takes over at {who}, {n} hundred jobs go",
            "New chief, fewer jobs: {who} starts over",
        ),
        (
            (
                "{person} becomes chief executive of {who}. At the same time the firm cuts {n} "
                "hundred jobs, {pct} percent of its staff."
            ),
            (
                "{who} names {person} chief executive and cuts {n} hundred jobs, {pct} percent "
                "of all."
            ),
        ),
        ("{who}裁员{n}百人，{person}出任首席执行官",),
        "{person}出任{who}首席执行官，公司同时裁减{n}百个岗位，占员工总数的{pct}%。",
    ),
    Topic(
        "business",
        (
            "{who} pays {n} hundred workers in shares",
            "{n} hundred workers become owners of {who}",
            "{who} hands {pct}% of the company to its staff",
        ),
        (
            (
                "The founders of {who} give {pct} percent of the company to its {n} hundred "
                "workers in {place}. Nobody has to pay for it."
            ),
            (
                "{n} hundred workers in {place} now own {pct} percent of {who}, a present of "
                "its founders."
            ),
        ),
        ("{who}创始人将{pct}%股份赠予{n}百名员工",),
        "{who}的创始人将公司{pct}%的股份赠予{place}的{n}百名员工，员工无需出资。",
    ),
    Topic(
        "software",
        (
            "{who} fixes flaw that exposed {n} thousand servers",
            "Patch now: {who} bug left {n} thousand servers open",
            "{n} thousand servers at risk until {who} update is installed",
            "Researchers find hole in {who} software on {n} thousand servers",
        ),
        (
            (
                "{who} has released an update for a flaw that let strangers read memory on {n} "
                "thousand servers; {most} percent of them were patched within a day."
            ),
            (
                "A flaw in the software of {who} exposed the memory of {n} thousand servers. "
                "An update is out, and {most} percent have installed it."
            ),
        ),
        (
            "{who}修复影响{n}千台服务器的漏洞",
            "尽快升级：{who}漏洞波及{n}千台服务器",
        ),
        (
            "{who}发布更新，修复一个可泄露内存的漏洞。受影响的{n}千台服务器中，{most}%已在一天"
            "内完成升级。"
        ),
    ),
    Topic(
        "software",
        (
            "{who} rewrites its core in Rust, reports {pct}% fewer crashes",
            "{pct}% fewer crashes after Rust rewrite, says {who}",
            "How {who} moved {n} thousand lines to Rust",
        ),
        (
            (
                "{who} moved {n} thousand lines of its core to Rust over two years. Crashes "
                "fell by {pct} percent, {person} writes in a long report."
            ),
            (
                "Two years, {n} thousand lines, {pct} percent fewer crashes: {person} of {who} "
                "reports on a rewrite in Rust."
            ),
        ),
        (
            "{who}用Rust重写核心，崩溃减少{pct}%",
            "{n}千行代码迁移到Rust：{who}的两年经验",
        ),
        "{who}用两年时间把{n}千行核心代码迁移到Rust，{person}在报告中写道，崩溃减少了{pct}%。",
    ),
    Topic(
        "software",
        (
            "{who} release brings {n} new features and drops old plugins",
            "What is new in {who}: {n} changes that matter",
            "{who} ships its largest update in {few} years",
        ),
        (
            (
                "The new release of {who} has {n} new features, starts {pct} percent faster "
                "and no longer loads plugins of the old kind."
            ),
            (
                "{n} features, {pct} percent faster start, no old plugins: {who} ships its "
                "largest update in {few} years."
            ),
        ),
        ("{who}发布{few}年来最大更新，新增{n}项功能",),
        "{who}新版本带来{n}项新功能，启动速度提升{pct}%，并停止支持旧式插件。",
    ),
    Topic(
        "software",
        (
            "Maintainers of {n} packages get paid by new fund",
            "{place} fund pays maintainers of {n} open-source packages",
            "${m} million for open source: fund picks {n} packages",
        ),
        (
            (
                "A fund in {place} pays the maintainers of {n} open-source packages for two "
                "years, with {m} million from {who} and others."
            ),
            (
                "{n} open-source packages are chosen: their maintainers share {m} million, "
                "given by {who} and others."
            ),
        ),
        ("{m}百万基金资助{n}个开源项目维护者",),
        "{place}一家基金将在两年内资助{n}个开源软件包的维护者，{m}百万资金来自{who}等机构。",
    ),
    Topic(
        "software",
        (
            "Outage at {who}: a certificate expired after {few} years",
            "Expired certificate takes {who} offline for {n} minutes",
            "{who} was down for {n} minutes, and here is why",
        ),
        (
            (
                "{who} was offline for {n} minutes because a certificate made {few} years ago "
                "had expired. Its report is frank, and names {few} lessons."
            ),
            (
                "A certificate of {who} expired, and services stood still for {n} minutes; the "
                "report draws {few} lessons."
            ),
        ),
        ("证书过期致{who}宕机{n}分钟",),
        "{who}因一张{few}年前签发的证书过期而中断服务{n}分钟，事后报告坦率列出了{few}条教训。",
    ),
)
