"""The two sides of ``gradcli diff``: programs, saved traces, a file as a commit has it, and PyTorch's own graph."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from . import specs
from .parsing.words import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..spec.guard.limits import Limits
    from ..spec.input.named_inputs import Binding
    from ..spec.input.source import Spec
    from .confined import Inside
    from .parsing.command import Given

# So large may a file of JSON be that is read.
_LARGEST = 1_000_000_000
# A repository may be a stranger's: nothing of it is fetched.
_GIT = ("git", "--no-replace-objects", "cat-file", "blob")


def sides(given: Given, named: Sequence[tuple[Any, str]], limits: Limits) -> list[tuple[str, Any]]:
    """The name of each side, and the program or the JSON that it is; with --torch there is one."""
    against, torch = given.get("against"), "torch" in given.options
    if against is not None and torch:
        raise given.misuse("--against and --torch both name what to compare with", "torch", help="leave one out")
    wanted = 2 if against is None and not torch else 1
    if len(named) != wanted:
        count = "is one graph" if len(named) == 1 else f"are {len(named)} graphs"
        help = "name two, one file and --against git:REV, or one spec and --torch"
        raise given.misuse(f"there {count} to compare", help=help)
    found = [(text, _side(kind, text, limits)) for kind, text in named]
    if torch and isinstance(found[0][1], dict):
        raise given.misuse("--torch runs a spec, and this is a saved trace", "torch", help="name the spec")
    if against is None:
        return found
    name, side = found[0]
    path = getattr(side, "path", None)
    if path is None:
        raise given.misuse("--against is for a file", "against", help="name a file that git knows")
    return [_then(given, path, side, limits), (name, side)]


def _side(kind: Any, text: str, limits: Limits) -> Any:
    from ..spec.input.beside import read

    if kind == "auto" and text.endswith(".json") and os.path.isfile(text):
        return _saved(text)
    return read(text, kind=kind, max_bytes=limits.source)


def _saved(path: str) -> Any:
    """Read a file of JSON."""
    import json

    from ..spec.input.disk import open_regular, read_up_to

    try:
        file, _ = open_regular(path)
        with file:
            return json.loads(read_up_to(file, _LARGEST))
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise InputError(f"'{path}' could not be read: {reason}", help="name a file that you may read") from None
    except (ValueError, RecursionError):
        raise InputError(f"'{path}' is no JSON", help="save one with: gradcli trace SPEC --format json") from None


def _then(given: Given, path: str, now: Spec, limits: Limits) -> tuple[str, Spec]:
    """A file as it was in a commit."""
    import subprocess

    from ..spec.input.source import decoded

    kind, mark, revision = given.options["against"].partition(":")
    if kind != "git" or not mark or not revision or revision.startswith("-"):
        help = "such as git:HEAD, git:main or git:HEAD~3"
        raise given.misuse(f"{shown(given.options['against'])} is no git:REV", "against", help=help)
    place = f"{revision}:./{os.path.basename(path)}"
    try:
        done = subprocess.run(
            [*_GIT, place], cwd=os.path.dirname(path) or ".", capture_output=True, stdin=subprocess.DEVNULL,
            env={**os.environ, "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}, timeout=60,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        raise InputError("git could not be run", help="install git, or save a trace as JSON and compare that") from None
    if done.returncode:
        help = f"git log --oneline -- {path} lists the commits that know it"
        reason = done.stderr.decode("utf-8", "replace").partition("\n")[0].removeprefix("fatal: ")
        raise InputError(f"git has no '{path}' at {revision}", help=help, notes=(f"git says: {reason}",))
    if len(done.stdout) > limits.source:
        raise InputError(f"'{path}' at {revision} is too large", help="allow more with --max-source")
    name = f"{path}@{revision}"
    return name, now._replace(source=decoded(name, done.stdout), path=None)


def graph(given: Given, side: Any, inputs: Sequence[Binding], limits: Limits) -> Any:
    """The JSON of a side: as it was saved, or of the program that it is, run in a process of its own."""
    import json

    from ..spec.input.source import Spec

    if not isinstance(side, Spec):
        return side
    request = _request(given, side, inputs, limits)
    _, text = request.done(_traced, (request, given.options))
    return json.loads(text)


def of_pytorch(
    given: Given, spec: Spec, inputs: Sequence[Binding], limits: Limits, ours: Any
) -> tuple[Any, int]:
    """The JSON of the graph that PyTorch records for a spec, run as the user's own code, and the backwards it ran."""
    import json

    from ..spec.input.named_inputs import data_files
    from .confined import Task, done
    from .process import tell_warning
    from .python.in_torch import Asked, traced
    from .python.jobs import LIMITS

    # To import PyTorch takes more than a spec may, unless somebody says how much that is.
    usual = {"timeout": ("seconds", LIMITS.seconds), "max_memory": ("memory", LIMITS.memory)}
    wide = limits.replace(**{name: most for key, (name, most) in usual.items() if key not in given.options})
    request = _request(given, spec, inputs, wide)
    leaves = [leaf["name"] for leaf in ours["leaves"]]
    named = [node.get("variable") for node in ours["nodes"] if node["id"] == ours["root"]]
    asked = Asked(request, given.options, leaves, *named)
    task = Task(traced, asked, wide, data_files(request.bindings), False, own_code=True)
    backwards, text = done(task, str, tell_warning)
    return json.loads(text), backwards


def _request(given: Given, spec: Spec, inputs: Sequence[Binding], limits: Limits) -> specs.Request:
    return specs.Request(spec, inputs, specs.chosen(given), limits, "no_wall" not in given.options)


def _traced(inside: Inside, asked: tuple[specs.Request, dict[str, Any]]) -> None:
    from ..graph.json import to_json

    request, options = asked
    inside.result(to_json(request.view(options, inside.started)))


