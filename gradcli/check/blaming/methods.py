"""The functions of a program behind a custom backward: what it calls, what keeps something for it, and their names."""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from ...engine.function import FunctionNode
from ...spec.language.scopes import UP
from ...spec.values.user_definitions import UserFunction
from .data_flow import Flow, own_parts, root_of
from .small_changes import NUMPY
from .where_written import method_of

# So many of a Function's own expressions are taken for what may have been forgotten.
_PARTS = 24
_NUMBERS = int, float
# What a context has that is no number.
_METHODS = frozenset(dir(FunctionNode))
_SAVING = "save_for_backward", "save_for_forward"
_SAVED = "saved_tensors", "saved_variables"
# What makes one tensor of several.
_JOINING = frozenset({"stack", "cat", "concat", "tensor", "as_tensor"})
_COPIES = "detach", "clone", "contiguous"
# One wrong name of those that are kept is looked for by itself.
_SEVERAL = 2


def called(function: UserFunction) -> Iterator[UserFunction]:
    """The functions of the program that a function calls by their names, and those that these call."""
    waiting, seen = [function], {function}
    while waiting:
        caller = waiting.pop()
        for part in ast.walk(caller.node):
            found = _named(caller, part.func) if isinstance(part, ast.Call) else None
            if isinstance(part, ast.Attribute) and part.attr == "apply":
                found = getattr(_named(caller, part.value), "forward", None)
            if isinstance(found, UserFunction) and found not in seen:
                seen.add(found)
                waiting.append(found)
                yield found


def _named(caller: UserFunction, part: ast.AST) -> Any:
    """The value that a name stands for around a function, or a name in a class there; None of all else."""
    if isinstance(part, ast.Attribute):
        return getattr(_named(caller, part.value), part.attr, None) if isinstance(part.value, ast.Name) else None
    names: Any = caller.outer
    while isinstance(part, ast.Name) and names is not None:
        if part.id in names:
            return names[part.id]
        names = names.get(UP)
    return None


def calls_own(caller: UserFunction, call: ast.Call) -> bool:
    """Tell whether a call is one of a function that the program wrote."""
    return isinstance(_named(caller, call.func), UserFunction)


def keeping(node: FunctionNode) -> Iterator[tuple[UserFunction, list[ast.stmt]]]:
    """The methods of a Function in which it keeps something for its backward, and the statements that do."""
    for name in ("forward", "setup_context"):
        method = method_of(node, name)
        if method is not None:
            yield method, [x for x in statements_of(method) if keeps(x)]


def statements_of(function: UserFunction) -> list[ast.stmt]:
    """All statements of a function, one of a lambda's."""
    return [x for x in ast.walk(function.node) if isinstance(x, ast.stmt) and x is not function.node]


def only_for_backward(forward: UserFunction) -> list[ast.stmt]:
    """The statements of a forward that lead to what it keeps, and not to what it returns."""
    flow = Flow(forward.node, lambda statement: True)
    returned: set[int] = set()
    kept: set[int] = set()
    for step in flow.steps:
        if isinstance(step.node, ast.Return) and step.node.value is not None:
            returned |= flow.leading_to(step.node.value, step.node)
        elif isinstance(step.node, ast.stmt) and keeps(step.node):
            kept |= flow.leading_to(step.node.value, step.node)  # type: ignore[attr-defined]
    places = {(x.lineno, x.col_offset) for x in (flow.steps[i].node for i in kept - returned)}  # type: ignore[attr-defined]
    return [x for x in statements_of(forward) if (x.lineno, x.col_offset) in places]


def written_beside(function: UserFunction) -> list[UserFunction]:
    """The functions of the program that one stands in, and the methods of its classes."""
    found = list(function.machine.globals.values())
    found += [x for kind in found if isinstance(kind, type) for x in vars(kind).values()]
    return [x for x in dict.fromkeys(x for x in found if isinstance(x, UserFunction)) if x is not function]


def keeps(statement: ast.stmt) -> bool:
    """Tell whether a statement gives a context something to keep."""
    return _saved_by(statement) is not None or any(True for _ in _attributes_of(statement))


