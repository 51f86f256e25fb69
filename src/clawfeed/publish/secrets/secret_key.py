"""The house's own key: set by the operator, or a file beside the SQLite file.

From it keys are derived, one per use: whoever gets hold of one learns nothing of the others.
"""

from __future__ import annotations

import base64
import os
import secrets
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import mkstemp
from typing import Protocol

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from clawfeed.domain.errors import InvalidInputError, RefusalCode, StorageError
from clawfeed.domain.secret import Secret

KEY_BYTES = 32
_SUFFIX = ".key"


@dataclass(frozen=True)
class HouseKey:
    """Derives keys. *key_id* names it without telling anything of it."""

    _material: bytes = field(repr=False)

    @cached_property
    def key_id(self) -> str:
        return self._derive(b"clawfeed key id").hex()[:16]

    @cached_property
    def sealing(self) -> bytes:
        return self._derive(b"clawfeed channel secrets")

    @cached_property
    def signing(self) -> bytes:
        return self._derive(b"clawfeed signed links")

    def _derive(self, use: bytes) -> bytes:
        return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=use).derive(
            self._material
        )


class KeyHolder(Protocol):
    """Where the house's key is."""

    def find(self) -> HouseKey | None:
        """The key, if there is one."""
        ...

    def get_or_make(self) -> HouseKey:
        """The key, made if need be; `InvalidInputError` if it cannot be."""
        ...


class SetKey:
    """`SECRETS_KEY`, or that there is none and no place for one."""

    def __init__(self, key: Secret | None) -> None:
        self._key = HouseKey(key.reveal().encode()) if key else None

    def find(self) -> HouseKey | None:
        return self._key

    def get_or_make(self) -> HouseKey:
        if self._key is None:
            raise InvalidInputError(
                "this house cannot keep secrets of channels yet: "
                "its operator must set SECRETS_KEY (`openssl rand -hex 32` makes one)",
                RefusalCode.NO_SECRETS_KEY,
            )
        return self._key


class KeyFile:
    """A key in a file of its own, which is made when it is first needed and never overwritten."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._key: HouseKey | None = None

    def find(self) -> HouseKey | None:
        if self._key is None:
            self._key = self._read()
        return self._key

    def get_or_make(self) -> HouseKey:
        found = self.find()
        if found is None:
            self._make()
            found = self.find()
        if found is None:
            raise StorageError(f"the key file {self._path} vanished while it was made: try again")
        return found

    def _read(self) -> HouseKey | None:
        try:
            text = self._path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageError(
                f"cannot read the key file {self._path} ({error.strerror}): "
                "make it readable, or set SECRETS_KEY"
            ) from error
        material = _decoded(text)
        if material is None:
            raise StorageError(
                f"the key file {self._path} is damaged: put it back from a backup, or move it away "
                "and enter the secrets of channels again"
            )
        return HouseKey(material)

    def _make(self) -> None:
        """Under another name first, whole and on disk: of two who make it, both read the first's.

        Linking fails where renaming would overwrite.
        """
        try:
            descriptor, name = mkstemp(prefix=f".{self._path.name}.", dir=self._path.parent)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(base64.urlsafe_b64encode(secrets.token_bytes(KEY_BYTES)) + b"\n")
                    file.flush()
                    os.fsync(file.fileno())
                os.link(name, self._path)
            finally:
                Path(name).unlink()
        except FileExistsError:
            return
        except OSError as error:
            raise StorageError(
                f"cannot write the key file {self._path} ({error.strerror}): "
                "make its folder writable, or set SECRETS_KEY"
            ) from error


def key_file_of(database_file: Path) -> Path:
    """Where the key is of a house whose operator set none."""
    return database_file.with_name(database_file.name + _SUFFIX)


def key_holder(key: Secret | None, database_file: Path | None) -> KeyHolder:
    """Where the key is: in the settings, else beside *database_file*, which SQLite has."""
    if key is None and database_file is not None:
        return KeyFile(key_file_of(database_file))
    return SetKey(key)


def _decoded(text: bytes) -> bytes | None:
    try:
        material = base64.urlsafe_b64decode(text.strip())
    except ValueError:
        return None
    return material if len(material) == KEY_BYTES else None
