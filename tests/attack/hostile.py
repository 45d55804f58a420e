"""Subclasses of every class of the host's that a program may derive from, which answer for what is not theirs."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random

from gradcli.spec.torch_names.names import NAMESPACES
from gradcli.spec.values.user_definitions import SPECIAL
from tests.spec.instances import DATA, DEFAULT_OPTIMISER, LAYERS, OPTIMISERS, SCHEDULES, namespace_classes

from . import atoms
from .doors import tries

_OTHERS = (
    "Exception", "ValueError", "StopIteration", "KeyError", "torch.linalg.LinAlgError", "torch.autograd.Function",
    "typing.NamedTuple", "enum.Enum", "typing.Generic", "typing.Protocol", "object",
    "enum.IntEnum", "enum.StrEnum", "str, enum.Enum", "io.StringIO", "argparse.ArgumentParser", "OSError", "SystemExit",
    "json.JSONDecodeError", "re.error",
)  # fmt: skip

# What is done with an instance `q` of a class `Q`, one in a line.
_USES = Path(__file__).with_name("uses.txt").read_text("utf-8").splitlines()


@cache
def bases() -> tuple[tuple[str, str], ...]:
    """Every class with the arguments that make an instance."""
    classes = namespace_classes()
    found = [(f"nn.{n}", LAYERS.get(n, "")) for n in classes["torch.nn"]]
    found += [(f"torch.optim.{n}", OPTIMISERS.get(n, DEFAULT_OPTIMISER)) for n in classes["torch.optim"]]
    for n in classes["torch.optim.lr_scheduler"]:
        found.append((f"torch.optim.lr_scheduler.{n}", f"opt, {SCHEDULES.get(n, '')}"))
    found += [(f"torch.utils.data.{n}", DATA.get(n, "")) for n in classes["torch.utils.data"]]
    return (*found, *((n, "1" if "Error" in n else "") for n in _OTHERS))


@cache
def names_of(base: str) -> tuple[str, ...]:
    """The names that the class and its bases have: what the host may trust."""
    space, _, name = base.rpartition(".")
    space = {"nn": "torch.nn"}.get(space, space)
    found = NAMESPACES[space].find(name) if space in NAMESPACES else Exception
    # A class may not define most special methods, and no program with one would get any further.
    own = {n for c in getattr(found, "__mro__", ()) for n in (*vars(c), *vars(c).get("__annotations__", ()))}
    code = [getattr(f, "__code__", None) for c in getattr(found, "__mro__", ()) for f in vars(c).values()]
    own.update(n for c in code if c is not None for n in c.co_names if n.startswith("_"))
    return tuple(sorted(n for n in own if n in SPECIAL or not (n.startswith("__") and n.endswith("__"))))


def overridden(base: str, random: Random) -> list[str]:
    """Lines of a class's body."""
    own = names_of(base) or ("_name",)
    private = tuple(n for n in own if n.startswith("_")) or own
    lines = []
    for _ in range(random.randint(1, 5)):
        name = random.choice(private if random.random() < 0.6 else own)
        if random.random() < 0.1:
            name = random.choice([n for n in (atoms.name(random),) if n in SPECIAL or not n.startswith("__")] or ["_x"])
        lines += _KINDS[random.randrange(len(_KINDS))](name, random)
    return lines


def _attribute(name: str, random: Random) -> list[str]:
    return [f"    {name} = {atoms.value(random, 1)}"]


def _named(name: str, random: Random) -> list[str]:
    return [f"    {name} = {random.choice((atoms.quoted, atoms.template, atoms.function))(random)}"]


def _method(name: str, random: Random) -> list[str]:
    return [f"    def {name}(self, *args, **kwargs):", f"        {_answer(random)}"]


def _property(name: str, random: Random) -> list[str]:
    return ["    @property", f"    def {name}(self):", f"        {_answer(random)}"]


def _static(name: str, random: Random) -> list[str]:
    how = random.choice(("staticmethod", "classmethod"))
    return [f"    @{how}", f"    def {name}(*args, **kwargs):", f"        {_answer(random)}"]


def _answer(random: Random) -> str:
    return re.sub(r"\bself\b", "kept", atoms.answer(random))


_KINDS: tuple[Callable[[str, Random], list[str]], ...] = (
    _attribute, _attribute, _named, _named, _method, _method, _property, _static,
)  # fmt: skip


def program(random: Random) -> str:
    """A program with one such class, and what may be done with it."""
    base, arguments = random.choice(bases())
    if random.random() < 0.1:
        arguments = atoms.value(random)
    lines = [f"class Q({base}):", *overridden(base, random)]
    made = [f"q = t(lambda: Q({arguments}))"]
    if random.random() < 0.3:
        made = [f"Q_ = Q\nt(lambda: setattr(Q, {atoms.quoted(random)}, {atoms.value(random)}))", *made]
    for _ in range(random.randint(2, 8)):
        roll = random.random()
        if roll < 0.15:
            made.append(f"t(lambda: setattr(q, {_own_name(base, random)}, {atoms.value(random)}))")
        elif roll < 0.25:
            made.append(f"t(lambda: getattr({random.choice('qQ')}, {_own_name(base, random)}))")
        elif roll < 0.3:
            made.append(f"t(lambda: delattr({random.choice('qQ')}, {_own_name(base, random)}))")
        else:
            made.append(f"t(lambda: {random.choice(_USES)})")
    more = tries(random, 3) if random.random() < 0.2 else ""
    return atoms.whole("\n".join([*lines, *made]) + "\n" + more, random)


def _own_name(base: str, random: Random) -> str:
    return repr(random.choice(names_of(base) or ("_x",))) if random.random() < 0.6 else atoms.quoted(random)
