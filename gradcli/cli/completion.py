"""``gradcli completion``: click's completion, for the shells that it knows, and what it needs to be told of them.

Its scripts are edited where they leave something out: a value behind ``--option=``, and no blank behind ``NAME=``. Of
another version of click's, in which the edited words are others, such a script is as click has it.
"""

from __future__ import annotations

from typing import Any

from click.shell_completion import BashComplete, FishComplete, ZshComplete, add_completion_class, get_completion_class

from .parsing.command import Context, argument, command, pass_context
from .parsing.pages import put
from .parsing.types import Choice

_SHELLS = ("bash", "zsh", "fish")


def _edited(script: str, edits: dict[str, str]) -> str:
    for words, others in edits.items():
        script = script.replace(words, others)
    return script


@add_completion_class
class Bash(BashComplete):
    """Completion for bash, which takes the = of ``--option=value`` and ``NAME=VALUE`` for a word of its own."""

    source_template = _edited(
        BashComplete.source_template,
        {"COMPREPLY+=($value)": "COMPREPLY+=($value)\n            [[ $value == *[=:] ]] && compopt -o nospace"},
    )

    def get_completion_args(self) -> tuple[list[str], str]:
        """Give the words as they were typed."""
        args, incomplete = super().get_completion_args()
        words: list[str] = []
        for word in [*args, incomplete]:
            joins = words and (word == "=" or words[-1].endswith("=")) and words[-1] != "="
            words[len(words) - bool(joins) :] = [words[-1] + word if joins else word]
        return words[:-1], words[-1]


@add_completion_class
class Zsh(ZshComplete):
    """Completion for zsh, which takes ``--option=value`` for one word."""

    source_template = _edited(
        ZshComplete.source_template,
        {
            "    local -a response\n": "    local -a response open\n    compset -P 1 '--*='\n",
            "    if [ -n \"$completions\" ]; then\n": "    open=(${(M)completions:#*[=:]})\n"
            "    completions=(${completions:#*[=:]})\n"
            "    (( $#open )) && compadd -U -V unsorted -S '' -a open\n"
            "    if [ -n \"$completions\" ]; then\n",
            "compadd -U": 'compadd -i "$IPREFIX" -U',
        },
    )


@add_completion_class
class Fish(FishComplete):
    """Completion for fish, which takes ``--option=value`` for one word, and wants to be told all of it."""

    source_template = _edited(
        FishComplete.source_template,
        {
            "    for completion in": "    set -l option (string match -r -- '^--[^=]*=' (commandline -t));\n\n"
            "    for completion in",
            'string split ","': 'string split -m 1 ","',
            "__fish_complete_path $metadata[2];": "for path in (__fish_complete_path $metadata[2]);\n"
            '                echo "$option$path";\n            end;',
            "echo $metadata[2];": 'echo "$option$metadata[2]";',
        },
    )


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
