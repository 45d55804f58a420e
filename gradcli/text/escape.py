"""Text from a stranger, made safe to show: what would act on a terminal or a CI runner is shown instead."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

# Patterns are compiled when first needed, and by re itself: most programs print nothing that needs them.

# C0 but tab and newline, DEL, C1, the marks and overrides of direction, line separators, surrogates, byte-order mark.
_ACTIVE = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"

# What CI runners take for a command: GitHub trims a line before it looks for ::, and looks for ##[ anywhere in it,
# as Azure does for ##vso[.
_COMMAND = r"(?im)^[^\S\n]*(::)|##(?:vso|teamcity)?\["

# What our own symbols become where they cannot be encoded.
_TWINS = {
    "→": "->",
    "×": "x",
    "…": "...",
    "′": "'",
    "─": "-",
    "│": "|",
    "└": "`",
    "├": "|",
    "•": "*",
    "≤": "<=",
    "≥": ">=",
    "±": "+-",
}

# The name under which str.encode knows our way with what cannot be encoded.
TWINS = "gradcli.twins"


def escape(character: str) -> str:
    r"""A character as Python would spell its code: ``\x1b``, ``\u202e``, ``\U0001f600``."""
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def plain(text: str) -> str:
    """The text with everything escaped that a terminal would act on; tabs and newlines stay."""
    return text if text.isprintable() else re.sub(_ACTIVE, lambda match: escape(match[0]), text)


def one_line(text: str) -> str:
    """The same, with tabs and newlines escaped as well: for names."""
    return plain(text).replace("\t", "\\t").replace("\n", "\\n")


def commands(text: str) -> Iterator[int]:
    """Where a CI runner would read a command: the places of the characters to escape."""
    for match in re.finditer(_COMMAND, text):
        yield match.start(match.lastindex or 0)


def harmless(text: str, before: str = "") -> str:
    """The text with the commands of CI runners broken; ``before`` is what its first line has already shown."""
    whole, done, pieces = before + text, len(before), []
    for match in re.finditer(_COMMAND, whole):
        if match.end() > done:
            at = max(match.start(match.lastindex or 0), done)
            pieces += [whole[done:at], escape(whole[at])]
            done = at + 1
    return "".join([*pieces, whole[done:]])


def in_json(text: str) -> str:
    r"""JSON in ASCII, of which neither a terminal nor a CI runner finds anything to act on: ``\u007f``, ``\u0023``."""
    return text.replace("\x7f", "\\u007f").replace("##", "\\u0023\\u0023")


def _twins(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end]
    return "".join(_TWINS.get(c) or escape(c) for c in lost), error.end


codecs.register_error(TWINS, _twins)


def encodable(text: str, encoding: str) -> str:
    """The text with twins or escapes for what an encoding does not have."""
    return text.encode(encoding, TWINS).decode(encoding)
