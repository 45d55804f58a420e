"""Commands of click with our pages of help and our errors, and the decorators that declare them."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial, wraps
from typing import TYPE_CHECKING, Any

import click

from . import words as words_
from .pages import Pages, put
from .types import PATH, TEXT, Choice, Unfit
from .words import CommandLine, Word, listed, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ...errors import InputError

    Decorator = Callable[[Any], Any]

_LINE = "gradcli.line"

# Options that there were, or that are other tools': what there is where they are looked for, and the next step.
_NO_TOLERANCE = ("--digits", "no tolerance is needed: slopes have error bars; --digits N asks for so many digits")
_ELSEWHERE = {
    "--fold": ("--level", "--level 1 shows calls and turns of loops as boxes; --collapse NAME those of a name"),
    **dict.fromkeys(("--tol", "--atol", "--rtol", "--eps", "--tolerance"), _NO_TOLERANCE),
}


class Context(click.Context):
    """The values that a command is called with, and the places on the command line that they stand at."""

    formatter_class = Pages

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.places: dict[str, list[int]] = {}

    @property
    def line(self) -> CommandLine:
        """The command line, or an empty one for a command that is called from Python."""
        line: CommandLine = self.meta.setdefault(_LINE, CommandLine([], self.command_path))
        return line

    def misuse(self, message: str, key: str | None = None, at: int = -1, *, help: str | None = None) -> InputError:
        """A usage error at one of the values of a parameter, or behind the last word."""
        found = self.places.get(key or "") or self._switched(key)
        return self.line.misuse(message, found[at] if found else None, help)

    def _switched(self, key: str | None) -> list[int]:
        """The places of a switch, which has no value that could know its own."""
        taken = {at for found in self.places.values() for at in found}
        flags = [flag for param in self.command.params if param.name == key for flag in param.opts]
        letters = [flag[1] for flag in flags if len(flag) == 2]
        return [
            word.at
            for word in self.line.words
            if word.at not in taken
            and (word in flags or (word[:1] == "-" != word[1:2] and any(letter in word for letter in letters)))
        ]


class Option(click.Option):
    """An option under a heading of the page; of one that may be repeated, every value has its place."""

    def __init__(self, *args: Any, group: str = "Options", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.group = group

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> Any:
        """Note the places of the values, too."""
        _note(ctx, self.name, opts)
        return super().consume_value(ctx, opts)  # type: ignore[arg-type,unused-ignore]

    @property
    def value(self) -> str:
        """The word that stands for its value; none for a switch."""
        if self.is_flag or self.count:
            return ""
        return self.metavar or "|".join(getattr(self.type, "choices", ())) or "TEXT"

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Give the flags, aligned on the long one, and the line of help."""
        if self.hidden:
            return None
        flags = ", ".join(self.opts)
        return f"{'' if len(self.opts) > 1 else '    '}{flags} {self.value}".rstrip(), self.help or ""


