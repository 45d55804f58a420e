"""Settings of a project: ``[tool.gradcli]`` in pyproject.toml, or gradcli.toml, nearest upwards; and GRADCLI_*.

The file may come with a stranger's change: unless it is trusted, it only tightens limits, and stays in its directory.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, NoReturn

from ...errors import InputError, Source, Span
from ...spec.input.named_inputs import Binding, binding
from ..parsing.words import listed, shown
from ..python.wanted import PythonTarget
from .setting_values import (
    LONG,
    MANY,
    NAMED,
    OF_PYTHON,
    OF_SPEC,
    PROJECT,
    PYTHON,
    SINGLE,
    SPEC,
    WHOLE,
    Read,
    Untyped,
    Wrong,
    is_report,
    switch,
)
from .spec_tables import SETTINGS, SpecTable, entry, header, start_of

_OWN, _SHARED = SETTINGS
# Bytes of a file of settings, and of one that may be another tool's.
_LARGEST, _LARGEST_SHARED = 65_536, 1_048_576
_PER_FILE = "per-file"
_PREFIX = "GRADCLI_"
_TRUST = "GRADCLI_TRUST_CONFIG"
# What a report may be called that a file asks for: nothing that some program would run or read as its own.
_ENDINGS = (".json", ".jsonl", ".log", ".md", ".sarif", ".txt", ".xml")
# How a file says that it has settings: blanks on one line, so that looking for it takes time by its length alone.
_SECTION = r"\[[ \t]*tool[ \t]*\.[ \t]*[\"']?gradcli\b"

class Settings(NamedTuple):
    """The settings of a project and of the environment, by the names of options."""

    values: dict[str, Any] = {}
    # Patterns of paths and what holds for those that match, from the directory of the file on.
    per_file: tuple[tuple[str, dict[str, Any]], ...] = ()
    environment: dict[str, Any] = {}
    directory: str = ""
    trusted: bool = False
    # Functions that --python checks, and nothing else does.
    python: tuple[PythonTarget, ...] = ()
    # Specs with inputs and claims.
    specs: tuple[SpecTable, ...] = ()

    def tables_of(self, path: str, target: str | None) -> list[SpecTable]:
        """The tables about a spec: of a file all that name something of it."""
        return [table for table in self.specs if table.means(path, target, self.directory)]

    def bounds(self, key: str) -> str | None:
        """The directory that a setting must not lead out of; None where the user said it, or trusts the file."""
        return None if self.trusted or key in self.environment else self.directory

    def get(self, key: str, default: Any = None) -> Any:
        """A setting that is not of a single file."""
        return self.environment.get(key, self.values.get(key, default))

    def of(self, path: str | None) -> dict[str, Any]:
        """All settings for a spec: those of the project, of its file, of the environment, the last one counts."""
        found = dict(self.values)
        for pattern, values in self.per_file:
            if path is not None and self._matches(path, pattern):
                found.update(values)
        return {**found, **self.environment}

    def _matches(self, path: str, pattern: str) -> bool:
        from fnmatch import fnmatch

        place = os.path.relpath(os.path.realpath(path), os.path.realpath(self.directory)).replace(os.sep, "/")
        return fnmatch(place, pattern) or fnmatch(os.path.basename(place), pattern)


def settings(environ: Mapping[str, str], directory: str = ".", flags: Mapping[str, Any] | None = None) -> Settings:
    """The settings of the nearest file and of the environment; anything unknown in the file is an error.

    ``flags`` are the options of the command line: what they say is the user's word, as the environment is.
    """
    if flags and flags.get("isolated"):
        return Settings()
    environment = _from_environment(environ)
    said = {**environment, **(flags or {})}
    trusted = bool(said.get("trust_config")) or _is_trusted(environ)
    try:
        named = flags.get("config") if flags else None
        found = _named(named) if named is not None else _nearest(os.path.abspath(directory), trusted)
    except FileNotFoundError:
        # The directory that this process is in was removed: an expression needs none.
        found = None
    if found is None:
        return Settings(environment=environment, trusted=trusted)
    path, data = found
    return _File(path, data, said, trusted).read()._replace(environment=environment)


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    """The settings in GRADCLI_*; other names there may be someone else's."""
    found = {}
    for key, read in WHOLE.items():
        name = _PREFIX + key.upper().replace("-", "_")
        text = environ.get(name)
        if text is None or (not text and read is not switch):
            continue
        try:
            found[key.replace("-", "_")] = read(Untyped(text or "0"))
        except Wrong as wrong:
            raise InputError(
                f"{name} takes {wrong}, not {shown(text)}",
                help=f"set it to something else, or leave it out: unset {name}",
                code="E505",
            ) from None
    return found


