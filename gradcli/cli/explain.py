"""``gradcli explain``: the long form of a code, a verdict or a kind of note, from the tables that outputs use."""

from __future__ import annotations

import sys

from ..report.codes import explanation, titles, words
from .options import Argument, Command, Given


def main(given: Given) -> int:
    """Explain one code, or list them all."""
    from ..report.stream import emit
    from ..spec.torch_names.suggest import did_you_mean
    from .options import shown
    from .pages import page_width, section

    code = given.argument()
    if code is None:
        text = "\n".join([*section("Codes", titles().items(), page_width())[1:], ""])
    else:
        found = explanation(code.strip("[]"))
        if found is None:
            help = did_you_mean(code, words()) or "`gradcli explain` lists the codes"
            raise given.misuse(f"there is no error code {shown(code)}", 0, help=help)
        text = found
    emit(text, sys.stdout)
    return 0


COMMAND = Command(
    main,
    examples=(
        ("gradcli explain E201", "what it means, and what to do"),
        ("gradcli explain HIDDEN_PATH", "a verdict, or a kind of note"),
        ("gradcli explain", "all codes"),
    ),
    arguments=(
        Argument("CODE", help="A code as errors show it (E201), a verdict, or a kind of note.", offers=words()),
    ),
)
