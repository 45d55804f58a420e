"""Derivatives that were found by hand: `--claim x='2*x*sin(x)'`, judged here and at other points.

What is claimed is the gradient of the sum of the output: of an output of one number its gradient, of one that is
computed entry by entry the derivative of each entry. The truth comes from the forward alone.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..engine.modes import no_grad
from ..engine.tape.tape import recording
from ..engine.tensor import Tensor
from ..errors import NEVER_CAUGHT, InputError, Source, raised_by_program
from ..spec.guard.size_limits import caps
from ..spec.input.arrays import Arrays
from ..spec.input.parse import parse, span_of
from ..spec.language.interpreter import Interpreter
from ..spec.language.machine import Machine
from ..spec.program import Program, discard, inline_builtins
from ..spec.torch_names.suggest import did_you_mean
from ..spec.values.user_definitions import UserFunction
from ..verdicts import Note, NoteKind
from .arrays import Array
from .judging.entries import probe
from .judging.findings import Finding, Options, of_another_point
from .judging.higher_orders import nearby, same
from .moving.other_points import elsewhere_findings, is_proof, points
from .replay.assumed_by_program import premises, why_lost
from .replay.one_op import Change
from .replay.plan import Plan, Unreplayable
from .replay.recorded_graph import Graph
from .replay.subject import Output, Subject, Unrepeatable

# What a claim comes to at the point of a subject.
Evaluate = Callable[[Subject], Array]

# So many other points are looked at in any case.
_USUAL = 4
# And so much larger and smaller ones.
_SCALES = (1 / 8, 8.0)

_EXAMPLE = "for example --claim x='2*x*sin(x)'"


class Claim(NamedTuple):
    """A derivative by hand: with respect to what, and what it is."""

    text: str
    source: Source
    target: ast.expr
    value: ast.expr
    # The inputs, in whose order a function gives its derivatives; none of a claim about one.
    of: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The input, as it was written."""
        return ast.unparse(self.target)


def parsed(program: Program, name: str, text: str) -> Claim:
    """A claim, `NAME=EXPR`, that can be read."""
    source = Source("--claim", f"{name}={text}")
    body = parse(source, program.limits).body
    statement = body[0]
    if len(body) == 1 and isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        return Claim(text, source, statement.targets[0], statement.value)
    message = "a claim is NAME=EXPR: an input, and the derivative with respect to it"
    raise InputError(message, span=span_of(source, statement), help=_EXAMPLE)


def judged(subject: Subject, program: Program, options: Options, rng: np.random.Generator) -> list[Finding]:
    """A finding for each claim: at the point, and where it is right there, at ``options.samples`` others and more."""
    claims = [parsed(program, *claim) for claim in options.claims]
    if options.claim_from is not None:
        claims += _of_function(subject, program, options.claim_from)
    return [_judged(subject, program, claim, options, rng) for claim in claims]


def _of_function(subject: Subject, program: Program, name: str) -> list[Claim]:
    """A claim for each input that is looked at: a function that gives all derivatives is called with the inputs."""
    source = Source("--claim-from", name)
    function = subject.variables.get(name)
    if not isinstance(function, UserFunction):
        offers = [key for key, value in subject.variables.items() if isinstance(value, UserFunction)]
        help = did_you_mean(name, offers) or (f"it has {', '.join(offers)}" if offers else None)
        raise InputError(f"{program.source.name} has no function '{name}'", help=help, code="E503")
    given = [binding.name for binding in program.bindings]
    known = function.signature.positional + function.signature.keyword_only
    call = f"{name}({', '.join(f'{p}={p}' for p in known if p in given)})"
    target = subject.variables.get(program.spec.target or "")
    order = target.signature.positional if isinstance(target, UserFunction) else given
    leaves = () if subject.trace is None else subject.trace.leaves.values()
    of = tuple([key for key in dict.fromkeys([*order, *given]) if key in given and key in leaves])
    claims = []
    for key in (x.name for x in subject.inputs if x.name in of):
        read = parsed(program, key, call)
        claims.append(Claim(call, source, read.target, read.value, of))
    return claims


