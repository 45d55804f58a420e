"""What a command accepts, declared as data, and the strict reading of a command line by it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from ..errors import InputError


class Kind:
    """What the value of an option must be: in words, and as a function that gives None for anything else."""

    __slots__ = ("read", "words")

    def __init__(self, words: str, read: Callable[[str], Any]) -> None:
        self.words = words
        self.read = read


def whole(low: int, high: int) -> Kind:
    """A whole number of plain digits within bounds."""

    def read(text: str) -> int | None:
        plain = text.isascii() and text.isdigit() and len(text) <= len(str(high))
        return int(text) if plain and low <= int(text) <= high else None

    return Kind(f"a whole number from {low:,} to {high:,}", read)


def _seconds(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if text.isascii() and 0 < value < 1e9 else None


SECONDS = Kind("a number of seconds above 0", _seconds)
TEXT = Kind("text", lambda text: text)


class Option:
    """An option: its flags, the long one last, what its value is called and must be, and its line of help.

    One without a metavar and without choices is a switch. ``many``: it may be repeated, and its values are
    listed; a switch that counts is repeated as ``-vv``, too. ``files``: its value is a path, for completion.
    """

    __slots__ = ("choices", "files", "flags", "group", "help", "key", "kind", "many", "metavar")

    def __init__(
        self,
        *flags: str,
        help: str,
        metavar: str = "",
        kind: Kind = TEXT,
        choices: tuple[str, ...] = (),
        group: str = "Options",
        many: bool = False,
        files: bool = False,
    ) -> None:
        self.flags = flags
        self.key = flags[-1].lstrip("-").replace("-", "_")
        self.metavar = metavar or "|".join(choices)
        self.kind = kind
        self.choices = choices
        self.help = help
        self.group = group
        self.many = many
        self.files = files


class Argument:
    """A positional argument, or any number of them when its name ends with dots.

    Completion proposes what is in ``offers``: the choices, unless others are given.
    """

    __slots__ = ("choices", "files", "help", "metavar", "offers", "required")

    def __init__(
        self,
        metavar: str,
        *,
        help: str,
        required: bool = False,
        choices: tuple[str, ...] = (),
        offers: tuple[str, ...] = (),
        files: bool = False,
    ) -> None:
        self.metavar = metavar
        self.help = help
        self.required = required
        self.offers = offers or choices
        self.choices = choices
        self.files = files

    @property
    def many(self) -> bool:
        """Whether it takes all arguments that are left."""
        return self.metavar.endswith("...")


COLOR = Option(
    "--color", metavar="WHEN", choices=("auto", "always", "never"), help="Colours: auto, always or never."
)
HELP = Option("-h", "--help", help="Show this page and exit.")
VERSION = Option("-V", "--version", help="Show the version and exit.")


class Command:
    """A command: what it does with what it was given, what it accepts, and examples of it.

    ``dash`` is the help for an argument that begins with a dash and is no option.
    """

    __slots__ = ("arguments", "dash", "examples", "main", "options")

    def __init__(
        self,
        main: Callable[[Given], int],
        *,
        examples: tuple[tuple[str, str], ...],
        arguments: tuple[Argument, ...] = (),
        options: tuple[Option, ...] = (),
        dash: str | None = None,
    ) -> None:
        self.main = main
        self.examples = examples
        self.arguments = arguments
        self.options = (*options, COLOR, HELP)
        self.dash = dash


class CommandLine:
    """The words after ``gradcli``, and errors that point at one of them."""

    __slots__ = ("words",)

    def __init__(self, words: list[str]) -> None:
        self.words = words

    def misuse(self, message: str, at: int, help: str | None = None) -> InputError:
        """A usage error at a word, or behind the last one."""
        from shlex import quote

        from ..errors import InputError, Source, Span

        words = [quote(word) for word in self.words]
        before = " ".join(["gradcli", *words[:at]]) + " "
        there = words[at] if at < len(words) else " "
        text = before + " ".join([there, *words[at + 1 :]])
        line, column = _position(before)
        span = Span(Source("<command line>", text), line, column, *_position(before + there))
        return InputError(message, span=span, help=help, code="E504")


def _position(text: str) -> tuple[int, int]:
    """The line, from 1, and the column, from 0, that follow a text."""
    lines = text.split("\n")
    return len(lines), len(lines[-1])


class Given:
    """What a command was given: options by name, and positional arguments with the places they stood at."""

    __slots__ = ("arguments", "line", "options", "places")

    def __init__(self, line: CommandLine) -> None:
        self.line = line
        self.options: dict[str, Any] = {}
        self.arguments: list[str] = []
        self.places: dict[str, list[int]] = {"": []}

    def add(self, at: int) -> None:
        """Note a positional argument."""
        self.arguments.append(self.line.words[at])
        self.places[""].append(at)

    def take(self, option: Option, value: Any, at: int) -> None:
        """Note the value of an option: the last one counts, unless they are listed."""
        if option.many:
            self.options.setdefault(option.key, []).append(value)
        else:
            self.options[option.key] = value
        self.places.setdefault(option.key, []).append(at)

    def get(self, key: str, default: Any = None) -> Any:
        """The value of an option, or the default when it was not given."""
        return self.options.get(key, default)

    def argument(self, at: int = 0) -> str | None:
        """A positional argument, or None when there are fewer."""
        return self.arguments[at] if at < len(self.arguments) else None

    def misuse(self, message: str, at: int, key: str = "", *, help: str | None = None) -> InputError:
        """A usage error at a positional argument, or at one of the values of an option."""
        return self.line.misuse(message, self.places[key][at], help)


def parse(name: str, command: Command, line: CommandLine) -> Given:
    """Read the words after the name of a command; ``help`` among them ends the reading."""
    options = {flag: option for option in command.options for flag in option.flags}
    given = Given(line)
    words = enumerate(line.words)
    next(words)
    for at, word in words:
        if word == "--":
            break
        if word == "-" or not word.startswith("-"):
            given.add(at)
            continue
        flag, joined = _split(word)
        option = options.get(flag)
        short = not word.startswith("--")
        if option is not None and option.many and not option.metavar and short and set(joined or "") <= {flag[1]}:
            for _ in word[1:]:
                given.take(option, True, at)
            continue
        if option is None or (short and joined and not option.metavar):
            asked = shown(word if short else flag)
            raise line.misuse(f"gradcli {name} has no option {asked}", at, _near(flag, options, command))
        if option is HELP:
            given.options["help"] = True
            return given
        if not option.metavar:
            if joined is not None:
                raise line.misuse(f"{flag} takes no value", at, f"write {flag} alone")
            given.take(option, True, at)
            continue
        if joined is None:
            at, joined = next(words, (len(line.words), None))
            if joined is None:
                raise line.misuse(f"{flag} needs a value: {flag} {option.metavar}", at, option.help)
        given.take(option, _value(option, flag, joined, line, at), at)
    for at, _ in words:
        given.add(at)
    _check_arguments(name, command, given)
    return given


def _split(word: str) -> tuple[str, str | None]:
    """The flag that a word begins with, and the value that is joined to it: ``--seed=3``, ``-ex*y``."""
    if word.startswith("--"):
        flag, mark, value = word.partition("=")
        return flag, value if mark else None
    return word[:2], word[2:] or None


def _value(option: Option, flag: str, text: str, line: CommandLine, at: int) -> Any:
    """What the text of a value stands for."""
    if option.choices and text not in option.choices:
        message = f"{flag} takes {listed(option.choices, 'or')}, not {shown(text)}"
        raise line.misuse(message, at, _did_you_mean(text, option.choices))
    value = option.kind.read(text)
    if value is None:
        raise line.misuse(f"{flag} takes {option.kind.words}, not {shown(text)}", at)
    return value


def _check_arguments(name: str, command: Command, given: Given) -> None:
    """Refuse arguments that are missing, too many, or none of the choices."""
    line = given.line
    for at, argument in enumerate(command.arguments):
        text = given.argument(at)
        if text is None and argument.required:
            choices = f": {listed(argument.choices, 'or')}" if argument.choices else ""
            raise line.misuse(f"gradcli {name} needs {argument.metavar}{choices}", len(line.words), argument.help)
        if text is not None and argument.choices and text not in argument.choices:
            message = f"{argument.metavar} is {listed(argument.choices, 'or')}, not {shown(text)}"
            raise given.misuse(message, at, help=_did_you_mean(text, argument.choices))
    most = len(command.arguments)
    if len(given.arguments) > most and not (most and command.arguments[-1].many):
        takes = f"only {command.arguments[-1].metavar}" if most else "no arguments"
        raise given.misuse(f"gradcli {name} takes {takes}", most, help=f"`gradcli {name} --help` shows what it takes")


def _near(flag: str, options: Mapping[str, Option], command: Command) -> str | None:
    """The help for an option that there is not."""
    return (_did_you_mean(flag, options) if flag.startswith("--") else None) or command.dash


def _did_you_mean(word: str, choices: Iterable[str]) -> str | None:
    from ..spec.torch_names.suggest import did_you_mean

    return did_you_mean(word, choices)


def shown(text: str) -> str:
    """A word of the user's in quotes, cut when it is long."""
    return f"'{text}'" if len(text) <= 40 else f"'{text[:37]}...'"


def listed(words: Iterable[str], last: str) -> str:
    """Words as a sentence lists them: a, b or c."""
    *some, end = words
    return f"{', '.join(some)} {last} {end}" if some else end
