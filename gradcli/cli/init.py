"""``gradcli init``: what a project needs to begin with: settings, one spec with a claim, and lines for its CI."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from .parsing.command import command, pass_given

if TYPE_CHECKING:
    from .parsing.command import Given

_FOLDER = "specs"
_SPEC = os.path.join(_FOLDER, "swish.py")
_SHARED, _OWN = "pyproject.toml", "gradcli.toml"

_SETTINGS = f"""\
paths = ["{_FOLDER}"]
report = ["junit:gradients.xml"]
"""

SPEC = '''\
"""The derivative of swish, written by hand: `gradcli check` says whether it is right."""

import torch


class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        s = torch.sigmoid(x)
        # The claim.
        return grad * s * (1 + x * (1 - s))


x = torch.tensor([0.5, -1.2, 2.0], requires_grad=True)
loss = Swish.apply(x).sum()
'''

_LINES = """\
In GitHub Actions:

  - run: pip install gradcli
  - run: gradcli check --format github

In GitLab:

  gradients:
    image: python:3.12
    script: [pip install gradcli, gradcli check]
    artifacts: {when: always, reports: {junit: gradients.xml}}

`gradcli docs ci` says more. Now try: gradcli check
"""


@command(
    "init",
    help="Begin in a project: settings, one spec, and lines for its CI.",
    examples=(("gradcli init", "in the directory of the project"),),
)
@pass_given
def init(given: Given) -> int:
    """Write what is not there yet, never over anything, and print what belongs into the CI."""
    from ..report.stream import emit

    del given
    said = [_settings(), _spec()]
    emit("".join(f"{line}\n" for line in said) + "\n" + _LINES, sys.stdout)
    return 0


def _settings() -> str:
    """Write the settings, into pyproject.toml where there is one."""
    from .project.config import settings

    # What is wrong with settings that are there is told first.
    known = settings({})
    if known.directory and os.path.samefile(known.directory, os.curdir):
        return "settings: they are here already"
    longer = _with_table() if os.path.isfile(_SHARED) else None
    if longer is not None:
        _write(_SHARED, longer)
        return f"settings: added to {_SHARED}"
    _write(_OWN, _SETTINGS)
    return f"settings: written to {_OWN}"


def _with_table() -> str | None:
    """The text of pyproject.toml with our settings; None where it takes no further table."""
    import tomllib

    from ..spec.input.source import decoded

    with open(_SHARED, "rb") as file:
        text = decoded(_SHARED, file.read()).text
    longer = f"{text.rstrip()}\n\n[tool.gradcli]\n{_SETTINGS}".lstrip("\n")
    try:
        tomllib.loads(longer)
    except tomllib.TOMLDecodeError:
        return None
    return longer


def _spec() -> str:
    if os.path.lexists(_SPEC):
        return f"spec: {_SPEC} is here already"
    os.makedirs(_FOLDER, exist_ok=True)
    _write(_SPEC, SPEC)
    return f"spec: written to {_SPEC}"


def _write(path: str, text: str) -> None:
    from .target import Target

    Target(path).write([text.encode("utf-8")])
