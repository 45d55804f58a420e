"""One HTML document of several files: script, style and data stand in it, and it asks for nothing else."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from html import escape
from pathlib import Path

from ...text.escape import one_line

_HERE = Path(__file__).parent
# Where the pieces stand in a document.
_MARK = "@@"
# The texts in a script, whose blanks stay.
_QUOTED = r"""("(?:[^"\\\n]|\\.)*"|`[^`]*`)"""


def document(name: str, title: str, **data: str) -> str:
    """The document of a name (``page`` of page.html, page.css and page.js) with its title and its data, as JSON."""
    style, script = _text(f"{name}.css"), _text(f"{name}.js")
    pieces = {
        "title": escape(one_line(title)),
        "style": style,
        "style_hash": _hash(style),
        "script": script,
        "script_hash": _hash(script),
        **{key: inert(text) for key, text in data.items()},
    }
    frame = _text(f"{name}.html").split(_MARK)
    return "".join(pieces[part] if number % 2 else part for number, part in enumerate(frame)) + "\n"


def inert(json: str) -> str:
    """JSON in which no browser finds the end of what it stands in, or the beginning of anything."""
    return json.replace("<", "\\u003c").replace("-->", "--\\u003e")


@cache
def _text(file: str) -> str:
    """A file of this folder without the comments and the blanks that only people need."""
    lines = (line.strip() for line in (_HERE / file).read_text(encoding="utf-8").splitlines())
    text = "\n".join(line for line in lines if line and not line.startswith("//"))
    if file.endswith(".css"):
        return re.sub(r"\s*([{};,])\s*|(?<=:) ", r"\1", text)
    if file.endswith(".js"):
        pieces = re.split(_QUOTED, text)
        pieces[::2] = (re.sub(r"(?<=[^\w$\n]) +| +(?=[^\w$\s])", "", piece) for piece in pieces[::2])
        return "".join(pieces)
    return text


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
