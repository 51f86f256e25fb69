"""Certificates made on the spot: an authority of our own, and what it signs for whom and when."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from typing import Final, TypeAlias

from tests.support.system_packages import needed

# First and last moment, as OpenSSL writes them. Fixed, so that no test has to read a clock.
Span: TypeAlias = tuple[str, str]
PRESENT: Final[Span] = ("20200101000000Z", "20900101000000Z")
PAST: Final[Span] = ("20200101000000Z", "20200201000000Z")
FUTURE: Final[Span] = ("20900101000000Z", "20910101000000Z")

_NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
# `openssl ca` and its ledger: `openssl x509` takes dates only from version 3.4 on.
_LEDGER = """\
[ca]
default_ca = ours
[ours]
database = issued.txt
new_certs_dir = .
certificate = root.pem
private_key = root.key
default_md = sha256
policy = any_subject
rand_serial = yes
unique_subject = no
[any_subject]
commonName = supplied
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """What a server shows, and the key that proves it is its own."""

    file: Path
    key: Path

    def context(self) -> ssl.SSLContext:
        """For a server that shows it."""
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(self.file, self.key)
        return context


class Authority:
    """Signs certificates, in a new folder below *folder*; trusted by who trusts its *root*."""

    def __init__(self, folder: Path) -> None:
        self._folder = Path(mkdtemp(dir=folder))
        self._numbers = count(1)
        (self._folder / "ledger.cnf").write_text(_LEDGER)
        (self._folder / "issued.txt").touch()
        self.root = _self_signed(self._folder, "root", "keyUsage=critical,keyCertSign,cRLSign").file
        # One key for all that it signs: they differ in what is said about it.
        request = ("-subj", "/CN=leaf", "-keyout", "leaf.key", "-out", "leaf.csr")
        _openssl(self._folder, "req", *_NEW_KEY, *request)

    def issue(self, *names: str, valid: Span = PRESENT) -> Certificate:
        """A certificate for *names*, written as in `DNS:localhost` or `IP:127.0.0.1`."""
        file = self._folder / f"leaf{next(self._numbers)}.pem"
        said = file.with_suffix(".ext")
        said.write_text(
            f"subjectAltName = {','.join(names)}\n"
            "basicConstraints = critical,CA:FALSE\n"
            "authorityKeyIdentifier = keyid\n"
        )
        dates = ("-startdate", valid[0], "-enddate", valid[1])
        files = ("-in", "leaf.csr", "-extfile", said.name, "-out", file.name)
        _openssl(self._folder, "ca", "-config", "ledger.cnf", "-batch", "-notext", *dates, *files)
        return Certificate(file=file, key=self._folder / "leaf.key")


def signed_by_itself(folder: Path, *names: str) -> Certificate:
    """A certificate for *names* that nobody vouches for but its own key."""
    return _self_signed(Path(mkdtemp(dir=folder)), "own", f"subjectAltName={','.join(names)}")


def _self_signed(folder: Path, label: str, extension: str) -> Certificate:
    certificate = Certificate(file=folder / f"{label}.pem", key=folder / f"{label}.key")
    files = ("-keyout", certificate.key.name, "-out", certificate.file.name)
    about = ("-days", "3650", "-subj", f"/CN=ClawFeed test {label}", "-addext", extension)
    _openssl(folder, "req", "-x509", *_NEW_KEY, *files, *about)
    return certificate


def _openssl(folder: Path, *arguments: str) -> None:
    tool = needed("openssl", _find())
    done = subprocess.run(
        [tool, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def _find() -> Path | None:
    found = shutil.which("openssl")
    return Path(found) if found else None
