"""Texts as bytes: of the encodings those alone that are tables, and make nothing longer than a few times."""

from __future__ import annotations

from typing import Any

from ...errors import SpecError
from ..guard.size_limits import fits
from .visible_types import word

_ENCODINGS = {
    name: known
    for known, names in {
        "utf-8": "utf-8 utf8 u8", "ascii": "ascii us-ascii", "latin-1": "latin-1 latin1 iso-8859-1 iso8859-1 l1",
        "cp1252": "cp1252 windows-1252", "utf-8-sig": "utf-8-sig", "utf-16": "utf-16 utf16", "utf-32": "utf-32 utf32",
        "utf-16-le": "utf-16-le utf-16le", "utf-16-be": "utf-16-be utf-16be",
    }.items()
    for name in names.split()
}  # fmt: skip
_ERRORS = ("strict", "ignore", "replace", "backslashreplace", "surrogateescape", "xmlcharrefreplace", "namereplace")


def _known(encoding: Any, errors: Any) -> tuple[str, str]:
    """An encoding and what is done with errors, if both are among those that programs may use."""
    for name, given in (("encoding", encoding), ("errors", errors)):
        if type(given) is not str:
            raise TypeError(f"argument '{name}' must be str, not {word(given)}")
    known = _ENCODINGS.get(encoding.lower().replace("_", "-"))
    if known is None:
        raise SpecError(f"the encoding {encoding!r} is not in the spec language", help="write 'utf-8'", code="E205")
    if errors not in _ERRORS:
        raise SpecError(
            f"errors={errors!r} is not in the spec language", help=f"write one of {', '.join(_ERRORS)}", code="E205"
        )
    return known, errors


def encoded(text: str, encoding: Any = "utf-8", errors: Any = "strict") -> bytes:
    """A text as bytes."""
    made = text.encode(*_known(encoding, errors))
    fits(len(made), "bytes")
    return made


def decoded(data: bytes, encoding: Any = "utf-8", errors: Any = "strict") -> str:
    """The text that bytes stand for."""
    made = data.decode(*_known(encoding, errors))
    fits(len(made), "str")
    return made