def _judged(subject: Subject, program: Program, claim: Claim, options: Options, rng: np.random.Generator) -> Finding:
    number = _input(subject, claim)
    if len(subject.outputs) > 1:
        offer = ", ".join(y.name for y in subject.outputs)
        raise InputError("a claim is of one output: say with --output of which", help=f"outputs are {offer}")

    def evaluate(there: Subject) -> Array:
        return _evaluated(there, program, claim, number)

    hides = _hides(subject)

    def look(there: Subject) -> list[Finding]:
        return probe(ByHand(there, number, evaluate, hides), options, rng)

    (finding,) = look(subject)
    notes = [Note(NoteKind.CLAIM, claim.text)]
    if not finding.fails(options) and options.samples:
        found, more = _elsewhere(subject, look, options, rng)
        finding = found[0] if found else finding
        notes += more
    finding.notes[:0] = notes
    return finding


def _elsewhere(
    subject: Subject, look: Callable[[Subject], list[Finding]], options: Options, rng: np.random.Generator
) -> tuple[list[Finding], list[Note]]:
    """Find what is wrong at other points, on both sides of every kink, and what to say of what was not seen."""
    found, notes, _ = elsewhere_findings(subject, rng, look, by_hand=True)
    if subject.rerun_why is not None:
        notes.append(Note(NoteKind.ELSEWHERE, f"the claim was judged at the given point only: {subject.rerun_why}"))
    elif not found:
        more = points(subject, rng, options.samples - _USUAL)
        # A formula is meant for all numbers, where a function of a program may be written for those of one size.
        for arrays in (*([a * scale for a in subject.at] for scale in _SCALES), *more):
            found = _wrong(subject, arrays, look)
            if found:
                found[0].notes.append(of_another_point(f"wrong at {_place(found[0])}"))
                break
    return found, notes


def _wrong(subject: Subject, arrays: Sequence[Array], look: Callable[[Subject], list[Finding]]) -> list[Finding]:
    """Find what is wrong at a point, if the program can be run there."""
    try:
        there = subject.recorded_at(arrays)
    except Unrepeatable:
        return []
    return [x for x in look(there) if is_proof(x)]


def _place(finding: Finding) -> str:
    """The entry of an input that shows it, and its value."""
    worst = finding.worst
    if worst is None:
        return "another one"
    index = f"[{', '.join(map(str, worst.index))}]" if worst.index else ""
    return f"{finding.input}{index} = {worst.at:.4g}"


# -- what is claimed ---------------------------------------------------------------------------


def _input(subject: Subject, claim: Claim) -> int:
    """Which input a claim is about."""
    names = [x.name for x in subject.inputs]
    if claim.name in names:
        return names.index(claim.name)
    help = did_you_mean(claim.name, names) or f"inputs are {', '.join(names)}"
    of = subject.outputs[0].name
    span = span_of(claim.source, claim.target)
    raise InputError(f"{of} depends on no input '{claim.name}'", span=span, help=help, code="E503")


def _evaluated(subject: Subject, program: Program, claim: Claim, number: int) -> Array:
    """The value of a claim at a point, in the shape of its input."""
    machine = Machine(claim.source, program.limits, discard, discard)
    arrays = None
    if program.arrays and subject.machine is not None:
        # The functions of the run at this point know the arrays of that run alone.
        caps.library, arrays = subject.machine.library, Arrays(subject.machine)
    inputs = {x.name: x.tensor if arrays is None else arrays.of(x.tensor) for x in subject.inputs}
    variables = {**subject.variables, **inputs}
    if arrays is not None and subject.machine is not None:
        # A bare name is the function that takes what the program has: `cos` is NumPy's where all are arrays.
        of_arrays = subject.machine.library("_arrays")
        bare = {node.id for node in ast.walk(claim.value) if isinstance(node, ast.Name)} & of_arrays.keys()
        variables = {name: of_arrays[name] for name in bare} | variables
    machine.wide = program.wide
    machine.builtins = inline_builtins(discard)
    machine.globals.update(variables)
    try:
        with no_grad():
            value = Interpreter(machine, set(variables)).code(claim.value)(machine.globals)
            value = value if arrays is None else arrays.tensors(value)
            value = _part(value, claim) if claim.of else value
    except raised_by_program(*NEVER_CAUGHT) as error:
        raise program.diagnosed(machine, error) from None
    span = span_of(claim.source, claim.value)
    if isinstance(value, bool) or not isinstance(value, (int, float, Tensor)):
        message = f"the derivative with respect to {claim.name} is no number and no tensor: {type(value).__name__}"
        raise InputError(message, span=span, code="E503")
    made = np.asarray(value._a if isinstance(value, Tensor) else value, np.float64)
    shape = subject.at[number].shape
    if made.ndim and made.shape != shape:
        raise InputError(
            f"the derivative with respect to {claim.name} has the shape {list(made.shape)}, {claim.name} has "
            f"{list(shape)}",
            span=span,
            help="a gradient has the shape of its input: sum what was broadcast",
            code="E503",
        )
    return np.array(np.broadcast_to(made, shape))


