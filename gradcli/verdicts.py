"""The verdicts of a check as data: a row for each verdict, and one for each kind of note.

All that anybody asks of a verdict or of a kind of note stands in its row; reports make their words of it. A new verdict
is a row here, and an entry of its code in report/codes/gradients.py.
"""

from __future__ import annotations

from enum import Enum, StrEnum

from .errors import Span


class Severity(Enum):
    """The consequence of a verdict for a check."""

    # There is nothing to say.
    PASSES = "passes"
    # It passes and is told; --strict refuses it.
    TOLERATED = "tolerated"
    # It passes where the claim is infinite, too, and fails elsewhere.
    ENDLESS = "endless"
    FAILS = "fails"
    # It fails: the claim is no derivative, and some op may be to blame.
    BLAMED = "blamed"
    # Nobody can tell.
    UNDECIDED = "undecided"


class Standing(StrEnum):
    """The result that a finding counts as, under the options of its check."""

    # What a process ends with because of it, and the level that SARIF has for what is said of it.
    exit_code: int
    level: str

    def __new__(cls, name: str, exit_code: int, level: str) -> Standing:
        """A standing with its row."""
        made = str.__new__(cls, name)
        made._value_ = name
        made.exit_code, made.level = exit_code, level
        return made

    RIGHT = "right", 0, "none"
    ALLOWED = "allowed", 0, "note"
    WRONG = "wrong", 1, "error"
    UNDECIDED = "undecided", 2, "error"


class Facts(Enum):
    """The kind of facts told of the worst entry of a finding; report/check/words.py has the words."""

    SMOOTH = "smooth"
    KINK = "kink"
    EDGE = "edge"
    JUMP = "jump"
    ENDLESS = "endless"
    HIDDEN = "hidden"
    INACCURATE = "inaccurate"
    SATURATED = "saturated"
    UNRESOLVED = "unresolved"
    CONFLICT = "conflict"
    OUTSIDE = "outside"


class Verdict(StrEnum):
    """A check's verdict on a derivative, with all that other rooms have to know of it."""

    severity: Severity
    # How much it weighs beside others of the same result: the gravest is the result's.
    gravity: int
    facts: Facts
    # The code of its explanation; a pass has its meaning here, in a sentence.
    code: str | None
    meaning: str | None
    # What `allow` takes to make an exception of it.
    allow: str | None

    def __new__(
        cls,
        name: str,
        severity: Severity,
        gravity: int,
        facts: Facts,
        code: str | None = None,
        allow: str | None = None,
        meaning: str | None = None,
    ) -> Verdict:
        """A verdict with its row."""
        made = str.__new__(cls, name)
        made._value_ = name
        made.severity, made.gravity, made.facts = severity, gravity, facts
        made.code, made.allow, made.meaning = code, allow, meaning
        return made

    PASS = (
        "PASS", Severity.PASSES, 1, Facts.SMOOTH, None, None,
        "The gradient is the derivative, to as many digits as were verified.",
    )  # fmt: skip
    PASS_ZERO = (
        "PASS_ZERO", Severity.PASSES, 0, Facts.SMOOTH, None, None,
        "The gradient is zero, and so is the derivative.",
    )  # fmt: skip
    KINK_OK = (
        "KINK_OK", Severity.PASSES, 3, Facts.KINK, None, None,
        "The function has a kink here, and the gradient lies between its slopes on the two sides.",
    )  # fmt: skip
    EDGE_OK = (
        "EDGE_OK", Severity.PASSES, 2, Facts.EDGE, None, None,
        "The function exists on one side of this point only, and the gradient is its slope from there.",
    )  # fmt: skip
    INFINITE_SLOPE = "INFINITE_SLOPE", Severity.ENDLESS, 4, Facts.ENDLESS, "G107"
    SATURATED = "SATURATED", Severity.TOLERATED, 5, Facts.SATURATED, "G109", "saturated"
    INACCURATE = "INACCURATE", Severity.TOLERATED, 6, Facts.INACCURATE, "G108", "inaccurate"
    WRONG = "WRONG", Severity.BLAMED, 15, Facts.SMOOTH, "G101", "wrong"
    KINK_WRONG = "KINK_WRONG", Severity.BLAMED, 14, Facts.KINK, "G102", "kink"
    EDGE_WRONG = "EDGE_WRONG", Severity.BLAMED, 13, Facts.EDGE, "G103", "edge"
    DISCONTINUITY = "DISCONTINUITY", Severity.FAILS, 12, Facts.JUMP, "G104", "discontinuity"
    NONDETERMINISTIC = "NONDETERMINISTIC", Severity.FAILS, 16, Facts.SMOOTH, "G105", "nondeterministic"
    HIDDEN_PATH = "HIDDEN_PATH", Severity.FAILS, 11, Facts.HIDDEN, "G106", "hidden-path"
    UNCOVERED = "UNCOVERED", Severity.FAILS, 10, Facts.SMOOTH, "G115", "uncovered"
    TANGENT = "TANGENT", Severity.FAILS, 17, Facts.SMOOTH, "G116", "tangent"
    UNRESOLVED = "UNRESOLVED", Severity.UNDECIDED, 7, Facts.UNRESOLVED, "G111", "unresolved"
    WITNESS_CONFLICT = "WITNESS_CONFLICT", Severity.UNDECIDED, 9, Facts.CONFLICT, "G112", "witness-conflict"
    DOMAIN = "DOMAIN", Severity.UNDECIDED, 8, Facts.OUTSIDE, "G113", "domain"


