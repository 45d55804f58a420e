"""``gradcli completion``: click's completion, for the shells that it knows, and what it needs to be told of bash."""

from __future__ import annotations

from typing import Any

from click.shell_completion import BashComplete, add_completion_class, get_completion_class

from .parsing.command import Context, argument, command, pass_context
from .parsing.pages import put
from .parsing.types import Choice

_SHELLS = ("bash", "zsh", "fish")


@add_completion_class
class Bash(BashComplete):
    """Completion for bash, which takes the = of ``--option=value`` and ``NAME=VALUE`` for a word of its own."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Give the words as they were typed."""
        args, incomplete = super().get_completion_args()
        words: list[str] = []
        for word in [*args, incomplete]:
            joins = words and (word == "=" or words[-1].endswith("=")) and words[-1] != "="
            words[len(words) - bool(joins) :] = [words[-1] + word if joins else word]
        return words[:-1], words[-1]


@command(
    "completion",
    help="Print a completion script for a shell.",
    examples=(
        ("gradcli completion bash > gradcli.bash", "then `source gradcli.bash`"),
        ("gradcli completion zsh > _gradcli", "in a directory of $fpath"),
        ("gradcli completion fish | source", "for this session"),
    ),
)
@argument("shell", ("SHELL", "bash, zsh or fish."), type=Choice(_SHELLS), required=True)
@pass_context
def completion(ctx: Context, shell: str, **_: Any) -> None:
    """Print the script for a shell."""
    found = get_completion_class(shell)
    assert found is not None
    put(found(ctx.find_root().command, {}, "gradcli", "_GRADCLI_COMPLETE").source())