def _is_trusted(environ: Mapping[str, str]) -> bool:
    """The environment says that files of settings may say anything."""
    text = environ.get(_TRUST, "")
    try:
        return bool(switch(Untyped(text or "0")))
    except Wrong as wrong:
        raise InputError(
            f"{_TRUST} takes {wrong}, not {shown(text)}", help=f"write {_TRUST}=1", code="E505"
        ) from None


# -- the file ----------------------------------------------------------------------------------


def _nearest(directory: str, trusted: bool) -> tuple[str, str] | None:
    """The nearest file of settings at or above a directory, and its text."""
    while True:
        for name in (_OWN, _SHARED):
            path = os.path.join(directory, name)
            text = _text(path, name == _OWN, trusted)
            if text is not None:
                return path, text
        above = os.path.dirname(directory)
        if above == directory:
            return None
        directory = above


def _named(path: str) -> tuple[str, str]:
    """A file of settings that the user names, and its text."""
    from ...spec.input.disk import open_regular

    open_regular(path)[0].close()
    own = os.path.basename(path) != _SHARED
    text = _text(os.path.abspath(path), own, True)
    if text is None:
        raise InputError(f"there is no table [tool.gradcli] in '{path}'", help="write one", code="E505")
    return os.path.abspath(path), text


def _text(path: str, own: bool, trusted: bool) -> str | None:
    """The text of a file of settings; None where there is none, or one of another tool's, which ends no search."""
    from ...spec.input.contained_paths import astray
    from ...spec.input.disk import open_regular, read_up_to
    from ...spec.input.source import decoded

    if not (os.path.lexists(path) if own else os.path.isfile(path)):
        return None
    # What a link shows of a file elsewhere would stand in the error that tells what is wrong with it.
    reason = None if trusted else astray(*os.path.split(path))
    if reason is not None and own:
        raise InputError(f"'{path}' {reason}", help="`--trust-config` allows it", code="E505")
    most = _LARGEST if own else _LARGEST_SHARED
    file, _ = open_regular(path)
    with file:
        data = read_up_to(file, most + 1)
    if not own and not re.search(_SECTION.encode(), data):
        return None
    if reason is not None:
        raise InputError(f"'{path}' {reason}", help="`--trust-config` allows it", code="E505")
    if len(data) > _LARGEST:
        size = f"more than {_LARGEST:,}" if len(data) > most else f"{len(data):,}"
        raise InputError(
            f"'{path}' has {size} bytes; settings may have {_LARGEST:,}",
            help=None if own else f"write them in a {_OWN} of their own",
            code="E505",
        )
    return decoded(path, data).text


