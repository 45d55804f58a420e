"""The limits of a program, and the errors that say which one it met."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...errors import LimitError, Span
from .spare_memory import allow_memory


class Limits(NamedTuple):
    """The limits of one program."""

    seconds: float = 10.0
    # Of a check, apart from its program.
    checking: float = 10.0
    # Bytes of the whole process.
    memory: int = 512_000_000
    # Bytes of a program's text.
    source: int = 262_144
    # Syntax nodes visited.
    steps: int = 20_000_000
    # Elements of one tensor, and of what an operation computes on the way.
    elements: int = 50_000_000
    # Elementary operations of all large calls together; about a nanosecond each.
    work: int = 10_000_000_000
    # Items of a list, characters of a string.
    sequence: int = 100_000
    # Characters that are printed.
    output: int = 10_000_000
    # Calls of the program's own functions inside one another.
    depth: int = 1_000
    # Parts of a program, and how deep they may be nested.
    nodes: int = 50_000
    nesting: int = 100

    def replace(self, **changes: Any) -> Limits:
        """These limits with some changed; a change of the time changes what fits into it, too."""
        if "seconds" in changes:
            seconds = changes["seconds"]
            changes = {"work": int(self.work * seconds / self.seconds), "checking": seconds, **changes}
        return self._replace(**changes)


STRICT = Limits()
RELAXED = Limits(
    seconds=120.0,
    checking=120.0,
    memory=8_000_000_000,
    source=1_048_576,
    steps=400_000_000,
    elements=1_000_000_000,
    work=120_000_000_000,
    sequence=1_000_000,
    output=200_000_000,
    depth=2_000,
    nodes=500_000,
    nesting=150,
)
PRESETS = {"strict": STRICT, "relaxed": RELAXED}


# -- one error for each limit ----------------------------------------------------------------


def _help(option: str = "") -> str:
    return f"`--limits relaxed` or `{option}` allows more" if option else "`--limits relaxed` allows more"


def too_slow(limits: Limits, span: Span | None = None) -> LimitError:
    """The program runs for too long."""
    return LimitError(
        f"the program was stopped: it may run for {limits.seconds:g} s",
        span=span,
        help=_help("--timeout SECONDS"),
        code="E401",
    )


def too_long_a_check(limits: Limits, span: Span | None = None) -> LimitError:
    """The check of a program takes too long, and has found nothing yet."""
    return LimitError(
        f"the check was stopped before its end: it may take {limits.checking:g} s",
        span=span,
        help=_help("--check-timeout SECONDS"),
        code="E401",
    )


def too_much_memory(limits: Limits) -> LimitError:
    """The program needs too much memory."""
    return LimitError(
        f"the program needs too much memory; the limit is {_bytes(limits.memory)}",
        help=_help("--max-memory MB"),
        code="E402",
    )


def too_many_steps(limits: Limits) -> LimitError:
    """The program visits too many syntax nodes."""
    return LimitError(f"the program takes more than {limits.steps:,} steps", help=_help("--max-steps N"), code="E403")


# The digits of an integer that Python still writes out, and the bits that no such integer exceeds.
DIGITS = 4_300
BITS = 14_285


def integer_too_large() -> LimitError:
    """An integer beyond what Python writes out."""
    return LimitError(
        f"this integer has more than {DIGITS:,} digits", help="use a float, as in 10.0**300", code="E404"
    )


def integer_too_wide() -> LimitError:
    """An integer beyond what a tensor can hold, where it has to fit into that."""
    return LimitError(
        "this integer does not fit into 64 bits, as it has to here",
        help="use a float, as in 10.0**30",
        code="E404",
    )


def too_long(limits: Limits, what: str, n: int) -> LimitError:
    """A string or a sequence with too many items; ``what`` is its type's name."""
    items = "characters" if what == "str" else "items"
    return LimitError(
        f"this makes a {what} of {_count(n)} {items}; the limit is {limits.sequence:,}",
        help="use a tensor for many numbers; " + _help(),
        code="E405",
    )


def too_deep(limits: Limits) -> LimitError:
    """Too many calls inside one another."""
    return LimitError(
        f"calls are nested too deeply; the limit is {limits.depth}",
        help="see that the recursion ends, or use a loop; " + _help(),
        code="E406",
    )


def too_large_op(limits: Limits, elements: int) -> LimitError:
    """An operation that makes too large an array."""
    return LimitError(
        f"this needs an array of {_count(elements)} elements; the limit is {limits.elements:,}",
        help=_help("--max-elements N"),
        code="E408",
    )


def too_much_work(limits: Limits, work: int) -> LimitError:
    """An operation that takes too long, by the count of its elementary operations."""
    if work > limits.work:
        message = f"this needs about {_count(work)} elementary operations; the limit is {limits.work:,}"
    else:
        message = f"the program needs more than {limits.work:,} elementary operations in all"
    return LimitError(message, help=_help("--timeout SECONDS"), code="E408")


def too_many_tensors(limits: Limits, n: int) -> LimitError:
    """An operation that takes a tensor apart into too many."""
    return LimitError(
        f"this makes {_count(n)} objects of one tensor; the limit is {limits.sequence:,}", help=_help(), code="E408"
    )


def too_much_output(limits: Limits) -> LimitError:
    """The program prints too much."""
    return LimitError(
        f"the program prints more than {limits.output:,} characters", help=_help("--max-output MB"), code="E410"
    )


def too_tangled() -> LimitError:
    """A value that holds itself, or shares its parts so often that it is huge when written out."""
    return LimitError(
        "this value holds itself, or is far too large when written out",
        help="copy a list before it is put into itself",
        code="E409",
    )


def crashed(how: str, span: Span | None = None) -> LimitError:
    """A process that ended in the middle of its program, by what was no limit of ours."""
    return LimitError(
        f"the process that ran the program ended in the middle of it: {how}",
        span=span,
        help="`gradcli explain E411` tells what is known of such an end",
        code="E411",
    )


def from_host(error: BaseException, limits: Limits = STRICT) -> LimitError | None:
    """The limit that an error of Python itself stands for, or None."""
    if isinstance(error, MemoryError):
        allow_memory()
        return too_much_memory(limits)
    if isinstance(error, RecursionError):
        return too_deep(limits)
    return None


def _count(n: int) -> str:
    """A number of things, or that nobody counts so many."""
    return f"{n:,}" if n < 2**63 else "2**63 or more"


def _bytes(n: int) -> str:
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if n >= size:
            return f"{n / size:g} {unit}"
    return f"{n} bytes"
