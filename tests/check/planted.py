"""A bug planted at the head of each `try` body of gradcli.check and gradcli.graph, one at a time: what comes of it.

Run as a process of its own, since the modules are loaded with all bugs in them, which sleep until one is woken. Given
are commands, and how many bodies to try at most for each. Printed is as JSON, for each body that was tried, the exit
code of the command that reaches it, first without the bug and then with it.
"""

from __future__ import annotations

import ast
import builtins
import importlib.abc
import importlib.machinery
import json
import mmap
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import CodeType
from typing import Any

ROOT = Path(__file__).parents[2]
ROOMS = ("gradcli.check.", "gradcli.graph.")
_MOST = 4096

# Which bodies were reached, a byte for each, and at the end the number of the one whose bug is awake; children share
# it.
_shared = mmap.mmap(-1, _MOST + 2)
places: list[str] = []


def woken(number: int) -> bool:
    """Whether the bug of a body is awake; that it is reached is noted."""
    _shared[number] = 1
    return number == int.from_bytes(_shared[_MOST:], "big")


class _Planting(ast.NodeTransformer):
    def __init__(self, module: str) -> None:
        self.module = module

    def visit_Try(self, node: ast.Try) -> ast.Try:
        self.generic_visit(node)
        if node.handlers:
            places.append(f"{self.module}:{node.lineno}")
            # A misspelt name of ours, in the body's own module.
            bug = ast.parse(f"if planted({len(places)}): there_is_no_such_name").body[0]
            for part in ast.walk(bug):
                ast.copy_location(part, node)
            node.body.insert(0, bug)
        return node


class _Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        """The code of a module with its bugs."""
        path = self.get_filename(fullname)
        tree = _Planting(fullname).visit(ast.parse(self.get_data(path)))
        return compile(tree, path, "exec")


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname: str, path: Sequence[str] | None, target: Any = None) -> Any:
        """Where a module of the rooms is, to be loaded with bugs."""
        found = importlib.machinery.PathFinder.find_spec(fullname, path) if fullname.startswith(ROOMS) else None
        if found is not None and found.origin is not None:
            found.loader = _Loader(fullname, found.origin)
        return found


def code_of(words: Sequence[str]) -> int:
    """The exit code of a command, carried out in a process like this one."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        from gradcli.cli.commands import run
        from gradcli.cli.process import leave

        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        leave(run(list(words)))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main(commands: Sequence[Sequence[str]], most: int) -> dict[str, Any]:
    """What comes of the bugs in the bodies that each command is the first to reach, of at most so many."""
    vars(builtins)["planted"] = woken
    sys.meta_path.insert(0, _Finder())
    for path in [path for room in ROOMS for path in (ROOT / room.replace(".", "/")).rglob("*.py")]:
        # Each body has the same number in all the processes.
        importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
    tried: dict[str, Any] = {}
    for words in commands:
        _shared[:] = bytes(len(_shared))
        without = code_of(words)
        reached = [n for n, place in enumerate(places, 1) if _shared[n] and place not in tried]
        for number in reached[:most]:
            _shared[_MOST:] = number.to_bytes(2, "big")
            tried[places[number - 1]] = [without, code_of(words)]
    return tried


if __name__ == "__main__":
    json.dump(main(json.loads(sys.argv[1]), int(sys.argv[2])), sys.stdout)
