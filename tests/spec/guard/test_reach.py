"""All that a program can come to from what it names is of kinds that it may hold."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from gradcli.spec.guard.limits import STRICT
from gradcli.spec.program import discard
from gradcli.spec.stdlib.builtin_functions import builtins_for
from gradcli.spec.torch_names import namespaces
from tests import rings

from ..crawler import Crawl, starts
from ..harvest import all_names, private_names, python_names
from ..instances import ABSTRACT, expressions, world
from ..running import program

LIMITS = STRICT.replace(seconds=600.0)._replace(steps=10**9, work=10**13, sequence=10**6, memory=4 * 10**9)


def crawled(most: int, names: tuple[str, ...]) -> Crawl:
    """A crawl through a program that holds an instance of every class; its limits hold while that goes on."""
    crawl = Crawl(most, names)
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")
        # What may have been meant by a name that is not there takes long, and is not asked for.
        patch.setattr(namespaces, "did_you_mean", lambda *_: None)
        patch.setattr(namespaces, "_inner", lambda _: ())
        with program(world(), limits=LIMITS).running() as run:
            crawl.run(starts(run.variables, builtins_for(discard)))
    return crawl


def told(crawl: Crawl) -> str:
    return "\n".join(f"{why}: {path}" for why, path in crawl.failures.items())


def test_what_can_be_reached_may_be_held() -> None:
    if rings.is_full():
        crawl = crawled(1_000_000, all_names())
        assert crawl.visited > 50_000
        assert crawl.asked > 500_000
    else:
        crawl = crawled(2_000, (*python_names(), *private_names()[::5]))
        assert crawl.visited == 2_000
    assert not crawl.failures, told(crawl)


def test_there_is_an_instance_of_every_class() -> None:
    # Classes that are written in the spec language are a program's own: they are there while one runs.
    wanted = len(expressions()) - len(ABSTRACT)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with program(world(), limits=LIMITS).running() as run:
            made: list[Any] = run.variables["made"]
            assert len(made) == wanted
