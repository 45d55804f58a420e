"""Hashes, letters and sums of bytes that a program holds."""

from __future__ import annotations

from typing import Any

from ..guard.size_limits import caps, fits, whole
from ..values.tables.byte_strings import BYTES
from ..values.visible_types import word

# The hashes of hashlib that take no arguments but what is hashed.
HASHES = (
    "blake2b", "blake2s", "md5", "sha1", "sha224", "sha256", "sha384", "sha3_224", "sha3_256", "sha3_384", "sha3_512",
    "sha512",
)  # fmt: skip


def _bytes(data: Any) -> bytes:
    if type(data) not in BYTES:
        raise TypeError(f"a bytes-like object is required, not '{word(data)}'")
    caps.tick(len(data) >> 4)
    return bytes(data)


def _digest(name: str, data: Any) -> bytes:
    import hashlib

    if name not in HASHES:
        raise ValueError(f"unsupported hash type {name}")
    return hashlib.new(name, _bytes(data), usedforsecurity=False).digest()


def _b64encode(data: Any) -> bytes:
    from binascii import b2a_base64

    fits(4 * len(_bytes(data)) // 3, "bytes")
    return b2a_base64(data, newline=False)


def _b64decode(data: Any) -> bytes:
    from binascii import Error, a2b_base64

    try:
        return a2b_base64(_bytes(data.encode("ascii") if type(data) is str else data))
    except Error as error:
        raise ValueError(str(error)) from None


def _crc32(data: Any, value: int = 0) -> int:
    from binascii import crc32

    return crc32(_bytes(data), value)


def _adler32(data: Any, value: int = 1) -> int:
    from zlib import adler32

    return adler32(_bytes(data), value)


def _compress(data: Any, level: Any = -1) -> bytes:
    from zlib import compress, error

    caps.tick(len(_bytes(data)) >> 2)
    try:
        return compress(_bytes(data), whole(level))
    except error as wrong:
        raise ValueError(str(wrong)) from None


def _decompress(data: Any) -> bytes:
    """The bytes that others stand for, as many as a program may have."""
    from zlib import decompressobj, error

    reader = decompressobj()
    most = caps.limits.sequence
    try:
        found = reader.decompress(_bytes(data), most + 1)
    except error as wrong:
        raise ValueError(str(wrong)) from None
    fits(len(found), "bytes")
    caps.tick(len(found) >> 4)
    if not reader.eof:
        raise ValueError("Error -5 while decompressing data: incomplete or truncated stream")
    return found


def names() -> dict[str, Any]:
    """The names of the module."""
    return {
        "digest": _digest, "HASHES": HASHES, "b64encode": _b64encode, "b64decode": _b64decode, "crc32": _crc32,
        "adler32": _adler32, "compress": _compress, "decompress": _decompress,
    }  # fmt: skip