class _File:
    """A file of settings, and the places in it."""

    def __init__(self, path: str, text: str, said: Mapping[str, Any], trusted: bool) -> None:
        shorter = os.path.relpath(path)
        self.source = Source(shorter if len(shorter) < len(path) else path, text)
        self.directory = os.path.dirname(path)
        self.own = os.path.basename(path) != _SHARED
        # What the user says, and so no limit of the file's.
        self.said = said
        self.trusted = trusted

    def read(self) -> Settings:
        """The settings in it."""
        table = self._table()
        per_file = table.pop(_PER_FILE, {})
        python = tuple(self._python(number, each) for number, each in self._tables(table, PYTHON, "a function"))
        specs = tuple(self._spec(number, each) for number, each in self._tables(table, SPEC, "a spec"))
        values = self._values(table, PROJECT, (_PER_FILE, PYTHON, SPEC))
        if not isinstance(per_file, dict) or not all(isinstance(part, dict) for part in per_file.values()):
            self._refuse(
                _PER_FILE, f"'{_PER_FILE}' takes a table for each pattern", f'[tool.gradcli.{_PER_FILE}."*.py"]'
            )
        if len(per_file) > MANY or any(len(pattern) > LONG for pattern in per_file):
            self._refuse(_PER_FILE, f"'{_PER_FILE}' takes at most {MANY} patterns of {LONG} characters", None)
        parts = tuple((pattern, self._values(part, SINGLE, (), pattern)) for pattern, part in per_file.items())
        for text in values.get("report", ()):
            self._check_report(text)
        if not self.trusted:
            self._check_paths(values)
            if "jobs" in values:
                values["jobs"] = min(values["jobs"], os.cpu_count() or 1)
        return Settings(values, parts, directory=self.directory, trusted=self.trusted, python=python, specs=specs)

    def _tables(self, table: dict[str, Any], kind: str, what: str) -> list[tuple[int, dict[str, Any]]]:
        """The tables of an array, numbered; each names what it is about."""
        tables = table.pop(kind, [])
        if not isinstance(tables, list) or not all(isinstance(x, dict) for x in tables) or len(tables) > MANY:
            self._refuse(kind, f"'{kind}' takes at most {MANY} tables", f"write [[{self._prefix()}{kind}]]")
        key, example = NAMED[kind]
        for number, each in enumerate(tables):
            if key not in each:
                words, help = f"{what} has no '{key}'", f"for example {key} = \"{example}\""
                raise InputError(words, span=header(self.source, kind, number), help=help, code="E505")
        return list(enumerate(tables))

    def _prefix(self) -> str:
        return "" if self.own else "tool.gradcli."

    def _python(self, number: int, table: dict[str, Any]) -> PythonTarget:
        """A function that --python checks: data here, which nothing but that flag acts on."""
        values = self._values(table, OF_PYTHON, (), start_of(self.source, PYTHON, number))
        inputs = tuple(f"{name}={value}" for name, value in values.get("inputs", {}).items())
        kind, train = values.get("kind", "grad"), values.get("train", False)
        held = tuple(values.get("no_grad", ()))
        return PythonTarget(values["target"], values.get("derivative"), kind, train, inputs, held=held)

    def _spec(self, number: int, table: dict[str, Any]) -> SpecTable:
        """A spec with inputs and claims."""
        start = start_of(self.source, SPEC, number)
        values = self._values(table, {**OF_SPEC, **SINGLE}, (), start)
        path, mark, target = values.pop("path").rpartition("::")
        path, target = (path, target) if mark else (target, values.pop("target", None))
        if "target" in values:
            self._refuse("target", "'path' names one already", f"leave 'target' out, or '::{target}'", start)
        if mark and not target.isidentifier():
            self._refuse("path", f"'{target}' cannot be the name of a function or class", "write file.py::name", start)
        if "claims" in values and "claim_from" in values:
            help = "leave one of the two out"
            self._refuse("claims", "'claim-from' gives all derivatives, and 'claims' some", help, start)
        if not self.trusted:
            self._check_program("path", path, start)
        inputs = tuple(self._inputs(values.pop("inputs", {}), start))
        claims = values.pop("claims", None)
        if claims is not None:
            values["claim"] = self._claims(claims, start)
        return SpecTable(path, target, inputs, values, self.source, number)

    def _inputs(self, table: dict[str, str], start: int) -> Iterator[Binding]:
        for name, text in table.items():
            try:
                found = binding(f"{name}={text}")
            except InputError as error:
                error.span, error.code = entry(self.source, start, "inputs", name, text)[0], "E505"
                raise
            if found.text.startswith("@") and not self.trusted:
                raise InputError(
                    f"the input '{name}' is a file, and files are named by whoever runs a program",
                    span=entry(self.source, start, "inputs", name, text)[0],
                    help=f"name it on the command line, {name}={found.text}, or use `--trust-config`",
                    code="E505",
                )
            yield found

    def _claims(self, table: dict[str, str], start: int) -> list[tuple[str, str]]:
        found = [(name, text.strip()) for name, text in table.items()]
        for name, text in found:
            if not text or text.startswith("=") or not all(part.isidentifier() for part in name.split(".")):
                raise InputError(
                    "a claim is an input and its derivative",
                    span=entry(self.source, start, "claims", name, text)[0],
                    help="for example claims = {x = \"2*x*cos(x)\"}",
                    code="E505",
                )
        return found

    def _table(self) -> dict[str, Any]:
        from .toml import loads

        table: Any = loads(self.source)
        for key in () if self.own else ("tool", "gradcli"):
            table = table.get(key, {})
            if not isinstance(table, dict):
                self._refuse(key, f"'{key}' is to be a table", "write [tool.gradcli]")
        if self.own and isinstance(table.get("tool"), dict):
            self._refuse("tool", f"settings of {_OWN} stand in no table", "leave [tool.gradcli] out")
        found: dict[str, Any] = table
        return found

    def _values(
        self, table: dict[str, Any], known: Mapping[str, Read], others: tuple[str, ...], within: str | int = ""
    ) -> dict[str, Any]:
        """The values of a table, by the names of options."""
        found = {}
        for key, value in table.items():
            plain = key.lower().replace("_", "-")
            read = known.get(plain)
            if read is None:
                self._unknown(key, plain, [*known, *others], within)
            try:
                found[plain.replace("-", "_")] = read(value)
            except Wrong as wrong:
                self._refuse(key, f"'{key}' takes {wrong}", None, within)
            self._check_limit(key, plain, value, within)
        return found

    def _check_limit(self, key: str, plain: str, value: Any, within: str | int) -> None:
        """Refuse a limit above what holds without the file: settings may be a stranger's, and only tighten limits."""
        name = plain.replace("-", "_")
        if self.trusted or name in self.said:
            return
        from ..parsing.limits import limits_of

        base = {"limits": self.said["limits"]} if "limits" in self.said else {}
        if any(chosen > most for chosen, most in zip(limits_of({**base, name: value}), limits_of(base), strict=True)):
            self._refuse(
                key,
                f"settings may only tighten limits, and this '{plain}' loosens one",
                f"`--{plain}` on the command line allows more, and so does `--trust-config`",
                within,
            )

    def _unknown(self, key: str, plain: str, known: list[str], within: str | int) -> NoReturn:
        from ...spec.torch_names.suggest import did_you_mean

        key = key if len(key) <= LONG else f"{key[:LONG]}..."
        near = did_you_mean(plain, known)
        if within and plain in PROJECT:
            part = f"[{self._prefix()}{_PER_FILE}]" if isinstance(within, str) else "all tables [[...]]"
            near = f"'{key}' is for the whole project: write it above {part}"
        self._refuse(key, f"gradcli has no setting '{key}'", near or f"there are {', '.join(known)}", within)

    def _check_report(self, text: str) -> None:
        """A report that a file asks for goes below its directory, and is called as reports are."""
        from ...spec.input.contained_paths import astray

        path = text.partition(":")[2]
        if not is_report(text):
            self._refuse("report", f"'{text}' is no FORMAT:PATH", 'for example report = ["junit:report.xml"]')
        if self.trusted or path == "-":
            return
        reason = astray(self.directory, path)
        if reason is not None:
            self._refuse("report", f"'{path}' {reason}", "name a file in it, or use --report")
        if not path.lower().endswith(_ENDINGS):
            help = f"name it with {listed(_ENDINGS, 'or')}, or use --report"
            self._refuse("report", f"'{path}' has no ending of a report", help)

    def _check_paths(self, values: Mapping[str, Any]) -> None:
        """Specs that a file names are Python files below its directory: of any other an error would show a line."""
        from ...spec.input.contained_paths import NO_PATH, OUT, astray

        for text in values.get("paths", ()):
            self._check_program("paths", text)
        if "baseline" in values and (reason := astray(self.directory, values["baseline"])) is not None:
            self._refuse("baseline", f"'{values['baseline']}' {reason}", "name it on the command line")
        for pattern in values.get("exclude", ()):
            if "\0" in pattern or os.path.isabs(pattern) or ".." in pattern.split("/"):
                self._refuse("exclude", f"'{pattern}' {NO_PATH if chr(0) in pattern else OUT}", None)

    def _check_program(self, key: str, text: str, within: str | int = "") -> None:
        from ...spec.input.contained_paths import astray

        path = text.rpartition("::")[0] or text
        reason = astray(self.directory, text) or astray(self.directory, path)
        real = os.path.realpath(os.path.join(self.directory, path)) if reason is None else ""
        if os.path.isfile(real) and not real.endswith(".py"):
            reason = "is no Python file"
        if reason is not None:
            help = "name it on the command line, or use `--trust-config`"
            self._refuse(key, f"'{text}' {reason}", help, within)

    # -- places --------------------------------------------------------------------------------

    def _refuse(self, key: str, message: str, help: str | None, within: str | int = "") -> NoReturn:
        raise InputError(message, span=self._place(key, within), help=help, code="E505")

    def _place(self, key: str, within: str | int) -> Span | None:
        """Where a key stands, behind a text or a number of characters; tomllib tells of no places."""
        start = 0
        if isinstance(within, int):
            start = within
        elif within:
            start = max(self.source.text.find(within), 0)
        elif not self.own:
            section = re.search(rf"(?m)^[ \t]*{_SECTION}", self.source.text)
            start = section.start() if section else 0
        key = re.escape(key[:LONG])
        pattern = re.compile(
            rf"(?m)^[ \t]*\[?(?:[\w.\"'-]+\.)?[\"']?({key})[\"']?[ \t]*[=\].]|\b({key})\b[ \t]*="
        )
        found = pattern.search(self.source.text, start) or re.search(rf"({key})", self.source.text)
        if found is None:
            return None
        from ...spec.input.source import span_at

        group = next(i for i, text in enumerate(found.groups(), 1) if text is not None)
        return span_at(self.source, found.start(group), found.end(group))