def _saved_by(statement: ast.stmt) -> list[ast.expr] | None:
    """The tensors that a statement saves."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        function = statement.value.func
        if isinstance(function, ast.Attribute) and function.attr in _SAVING:
            return statement.value.args
    return None


def _attributes_of(statement: ast.stmt) -> Iterator[tuple[str, ast.expr | None]]:
    """The attributes that a statement sets, each with its value where that is written down."""
    for target in statement.targets if isinstance(statement, ast.Assign) else ():
        targets = target.elts if isinstance(target, ast.Tuple) else [target]
        value = statement.value  # type: ignore[attr-defined]
        values = value.elts if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) else [value]
        for i, each in enumerate(targets):
            if isinstance(each, ast.Attribute):
                yield each.attr, values[i] if len(values) == len(targets) else None


def names_agree(node: FunctionNode, backward: UserFunction) -> tuple[set[ast.stmt], set[ast.stmt]]:
    """The statements by which something has one name where it is kept and read, and those that keep it by another."""
    agreeing: set[ast.stmt] = set()
    differing: set[ast.stmt] = set()
    reading = [x for x in statements_of(backward) if isinstance(x, ast.Assign) and _reads_saved(x.value)]
    names = _elements(reading[0].targets[0]) if len(reading) == 1 else None
    for method, statements in keeping(node):
        known = names_of(method, context_of(backward))
        for statement in statements:
            saved = _saved_by(statement)
            if saved is None:
                pairs = [(name, value) for name, value in _attributes_of(statement) if name in known]
                same = all(value is not None and ast.unparse(value) == name for name, value in pairs)
                (agreeing if same else differing).update([statement] if pairs else [])
                compared = [
                    (_elements(value), *read)
                    for name, value in _attributes_of(statement)
                    if isinstance(value, ast.Tuple)
                    for read in _read_back(backward, name)
                ]
            else:
                compared = [] if names is None else [(list(map(_named_as, saved)), names, reading[0])]
            for kept, read, where in compared:
                if kept == read:
                    agreeing |= {statement, where}
                else:
                    # Who keeps what was given, or made, in the order of that has hardly exchanged anything.
                    differing.add(where if sorted(kept) == sorted(read) and _is_in_order(kept, known) else statement)
    return agreeing, differing


def _named_as(kept: ast.expr) -> str:
    """The text of what is kept, without the calls that only copy it, make one of several, or leave the graph."""
    while isinstance(kept, ast.Call) and isinstance(kept.func, ast.Attribute):
        function, given = kept.func, kept.args
        if function.attr in _COPIES:
            kept = function.value
        elif function.attr in _JOINING and given:
            kept = given[0]
        else:
            break
    return ast.unparse(kept)


def kept_as_read(statement: ast.stmt, backward: UserFunction) -> list[ast.expr] | None:
    """The names by which a backward reads what a statement saves; None where no more than one of them is another."""
    saved = _saved_by(statement)
    reading = [x for x in statements_of(backward) if isinstance(x, ast.Assign) and _reads_saved(x.value)]
    names = _elements(reading[0].targets[0]) if len(reading) == 1 else []
    if saved is None or len(names) != len(saved):
        return None
    if sum(name != _named_as(x) for name, x in zip(names, saved, strict=True)) < _SEVERAL:
        return None
    known = {_named_as(x): x for x in saved}
    return [known.get(name, ast.Name(name, ast.Load())) for name in names]


def _read_back(backward: UserFunction, name: str) -> Iterator[tuple[list[str], ast.stmt]]:
    """The names that a backward gives to the parts of an attribute of its context, and where."""
    for statement in statements_of(backward):
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], (ast.Tuple, ast.List)):
            value = statement.value
            own = isinstance(value, ast.Attribute) and ast.unparse(value.value) == context_of(backward)
            if own and value.attr == name:  # type: ignore[attr-defined]
                yield _elements(statement.targets[0]), statement


def _is_in_order(names: Sequence[str], known: Sequence[str]) -> bool:
    """Tell whether names stand in the order in which a method is given them, or gives them a value."""
    return [x for x in known if x in names] == list(names)


def writing_to_saved(backward: UserFunction) -> tuple[ast.stmt, str] | None:
    """The first statement of a backward that writes to a tensor which the forward saved, and the name of that."""
    statements = statements_of(backward)
    reading = [x for x in statements if isinstance(x, ast.Assign) and _reads_saved(x.value)]
    names = {name for x in reading for target in x.targets for name in _elements(target)}
    for statement in statements:
        for part in (x for own in own_parts(statement) for x in ast.walk(own)):
            match part:
                case ast.Call(ast.Attribute(value, name)) if name.endswith("_") and not name.endswith("__"):
                    written: ast.AST = value
                case ast.Subscript(value, _, ast.Store()):
                    written = value
                case ast.Name(_, ast.Store()) if isinstance(statement, ast.AugAssign):
                    written = part
                case _:
                    continue
            for name in root_of(written) & names:
                return statement, name
    return None


def _elements(target: ast.expr) -> list[str]:
    return [ast.unparse(x) for x in (target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target])]


def _reads_saved(part: ast.AST) -> bool:
    return isinstance(part, ast.Attribute) and part.attr in _SAVED


def unread(method: UserFunction) -> dict[str, bool]:
    """The names that a backward, or a jvp, is given or gives a value, and never reads; and whether it is one of
    several values."""
    names = [x.arg for x in method.node.args.args[1:] if not x.arg.startswith("_")]
    read = {x.id for x in ast.walk(method.node) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Load)}
    return {**unused(method), **{name: False for name in names if name not in read}}


def unused(function: UserFunction) -> dict[str, bool]:
    """The names to which a function gives a value that it never reads, and whether that is one of several values."""
    names = [x for x in ast.walk(function.node) if isinstance(x, ast.Name)]
    # What a loop gives a value to is often of no use.
    turns = {y for x in ast.walk(function.node) if isinstance(x, ast.For) for y in ast.walk(x.target)}
    read = {x.id for x in names if isinstance(x.ctx, ast.Load) or x in turns}
    tuples = [x for x in ast.walk(function.node) if isinstance(x, ast.Tuple)]
    several = {x.id for y in tuples for x in y.elts if isinstance(x, ast.Name)}
    return {x.id: x.id in several for x in names if isinstance(x.ctx, ast.Store) and x.id not in read}


def kept_in_vain(node: FunctionNode, method: UserFunction) -> list[ast.expr]:
    """The attributes that a Function gives its context, and a method that reads that never asks for."""
    context = context_of(method)
    read = {x.attr for x in ast.walk(method.node) if isinstance(x, ast.Attribute) and ast.unparse(x.value) == context}
    kept = {name for _, several in keeping(node) for statement in several for name, _ in _attributes_of(statement)}
    return [ast.Attribute(ast.Name(context, ast.Load()), name, ast.Load()) for name in sorted(kept - read)]


def is_made_by(function: UserFunction, name: str) -> bool:
    """Tell whether a name of a function gets its value in it."""
    names = (x for x in ast.walk(function.node) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store))
    return any(x.id == name for x in names)


def context_of(backward: UserFunction) -> str:
    """The name that a backward has for its context."""
    given = backward.node.args.args
    return given[0].arg if given else ""


def names_of(method: UserFunction, context: str) -> list[str]:
    """The names of numbers and tensors that a method knows: what it is given, and what it gives a value to."""
    node = method.node
    inside = (x for x in ast.walk(node) if isinstance(x, (ast.FunctionDef, ast.Lambda)))
    given = [a.arg for x in inside for a in x.args.args]
    written = [x.id for x in ast.walk(node) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)]
    return [x for x in dict.fromkeys([*given, *written]) if x != context]


def parts_of(
    node: FunctionNode, backward: UserFunction, within: UserFunction, names: Collection[str]
) -> list[ast.expr]:
    """Expressions of a Function, of names that a method knows: one of them may have been forgotten."""
    context = context_of(backward)
    found: dict[str, ast.expr] = {}
    methods = [method_of(node, name) for name in ("forward", "setup_context", "backward")]
    methods += [within] if within not in methods else []
    for method in methods:
        # What a method of another object reads of that and of others like it is what a context is to a backward.
        is_beside = method is within and method is not backward
        for part in ast.walk(method.node) if method is not None else ():
            read = {x.id for x in ast.walk(part) if isinstance(x, ast.Name)}
            if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Load):
                of = part.value.id if isinstance(part.value, ast.Name) else None
                wanted = (of == context or (is_beside and of in names)) and part.attr not in _METHODS
            else:
                computes = isinstance(part, (ast.BinOp, ast.Call, ast.UnaryOp, ast.Subscript))
                wanted = computes and not read.isdisjoint(names) and read <= {*names, *NUMPY, "torch", "len"}
            if wanted and isinstance(part, ast.expr):
                for each in (part, *_turned(part)):
                    found.setdefault(ast.unparse(each), copy.deepcopy(each))
    parts = sorted(found.values(), key=lambda part: len(ast.unparse(part)))[:_PARTS]
    return [*parts, *_numbers_in(method.node for method in methods if method is not None)]


def turns_of(method: UserFunction, names: Sequence[str]) -> Iterator[ast.expr]:
    """The parts of what has these names that belong to one turn of a loop of a method: `x[t]`."""
    loops = [x.target for x in ast.walk(method.node) if isinstance(x, ast.For)]
    counters = dict.fromkeys(x.id for target in loops for x in ast.walk(target) if isinstance(x, ast.Name))
    for name in names:
        for counter in counters:
            yield ast.Subscript(ast.Name(name, ast.Load()), ast.Name(counter, ast.Load()), ast.Load())


def _turned(part: ast.expr) -> Iterator[ast.expr]:
    """An entry of a matrix with its two indices exchanged: a backward reads that where the forward read the other."""
    match part:
        case ast.Subscript(value, ast.Tuple([ast.Name() as one, ast.Name() as other], _), context):
            yield ast.Subscript(value, ast.Tuple([other, one], ast.Load()), context)


def _numbers_in(functions: Iterable[ast.AST]) -> Iterator[ast.expr]:
    """The numbers that are written in functions, each once."""
    numbers = (x for f in functions for x in ast.walk(f) if isinstance(x, ast.Constant) and type(x.value) in _NUMBERS)
    yield from map(ast.Constant, list(dict.fromkeys(x.value for x in numbers))[:_PARTS])


