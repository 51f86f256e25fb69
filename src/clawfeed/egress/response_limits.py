"""How much of an answer we take: time, redirects, and bytes after decompression."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

import brotli  # type: ignore[import-untyped]  # ships no types

from clawfeed.domain.errors import EgressError, Reason

# What we can unpack, and so what we ask for.
ACCEPT_ENCODING = "gzip, deflate, br"

# Output is taken in pieces of this size, so a bomb is noticed one piece past the cap.
_PIECE = 65_536
# Brotli's library cannot say where in its input the stream ended. A piece of this size can be
# searched byte by byte in a few milliseconds.
_BROTLI_SLICE = 1024
# Honest files are one member; a flood of empty ones costs time and yields nothing.
_MAX_MEMBERS = 1000
# Compressed data may be slightly larger than what it holds; endless data that holds nothing not.
_WIRE_SLACK = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one request may cost us (S001-12)."""

    total: timedelta = timedelta(seconds=10)  # DNS, redirects and body included
    body: int = 500_000  # decompressed bytes
    redirects: int = 3


DEFAULT_LIMITS = Limits()


class _Decoder(Protocol):
    def feed(self, data: bytes) -> None: ...

    def finish(self) -> None: ...


class ResponseBody:
    """Collects an answer's body, unpacked, and stops the moment it grows past *cap*.

    Raises `EgressError`: `TOO_LARGE` past the cap, `UNREADABLE` for data that does not unpack or
    an encoding we did not ask for (stacked ones included).
    """

    def __init__(self, encoding: str, cap: int) -> None:
        self._sink = _Sink(cap)
        self.wire_cap = cap if encoding in ("", "identity") else cap + _WIRE_SLACK
        self._wire_left = self.wire_cap
        self._decoder = _decoder(encoding, self._sink)

    def feed(self, data: bytes) -> None:
        self._wire_left -= len(data)
        if self._wire_left < 0:
            raise too_large(self._sink.cap)
        try:
            self._decoder.feed(data)
        except (zlib.error, brotli.error):
            raise _damaged() from None

    def finish(self) -> bytes:
        """The whole body; raises if the compressed data was cut short."""
        self._decoder.finish()
        return self.so_far()

    def so_far(self) -> bytes:
        return b"".join(self._sink.pieces)


def too_large(cap: int) -> EgressError:
    return EgressError(Reason.TOO_LARGE, f"The answer is larger than {cap:,} bytes.")


def _damaged() -> EgressError:
    return EgressError(Reason.UNREADABLE, "The compressed answer is damaged.")


class _Sink:
    __slots__ = ("cap", "pieces", "size")

    def __init__(self, cap: int) -> None:
        self.cap = cap
        self.size = 0
        self.pieces: list[bytes] = []

    def write(self, piece: bytes) -> None:
        room = self.cap - self.size
        self.pieces.append(piece if len(piece) <= room else piece[:room])
        self.size += len(piece)
        if self.size > self.cap:
            self.size = self.cap
            raise too_large(self.cap)


class _Plain:
    def __init__(self, sink: _Sink) -> None:
        self.feed = sink.write

    def finish(self) -> None:
        return


class _Gzip:
    """One member after another; whatever follows the last one is ignored, as browsers do."""

    def __init__(self, sink: _Sink) -> None:
        self._sink = sink
        self._member: zlib._Decompress | None = None
        self._members = 0
        self._ended = False

    def feed(self, data: bytes) -> None:
        while data and not self._ended:
            if self._member is None:
                self._ended = bool(self._members) and not data.startswith(b"\x1f")
                if self._ended:
                    return
                self._member = self._new_member()
            data = self._inflate(self._member, data)

    def finish(self) -> None:
        if self._member is not None:
            raise _damaged()

    def _new_member(self) -> zlib._Decompress:
        self._members += 1
        if self._members > _MAX_MEMBERS:
            raise _damaged()
        return zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)

    def _inflate(self, member: zlib._Decompress, data: bytes) -> bytes:
        _pour(member, data, self._sink)
        if not member.eof:
            return b""
        self._member = None
        return member.unused_data


