"""Which specs a command line means: files, directories, expressions; chosen by name, and divided into shards."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...errors import GradcliError, InputError
from ...report.screen import picture_form
from ...spec.input.beside import read
from ...spec.input.disk import is_excluded
from ...spec.input.named_inputs import Binding, bindings, is_binding
from ...spec.input.patterns import GLOB, matches
from ...spec.input.source import Spec, files
from .. import specs
from ..parsing.command import Given
from ..parsing.limits import limits_of
from ..parsing.words import shown
from ..project.config import Settings
from ..project.spec_tables import SpecTable
from .job import Job

# As much is noted of a finding as a report can show.
_WHOLE = 2

# What a spec is checked with again: the flags of a command line that change what is found.
_AGAIN = {
    "lend": "--lend",
    "backward": "--backward", "no_grad": "--no-grad", "seed": "--seed", "dtype": "--dtype", "claim": "--claim",
    "claim_from": "--claim-from",
    "samples": "--samples", "digits": "--digits", "strict": "--strict", "every_entry": "--every-entry",
    "everywhere": "--everywhere", "require_coverage": "--require-coverage", "allow": "--allow",
}  # fmt: skip


def jobs(given: Given, settings: Settings) -> list[Job]:
    """All that is to be checked, in the order in which it was named; a directory stands for the specs in it."""
    texts, inputs = _arguments(given)
    found = bindings([*inputs, *given.get("input", [])])
    named = texts or [(_from(settings, path), "glob" if re.search(GLOB, path) else "path") for path in _paths(settings)]
    if not texts:
        # Each once: what tables name of a file stands together.
        named += [(path, "path") for path in dict.fromkeys(_from(settings, table.path) for table in settings.specs)]
    if not named:
        left = len(settings.python)
        if left:
            of = f"{left} python target{'s' * (left > 1)} not checked"
            raise given.misuse(f"there is no SPEC, and {of}", help="add --python, which imports and runs code")
        raise given.misuse("there is no SPEC", help=specs.WHAT_A_SPEC_IS)
    flags = {key: value for key, value in given.options.items() if key in _FLAGS}
    flags["detail"] = _WHOLE if _is_page_asked_for(given, settings) else given.get("verbose", 0)
    made: list[Job] = []
    seen: set[str] = set()
    told: list[SpecTable] = []
    given_values = {binding.name for binding in found}
    for text, kind in named:
        if kind != "expression" and "force_exclude" in given.options and _is_left_out(text, settings):
            continue
        for path, failure in _expanded(text, kind, settings, given_values):
            name = path if texts or failure else _seen_from_here(path)
            real = _identity(name, kind)
            if real in seen:
                continue
            seen.add(real)
            tables = [] if kind == "expression" or failure else _tables(name, settings)
            if not tables:
                made.append(_job(name, kind, failure, found, flags, settings, given))
            for table in tables:
                if table not in told:
                    told.append(table)
                    made.append(_job(name, kind, failure, found, flags, settings, given, table))
    return made


def _tables(name: str, settings: Settings) -> list[SpecTable]:
    """The tables of the settings about a spec that was named."""
    if not settings.specs or name == "-":
        return []
    path, _, target = name.rpartition("::") if "::" in name and not os.path.lexists(name) else (name, "", None)
    return settings.tables_of(path, target)


def _is_page_asked_for(given: Given, settings: Settings) -> bool:
    """Tell whether a report is a page, which shows all that can be noted of a finding, or a record to make one of."""
    forms = [form for form, _ in given.get("report", ())]
    forms += [text.partition(":")[0] for text in settings.get("report", ())]
    forms += [given.get("format", settings.get("format", "")), picture_form(given.get("out", ""))]
    return not {"html", "curve", "record"}.isdisjoint(forms)


def _paths(settings: Settings) -> list[str]:
    found: list[str] = settings.values.get("paths", [])
    return found


def _nowhere(text: str, values: set[str]) -> GradcliError | None:
    """The error of what is meant for a path and leads nowhere: names alone, none of which was given a value."""
    names = text.rstrip("/").split("/")
    if os.path.lexists(text) or not all(name.isidentifier() and name not in values for name in names):
        return None
    from ...spec.input.disk import similar

    near = similar(text.rstrip("/"))
    help = f"{near}; " if near else ""
    help += f"to check it as an expression, give it a value: {names[0]}=2"
    return InputError(f"there is no file or directory '{text}'", help=help, code="E501")


def _is_left_out(text: str, settings: Settings) -> bool:
    """Tell whether the settings leave out a file that was named."""
    path = text.rpartition("::")[0] if "::" in text and not os.path.lexists(text) else text
    return os.path.lexists(path) and is_excluded(path, [os.path.normpath(x) for x in _excluded(settings)])


_FLAGS = frozenset([*_AGAIN, "args", "order", "output", "wrt", "coverage"])


def selected(found: Sequence[Job], given: Given) -> list[Job]:
    """Those that -k and --shard leave."""
    chosen = list(found)
    if "keyword" in given.options:
        wanted = _keyword(given)
        chosen = [job for job in chosen if wanted(job.name)]
        if not chosen:
            help = f"`gradcli check ... --list` lists what there is: {len(found)}"
            raise given.misuse("this leaves no spec to check", "keyword", help=help)
    chosen = [job._replace(number=number, of=len(chosen)) for number, job in enumerate(chosen)]
    if "shard_by" in given.options and "shard" not in given.options:
        raise given.misuse("--shard-by says by which times --shard divides", "shard_by", help="add --shard I/N")
    if "shard" in given.options:
        from ..project.shards import durations, part_of

        seconds = durations(given.options["shard_by"]) if "shard_by" in given.options else None
        part, parts = given.options["shard"]
        mine = part_of((job.name for job in chosen), part, parts, seconds)
        chosen = [job for job in chosen if job.name in mine]
    return chosen


# -- what was named ----------------------------------------------------------------------------


def _arguments(given: Given) -> tuple[list[tuple[str, str]], list[str]]:
    """The specs, each with its kind, and the inputs: of the arguments behind the first, those that are NAME=VALUE."""
    forced = [(place, text, kind) for key, kind in specs.FORCED.items() for place, text in given.placed(key)]
    inputs = []
    texts: list[tuple[int, str, str]] = list(forced)
    for number, (place, text) in enumerate(given.placed("words")):
        if is_binding(text) and (number or forced):
            inputs.append(text)
        else:
            texts.append((place, text, "auto"))
    return [(text, kind) for _, text, kind in sorted(texts)], inputs


def _from(settings: Settings, path: str) -> str:
    """A path of the settings, seen from the current directory."""
    return _seen_from_here(os.path.join(settings.directory, path))


def _seen_from_here(path: str) -> str:
    """A path in its shortest form, which means a file also where a word would mean standard input."""
    found = os.path.relpath(path)
    return os.path.join(os.curdir, found) if found == "-" else found


def _expanded(
    text: str, kind: str, settings: Settings, values: set[str]
) -> Iterator[tuple[str, GradcliError | None]]:
    """The specs that an argument stands for; what is wrong with a directory is told in its place."""
    if kind != "glob" and (kind == "expression" or not os.path.isdir(text)):
        yield text, _nowhere(text, values) if kind == "auto" else None
        return
    try:
        found = _fitting(text, settings) if kind == "glob" else files([text], _excluded(settings))
    except GradcliError as error:
        yield text, error
        return
    if not found and kind == "glob":
        yield text, InputError(f"there is no Python file that fits '{text}'", help="see `paths`", code="G114")
    elif not found:
        help = "name a directory that has some, or a file; hidden ones and links that lead out of it are skipped"
        yield text, InputError(f"there is no Python file in or below '{text}'", help=help, code="G114")
    yield from ((path, None) for path in found)


def _excluded(settings: Settings) -> list[str]:
    patterns = settings.values.get("exclude", ())
    return [_from(settings, pattern) if "/" in pattern else pattern for pattern in patterns]


def _fitting(pattern: str, settings: Settings) -> list[str]:
    """The files that fit a pattern, which begins with a plain directory to look into."""
    segments = os.path.normpath(pattern).split(os.sep)
    plain = next(number for number, segment in enumerate(segments) if re.search(GLOB, segment))
    top = os.sep.join(segments[:plain]) or (os.sep if pattern.startswith(os.sep) else os.curdir)
    if not os.path.isdir(top):
        return []
    fits = segments[plain:]
    names = ((path, os.path.relpath(path, top).split(os.sep)) for path in files([top], _excluded(settings)))
    # What fits a directory means all below it.
    return [path for path, below in names if any(matches(below[:n], fits) for n in range(1, len(below) + 1))]


def _identity(name: str, kind: str) -> str:
    """The mark by which two specs are the same: a file is, by any of its names."""
    return os.path.realpath(name) if kind != "expression" and os.path.isfile(name) else f"{kind}:{name}"


def _job(
    name: str,
    kind: str,
    failure: GradcliError | None,
    inputs: Sequence[Binding],
    flags: dict[str, Any],
    settings: Settings,
    given: Given,
    table: SpecTable | None = None,
) -> Job:
    path = name.rpartition("::")[0] if "::" in name and not os.path.lexists(name) else name
    chosen = settings.of(path if os.path.lexists(path) else None)
    if table is not None:
        name, chosen = table.name(path), {**chosen, **table.values, **settings.environment}
    limits = limits_of({**chosen, **given.options})
    spec: Spec | None = None
    if name == "-" and kind == "auto":
        # Only this process has it.
        try:
            spec = read(name, max_bytes=limits.source)
            name = spec.source.name
        except GradcliError as error:
            failure = error
    again = tuple(_again(name, kind, inputs, flags, chosen))
    walled = "no_wall" not in given.options
    return Job(name, kind, spec, failure, inputs, flags, chosen, limits, again, walled, table=table)


def _again(
    name: str, kind: str, inputs: Sequence[Binding], flags: dict[str, Any], settings: dict[str, Any]
) -> Iterator[str]:
    """The words that check a spec again: itself, its inputs, and what else changes what is found."""
    if name.startswith("-"):
        yield "-e" if kind == "expression" else "-f"
    yield "-" if name == "<stdin>" else name
    yield from (f"{binding.name}={binding.text}" for binding in inputs)
    for key, flag in _AGAIN.items():
        value = flags.get(key)
        if key == "seed" and value is None:
            # Other settings are found again where they stand, and so is this one: but the seed decides the numbers.
            value = settings.get(key)
        if value is True:
            yield flag
        elif value is not None:
            for one in value if isinstance(value, list) else [value]:
                yield from (flag, "=".join(one) if isinstance(one, tuple) else str(one))
    if "args" in flags:
        yield from ("--", *flags["args"])


# -- which of them -----------------------------------------------------------------------------


def _keyword(given: Given) -> Callable[[str], bool]:
    """The test of a name that -k asks for."""
    text: str = given.options["keyword"]
    try:
        return _Keyword(text).read()
    except SyntaxError as error:
        help = "write parts of names, with and, or, not and parentheses between them: 'mlp and not slow'"
        raise given.misuse(f"-k {shown(text)}: {error.msg}", "keyword", help=help) from None


class _Keyword:
    """A reader of ``a and not (b or c)``; a word stands for names that have it in them, whatever the case."""

    def __init__(self, text: str) -> None:
        self.words = re.findall(r"[()]|[^\s()]+", text)
        self.at = 0
        # Recursion goes as deep as there are parentheses.
        if len(self.words) > 200:
            raise SyntaxError("it is too long")

    def read(self) -> Callable[[str], bool]:
        """The whole of it."""
        test = self._either()
        if self.at < len(self.words):
            raise SyntaxError(f"there is no place for {shown(self.words[self.at])}")
        return test

    def _next(self) -> str:
        return self.words[self.at] if self.at < len(self.words) else ""

    def _take(self, word: str) -> bool:
        found = self._next() == word
        self.at += found
        return found

    def _either(self) -> Callable[[str], bool]:
        tests = [self._both()]
        while self._take("or"):
            tests.append(self._both())
        return lambda name: any(test(name) for test in tests)

    def _both(self) -> Callable[[str], bool]:
        tests = [self._one()]
        while self._take("and"):
            tests.append(self._one())
        return lambda name: all(test(name) for test in tests)

    def _one(self) -> Callable[[str], bool]:
        if self._take("not"):
            test = self._one()
            return lambda name: not test(name)
        if self._take("("):
            test = self._either()
            if not self._take(")"):
                raise SyntaxError("a parenthesis is not closed")
            return test
        word = self._next()
        if word in ("", ")", "and", "or"):
            raise SyntaxError(f"a word is missing before {shown(word)}" if word else "a word is missing at its end")
        self.at += 1
        return lambda name: word.lower() in name.lower()
