"""One HTML document of several files: script, style and data stand in it, and it asks for nothing else."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from html import escape
from pathlib import Path

from .escape import one_line

# Where the pieces stand in a document.
_MARK = "@@"
# The texts in a script, whose blanks stay.
_QUOTED = r"""("(?:[^"\\\n]|\\.)*"|`[^`]*`)"""


def document(folder: Path, title: str, *, body: str = "", **data: str) -> str:
    """The document of a folder's page.html, page.css and page.js, with its title, a body in HTML, and data as JSON.

    A page without a script has no page.js.
    """
    style = _text(folder / "page.css")
    script = _text(folder / "page.js") if (folder / "page.js").exists() else ""
    pieces = {
        "title": escape(one_line(title)),
        "style": style,
        "style_hash": _hash(style),
        "script": script,
        "script_hash": _hash(script),
        "body": body,
        **{key: inert(text) for key, text in data.items()},
    }
    frame = _text(folder / "page.html").split(_MARK)
    return "".join(pieces[part] if number % 2 else part for number, part in enumerate(frame)) + "\n"


def inert(json: str) -> str:
    """JSON in which no browser finds the end of what it stands in, or the beginning of anything."""
    return json.replace("<", "\\u003c").replace("-->", "--\\u003e")


@cache
def _text(file: Path) -> str:
    """A file without the comments and the blanks that only people need."""
    lines = (line.strip() for line in file.read_text(encoding="utf-8").splitlines())
    text = "\n".join(line for line in lines if line and not line.startswith("//"))
    if file.suffix == ".css":
        return re.sub(r"\s*([{};,])\s*|(?<=:) ", r"\1", text)
    if file.suffix == ".js":
        pieces = re.split(_QUOTED, text)
        pieces[::2] = (re.sub(r"(?<=[^\w$\n]) +| +(?=[^\w$\s])", "", piece) for piece in pieces[::2])
        return "".join(pieces)
    return text


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
