"""``python -m tests.engine.write_index`` writes gradcli/engine/index.py: where each public name is declared.

It must see every declaration happen, so it runs in an interpreter of its own.
"""

from __future__ import annotations

import sys
import textwrap
from collections import defaultdict
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

ENGINE = Path(__file__).parents[2] / "gradcli" / "engine"
INDEX = ENGINE / "index.py"
WIDTH = 120

HEAD = '''\
"""For each place, the modules of the engine that declare names there, and the names.

Derived from the declarations: `python -m tests.engine.write_index` writes this file.
"""

INDEX = {
'''


def declared() -> dict[str, dict[str, list[str]]]:
    """place -> module -> the names that the module declares there, of the whole engine."""
    # The index as it is may be wrong, and is not asked.
    blank = sys.modules["gradcli.engine.index"] = ModuleType("index")
    blank.INDEX = defaultdict(str)
    from gradcli.engine import registry

    assert not any(registry.PUBLIC.values()), "something was declared before anyone could look"
    found: dict[str, dict[str, list[str]]] = {place: defaultdict(list) for place in registry.PUBLIC}
    offer_to = registry.public

    def public(where: str) -> Callable[[Any], Any]:
        module = sys._getframe(1).f_globals["__name__"].removeprefix("gradcli.engine.")
        offer = offer_to(where)

        def noted(function: Any) -> Any:
            for place, name in registry.places(where, function):
                found[place][module].append(name)
            return offer(function)

        return noted

    registry.public = public
    # Those that write over their argument are made of the others, which are declared before them.
    for path in sorted(ENGINE.rglob("*.py"), key=lambda path: (path.stem == "overwriting", path)):
        import_module(".".join(path.relative_to(ENGINE.parents[1]).with_suffix("").parts))
    return found


def text() -> str:
    """The index as it should be."""
    parts = [HEAD]
    for place, modules in declared().items():
        parts.append(f'    "{place}": """\\\n')
        for module, names in sorted(modules.items()):
            parts += [f"{module} {line}\n" for line in textwrap.wrap(" ".join(sorted(names)), WIDTH - len(module) - 1)]
        parts.append('""",\n')
    return "".join([*parts, "}\n"])


if __name__ == "__main__":
    if sys.argv[1:] == ["--show"]:
        print(text(), end="")
    else:
        INDEX.write_text(text())
