"""Which requests share one host's patience: the registrable domain, nearly.

Without a public suffix list: the last two labels, and more under the suffixes below. A wrong guess
makes us a little too polite or a little less so; nothing depends on it for safety. Under a suffix
that is missing here, though, one owner's 429 silences the others.
"""

from __future__ import annotations

from functools import lru_cache

from clawfeed.egress.url import Target

# What registries of countries call their second level: names are sold below it (co.uk, gouv.fr).
# Only labels that are nobody's own name: web.de, info.de and id.me are sites.
_SECOND_LEVEL = frozenset(
    {"com", "co", "net", "org", "gov", "edu", "ac", "mil", "or", "ne", "go", "gob", "gouv", "govt"}
    | {"gub", "gv", "nom", "sch", "plc", "ltd", "asso", "idv"}
)

# The rest of them, where the label may be somebody's name elsewhere.
_REGISTRIES = """
me.uk nhs.uk police.uk ad.jp ed.jp gr.jp lg.jp re.kr pe.kr ms.kr hs.kr in.th mi.th id.au asn.au
geek.nz gen.nz iwi.nz kiwi.nz maori.nz school.nz parliament.nz web.za law.za nis.za school.za
res.in firm.in gen.in ind.in nic.in web.id my.id biz.id desa.id web.tr gen.tr bel.tr pol.tr k12.tr
info.tr biz.tr tv.tr av.tr dr.tr bbs.tr name.tr k12.il muni.il idf.il in.ua kiev.ua kyiv.ua lviv.ua
info.pl biz.pl waw.pl art.pl media.pl jus.br leg.br mp.br blog.br wiki.br dev.br app.br
eco.br art.br adv.br eng.br ind.br inf.br med.br jor.br tur.br tv.br info.ve web.ve info.ke me.ke
info.hu info.ro web.pk fam.pk msk.ru spb.ru in.rs int.ar tur.ar club.tw game.tw ebiz.tw
per.sg name.my name.vn info.vn pro.vn health.vn
"""

# Platforms where each name below belongs to someone else, who may answer as they please: one
# customer's 429 must not silence another. Platforms that throttle as one (substack.com,
# wordpress.com, tumblr.com) are left out on purpose.
_PLATFORMS = """
github.io gitlab.io codeberg.page gitee.io netlify.app vercel.app now.sh pages.dev workers.dev
r2.dev trycloudflare.com herokuapp.com fly.dev onrender.com up.railway.app koyeb.app
web.app firebaseapp.com appspot.com deno.dev deno.net glitch.me repl.co replit.app surge.sh
streamlit.app hf.space gradio.live lovable.app azurewebsites.net azurefd.net cloudapp.net
trafficmanager.net cloudfront.net akamaized.net b-cdn.net blogspot.com neocities.org
readthedocs.io bearblog.dev gitbook.io altervista.org 000webhostapp.com pythonanywhere.com
alwaysdata.net tilda.ws netlify.com csb.app stackblitz.io webcontainer.io
duckdns.org dyndns.org no-ip.org ddns.net hopto.org zapto.org sytes.net myftp.org mooo.com
dynu.net freeddns.org synology.me myfritz.net nip.io sslip.io loca.lt lhr.life serveo.net
ngrok.io ngrok.app ngrok.dev ngrok-free.app ngrok-free.dev
eu.org uk.com us.com eu.com de.com br.com cn.com ru.com sa.com za.com gb.net uk.net se.net in.net
co.com jpn.com
"""

# Platforms whose customers' names lie at different depths (by region, by service): each whole
# name is a site of its own.
_DEEP_PLATFORMS = """
amazonaws.com amazonaws.com.cn on.aws awsapprunner.com elasticbeanstalk.com run.app r.appspot.com
cloudfunctions.net storage.googleapis.com cloudapp.azure.com windows.net azurecontainerapps.io
azurestaticapps.net cloudflarestorage.com digitaloceanspaces.com ondigitalocean.app
backblazeb2.com wasabisys.com linodeobjects.com your-objectstorage.com scw.cloud oraclecloud.com
aliyuncs.com myqcloud.com fastly.net ts.net
"""
_SUFFIXES = frozenset((_REGISTRIES + _PLATFORMS).split())
_DEEP = frozenset(_DEEP_PLATFORMS.split())


def site_of(target: Target) -> str:
    """The key under which this target's politeness is kept, e.g. `example.co.uk`.

    An IP literal and a bare intranet name are a site per port.
    """
    if target.address is not None or "." not in target.host:
        return f"{target.host}:{target.port}"
    return registrable(target.host)


@lru_cache(maxsize=4096)
def registrable(host: str) -> str:
    """The name its owner has registered. Given a name it made, it makes the same again."""
    labels = host.split(".")
    tails = [".".join(labels[start:]) for start in range(len(labels))]
    if not _DEEP.isdisjoint(tails[1:]):
        return host
    # The longer suffix first: up.railway.app, then railway.app.
    for at in range(max(1, len(tails) - 3), len(tails) - 1):
        if _is_suffix(tails[at]):
            return tails[at - 1]
    return tails[-2]


def _is_suffix(name: str) -> bool:
    if name in _SUFFIXES:
        return True
    second, _, country = name.partition(".")
    return len(country) == 2 and second in _SECOND_LEVEL
