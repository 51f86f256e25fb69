"""Which requests share one host's patience: the registrable domain, nearly.

Without a public suffix list: the last two labels, three under the suffixes below. A wrong guess
makes us a little too polite or a little less so; nothing depends on it for safety.
"""

from __future__ import annotations

from functools import lru_cache

from clawfeed.egress.target import Target

# Registries that sell names one level down.
_REGISTRIES = """
co.uk org.uk ac.uk gov.uk me.uk ltd.uk net.uk com.cn net.cn org.cn gov.cn edu.cn ac.cn com.au
net.au org.au edu.au gov.au co.jp ne.jp or.jp ac.jp go.jp ad.jp co.kr or.kr go.kr ac.kr com.br
org.br net.br gov.br com.mx org.mx com.ar com.co com.pe com.tw org.tw edu.tw gov.tw com.hk org.hk
edu.hk com.sg edu.sg com.my com.ph com.vn co.th in.th co.id or.id co.in org.in net.in ac.in gov.in
com.pk com.tr org.tr com.ua co.il org.il ac.il com.sa co.za org.za com.ng co.ke com.eg co.nz org.nz
net.nz govt.nz com.pl com.ru com.pt com.gr com.es
"""

# Platforms where each name below belongs to someone else, who may answer as they please: one
# customer's 429 must not silence another. Platforms that throttle as one (substack.com,
# wordpress.com, tumblr.com) are left out on purpose.
_PLATFORMS = """
github.io gitlab.io codeberg.page netlify.app vercel.app pages.dev workers.dev herokuapp.com
fly.dev onrender.com web.app firebaseapp.com appspot.com deno.dev glitch.me repl.co
azurewebsites.net cloudfront.net blogspot.com neocities.org readthedocs.io bearblog.dev
duckdns.org ngrok.io ngrok.app
"""
_SUFFIXES = frozenset((_REGISTRIES + _PLATFORMS).split())


def site_of(target: Target) -> str:
    """The key under which this target's politeness is kept, e.g. `example.co.uk`.

    An IP literal and a bare intranet name are a site per port.
    """
    if target.address is not None or "." not in target.host:
        return f"{target.host}:{target.port}"
    return registrable(target.host)


@lru_cache(maxsize=4096)
def registrable(host: str) -> str:
    labels = host.rsplit(".", 3)[-3:]
    if len(labels) == 3 and ".".join(labels[1:]) not in _SUFFIXES:
        return ".".join(labels[1:])
    return ".".join(labels)
