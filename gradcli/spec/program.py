"""A program that can be run, again and in other ways: the object that every command works on."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ..engine import dtypes, printing
from ..engine.graph import node_of
from ..engine.guard.outside import let_say
from ..engine.modes import mode
from ..engine.tensor import Tensor, tensor
from ..errors import (
    NEVER_CAUGHT,
    AssertFailed,
    GradcliError,
    InputError,
    LimitError,
    ProgramError,
    Source,
    Span,
    SpecError,
    raised_by_program,
)
from .guard import limits as limits_
from .guard.diagnosis import ENGINE, code_of, copied
from .guard.handed_values import Handed
from .guard.limits import STRICT, Limits
from .guard.process_state import Surroundings
from .guard.size_limits import caps
from .guard.stack import with_room
from .input.arrays import Arrays, is_of_numpy, parameters_of
from .input.named_inputs import Binding, binding, value_of
from .input.overwritten import overwriting
from .input.parse import parse, span_of
from .input.source import MARK, Spec, span_at
from .language.calls import caller, guarding
from .language.exception_marks import mark, marked, marks
from .language.expressions import reading
from .language.interpreter import Interpreter
from .language.library import Library, modules_of
from .language.machine import Machine, as_meant, catchable, caught_by_program, said, shown_error
from .language.scopes import global_names
from .language.statements import compile_block
from .stdlib.builtin_functions import builtins_for
from .stdlib.builtin_types import FOR_CLASSES
from .stdlib.exceptions.endings import EndOfFile, NoSuchFile, ProgramEnded, SystemEnd, ending_with
from .torch_names import seeded_generators
from .torch_names.names import NAMESPACES, PREBOUND, bare
from .torch_names.suggest import did_you_mean
from .values.classes.tensor_classes import prepare
from .values.members import get
from .values.show import representation
from .values.user_definitions import MISSING, UserFunction

if TYPE_CHECKING:
    from .input.directives import Directive
    from .language.decisions import Hanging
    from .node_names import Trace

# Names that mean an op where they are given a tensor in an inline spec, and a builtin of Python elsewhere.
SHADOWED = ("abs", "all", "any", "max", "min", "pow", "round", "sum")

# Reading a file of numbers takes several times their bytes.
_SHARE = 8


class Leaf(NamedTuple):
    """A tensor that gradients are computed for."""

    name: str
    tensor: Tensor
    span: Span | None
    # Whether it was written to after it was made.
    changed: bool


class Run(NamedTuple):
    """The results of a run of a program."""

    variables: dict[str, Any]
    leaves: tuple[Leaf, ...]
    # The tensor on which backward() was last called, and the value of a last bare expression.
    root: Tensor | None
    value: Any
    # What ran it.
    machine: Machine
    # What a traced run noted.
    trace: Trace | None = None

    def results(self) -> list[Tensor]:
        """The tensors in what the program ends with, or its function returns."""
        found: list[Tensor] = []
        waiting, seen = [self.value], set()
        while waiting:
            x = waiting.pop()
            if isinstance(x, Tensor):
                found.append(x)
            elif isinstance(x, (tuple, list, dict)) and id(x) not in seen:
                seen.add(id(x))
                waiting += reversed(list(x.values()) if isinstance(x, dict) else x)
        return found


def _heard_by_exit_functions() -> tuple[type[Exception], ...]:
    """The classes to catch where a program ends, by itself or by an error: not what its limits end."""
    return (SystemEnd, *caught_by_program())


def discard(text: str) -> None:
    """Write nothing."""


# The trees that were compiled as a whole, and how they were read: what is not called of them is not compiled again.
_compiled: WeakKeyDictionary[ast.AST, set[tuple[Any, ...]]] = WeakKeyDictionary()


# The modules that tell of the lines which led to an error, and how a program asks for them itself.
_TELLERS = ("traceback", "logging", "unittest", "tb_")


class Program:
    """A spec with its inputs."""

    def __init__(
        self,
        spec: Spec,
        *,
        bindings: Sequence[Binding] = (),
        settled: Sequence[Binding] = (),
        no_grad: Iterable[str] = (),
        seed: int | None = None,
        dtype: str | None = None,
        limits: Limits = STRICT,
        backward: int | None = None,
        args: Sequence[str] = (),
        lend: Sequence[str] = (),
    ) -> None:
        self.spec = spec
        # The words that it finds in sys.argv, behind its own name.
        self.args = args
        # The files that it may open, and what is in them once that is read.
        self.lend = lend
        self._lent: dict[str, bytes] | None = None
        self.source = spec.source
        self.limits = limits
        # The call of backward() after which a recorded run is over; None: that goes to its end.
        self.backward = backward
        self.tree = parse(spec.source, limits)
        if spec.beside:
            from .input.whole import joined

            self.tree = joined(self.tree, spec.beside, limits)
        self.directives = _directives(spec.source)
        said = {d.key: d.value for d in self.directives}
        # An option counts for more than a comment.
        dtype = dtype or said.get("dtype")
        self.wide = dtype == "float64"
        # A function of NumPy's computes with doubles, and is given arrays.
        self.arrays = spec.target is not None and is_of_numpy(self.tree)
        double = self.wide or (dtype is None and (spec.inline or self.arrays))
        self.dtype = dtypes.float64 if double else dtypes.float32
        self.seed = int(said.get("seed") or 0) if seed is None else seed
        # What comments and settings give counts where no argument does.
        self.bindings = [*bindings, *self._said_inputs({b.name for b in bindings})]
        given = {b.name for b in self.bindings}
        self.bindings += [b for b in settled if b.name not in given]
        self.no_grad = self._constants(no_grad)
        # Whether all of it was compiled without an error.
        self._was_compiled = False
        self._compared: tuple[ast.AST, Hanging] | None = None
        if spec.target is None:
            self._refuse_overwritten()

    def _said_inputs(self, given: set[str]) -> list[Binding]:
        """The inputs that comments give: of ``FILE::NAME`` those that the function takes."""
        said = [binding(d.value) for d in self.directives if d.key == "input" and d.value is not None]
        taken = parameters_of(self.tree, self.spec.target)
        return [b for b in said if b.name not in given and (taken is None or b.name in taken)]

    def _refuse_overwritten(self) -> None:
        """Refuse an input that the program gives another value before it reads it."""
        for given in self.bindings:
            statement = overwriting(self.tree, given.name)
            if statement is not None:
                raise InputError(
                    f"the input {given.name} counts for nothing: the program gives {given.name} a value of its own",
                    span=span_of(self.source, statement),
                    help=f"leave {given.name}={given.text} out, or the statement; FILE::NAME calls one function of "
                    "a file with the inputs",
                    code="E503",
                )

    def _constants(self, no_grad: Iterable[str]) -> frozenset[str]:
        """The inputs that are constants."""
        given = [b.name for b in self.bindings]
        for name in no_grad:
            if name not in given:
                raise InputError(
                    f"--no-grad {name}: there is no input {name}",
                    help=did_you_mean(name, given) or f"give it a value: {name}=2",
                    code="E503",
                )
        said = [d.value for d in self.directives if d.key == "no-grad" and d.value is not None]
        return frozenset([*no_grad, *said])

    # -- running -----------------------------------------------------------------------------

    @property
    def _read_as(self) -> tuple[Any, ...]:
        """All that it depends on, beside the tree, whether that is compiled without an error."""
        return self.wide, self.arrays, self.spec.inline, self.spec.target, frozenset(b.name for b in self.bindings)

    def machine(
        self, write: Callable[[str], None] = discard, write_error: Callable[[str], None] = discard
    ) -> Machine:
        """A machine to run the program: it knows where it is, and writes what the program prints."""
        machine = Machine(self.source, self.limits, write, write_error)
        machine.wide, machine.last = self.wide, self.tree.body[0]
        machine.compiles_all = not self._was_compiled and self._read_as not in _compiled.get(self.tree, ())
        return machine

    def recorded(
        self,
        machine: Machine | None = None,
        *,
        values: Mapping[int, Any] | None = None,
        versions: Mapping[int, int] | None = None,
        frames: bool = False,
    ) -> Running:
        """Run the program in a ``with`` block's head, and note the places of nodes and leaves.

        ``values``: arrays to put into leaves, by the order in which they are made; ``versions``: after how many
        writes, where that is not at once. ``frames``: note with each op in which calls and turns of loops it was made.
        In the block, the program's limits and its default dtype still hold: hooks
        and backwards of the program's own may run there.
        """
        from ..engine.tape.tape import Tape
        from .language.decisions import Decisions
        from .language.only_shown import OnlyShown
        from .language.tracer import Tracer

        machine = self.machine() if machine is None else machine
        machine.tracer = Tracer(Tape(), dict(values or {}), dict(versions or {}), Decisions(self._hanging()))
        machine.tracer.tape.frames.wanted = frames
        machine.tracer.tape.only_shows = OnlyShown(self.tree)
        if self.backward is not None:
            machine.tracer.backwards.done = ending_with(self.backward)
        return Running(self, machine, False)

    def _hanging(self) -> Hanging:
        """The comparisons that the program's conditions hang on; a program without its asserts has another tree."""
        from .language.decisions import hanging

        if self._compared is None or self._compared[0] is not self.tree:
            self._compared = self.tree, hanging(self.tree)
        return self._compared[1]

    def lent(self) -> dict[str, bytes]:
        """The files that the program may open, by the names that it knows them under."""
        if self._lent is None:
            from .input.lent_files import read_lent

            self._lent = read_lent(self.lend, self.limits.memory // _SHARE) if self.lend else {}
        return self._lent

    def follower(self) -> Callable[[BaseException], None] | None:
        """The keeper of the lines that lead to errors, for a program that may tell of them."""
        if not any(teller in text for teller in _TELLERS for text in self._texts()):
            return None
        from .stdlib.exceptions.trails import follow

        return follow

    def _texts(self) -> list[str]:
        """Its text, and those of the modules beside it."""
        return [self.source.text, *[read.text for _, read in self.spec.beside if isinstance(read, Source)]]

    def running(self, machine: Machine | None = None, *, echo: bool | None = None) -> Running:
        """Run the program in a ``with`` block's head; ``echo``: print a last bare expression, as inline specs do."""
        return Running(self, self.machine() if machine is None else machine, self.spec.inline if echo is None else echo)

    def run(
        self,
        write: Callable[[str], None] = discard,
        *,
        machine: Machine | None = None,
        echo: bool | None = None,
        trace: bool = False,
    ) -> Run:
        """Run the program, and let go of its limits; ``trace``: note the places of nodes and leaves."""
        machine = self.machine(write) if machine is None else machine
        with self.recorded(machine) if trace else self.running(machine, echo=echo) as run:
            return run

    def told(self, machine: Machine, echo: bool) -> Run:
        """Run the program and return its results, its value printed if wanted; its errors are worded for people."""
        try:
            # None of the program's own code runs yet: an exception of another kind is a bug of ours.
            execute = self._compiled(machine)
        except (GradcliError, *NEVER_CAUGHT) as error:
            raise self.diagnosed(machine, error) from None
        try:
            value = with_room(execute)
            if echo and value is not None:
                machine.write(self._shown(value) + "\n")
        except (ProgramEnded, SystemEnd) as error:
            self._end(machine, error)
            value = None
        except marked(None) as error:
            # Whatever arises while it runs passes the interpreter, and counts as the program's.
            diagnosed = self._stopped(machine) or self.diagnosed(machine, error)
            if catchable(error):
                machine.left.end([*machine.globals.values()])
            raise diagnosed from None
        try:
            run = self._finished(machine, value)
            machine.left.end([*machine.globals.values()])
            stopped = self._stopped(machine)
            if stopped is not None:
                raise stopped
            return run
        except (MemoryError, RecursionError) as error:
            raise self.diagnosed(machine, error) from None

    def _stopped(self, machine: Machine) -> BaseException | None:
        """The end of a program that came while a generator was closed, where nothing could pass it on."""
        stopped = machine.left.stopped
        return self.diagnosed(machine, stopped) if isinstance(stopped, Exception) else stopped

    def _end(self, machine: Machine, error: ProgramEnded | SystemEnd) -> None:
        """Pass by the end of a program that ended itself well."""
        try:
            end = error.ending() if isinstance(error, SystemEnd) else error
        except marked(marks(error).place) as other:
            # What shows the status is the program's own code.
            raise self.diagnosed(machine, other) from None
        if not end.well:
            raise copied(end, machine.span(error)) from None

    def _shown(self, value: Any) -> str:
        """The value of the last expression, as it is printed."""
        try:
            return representation(value)
        except marked(self.tree.body[-1]):
            raise

    def _compiled(self, machine: Machine) -> Callable[[], Any]:
        """Compile the program into a function that runs it and returns its value."""
        prepare(self._texts())
        table = inline_builtins(machine.write) if self.spec.inline else builtins_for(machine.write)
        table.update(FOR_CLASSES)
        unbound = set() if not self.spec.inline else self._unbound(table)
        machine.builtins = caps.builtins = table
        caps.program = machine.globals
        interpreter = Interpreter(machine, global_names(self.tree) | {b.name for b in self.bindings})
        interpreter.doc = ast.get_docstring(self.tree, clean=False)
        caps.file = interpreter.file
        binary = {kind: operate for kind, (operate, _) in interpreter.binary.items()}
        caps.add, caps.times, caps.power = binary[ast.Add], binary[ast.Mult], binary[ast.Pow]
        caps.quotient, caps.remainder = binary[ast.FloorDiv], binary[ast.Mod]
        machine.library = library = Library(machine)
        machine.own = modules_of(machine, self.tree)
        caps.guarded, caps.item, caps.member = guarding(machine), reading(machine), get
        caps.library, caps.handled, caps.here = machine.library, machine.handled, machine.here
        caps.trail, caps.on_trail = machine.stack, machine.on_stack
        let_say(Handed())
        if self.arrays and machine.tracer is not None:
            machine.tracer.tensor_in = Arrays(machine).tensor
        if unbound:
            raise self._without_value(*sorted(unbound, key=lambda n: (n.lineno, n.col_offset))[:1])
        body, last = self.tree.body, None
        if isinstance(body[-1], ast.Expr):
            body, last = body[:-1], interpreter_last(body[-1])
        code = compile_block(interpreter, body)
        ending = None
        if last is not None:
            # In a file it is a statement like any other, to which one more may be added.
            ending = interpreter.turning(interpreter.code(last), last if self.spec.inline else self.tree.body[-1])

        self._was_compiled = True
        _compiled.setdefault(self.tree, set()).add(self._read_as)

        def execute() -> Any:
            given: dict[str, Any] = {}
            for each in self.bindings:
                try:
                    value = self._input(interpreter, each)
                    value = Arrays(machine).of(value) if self.arrays else value
                    machine.globals[each.name] = given[each.name] = value
                except GradcliError as error:
                    error.span = error.span or span_at(each.source, 0, len(each.text))
                    raise
            try:
                code(machine.globals)
                machine.last = self.tree.body[-1]
                value = None if ending is None else ending(machine.globals)
            except _heard_by_exit_functions():
                library.end()
                raise
            library.end()
            return value if self.spec.target is None else self._picked(interpreter, self.spec.target, given)

        return execute

    def _unbound(self, table: Mapping[str, Any]) -> set[ast.Name]:
        """The names of an inline spec that nothing gives a value."""
        known = global_names(self.tree) | {b.name for b in self.bindings}
        inner = {
            n.arg if isinstance(n, ast.arg) else n.id
            for n in ast.walk(self.tree)
            if isinstance(n, ast.arg) or (isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))
        }
        return {
            n
            for n in ast.walk(self.tree)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
            and n.id not in known | inner and n.id not in table and bare(n.id) is MISSING and n.id[:2] != "__"
        }  # fmt: skip

    def _without_value(self, node: ast.Name) -> SpecError:
        near = self._near(node.id, global_names(self.tree))
        give = f"give it a value: {node.id}=2 behind the expression"
        return SpecError(
            f"name '{node.id}' is not defined",
            span=span_of(self.source, node),
            help=f"{near} Or {give}" if near else give,
            code="E202",
        )

    @staticmethod
    def _near(name: str, known: Iterable[str]) -> str | None:
        """Suggest the known name that a misspelt one may have meant."""
        if len(name) < 2:
            return None
        spaces = (n for space in ("torch", "torch.nn.functional") for n in NAMESPACES[space].names())
        return did_you_mean(name, [*known, *builtins_for(discard), *PREBOUND, *spaces])

    # -- inputs --------------------------------------------------------------------------------

    def _input(self, interpreter: Interpreter, binding: Binding) -> Any:
        machine = interpreter.machine

        def evaluate(source: Source) -> Any:
            inner = Machine(source, self.limits, discard, discard)
            inner.builtins = machine.builtins
            tree = parse(source, self.limits)
            if len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr):
                raise InputError(f"the value of {binding.name} is no expression", code="E503")
            try:
                return Interpreter(inner, set()).code(tree.body[0].value)({})
            except marked(None) as error:
                raise self.diagnosed(inner, error) from None

        value = value_of(binding, evaluate, max_bytes=self.limits.memory // _SHARE)
        constant = binding.name in self.no_grad
        if constant and isinstance(value, (int, float)):
            return value
        made = _as_tensor(value, constant)
        if made is None:
            return value
        if (made.is_floating_point() or made.is_complex()) and not constant:
            made = made.detach().requires_grad_()
            if machine.tracer is not None:
                machine.tracer.binding(binding.name, self.tree, 0)(made)
        return made

    def _picked(self, interpreter: Interpreter, target: str, given: Mapping[str, Any]) -> Any:
        """The result of ``FILE::name``: a function called with the inputs of its parameters' names.

        These are the inputs as they were given, whatever the file has under their names.
        """
        machine = interpreter.machine
        found = machine.globals.get(target, MISSING)
        if found is MISSING:
            callables = [n for n, v in machine.globals.items() if callable(v) and isinstance(n, str)]
            raise InputError(
                f"{self.source.name} has no '{target}'",
                help=did_you_mean(target, callables) or (f"it has {', '.join(callables)}" if callables else None),
                code="E503",
            )
        function, by_name = found, isinstance(found, UserFunction)
        if isinstance(found, type):
            from ..nn.modules.module import Module

            if issubclass(found, Module):
                # A layer: it is made, of nothing, and called; its parameters are named as those of a variable are.
                function, by_name = caller(machine)(found, (), {}), True
                machine.globals.setdefault(target.lower(), function)
            else:
                function = getattr(found, "apply", found)
        if not callable(function):
            raise InputError(f"{target} in {self.source.name} is no function", code="E503")
        args, kwargs = ((), dict(given)) if by_name else (tuple(given.values()), {})
        node = found.node if isinstance(found, UserFunction) else None
        try:
            value = caller(machine)(function, args, kwargs)
            return Arrays(machine).tensors(value) if self.arrays else value
        except marked(node) as error:
            # What its own code raises has a place in it.
            if isinstance(node, ast.FunctionDef) and isinstance(error, TypeError) and marks(error).place is node:
                marks(error).help = f"it is given its inputs by their names: {_inputs_of(node.args)}"
            raise

    # -- what came of it -----------------------------------------------------------------------

    def diagnosed(self, machine: Machine, error: Exception) -> Exception:
        """An error of a run as what a person is shown, with the calls that led to it."""
        from .stdlib.exceptions.trails import calls

        told = self._diagnosed(machine, error)
        if isinstance(told, GradcliError):
            told.notes = (*told.notes, *calls(error, self.source))
        return told

    def _diagnosed(self, machine: Machine, error: Exception) -> Exception:
        error = as_meant(error)
        limit = limits_.from_host(error, self.limits)
        if limit is not None:
            return copied(limit, machine.span(error) or machine.here(None))
        if isinstance(error, OSError):
            return error
        span = machine.span(error)
        if isinstance(error, LimitError):
            return copied(error, span or machine.here(None))
        if isinstance(error, GradcliError) and not isinstance(error, ENGINE):
            return copied(error, span)
        its = marks(error)
        if its.instead is not None:
            return copied(its.instead, span)
        try:
            words = shown_error(error)
        except raised_by_program(*NEVER_CAUGHT) as other:
            # What it says is the program's own code: that may meet a limit, too.
            if its.place is not None:
                mark(other, its.place)
            return self._diagnosed(machine, other)
        if its.asserted:
            return copied(AssertFailed(words, notes=its.notes), span)
        help_ = error.help if isinstance(error, GradcliError) else its.help
        if help_ is None and isinstance(error, NameError):
            help_ = self._meant(machine, error)
        if help_ is None and isinstance(error, NoSuchFile) and len(error.args) > 2:
            help_ = f"`--lend {error.args[2]}` gives the program a copy of a file"
        if help_ is None and isinstance(error, EndOfFile):
            help_ = "give the program its lines on the standard input: `gradcli run chat.py < lines.txt`"
        if help_ is None and isinstance(error, TypeError):
            help_ = next((way for _, way in self.no_variables()), None)
        return copied(ProgramError(words, help=help_, code=code_of(error)), span)

    def _meant(self, machine: Machine, error: NameError) -> str | None:
        words = said(error)
        name = words.split("'")[1] if "'" in words else ""
        return self._near(name, [n for n in machine.globals if isinstance(n, str)])

    def no_variables(self) -> Iterator[tuple[str, str]]:
        """The whole numbers that are inputs to differentiate by, and the way to give each so that it stays one."""
        for given in self.bindings:
            if given.name not in self.no_grad and given.text.strip().lstrip("+-").isdigit():
                text = f"{given.name}={given.text.strip()} is a tensor to differentiate by"
                yield given.name, f"{text}; with --no-grad {given.name} it stays a number"

    def _finished(self, machine: Machine, value: Any) -> Run:
        variables = {n: v for n, v in machine.globals.items() if isinstance(n, str)}
        if machine.tracer is None:
            return Run(variables, (), None, value, machine)
        from ..engine.tape.tape import restore
        from .node_names import Trace

        trace = Trace(self.source, machine.tracer, variables)
        for root in trace.backward.tensors:
            restore(node_of(root._node))
        leaves = [
            Leaf(name, leaf.variable, trace.span_of(leaf), trace.changed(leaf)) for leaf, name in trace.leaves.items()
        ]
        return Run(variables, tuple(leaves), trace.backward.first, value, machine, trace)


def _inputs_of(parameters: ast.arguments) -> str:
    """The inputs that a function takes, as one may write them on a command line."""
    taken = [*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs]
    return " ".join(f"{parameter.arg}='randn(3)'" for parameter in taken) or "it takes none"


def _directives(source: Source) -> list[Directive]:
    """Read what the program's comments say of how it wants to be run; most say nothing of it."""
    if MARK not in source.text:
        return []
    from .input.directives import directives

    return directives(source)


class Running:
    """A program that ran, with all that it may use still in force, for as long as a ``with`` block lasts."""

    def __init__(self, program: Program, machine: Machine, echo: bool) -> None:
        self._program = program
        self._machine = machine
        self._echo = echo

    def __enter__(self) -> Run:
        program, machine = self._program, self._machine
        self._saved = Surroundings()
        try:
            caps.limits, caps.tick, caps.spend = program.limits, machine.tick, machine.budget.spend
            caps.arrays, caps.streams = program.arrays, {}
            caps.source, caps.follow, caps.step_of = program.source, program.follower(), _step_of
            caps.leave_found = machine.left.leave_found
            caps.args, caps.lent = program.args, program.lent()
            caps.write, caps.write_error, caps.read_line = machine.write, machine.write_error, machine.read_line
            mode.grad, mode.inference, mode.rule, mode.autocast = True, False, False, None
            mode.use(None if machine.tracer is None else machine.tracer.tape)
            dtypes.set_default_dtype(program.dtype)
            printing.set_printoptions(profile="default")
            seeded_generators.begin(program.seed)
            return program.told(machine, self._echo)
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        self._machine.left.over = True
        self._saved.restore()
        self._machine.budget.close()


def _step_of(traceback: Any) -> dict[str, Any]:
    """All that may be asked of a traceback; few programs ask."""
    from .stdlib.exceptions.trails import step_of

    return step_of(traceback)


def interpreter_last(statement: ast.stmt) -> ast.expr:
    """The expression of a last bare expression."""
    assert isinstance(statement, ast.Expr)
    return statement.value


def inline_builtins(write: Callable[[str], None]) -> dict[str, Any]:
    """Python's builtins as an expression means them: `abs`, `max`, `sum` and their like are ops where given tensors."""
    table = builtins_for(write)
    for name in SHADOWED:
        table[name] = _either(table[name], name)
    return table


def _either(builtin: Any, name: str) -> Any:
    """A name of an inline spec that is both: the op for a tensor, read when there is one, the builtin for all else."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return (bare(name) if args and isinstance(args[0], Tensor) else builtin)(*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    return call


def _as_tensor(value: Any, constant: bool) -> Tensor | None:
    """An input as a tensor; one to be differentiated is of the program's default dtype."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, (bool, str)) or not isinstance(value, (int, float, list, tuple, np.ndarray)):
        return None
    made: Tensor = tensor(value)
    wanted = dtypes.get_default_dtype()
    # `x=2` is the number 2.0: an input is there to be differentiated.
    plain = made.is_floating_point() or (made.dtype is dtypes.int64 and not constant)
    return tensor(value, dtype=wanted) if plain and made.dtype is not wanted else made
