"""All that a check has found, as a record that `gradcli merge` makes any report of; only of the same version."""

from __future__ import annotations

import json as encoder
from base64 import b64decode, b64encode
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, NamedTuple
from zlib import compress, decompressobj, error as ZlibError

from ... import __version__
from ...wall.wire import Garbled, packed, unpacked
from .outcome import RECORDS, Missing, Outcome

SCHEMA = "gradcli.record/1"

_ALL = (*RECORDS, Outcome, Missing)
# Of what was compressed so much is unpacked.
_LARGEST = 1_000_000_000


class Damaged(ValueError):
    """A text that is no record of this version, in words."""


class Recorded(NamedTuple):
    """The contents of a record."""

    outcomes: list[Outcome]
    missing: Missing


def record(outcomes: Sequence[Outcome], missing: Missing) -> str:
    """The document."""
    body = b64encode(compress(packed([list(outcomes), missing], _ALL))).decode()
    head = {"schema": SCHEMA, "version": __version__, "specs": len(outcomes), "digest": _digest(body), "body": body}
    return encoder.dumps(head, indent=1) + "\n"


def recorded(text: str) -> Recorded:
    """Read a record; Damaged where it is none."""
    try:
        found: Any = encoder.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        raise Damaged("is no record of a check")
    if found.get("version") != __version__:
        raise Damaged(f"was written by gradcli {str(found.get('version'))[:20]}, and this is {__version__}")
    body = found.get("body")
    if not isinstance(body, str) or found.get("digest") != _digest(body):
        raise Damaged("is damaged")
    try:
        reader = decompressobj()
        outcomes, missing = unpacked(reader.decompress(b64decode(body), _LARGEST), _ALL)
    except (ValueError, ZlibError, Garbled):
        raise Damaged("is damaged") from None
    return Recorded(outcomes, missing)


def _digest(body: str) -> str:
    return sha256(body.encode("ascii", "backslashreplace")).hexdigest()
