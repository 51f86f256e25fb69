"""Which of the operator's secrets a source's headers may carry, and where to (T5, T17).

Anybody who may add a source writes its headers. So a `${NAME}` reaches only variables that the
operator made for this, and each goes only to the hosts the operator named for it: else one could
have it sent to a server of one's own.

    CUSTOM_API_ACME=s3cr3t                          used as "Bearer ${CUSTOM_API_ACME}"
    CUSTOM_API_ACME_HOST=api.acme.example           (more hosts with commas; host or host:port)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.secret import Secret
from clawfeed.egress.url import ParsedUrl
from clawfeed.sources.config.checks import quote
from clawfeed.sources.config.custom_api import HEADER_SECRET_HOST, HEADER_SECRETS

_VARIABLE = re.compile(r"\$\{([^{}]*)\}")


class HeaderSecrets:
    """The variables of *environ* that begin with `CUSTOM_API_`; it knows no others."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._values = {n: Secret(v) for n, v in environ.items() if n.startswith(HEADER_SECRETS)}

    def problems(self, text: str, target: ParsedUrl) -> Iterator[str]:
        """Why the variables in a header's *text* cannot be sent to *target*, one sentence each."""
        for name in dict.fromkeys(_VARIABLE.findall(text)):
            if not name.startswith(HEADER_SECRETS):
                allowed = f"only variables that start with {HEADER_SECRETS} can be"
                yield f"uses ${{{_shown(name)}}}: {allowed}."
            elif name not in self._values:
                yield f"uses {_shown(name)}, and the operator has set no such variable."
            elif not self._is_for(name, target):
                yield (
                    f"uses {_shown(name)}, which may not be sent to {target}; "
                    f"the operator can allow the host in {_shown(name)}{HEADER_SECRET_HOST}."
                )

    def resolve(self, text: str, target: ParsedUrl) -> str:
        """*text* with its variables filled in; `SourceError(MISCONFIGURED)` names a bad one."""
        for problem in self.problems(text, target):
            raise SourceError(Reason.MISCONFIGURED, f"A header {problem}")
        return _VARIABLE.sub(lambda found: self._values[found[1]].reveal(), text)

    def _is_for(self, name: str, target: ParsedUrl) -> bool:
        hosts = self._values.get(name + HEADER_SECRET_HOST, Secret("")).reveal().lower().split(",")
        allowed = {host.strip() for host in hosts}
        return bool(allowed & {target.host, f"{target.host}:{target.port}"})


def _shown(name: str) -> str:
    return quote(name)[1:-1] if len(name) <= 40 else "a variable with a long name"
