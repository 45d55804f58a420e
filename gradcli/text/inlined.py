"""One HTML document of several files: script, style and data stand in it, and it asks for nothing else."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from functools import cache
from html import escape
from pathlib import Path

from .escape import one_line

_FRAME = Path(__file__).with_name("page.html")
# Where the pieces stand in a document.
_MARK = "@@"
# The texts in a script, whose blanks stay.
_QUOTED = r"""("(?:[^"\\\n]|\\.)*"|`[^`]*`)"""


def document(folder: Path, title: str, *, body: str = "", **data: str) -> str:
    """The document of a folder's page.css and page.js, with its title, a body in HTML, and data as JSON.

    A page without a script has no page.js; one whose body is always the same but for its data has it in page.html.
    """
    style, script = _text(folder / "page.css"), _text(folder / "page.js")
    body = body or _filled(_text(folder / "page.html"), {key: inert(text) for key, text in data.items()})
    pieces = {
        "title": escape(one_line(title)),
        "style": style,
        "style_hash": _hash(style),
        "script_source": f"script-src '{_hash(script)}'; " if script else "",
        "body": f"{body}\n<script>{script}</script>" if script else body,
    }
    return _filled(_text(_FRAME), pieces) + "\n"


def _filled(text: str, pieces: Mapping[str, str]) -> str:
    """A text with its pieces in their places; what stands in a piece is no place."""
    return "".join(pieces[part] if number % 2 else part for number, part in enumerate(text.split(_MARK)))


def inert(json: str) -> str:
    """JSON in which no browser finds the end of what it stands in, or the beginning of anything."""
    return json.replace("<", "\\u003c").replace("-->", "--\\u003e")


@cache
def _text(file: Path) -> str:
    """A file without the comments and the blanks that only people need; nothing where there is none."""
    if not file.exists():
        return ""
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
