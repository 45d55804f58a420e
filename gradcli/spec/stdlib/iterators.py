"""itertools: iterators, each of which takes a step of the interpreter for each value that it looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..guard.size_limits import caps, charged, collected, fits, weighed, whole
from ..values.classes.sealed_classes import known_as
from ..values.tables.table import declare
from .iteration import Lazy, iterate
from .sorting import key_of

Table = dict[str, Any]


def _lazily(name: str, make: Callable[..., Iterator[Any]]) -> type:
    """A class of iterators that a program may hold, each of which takes a step of it for each value it looks at."""

    class Made(Lazy):
        __slots__ = ()

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(make(*args, **kwargs), *args)

    make.__name__ = make.__qualname__ = name
    known_as(Made, name, "itertools")
    return Made


def itertools() -> Table:
    """The names of itertools."""
    import itertools as it

    def walk(x: Any) -> Iterator[Any]:
        return charged(iterate(x))

    def pools(*iterables: Any) -> list[list[Any]]:
        return [collected(iterate(x)) for x in iterables]

    def repeated(value: Any, times: int | None = None) -> Iterator[Any]:
        return charged(it.repeat(value) if times is None else it.repeat(value, times))

    def accumulated(iterable: Any, func: Any = None, *, initial: Any = None) -> Iterator[Any]:
        add = caps.add if func is None else caps.guarded(func)
        return it.accumulate(walk(iterable), add, initial=initial)

    def grouped(iterable: Any, key: Any = None) -> Iterator[Any]:
        return it.groupby(walk(iterable), key_of(weighed if key is None else key))

    def picked(name: str) -> Callable[..., Iterator[Any]]:
        select = getattr(it, name)

        def pick(iterable: Any, r: Any) -> Iterator[Any]:
            (pool,) = pools(iterable)
            size = len(pool) if r is None else whole(r)
            fits(size, "tuple")
            return charged(select(pool, size))

        return pick

    def multiplied(*iterables: Any, repeat: Any = 1) -> Iterator[Any]:
        fits(len(iterables) * whole(repeat), "tuple")
        return charged(it.product(*pools(*iterables), repeat=repeat))

    def tested(choose: Any) -> Callable[..., Iterator[Any]]:
        def choosing(predicate: Any, iterable: Any) -> Iterator[Any]:
            return choose(caps.guarded(bool if predicate is None else predicate), walk(iterable))  # type: ignore[no-any-return]

        return choosing

    def spread(function: Any, iterable: Any) -> Iterator[Any]:
        call = caps.guarded(function)
        return (call(*collected(iterate(arguments))) for arguments in walk(iterable))

    permuted = picked("permutations")
    makers: dict[str, Callable[..., Iterator[Any]]] = {
        "accumulate": accumulated,
        "chain": lambda *iterables: it.chain(*map(walk, iterables)),
        "combinations": picked("combinations"),
        "combinations_with_replacement": picked("combinations_with_replacement"),
        "compress": lambda data, selectors: it.compress(walk(data), walk(selectors)),
        "count": lambda start=0, step=1: charged(it.count(start, step)),
        "cycle": lambda iterable: charged(it.cycle(*pools(iterable))),
        "groupby": grouped,
        "islice": lambda iterable, *places: it.islice(walk(iterable), *places),
        "pairwise": lambda iterable: it.pairwise(walk(iterable)),
        "permutations": lambda iterable, r=None: permuted(iterable, r),
        "product": multiplied,
        "repeat": repeated,
        "starmap": spread,
        "zip_longest": lambda *iterables, fillvalue=None: it.zip_longest(*map(walk, iterables), fillvalue=fillvalue),
    }
    for name, function in {"dropwhile": it.dropwhile, "filterfalse": it.filterfalse, "takewhile": it.takewhile}.items():
        makers[name] = tested(function)
    table = {name: _lazily(name, make) for name, make in makers.items()}
    chain = table["chain"]

    def from_iterable(iterable: Any, /) -> Any:
        made: Any = object.__new__(chain)
        Lazy.__init__(made, it.chain.from_iterable(map(walk, walk(iterable))), iterable)
        return made

    declare(chain, base=object).statics["from_iterable"] = from_iterable
    branch = _lazily("_tee", lambda source, *below: source)

    def tee(iterable: Any, n: Any = 2, /) -> Any:
        fits(whole(n), "tuple")
        return tuple([branch(source, iterable) for source in it.tee(walk(iterable), whole(n))])

    return {**table, "tee": tee}
