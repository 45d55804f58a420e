"""``gradcli completion``: a script that completes commands, options, choices and paths, written from their tables."""

from __future__ import annotations

from .commands import COMMANDS, load
from .options import HELP, VERSION, Argument, Command, Option
from .plain import put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .options import Given


def main(given: Given) -> int:
    """Print the script for a shell."""
    write = {"bash": bash, "zsh": zsh, "fish": fish}[given.arguments[0]]
    put("\n".join(write({name: load(name) for name in COMMANDS})) + "\n")
    return 0


def bash(commands: dict[str, Command]) -> Iterator[str]:
    """A completion function for bash; a word that it has nothing for is completed as a path."""
    first = " ".join([*commands, *HELP.flags, *VERSION.flags])
    yield "# Completion of gradcli for bash: put it where your bash-completion looks, or `source` it."
    yield "_gradcli() {"
    yield "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} choices="
    yield "    COMPREPLY=()"
    yield "    # Bash takes the = of --option=value for a word of its own."
    yield "    if [[ $word == = ]]; then word=; fi"
    yield "    if [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi"
    yield "    if ((COMP_CWORD == 1)); then"
    yield f"        COMPREPLY=($(compgen -W '{first}' -- \"$word\"))"
    yield "        return"
    yield "    fi"
    yield "    case ${COMP_WORDS[1]}:$before in"
    for name, command in commands.items():
        for option in command.options:
            if option.choices:
                cases = "|".join(f"{name}:{flag}" for flag in option.flags)
                yield f"    {cases}) choices='{' '.join(option.choices)}' ;;"
    for name, command in commands.items():
        flags = " ".join(flag for option in command.options for flag in option.flags)
        words = " ".join(word for argument in command.arguments for word in argument.offers)
        yield f"    {name}:*) if [[ $word == -* ]]; then choices='{flags}'; else choices='{words}'; fi ;;"
    yield "    esac"
    yield '    COMPREPLY=($(compgen -W "$choices" -- "$word"))'
    yield "}"
    yield "complete -o default -F _gradcli gradcli"


def zsh(commands: dict[str, Command]) -> Iterator[str]:
    """A completion function for zsh, with what each option means."""
    yield "#compdef gradcli"
    yield "# Completion of gradcli for zsh: save it as _gradcli in a directory of $fpath."
    yield "_gradcli() {"
    yield "    local -a commands=("
    for name in commands:
        yield f"        {_zsh_quoted(f'{name}:{COMMANDS[name]}')}"
    yield "    )"
    yield "    if ((CURRENT == 2)); then"
    yield "        _describe -t commands command commands"
    yield f"        _arguments {' '.join(_zsh_option(option) for option in (HELP, VERSION))}"
    yield "        return"
    yield "    fi"
    yield "    local command=$words[2]"
    yield "    shift words"
    yield "    ((CURRENT--))"
    yield "    case $command in"
    for name, command in commands.items():
        specs = [*map(_zsh_option, command.options), *map(_zsh_argument, command.arguments)]
        yield f"    {name})"
        yield "        _arguments -S \\"
        yield from (f"            {spec} \\" for spec in specs[:-1])
        yield f"            {specs[-1]} ;;"
    yield "    esac"
    yield "}"
    yield "# Read by zsh itself as the body of the function, or sourced."
    yield 'if [[ $funcstack[1] == _gradcli ]]; then _gradcli "$@"; else compdef _gradcli gradcli; fi'


def _zsh_option(option: Option) -> str:
    others = "" if option.many else f"({' '.join(option.flags)})"
    value = f":{_zsh_text(option.metavar)}:{_zsh_values(option)}" if option.metavar else ""
    texts = []
    for flag in option.flags:
        # A long option takes its value behind = or as the next word, a short one also without a space.
        join = "" if not option.metavar else "=" if flag.startswith("--") else "+"
        texts.append(f"{'*' if option.many else ''}{others}{flag}{join}[{_zsh_text(option.help)}]{value}")
    return " ".join(_zsh_quoted(text) for text in texts)


def _zsh_argument(argument: Argument) -> str:
    return _zsh_quoted(f"{'*' if argument.many else ''}:{_zsh_text(argument.metavar)}:{_zsh_values(argument)}")


def _zsh_values(item: Option | Argument) -> str:
    words = item.choices if isinstance(item, Option) else item.offers
    return f"({' '.join(words)})" if words else "_files" if item.files else ""


def _zsh_text(text: str) -> str:
    for mark in "\\:[]":
        text = text.replace(mark, "\\" + mark)
    return text


def _zsh_quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def fish(commands: dict[str, Command]) -> Iterator[str]:
    """Completions for fish, one a line."""
    yield "# Completion of gradcli for fish: save it as gradcli.fish in ~/.config/fish/completions."
    yield "complete -c gradcli -f"
    for name in commands:
        yield f"complete -c gradcli -n __fish_use_subcommand -a {name} -d {_fish_quoted(COMMANDS[name])}"
    for option in (HELP, VERSION):
        yield f"complete -c gradcli -n __fish_use_subcommand {_fish_option(option)}"
    for name, command in commands.items():
        start = f"complete -c gradcli -n '__fish_seen_subcommand_from {name}'"
        for option in command.options:
            yield f"{start} {_fish_option(option)}"
        for argument in command.arguments:
            if argument.offers:
                yield f"{start} -a '{' '.join(argument.offers)}'"
        if any(argument.files for argument in command.arguments):
            yield f"{start} -F"


def _fish_option(option: Option) -> str:
    parts = [f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in option.flags]
    if option.metavar:
        parts.append("-r -F" if option.files else "-x")
    if option.choices:
        parts.append(f"-a '{' '.join(option.choices)}'")
    return " ".join([*parts, f"-d {_fish_quoted(option.help)}"])


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


COMMAND = Command(
    main,
    examples=(
        ("gradcli completion bash > gradcli.bash", "then `source gradcli.bash`"),
        ("gradcli completion zsh > _gradcli", "in a directory of $fpath"),
        ("gradcli completion fish | source", "for this session"),
    ),
    arguments=(
        Argument("SHELL", help="bash, zsh or fish.", required=True, choices=("bash", "zsh", "fish")),
    ),
)
