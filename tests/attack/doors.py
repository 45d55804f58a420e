"""Programs that hand what they should not to whatever takes something: registrations, states, copies, formats."""

from __future__ import annotations

from pathlib import Path
from random import Random
from string import Formatter

from . import atoms

# One in a line: {v} a value, {n} a name in quotes, {a} a bare name, {f} something to call, {o} an object,
# {m} a template, {c} an op.
DOORS = Path(__file__).with_name("doors.txt").read_text("utf-8").splitlines()


def fill(door: str, random: Random) -> str:
    """A door with something in each of its places."""
    parts = []
    # To fill them all at once would fill two of a kind with the same.
    for before, kind, _, _ in Formatter().parse(door):
        parts += [before, "" if kind is None else _FILLERS[kind](random)]
    return "".join(parts)


def _object(random: Random) -> str:
    if random.random() < 0.5:
        return random.choice(("layer", "net", "opt", "b", "x", "z.grad_fn", "liar", "kept", "p", "scale", "Twice"))
    return random.choice(atoms.instances())


_FILLERS = {
    "v": lambda random: f"({atoms.value(random)})",
    "n": atoms.quoted,
    "a": atoms.name,
    "f": lambda random: f"({atoms.function(random)})",
    "o": _object,
    "m": atoms.template,
    "c": atoms.op,
}


def tries(random: Random, most: int = 8) -> str:
    """Some doors, each of which is tried whatever came of the others."""
    lines = []
    for _ in range(random.randint(1, most)):
        lines.append(f"t(lambda: ({fill(random.choice(DOORS), random)}))")
    return "\n".join(lines) + "\n"


def program(random: Random) -> str:
    """A whole program of that kind."""
    text = tries(random)
    base = random.choice(("", "", "", "Exception", "nn.Module", "torch.utils.data.Dataset"))
    return atoms.whole(atoms.liar(random, base) + text if "iar" in text else text, random)