def of(*severities: Severity) -> frozenset[Verdict]:
    """The verdicts that mean one of these."""
    return frozenset(verdict for verdict in Verdict if verdict.severity in severities)


# What `allow` takes, with the verdict that is an exception then; those that pass in any case come last.
ALLOWED = {
    verdict.allow: verdict
    for verdict in sorted(Verdict, key=lambda verdict: verdict.severity is Severity.TOLERATED)
    if verdict.allow is not None
}


class NoteKind(StrEnum):
    """The subject of a note, each with its meaning in a sentence or two for `gradcli explain`."""

    meaning: str

    def __new__(cls, name: str, meaning: str) -> NoteKind:
        """A kind with its row."""
        made = str.__new__(cls, name)
        made._value_ = name
        made.meaning = meaning
        return made

    ALLOWED = "ALLOWED", "The verdict would make the check fail, and was named as an exception."
    ASYMMETRIC = "ASYMMETRIC", "A second derivative is another one when the order of differentiation is changed."
    BRANCH_UNCOVERED = (
        "BRANCH_UNCOVERED",
        "One side of a comparison, or of a kink, was never taken where the check looked: it says nothing of that side.",
    )
    BUDGET = (
        "BUDGET",
        "The time that a check may take was over: it looked at fewer entries, or left a part of itself out, as told.",
    )
    CLAIM = "CLAIM", "What was judged is a derivative by hand, which the note repeats."
    COMPOSED = (
        "COMPOSED",
        "Each op has a right gradient of its own at a kink, and their composition is accepted, as automatic "
        "differentiation promises no more.",
    )
    CREATE_GRAPH = (
        "CREATE_GRAPH",
        "A backward of the program's own gives another gradient, or stops, when it is recorded for a further order.",
    )
    DEGENERATE_POINT = (
        "DEGENERATE_POINT",
        "Numbers of the given point are special, such as 0, 1, or equal ones, and may hide a mistake.",
    )
    DEGENERATE_SHAPE = (
        "DEGENERATE_SHAPE",
        "Shapes are special, such as an axis of length 1 or a square matrix, and may hide a mistake.",
    )
    DIGITS = "DIGITS", "A place in a backward where digits are lost, which makes its gradient inaccurate."
    DOMAIN = "DOMAIN", "The first value of the program that is not finite: what follows from it has no derivative."
    ELSEWHERE = (
        "ELSEWHERE",
        "The finding is of another point or shape than the given one, or nothing was looked at but the given one.",
    )
    ENDLESS = (
        "ENDLESS",
        "A loop of a function is nowhere near its end at other numbers than the program's own, runs out before it is "
        "near enough, or halves an interval that has nothing to be found in it: what it makes there was not looked at.",
    )
    FLOAT32 = "FLOAT32", "How many digits of the gradient are right in float32, or where they are lost."
    HALF = "HALF", "How many digits half precision leaves of a gradient, in a program that casts to it."
    HIDDEN_PATH = (
        "HIDDEN_PATH",
        "A place where a value leaves the graph, as by detach(), item() or a Python `if`, and changes the output.",
    )
    HOOK = "HOOK", "Hooks of the program change the gradient: what was checked is the gradient without them."
    LAYOUT = (
        "LAYOUT",
        "A backward of the program's own gives another gradient, or stops, when the arriving one lies in memory in "
        "another way: expanded, transposed or sliced.",
    )
    LOCAL = (
        "LOCAL",
        "A backward is right for the gradient that arrives at it here, and wrong for others that may arrive.",
    )
    LOCATED = "LOCATED", "What was found out of the place where the gradient goes wrong."
    NONDETERMINISTIC = (
        "NONDETERMINISTIC",
        "The program, a forward or a backward does not come to the same numbers each time.",
    )
    NONLINEAR = (
        "NONLINEAR",
        "A backward is not linear in the gradient that arrives: it adds, clips or drops some of it.",
    )
    NORMALISED = "NORMALISED", "An op takes its log-probabilities to be normalised: they stay so while they are moved."
    NOT_RECORDED = (
        "NOT_RECORDED",
        "A backward computes with numbers that its graph does not show: derivatives of the next order miss them.",
    )
    NOT_RERUN = (
        "NOT_RERUN",
        "The program could not be run again, or takes too long for it: what only shows then was not looked for.",
    )
    NO_GRADIENT = "NO_GRADIENT", "No gradient arrives at an input that the output depends on."
    NUMBER = "NUMBER", "A Function gives no gradient for a whole number, which may be meant to stay one."
    ORDER = (
        "ORDER",
        "A higher order was not judged, since one below it is wrong, or since a derivative by hand is the first one.",
    )
    OUT_OF_REACH = (
        "OUT_OF_REACH",
        "A Function is wrong alone, but only for what its program never hands to it: --everywhere makes it a finding.",
    )
    PADDED = "PADDED", "A row of a table is padding and gets no gradient: it stays while the others are moved."
    REPLAYED = (
        "REPLAYED",
        "The program changes an input after making it, as a training loop does: what was checked is its last graph.",
    )
    SHAPE = "SHAPE", "A gradient has another shape or dtype than its input."
    SWITCH = "SWITCH", "At this very point the program changes what it does; its graph shows one side only."
    SYMMETRIC = "SYMMETRIC", "An op takes its matrix to be symmetric: entries that mirror each other move together."
    TANGENT = "TANGENT", "The jvp of a Function stops, or cannot be compared with its backward and with differences."
    TRIANGULAR = (
        "TRIANGULAR",
        "An op takes its matrix to be a triangular factor: what is moved beyond is moved as its product has it.",
    )
    UNUSED_ALLOW = "UNUSED_ALLOW", "A comment names an exception that no finding needs any more."
    WRITTEN = "WRITTEN", "A backward writes to a tensor that is not its own."


class Note(str):
    """A remark on a finding or on a spec: its kind, what it says, and perhaps a place; as text, both on one line."""

    _fields = ("kind", "text", "place")
    __slots__ = ("kind", "place", "text")

    kind: NoteKind
    text: str
    place: Span | None

    def __new__(cls, kind: NoteKind, text: str, place: Span | None = None) -> Note:
        """A note of a kind."""
        made = super().__new__(cls, f"{kind}: {text}")
        made.kind, made.text, made.place = kind, text, place
        return made
