"""The rings of tests: what `pytest` runs before every commit, and what `pytest --full` runs beyond that.

The ordinary ring covers every room in less than three minutes:

* of all tests it runs one in eight, and at least one of each file. A hash of their names picks them, so that they are
  the same everywhere and every time;
* of cases that are generated in large numbers it runs fewer: of ``@sampled(8, each="name")`` one in sixteen, and at
  least one for each value of ``each``; ``@all_of_each(pairs)``, which makes one test of all cases of a name, takes one
  case in eight;
* properties are tried on fewer examples: ``@settings(max_examples=examples(200))``;
* large graphs are smaller: ``large(10_000)``;
* what takes long is left to the full ring: ``@long``;
* commands run in copies of a process that has read gradcli before: `tests.warm`. In the full ring those of one test in
  four are new processes.

In GUARDS each test is run, on one in four of its cases at least. Who names files or tests gets all that they have.
"""

from __future__ import annotations

import os
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

# What guards the user, and what the promises of the README rest on.
GUARDS = (
    "tests/attack/", "tests/wall/",
    "tests/check/programs/test_cases.py",
    "tests/cli/test_check_hostile.py", "tests/cli/test_config.py", "tests/cli/test_confined.py",
    "tests/cli/test_hostile_repository.py", "tests/cli/test_process.py", "tests/cli/test_run.py",
    "tests/cli/test_toml.py",
    "tests/report/test_check_outcome.py", "tests/report/test_codes.py", "tests/report/test_strangers_text.py",
    "tests/spec/guard/", "tests/spec/stdlib/test_object_arrays.py", "tests/spec/values/test_attributes.py",
    "tests/text/test_escape.py",
)  # fmt: skip

# What pytest has found, and the names of what it runs.
COLLECTED = pytest.StashKey[list["Case"]]()
RUN = pytest.StashKey[set[str]]()

# Set by conftest.py before any test is read.
_full = False


def choose(full: bool) -> None:
    """Decide which ring it is."""
    global _full
    _full = full


def is_full() -> bool:
    """Whether everything is run."""
    return _full


def examples(count: int) -> int:
    """On how many examples to try a property that the full ring tries on so many."""
    return count if _full else max(count // 10, 10)


def large(count: int) -> int:
    """How large to make a graph that the full ring makes so large."""
    return count if _full else count // 3


def is_one_in(every: int) -> bool:
    """Whether the test that runs is one of those, one in so many, that do what takes long."""
    return _hash(os.environ["PYTEST_CURRENT_TEST"].rpartition(" ")[0]) % every == 0


def sampled(every: int, each: str | None = None) -> pytest.MarkDecorator:
    """A mark for tests with many cases: of guards one in so many is run, of others half of that, and one at least."""
    return pytest.mark.sampled(every, each)


def long(reason: str) -> pytest.MarkDecorator:
    """A mark for tests that only the full ring has."""
    return pytest.mark.skipif(not _full, reason=f"{reason}: `pytest --full` runs it")


def all_of(values: Iterable[Any]) -> Callable[[Callable[[Any], None]], Callable[[], None]]:
    """Make one test of what is to hold for each of many values: short looks cost less than tests of their own."""
    every = [(value,) for value in values]

    def decorate(test: Callable[[Any], None]) -> Callable[[], None]:
        return _of(test, lambda: _hold(test, every))

    return decorate


def all_of_each(pairs: Iterable[tuple[str, Any]]) -> Callable[[Callable[[str, Any], None]], Callable[[str], None]]:
    """Make a test for each ``name`` of what is to hold for all values that it is paired with, or for one in eight."""
    groups: dict[str, list[tuple[str, Any]]] = defaultdict(list)
    for pair in pairs:
        groups[pair[0]].append(pair)
    if not _full:
        groups = {name: group[_hash(name) % min(8, len(group)) :: 8] for name, group in groups.items()}

    def decorate(test: Callable[[str, Any], None]) -> Callable[[str], None]:
        def run(name: str) -> None:
            _hold(test, groups[name])

        return pytest.mark.parametrize("name", list(groups))(_of(test, run))

    return decorate


def _of(test: Callable[..., None], run: Callable[..., None]) -> Callable[..., None]:
    """``run`` under the name of a test."""
    run.__name__, run.__doc__, run.__module__ = test.__name__, test.__doc__, test.__module__
    return run


def _hold(test: Callable[..., None], every: Iterable[tuple[Any, ...]]) -> None:
    """Try a test with each of several arguments; tell all that are wrong."""
    __tracebackhide__ = True
    wrong = []
    for given in every:
        try:
            test(*given)
        except (AssertionError, pytest.fail.Exception) as error:
            wrong.append(f"{'-'.join(map(str, given))}: {error}")
    assert not wrong, "\n".join(wrong)


class Case(NamedTuple):
    """A test, or a case of one: its name, one in how many is run, and whom it stands for."""

    name: str
    every: int
    group: tuple[str, ...]


def sample(cases: Iterable[Case]) -> set[str]:
    """The names of the cases that are run: by their hashes alone, the least of each group among them."""
    kept = set()
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for case in cases:
        groups[case.group].append(case.name)
        if _hash(case.name) % case.every == 0:
            kept.add(case.name)
    return kept | {min(names, key=_hash) for names in groups.values() if kept.isdisjoint(names)}


def _hash(name: str) -> int:
    return zlib.crc32(name.encode("utf-8", "surrogatepass"))


def case_of(item: pytest.Item) -> Case:
    """What an item is a case of."""
    path, function = item.nodeid.partition("::")[0], item.nodeid.partition("[")[0]
    guards = path.startswith(GUARDS)
    mark = item.get_closest_marker("sampled")
    if mark is None:
        return Case(item.nodeid, 4, (function,)) if guards else Case(item.nodeid, 8, (path,))
    every, each = mark.args
    if every > 4 and guards:
        raise pytest.UsageError(f"{item.nodeid} must not be sampled so thinly: see GUARDS in tests/rings.py")
    if not guards:
        every *= 2
    if each is None:
        return Case(item.nodeid, every, (function,))
    value = item.callspec.params[each]  # type: ignore[attr-defined]
    # One for each op among all tests of a file; of programs one of each folder.
    return Case(item.nodeid, every, (path, str(value.parent if isinstance(value, Path) else value)))


def leave_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the items that are to be run, if everything is not."""
    cases = {item: case_of(item) for item in items}
    named = config.getoption("-k") or config.args_source == pytest.Config.ArgsSource.ARGS
    kept = {case.name for case in cases.values()} if _full or named else sample(cases.values())
    config.stash[COLLECTED], config.stash[RUN] = list(cases.values()), kept
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in kept])
    items[:] = [item for item in items if item.nodeid in kept]