class Argument(click.Argument):
    """Positional words, with a row of the page for each thing that they may be."""

    def __init__(
        self, *args: Any, rows: Sequence[tuple[str, str]], hands_on: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.rows = rows
        # Whether those behind a `--` that has others before it are for the program that is named.
        self.hands_on = hands_on

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> Any:
        """Note the places of the values, too."""
        _note(ctx, self.name, opts)
        return super().consume_value(ctx, opts)  # type: ignore[arg-type,unused-ignore]

    def get_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Give the words as the page names them."""
        return [term if self.required else f"[{term}]" for term, _ in self.rows]


def _note(ctx: click.Context, name: str | None, opts: Mapping[str, Any]) -> None:
    if isinstance(ctx, Context) and name is not None:
        ctx.places[name] = words_.places(opts.get(name))


class Base(click.Command):
    """The ways of the group and of its commands: reading words, telling of misuse, writing a page."""

    context_class = Context
    # What is too much is refused with its place.
    allow_extra_args = True

    def __init__(
        self,
        name: str | None,
        *,
        examples: Sequence[tuple[str, str]] = (),
        epilogue: Sequence[tuple[str, Sequence[tuple[str, str]]]] = (),
        dash: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name, add_help_option=False, **kwargs)
        self.examples = examples
        # Further sections of the page.
        self.epilogue = epilogue
        # What to say to an argument that begins with a dash and is no option.
        self.dash = dash
        self.params.append(_help_option())

    # -- reading -------------------------------------------------------------------------------

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Read the words; in a program that is not ours, errors are told here."""
        with _told(parent):
            return super().make_context(info_name, args, parent, **extra)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words, and say where they are wrong."""
        assert isinstance(ctx, Context)
        if not all(isinstance(word, Word) for word in args):
            ctx.meta[_LINE] = CommandLine(args, ctx.command_path)
            args = list(ctx.line.words)
        start = len(ctx.line.words) - len(args)
        left = list(args)
        try:
            # Click takes the words off the list, one by one.
            rest = super().parse_args(ctx, left)
        except click.UsageError as error:
            at = start + len(args) - len(left) - 1
            if isinstance(error, (click.NoSuchOption, click.BadOptionUsage)) and _asks_for_help(ctx, start, at):
                _show_help(ctx)
            raise self._misuse(ctx, error, at) from None
        if rest and not ctx.resilient_parsing and not isinstance(self, click.Group):
            raise self._too_many(ctx, rest[0])
        return rest

    def invoke(self, ctx: click.Context) -> Any:
        """Do it; in a program that is not ours, errors are told here."""
        with _told(ctx.parent):
            return super().invoke(ctx)

    def _misuse(self, ctx: Context, error: click.UsageError, at: int) -> InputError:
        """A usage error of click's, in our words and with its place."""
        line, path = ctx.line, ctx.command_path
        if isinstance(error, click.NoSuchOption):
            word = line.words[at]
            flag = word.partition("=")[0] if word.startswith("--") else str(word)
            help = self._near(flag) or self._instead(path, flag)
            return line.misuse(f"{path} has no option {shown(flag)}", at, help)
        if isinstance(error, click.BadOptionUsage):
            flag = error.option_name
            option = next(p for p in self.params if isinstance(p, Option) and flag in p.opts)
            if not option.value:
                return line.misuse(f"{flag} takes no value", at, f"write {flag} alone")
            return line.misuse(f"{flag} needs a value: {flag} {option.value}", help=option.help)
        param = getattr(error, "param", None)
        if isinstance(error, click.MissingParameter) and isinstance(param, Argument):
            ((term, help),) = param.rows
            choices = f": {listed(param.type.choices, 'or')}" if isinstance(param.type, Choice) else ""
            return line.misuse(f"{path} needs {term}{choices}", help=help)
        if isinstance(error, Unfit):
            return line.misuse(error.message, error.at, error.help)
        return line.misuse(error.format_message())

    def _near(self, flag: str) -> str | None:
        options = [param for param in self.params if isinstance(param, Option)]
        known = [flag for param in options for flag in param.opts]
        here, instead = _ELSEWHERE.get(flag, ("", None))
        if here in known:
            return instead
        for param in options:
            if isinstance(param.type, Choice) and flag.removeprefix("--") in param.type.choices:
                return f"did you mean {param.opts[0]} {flag.removeprefix('--')}?"
        return words_.did_you_mean(flag, known) if flag.startswith("--") else None

    def _instead(self, path: str, flag: str) -> str | None:
        """Where to look for an option, or how to give what is none: `--x` is an expression."""
        is_name = len(flag) > 3 and flag[2:].replace("-", "").isalpha()
        return f"`{path} --help` lists the options" if is_name and not isinstance(self, click.Group) else self.dash

    def _too_many(self, ctx: Context, word: str) -> InputError:
        terms = [term for param in self.params if isinstance(param, Argument) for term, _ in param.rows]
        takes = f"only {terms[-1]}" if terms else "no arguments"
        at, path = getattr(word, "at", None), ctx.command_path
        return ctx.line.misuse(f"{path} takes {takes}", at, help=f"`{path} --help` shows what it takes")

    # -- the page ------------------------------------------------------------------------------

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the page: examples first, then what there is to give, under its headings."""
        assert isinstance(formatter, Pages)
        formatter.write_text(self.help or "")
        formatter.write_rows("Examples", [(line, f"# {remark}") for line, remark in self.examples])
        with formatter.section("Usage"):
            formatter.write_text(" ".join([ctx.command_path, *self.collect_usage_pieces(ctx)]))
        arguments = [param for param in self.params if isinstance(param, Argument)]
        formatter.write_rows("Arguments", [row for param in arguments for row in param.rows])
        self.format_options(ctx, formatter)
        for title, rows in self.epilogue:
            formatter.write_rows(title, rows)
        self.format_epilog(ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, each under the heading of its group."""
        assert isinstance(formatter, Pages)
        groups: dict[str, list[tuple[str, str]]] = {}
        for param in self.params:
            row = param.get_help_record(ctx) if isinstance(param, Option) else None
            if isinstance(param, Option) and row is not None:
                groups.setdefault(param.group, []).append(row)
        for title, rows in groups.items():
            formatter.write_rows(title, rows)


class Command(Base):
    """A command of gradcli; the number that it returns is the exit code."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params.insert(-1, _color_option())

    def invoke(self, ctx: click.Context) -> None:
        """Do it, and end with its exit code when that is not 0."""
        code = super().invoke(ctx)
        if code:
            ctx.exit(code)


@contextmanager
def _told(parent: click.Context | None) -> Iterator[None]:
    """Tell of errors, and leave by the way that click has for it, when it is another's command that calls ours."""
    if parent is None or isinstance(parent.command, Base):
        yield
        return
    from ...errors import GradcliError
    from ..process import tell

    try:
        yield
    except GradcliError as error:
        parent.exit(tell(error))


def _asks_for_help(ctx: Context, start: int, end: int) -> bool:
    return not ctx.resilient_parsing and not {"-h", "--help"}.isdisjoint(ctx.line.words[start:end])


def _show_help(ctx: click.Context, *_: Any) -> None:
    put(f"{ctx.get_help()}\n")
    ctx.exit()


def _help_option() -> Option:
    def callback(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        if value and not ctx.resilient_parsing:
            _show_help(ctx)

    return Option(
        ["-h", "--help"], is_flag=True, is_eager=True, expose_value=False, callback=callback,
        help="Show this page and exit.",
    )  # fmt: skip


def _color_option() -> Option:
    return Option(
        ["--color"], metavar="WHEN", type=Choice(["auto", "always", "never"]),
        help="Colours: auto, always or never.",
    )  # fmt: skip


# -- declaring ---------------------------------------------------------------------------------

command = partial(click.command, cls=Command)


def option(*flags: str, help: str, group: str = "Options", type: Any = None, **attrs: Any) -> Decorator:
    """An option, which takes a text unless it is a switch or has a type."""
    if type is None and not attrs.get("is_flag") and not attrs.get("count"):
        type = TEXT
    return click.option(*flags, cls=Option, help=help, group=group, type=type, **attrs)


def switch(*flags: str, help: str, group: str = "Options", **attrs: Any) -> Decorator:
    """An option without a value."""
    return option(*flags, help=help, group=group, is_flag=True, **attrs)


def argument(name: str, *rows: tuple[str, str], type: Any = PATH, required: bool = False, **attrs: Any) -> Decorator:
    """Positional words, each kind of them with its name and its line of help."""
    return click.argument(
        name, cls=Argument, rows=rows, type=type, required=required, metavar=rows[0][0], **attrs
    )


def together(*decorators: Decorator) -> Decorator:
    """Options that several commands share, in the order in which their pages show them."""

    def decorate(function: Any) -> Any:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


class Given:
    """All that a command was given: options by name, positional words, and errors that point at one of either."""

    __slots__ = ("_ctx", "arguments", "options")

    def __init__(self, ctx: Context, params: Mapping[str, Any]) -> None:
        self._ctx = ctx
        switches = {p.name for p in ctx.command.params if isinstance(p, Option) and not p.value}
        # Nothing has a default here: settings and specs may have one, and what stands on the line goes before.
        self.options: dict[str, Any] = {
            key: list(value) if isinstance(value, tuple) and value and key in self._listed(ctx) else value
            for key, value in params.items()
            if key != "words" and value is not None and value != () and (value or key not in switches)
        }
        self.arguments: list[str] = list(params.get("words") or ())
        if any(isinstance(param, Argument) and param.hands_on for param in ctx.command.params):
            self._hand_on()

    def _hand_on(self) -> None:
        """Take the words for the program off the arguments: those behind the `--` that stands behind the SPEC."""
        places = self._ctx.places.get("words") or []
        values = {at for key, given in self._ctx.places.items() if key != "words" for at in given}
        named = "expression" in self.options or "file" in self.options
        for mark in (word.at for word in self._ctx.line.words if word == "--" and word.at not in values):
            count = sum(1 for at in places if at < mark)
            if named or count:
                behind = self.arguments[count:]
                self.arguments, self._ctx.places["words"] = self.arguments[:count], places[:count]
                self.options["args"] = [word for at, word in zip(places[count:], behind, strict=True) if at != mark]
                return

    @staticmethod
    def _listed(ctx: Context) -> set[str | None]:
        return {param.name for param in ctx.command.params if param.multiple}

    def get(self, key: str, default: Any = None) -> Any:
        """The value of an option, or the default when it was not given."""
        return self.options.get(key, default)

    def placed(self, key: str) -> list[tuple[int, str]]:
        """The values of an option that may be repeated, or the positional words, each with its place."""
        values = self.arguments if key == "words" else self.options.get(key, ())
        # A call from Python has no places, but an order.
        return list(zip(self._ctx.places.get(key) or range(len(values)), values, strict=True))

    def misuse(self, message: str, key: str | None = None, at: int = -1, *, help: str | None = None) -> InputError:
        """A usage error at one of the values of an option, at a positional word, or behind the last one."""
        return self._ctx.misuse(message, key, at, help=help)


def pass_context(function: Callable[..., Any]) -> Callable[..., Any]:
    """Hand a command its context, which knows the places of what it was given."""

    @wraps(function)
    def called(**params: Any) -> Any:
        ctx = click.get_current_context()
        assert isinstance(ctx, Context)
        return function(ctx, **params)

    return called


def pass_given(function: Callable[[Given], Any]) -> Callable[..., Any]:
    """Hand a command all that it was given as one thing, for those that hand it on."""

    @wraps(function)
    def called(ctx: Context, **params: Any) -> Any:
        return function(Given(ctx, params))

    return pass_context(called)
