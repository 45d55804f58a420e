"""Holes made on purpose, to see that the attack finds them: ``python -m tests.attack.holes [NAME ...]``."""

from __future__ import annotations

import faulthandler
import itertools
import json
import os
import sys
import traceback
import warnings
from collections.abc import Callable
from typing import Any

from gradcli.errors import SpecError
from gradcli.nn.modules.container import ParameterDict
from gradcli.nn.modules.linear import Linear
from gradcli.spec.program import Program
from gradcli.spec.torch_names.names import NAMESPACES
from gradcli.spec.values import attributes

from .children import Nest
from .generate import case
from .state import fingerprint

# As many programs as may be needed to find one.
MOST = 6_000
_BATCH = 60


def _attributes_of_python() -> None:
    """What the tables do not have is asked of Python."""
    get: Any = attributes.get

    def leaking(value: Any, name: str) -> Any:
        try:
            return get(value, name)
        except AttributeError:
            return getattr(value, name)

    attributes.get = leaking


def _a_module() -> None:
    """A function of `random` gives a module of the host's."""
    space = NAMESPACES["random"]
    find = space.find
    space.find = lambda name: (lambda *args, **kwargs: os) if name == "random" else find(name)


def _items_by_getattr() -> None:
    """The items of a ParameterDict are attributes of it."""
    ParameterDict.__getitem__ = lambda self, key: getattr(self, key)  # type: ignore[method-assign]


def _an_internal_error() -> None:
    """An error that no program can cause is not told as one."""
    finished = Program._finished

    def failing(self: Program, machine: Any, value: Any) -> Any:
        held: dict[str, Any] = machine.globals
        return finished(self, machine, held["lost"] if "opt" in held else value)

    Program._finished = failing  # type: ignore[method-assign]


def _in_forward(act: Callable[[], object]) -> Callable[[], None]:
    """Something done when a linear layer is called."""

    def plant() -> None:
        forward = Linear.forward

        def doing(self: Any, *args: Any) -> Any:
            act()
            return forward(self, *args)

        Linear.forward = doing  # type: ignore[method-assign, assignment]

    return plant


def _a_verdict_of_the_programs_own() -> None:
    """A program that is refused ends as if all were well."""
    SpecError.exit_code = 0


HOLES: dict[str, tuple[Callable[[], None], str, str]] = {
    "getattr": (_attributes_of_python, "reach", ""),
    "module": (_a_module, "reach", "builtins.module"),
    "items": (_items_by_getattr, "reach", ""),
    "internal": (_an_internal_error, "internal", "KeyError in attack/holes.py:failing"),
    "file": (_in_forward(lambda: open("/tmp/planted", "w").close()), "audit", "open of '/tmp/planted'"),
    "process": (_in_forward(lambda: os.system("true")), "audit", "os.system"),
    "frame": (_in_forward(lambda: sys._getframe()), "audit", "sys._getframe"),
    "state": (_in_forward(lambda: setattr(Linear, "extra_repr", None)), "state", "Linear.extra_repr was changed"),
    "crash": (_in_forward(lambda: faulthandler._sigsegv()), "crash", "SIGSEGV"),  # type: ignore[attr-defined]
    "hang": (_in_forward(lambda: all(itertools.repeat(True, 10**11))), "hang", "hangs for"),
    "exit": (_a_verdict_of_the_programs_own, "diagnostic", "exit code 0"),
}


def tries(nest: Nest, name: str) -> int | None:
    """How many programs it takes to find a hole; None where it is not found."""
    plant, kind, key = HOLES[name]
    reader, writer = os.pipe()
    if os.fork() == 0:
        try:
            plant()
            nest.before = fingerprint()
            for first in range(0, MOST, _BATCH):
                for number, finding in nest.run(lambda n: case(1, n), range(first, first + _BATCH)):
                    if finding.kind == kind and key in finding.key:
                        os.write(writer, str(number + 1).encode())
                        os._exit(0)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as file:
        told = file.read()
    os.wait()
    return int(told) if told else None


def main(names: list[str]) -> None:
    """Print as JSON how many programs each hole takes."""
    warnings.simplefilter("ignore")
    nest = Nest()
    print(json.dumps({name: tries(nest, name) for name in names or HOLES}))


if __name__ == "__main__":
    main(sys.argv[1:])