def _part(value: Any, claim: Claim) -> Any:
    """The derivative with respect to one input, of all that a function gives."""
    if isinstance(value, dict) and claim.name in value:
        return value[claim.name]
    if not isinstance(value, (tuple, list)):
        value = (value,)
    if len(value) != len(claim.of):
        raise InputError(
            f"{claim.source.text} gives {len(value)} derivative{'s' * (len(value) != 1)}, for {len(claim.of)} inputs: "
            f"{', '.join(claim.of)}",
            help="return one for each input in their order, or a dict by their names; --no-grad NAME is of constants",
            code="E503",
        )
    return value[claim.of.index(claim.name)]


class ByHand(Subject):
    """The sum of an output with respect to one input; its derivative is what a person has found."""

    def __init__(self, base: Subject, number: int, evaluate: Evaluate, hides: bool) -> None:
        (output,) = base.outputs
        self._base = base
        self._number = number
        self._hides = hides
        self._claimed = evaluate(base)
        with recording(base.tape):
            total = output.tensor if output.tensor._a.size == 1 else output.tensor.sum()

        def again(arrays: Sequence[Any] | None) -> Subject:
            there = self._base.at if arrays is None else self.point(arrays[0])
            return ByHand(base.recorded_at(there), number, evaluate, hides)

        super().__init__(
            base.spec,
            [base.inputs[number]],
            [Output(output.name, total, output.span, output.text)],
            Graph([total], base._graph.names),
            base.tape,
            again,
            trace=base.trace,
            directives=base.directives,
            fixed=base._fixed,
            told=base._told,
        )

    @cached_property
    def plan(self) -> Plan:
        """The forward, to be evaluated again; no backward goes with it."""
        return _Forward(self, self._hides)

    def point(self, array: Array) -> list[Array]:
        """Values for all inputs of the program, of which one is moved."""
        there = list(self._base.at)
        there[self._number] = array
        return there

    def value(self, array: Array) -> Array:
        """The sum of the output that the whole program comes to at another point."""
        return np.asarray(self._base.recorded_at(self.point(array)).numbers[0].sum())

    def claim(self, weights: Sequence[Any]) -> list[Array | None]:
        """The derivatives by hand of one input."""
        (weight,) = weights
        return [None if weight is None else self._claimed * float(np.asarray(weight).reshape(()))]


class _Forward(Plan):
    """A graph whose derivative is not its backward's; ``hides``: it does not show all that the program computes."""

    def __init__(self, subject: ByHand, hides: bool) -> None:
        super().__init__([subject.outputs[0].tensor], [subject.inputs[0].tensor])
        self._subject = subject
        self.at_once = not hides

    def recorded(self, arrays: Sequence[Any]) -> tuple[list[Tensor], list[Tensor]]:
        """Refused: the claim elsewhere is not a backward's."""
        raise Unreplayable(None, "its derivative was found by hand")

    def batch(
        self, arrays: Sequence[Any], moved: Sequence[bool], count: int, change: Change | None = None
    ) -> list[Any]:
        """The sum at many points: by replay, or by the whole program where that comes to something else."""
        if self.at_once or change is not None:
            return super().batch(arrays, moved, count, change)
        if any(np.iscomplexobj(a) for a in arrays):
            raise Unreplayable(None, "a program is no function of complex numbers")
        points = arrays[0] if moved[0] else [arrays[0]] * count
        return [np.stack([self._subject.value(a) for a in points])]


def _hides(subject: Subject) -> bool:
    """Tell whether the program comes to other numbers nearby than its recorded graph: a person derives the program."""
    if subject.rerun_why is not None:
        return False
    for arrays in nearby(subject.at, premises(subject.nodes)):
        try:
            there = subject.recorded_at(arrays)
        except Unrepeatable:
            return False
        if why_lost(subject, there) is not None:
            return False
        if not all(map(same, subject.plan.outputs(arrays), there.numbers)):
            return True
    return False