class _Deflate:
    """`deflate` means zlib in the standard and raw deflate on some servers: both are taken."""

    def __init__(self, sink: _Sink) -> None:
        self._sink = sink
        self._head = b""
        self._stream: zlib._Decompress | None = None

    def feed(self, data: bytes) -> None:
        if self._stream is None:
            self._head += data
            if len(self._head) < 2:
                return
            data, wrapped = self._head, _has_zlib_header(self._head)
            self._stream = zlib.decompressobj(zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS)
        if not self._stream.eof:
            _pour(self._stream, data, self._sink)

    def finish(self) -> None:
        if self._head and (self._stream is None or not self._stream.eof):
            raise _damaged()


class _Brotli:
    """One stream; whatever follows it is ignored, as browsers do."""

    def __init__(self, sink: _Sink) -> None:
        self._sink = sink
        self._stream = brotli.Decompressor()
        self._taken: list[bytes] = []

    def feed(self, data: bytes) -> None:
        for start in range(0, len(data), _BROTLI_SLICE):
            if self._stream.is_finished():
                return
            piece = data[start : start + _BROTLI_SLICE]
            try:
                _unbrotli(self._stream, piece, self._sink.write)
            except brotli.error:
                self._feed_again(piece)
            self._taken.append(piece)

    def finish(self) -> None:
        if self._taken and not self._stream.is_finished():
            raise _damaged()

    def _feed_again(self, last: bytes) -> None:
        """Find the stream's end inside *last*; raises as the library does if it is not there.

        The library fails a piece that goes on after the end, and with it all it held. So the
        stream is unpacked anew, and its last piece byte by byte.
        """
        self._stream = brotli.Decompressor()
        unseen = _After(self._sink.size, self._sink.write)
        for piece in (*self._taken, *(last[at : at + 1] for at in range(len(last)))):
            if self._stream.is_finished():
                return
            _unbrotli(self._stream, piece, unseen.write)


class _After:
    """Passes on what comes after the first *skip* bytes."""

    def __init__(self, skip: int, write: Callable[[bytes], None]) -> None:
        self._skip = skip
        self._write = write

    def write(self, piece: bytes) -> None:
        skipped = min(self._skip, len(piece))
        self._skip -= skipped
        self._write(piece[skipped:])


_DECODERS: dict[str, Callable[[_Sink], _Decoder]] = {
    "": _Plain,
    "identity": _Plain,
    "gzip": _Gzip,
    "x-gzip": _Gzip,
    "deflate": _Deflate,
    "br": _Brotli,
}


def _decoder(encoding: str, sink: _Sink) -> _Decoder:
    make = _DECODERS.get(encoding.strip().lower())
    if make is None:
        raise EgressError(Reason.UNREADABLE, "The answer is packed in a way we did not ask for.")
    return make(sink)


def _pour(stream: zlib._Decompress, data: bytes, sink: _Sink) -> None:
    while True:
        piece = stream.decompress(data, _PIECE)
        sink.write(piece)
        data = stream.unconsumed_tail
        # A full piece may leave output inside the stream even when all input is taken.
        if stream.eof or (not data and len(piece) < _PIECE):
            return


def _unbrotli(stream: brotli.Decompressor, data: bytes, write: Callable[[bytes], None]) -> None:
    while True:
        piece = stream.process(data, output_buffer_limit=_PIECE)
        write(piece)
        data = b""
        # `can_accept_more_data` is true as soon as all input is taken, whatever output is still
        # inside; only an empty piece says that there is none.
        if stream.is_finished() or (not piece and stream.can_accept_more_data()):
            return


def _has_zlib_header(head: bytes) -> bool:
    return head[0] & 0x0F == 8 and (head[0] << 8 | head[1]) % 31 == 0
