"""The targets that a command line means with ``--python``, as jobs: nothing is imported for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ...errors import GradcliError
from ...spec.guard.limits import RELAXED
from ...spec.input.named_inputs import bindings, is_binding
from ..checking.job import Job
from ..parsing.words import shown
from .wanted import EXAMPLE, PythonTarget, divided

if TYPE_CHECKING:
    from ...spec.input.named_inputs import Binding
    from ..parsing.command import Given
    from ..project.config import Settings

# What libraries take to be imported is no mistake of anybody's.
LIMITS = RELAXED.replace(seconds=60.0)
# Options that are about specs alone.
_OF_SPECS = (
    "claim", "dtype", "backward", "everywhere", "require_coverage", "coverage", "expression", "file",
    "limits", "max_steps", "max_elements", "max_source", "max_output", "no_wall", "self_test",
)  # fmt: skip
_AGAIN = {"seed": "--seed", "samples": "--samples", "digits": "--digits", "strict": "--strict",
          "every_entry": "--every-entry", "allow": "--allow", "order": "--order"}  # fmt: skip
_FLAGS = (*_AGAIN, "output", "wrt")


def refuse_options(given: Given, of_specs: Sequence[str]) -> None:
    """Refuse options that are about specs alone."""
    for key in of_specs:
        if key in given.options:
            words = f"--{key.replace('_', '-')} says nothing to --python, which runs no spec"
            raise given.misuse(words, key, help="leave one of the two out")


def jobs(given: Given, settings: Settings) -> list[Job]:
    """All targets that were named, or else those of the settings."""
    refuse_options(given, _OF_SPECS)
    targets, inputs, data = _arguments(given)
    derivative, kind = given.get("derivative"), given.get("kind", "grad")
    if "kind" in given.options and derivative is None:
        raise given.misuse("--kind says what --derivative is", "kind", help="add --derivative file.py:name")
    found = bindings([*inputs, *given.get("input", [])])
    if targets:
        if derivative is not None and len(targets) > 1:
            help = "check them one after the other"
            raise given.misuse(f"--derivative is that of one function, and there are {len(targets)}", "derivative",
                               help=help)  # fmt: skip
        train = "train" in given.options
        held = tuple(given.get("no_grad", ()))
        wanted = [PythonTarget(text, derivative, kind, train, (), data, held) for text in targets]
        return [_job(target, found, given, settings) for target in wanted]
    if not settings.python:
        raise given.misuse("there is no function to check", help=EXAMPLE)
    if found or data or derivative or given.get("no_grad"):
        raise given.misuse("inputs and derivatives of the settings' targets stand there", help=f"or {EXAMPLE}")
    return [_job(target, bindings(target.inputs), given, settings) for target in settings.python]


def _arguments(given: Given) -> tuple[list[str], list[str], str | None]:
    """The targets, the inputs, and the file of inputs."""
    targets: list[str] = []
    inputs: list[str] = []
    data: str | None = None
    for place, (_, text) in enumerate(given.placed("words")):
        if text.startswith("@"):
            if data is not None:
                raise given.misuse("there is another file of inputs", "words", place, help="leave one out")
            data = text[1:]
        elif is_binding(text):
            inputs.append(text)
        else:
            try:
                divided(text)
            except GradcliError as error:
                raise given.misuse(
                    f"{shown(text)} is no function in a module", "words", place, help=error.help
                ) from None
            targets.append(text)
    return list(dict.fromkeys(targets)), inputs, data


def _job(target: PythonTarget, found: Sequence[Binding], given: Given, settings: Settings) -> Job:
    flags = {key: given.options[key] for key in _FLAGS if key in given.options}
    flags["detail"] = given.get("verbose", 0)
    chosen = {key: value for key, value in settings.of(None).items() if key in (*_FLAGS, "allow")}
    limits = LIMITS
    if "timeout" in given.options:
        limits = limits.replace(seconds=given.options["timeout"])
    if "check_timeout" in given.options:
        limits = limits.replace(checking=given.options["check_timeout"])
    if "max_memory" in given.options:
        limits = limits.replace(memory=given.options["max_memory"] * 10**6)
    again = tuple(_again(target, found, flags))
    return Job(target.text, "python", None, None, found, flags, chosen, limits, again, False, python=target)


def _again(target: PythonTarget, found: Sequence[Binding], flags: dict[str, Any]) -> Iterator[str]:
    yield from ("--python", target.text)
    if target.data is not None:
        yield f"@{target.data}"
    yield from (f"{binding.name}={binding.text}" for binding in found)
    for name in target.held:
        yield from ("--no-grad", name)
    if target.derivative is not None:
        yield from ("--derivative", target.derivative, "--kind", target.kind)
    if target.train:
        yield "--train"
    for key, flag in _AGAIN.items():
        value = flags.get(key)
        if key == "order":
            continue
        if value is True:
            yield flag
        elif value is not None:
            for one in value if isinstance(value, list) else [value]:
                yield from (flag, str(one))
