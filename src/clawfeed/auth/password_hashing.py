"""Hashing passwords: argon2id, off the event loop, two at a time."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

# 46 MiB, one pass: 127 ms on the reference machine, beyond OWASP's minimum (RELIABILITY 6).
MEMORY_KIB, PASSES, LANES = 47104, 1, 1
# Each takes a core and 46 MiB; a flood of logins waits in line instead of taking the machine.
HASHES_AT_ONCE = 2


class Passwords:
    """Hashes and checks passwords. One per process: the line is shared by all doors."""

    def __init__(self, *, memory_kib: int = MEMORY_KIB) -> None:
        self._hasher = PasswordHasher(time_cost=PASSES, memory_cost=memory_kib, parallelism=LANES)
        # Threads of their own: a caller who hangs up must not let a third in.
        self._threads = ThreadPoolExecutor(HASHES_AT_ONCE, thread_name_prefix="argon2")
        # Of a password nobody has: strangers cost the same time as people.
        self._nobody: str | None = None

    async def hash(self, password: str) -> str:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._hasher.hash, _bytes(password))

    async def verify(self, password_hash: str | None, password: str) -> bool:
        """Whether it is the password. Without a hash it never is, after just as long."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._verify, password_hash, password)

    def is_outdated(self, password_hash: str) -> bool:
        """Whether it was made with other costs than today's, and should be made anew."""
        return self._hasher.check_needs_rehash(password_hash)

    def hash_now(self, password: str) -> str:
        """For a command that does nothing else."""
        return self._hasher.hash(_bytes(password))

    def prepare(self) -> None:
        """Make the hash of nobody's password; the first stranger should not wait for it."""
        self._nobody = self._nobody or self._hasher.hash(b"nobody's password")

    def _verify(self, password_hash: str | None, password: str) -> bool:
        self.prepare()
        try:
            self._hasher.verify(password_hash or str(self._nobody), _bytes(password))
        except (Argon2Error, InvalidHashError):
            return False
        return password_hash is not None


def _bytes(password: str) -> bytes:
    return password.encode("utf-8", "surrogatepass")
