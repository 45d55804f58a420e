"""Names for the nodes of a program's graphs, for people, and ids that an edit elsewhere does not change.

An id says which statement made a node: ``y`` for what the statement binds, ``y.1``, ``y.2`` ... for what it
computes on the way, ``y@2`` where it runs for the second time, ``y'1`` for what the backward of ``y`` records.
Where several statements bind one name, all but the first are told apart by a word that the others have not:
``h~w3`` for ``h = tanh(h @ w3)``. No id knows a line number, nor how many nodes there are elsewhere.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..engine.graph import LEAF
from ..engine.tape.backwards import Start
from ..engine.tape.tape import Cut, Tape, edge_of, entry_of
from ..engine.tensor import Tensor, result
from ..errors import Source, Span
from ..nn.modules.module import Module
from .input.parse import extent_of
from .language.tracer import VARIABLE, Binding, Noted, Tracer, Turn
from .values.models import buffers_of, modules_of, parameters_of
from .values.user_definitions import HELD, UserType

# How deep, and among how many values, a name is looked for in lists and objects.
_DEPTH, _MANY = 3, 10_000

# So long may the text of a target be in an id.
_LONG = 40

# Words that say nothing of a statement.
_PLAIN = frozenset(("torch", "nn", "F", "math", "self"))


class Started:
    """Where the last call of backward(), or of grad(), started, as that was then, and how many calls came to an end."""

    def __init__(self, starts: list[Start], calls: int) -> None:
        self.calls = calls
        self.tensors = [_as_it_was(start) for start in starts]
        # What it started from; None for ones.
        self.gradients = [None if start.gradient is None else result(start.gradient.array) for start in starts]
        # Where it was, as a sequence number.
        self.seq = starts[0].seq if starts else 0

    @property
    def first(self) -> Tensor | None:
        """The first of the tensors, if it was called at all."""
        return self.tensors[0] if self.tensors else None


class Trace:
    """The notes of a traced run."""

    def __init__(self, source: Source, tracer: Tracer, variables: Mapping[str, Any]) -> None:
        self._source = source
        self._tracer = tracer
        self.tape: Tape = tracer.tape
        self._extents: dict[ast.AST, Span | None] = {}
        calls = tracer.backwards
        self.backward = Started(calls.starts, calls.count)
        self.stopped = Started(calls.stopped, 0)
        self.grad = Started(calls.asked, calls.asks)
        # The last tensors assigned that have a graph, to a variable and inside a function.
        self.last, self.last_local = tracer.last, tracer.last_local
        # What the program decided by its numbers, by keys that are the same in every run of it.
        self.decisions = tracer.decisions.made
        # Every leaf of the program in the order in which they were made, with the one name that it has.
        self.leaves: dict[Any, str] = _leaf_names(tracer, variables)
        self._module_names = {id(module): name for name, module in _module_names(tracer, variables)}

    # -- places --------------------------------------------------------------------------------

    def span_of(self, node: Any) -> Span | None:
        """Where the program recorded a node, or made a leaf."""
        if node.kind == LEAF:
            noted = self._tracer.leaves.get(node)
            return None if noted is None else self._extent(noted.place)
        return self.span_at(node._sequence_nr())

    def is_inner(self, leaf: Any) -> bool:
        """Tell whether a custom function made a leaf for itself."""
        noted = self._tracer.leaves.get(leaf)
        return noted is not None and noted.is_inner

    def span_of_cut(self, cut: Cut) -> Span | None:
        """Where numbers left the graph."""
        return self.span_at(cut.seq)

    def part_at(self, seq: int) -> ast.AST | None:
        """The part of the program that ran at a sequence number."""
        return self._tracer.place_of(seq)

    def span_at(self, seq: int) -> Span | None:
        """Where the program was at a sequence number."""
        place = self.part_at(seq)
        return None if place is None else self._extent(place)

    def place_of(self, part: ast.AST) -> Span | None:
        """Where a part of the program stands."""
        return self._extent(part)

    def _extent(self, place: ast.AST) -> Span | None:
        # One place records many nodes: in a loop, in a function.
        if place not in self._extents:
            self._extents[place] = extent_of(self._source, place)
        return self._extents[place]

    def escapes(self) -> Iterator[tuple[str, str | None, Span | None]]:
        """Where the program read numbers of its graphs outside tensors (`item`, `bool` ...), how, and of what."""
        for (how, _), (label, seq) in self.tape.escapes.items():
            yield how, label, self.span_at(seq)

    def changed(self, leaf: Any) -> bool:
        """True if a leaf was written to after it was made."""
        noted = self._tracer.leaves[leaf]
        return noted.tensor._version > noted.version

    # -- names ---------------------------------------------------------------------------------

    def name_of(self, node: Any) -> str | None:
        """The program's name for a leaf, or for the outputs of a node, without the number that only a graph decides."""
        if node.kind == LEAF:
            return self.leaves.get(node)
        binding = _binding(node)
        return None if binding is None else binding.name

    def module_name(self, module: Module) -> str | None:
        """The dotted path of a module of the program's."""
        return self._module_names.get(id(module))

    def naming(self, nodes: Iterable[Any]) -> Naming:
        """The names and ids of the nodes of a graph, in forward order."""
        return Naming(nodes, self.leaves)


def ids(nodes: Iterable[Any], names: Mapping[Any, str] | None = None) -> dict[Any, str]:
    """Ids for nodes in forward order, gradcli's or PyTorch's; ``names``: those that are known, of leaves above all."""
    return Naming(nodes, names or {}).ids


def only_name(node: Any, nodes: Iterable[Any], names: Iterable[str]) -> str | None:
    """The program's name for one of the nodes of a graph, where it names no other so, and no leaf: that takes no
    naming of all. ``names``: those of leaves."""
    entry = entry_of(node)
    if entry is None or len(entry.bound) != 1 or entry.bound[0].name in names:
        return None
    name: str = entry.bound[0].name
    for other in nodes:
        it = entry_of(other)
        if it is not None and (it.parent is not None or (it is not entry and any(b.name == name for b in it.bound))):
            return None
    return name


class Naming:
    """The names and ids of the nodes of one graph.

    The runs of a statement are counted among those that the graph shows: a training loop's last graph is
    called what its first is.
    """

    def __init__(self, nodes: Iterable[Any], names: Mapping[Any, str]) -> None:
        self.ids: dict[Any, str] = {}
        # The program's names: `h`, and `h@2` ... for what it calls so later.
        self.variables: dict[Any, str] = {}
        # Of nodes with several outputs, what each is called.
        self.outputs: dict[Any, dict[int, str]] = {}
        self._taken: set[str] = set()
        self._children: dict[Any, int] = {}
        self._inner: dict[Turn, int] = {}
        self._kinds: dict[str, int] = {}
        self._times: dict[str, int] = {}
        nodes = list(nodes)
        for node in nodes:
            if node in names:
                self.variables[node] = names[node]
                self._times[names[node]] = 1
                self._give(node, names[node])
        ops = self._with_recorders(node for node in nodes if node not in names)
        self._labels = _labels(ops, self._taken)
        self._ranks = _ranks(ops)
        for node in ops:
            self._name(node)

    def _with_recorders(self, nodes: Iterable[Any]) -> list[Any]:
        """Nodes, and those whose backward recorded them: their ids begin with those ones' ids."""
        found: dict[Any, None] = {}
        for node in nodes:
            chain = []
            while node is not None and node not in found and node not in self.ids:
                chain.append(node)
                node = _recorder(node)
            found.update(dict.fromkeys(chain))
        return sorted(found, key=lambda node: node._sequence_nr()) if any(map(_recorder, found)) else list(found)

    def _name(self, node: Any) -> None:
        binding, entry = _binding(node), entry_of(node)
        if binding is not None and entry is not None:
            rank = self._ranks[binding.statement, binding.number]
            number = self._times[binding.name] = self._times.get(binding.name, 0) + 1
            self.variables[node] = _numbered(binding.name, number)
            if len(entry.outs) > 1:
                self._name_outputs(node, binding)
            self._give(node, _numbered(self._label(binding.name, binding.statement), rank))
            return
        recorder = _recorder(node)
        if recorder is not None:
            number = self._children[recorder] = self._children.get(recorder, 0) + 1
            self._give(node, f"{self.ids[recorder]}'{number}")
        elif entry is not None and type(entry.where) is Turn:
            turn = entry.where
            number = self._inner[turn] = self._inner.get(turn, 0) + 1
            label = self._label(_target(turn.statement, turn.owner), turn.statement)
            self._give(node, _numbered(f"{label}.{number}", self._ranks[turn.statement, turn.number]))
        else:
            kind = _kind(node)
            number = self._kinds[kind] = self._kinds.get(kind, 0) + 1
            self._give(node, kind if number == 1 else f"{kind}.{number}")

    def _name_outputs(self, node: Any, first: Binding) -> None:
        """Name each output by what says the most of it."""
        entry = entry_of(node)
        assert entry is not None
        names = self.outputs[node] = {first.output_nr: self.variables[node]}
        for binding in sorted(entry.bound, key=lambda binding: (binding.rank, binding.output_nr)):
            if binding.output_nr not in names:
                number = self._times[binding.name] = self._times.get(binding.name, 0) + 1
                names[binding.output_nr] = _numbered(binding.name, number)

    def _label(self, name: str, statement: ast.AST) -> str:
        return self._labels.get((name, statement), name)

    def _give(self, node: Any, wanted: str) -> None:
        """Give an id, with a number behind it when it is taken."""
        self.ids[node] = _free(wanted, self._taken)
        self._taken.add(self.ids[node])


def _free(wanted: str, taken: set[str]) -> str:
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}~{number}"
    return name


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}@{number}"


def _kind(node: Any) -> str:
    """Name a node after its kind, where nothing else is known of it."""
    name: str = node.name().rpartition(":")[2]
    if name == "AccumulateGrad":
        return "leaf"
    return name.rstrip("0123456789").removesuffix("Backward") or name


def _binding(node: Any) -> Binding | None:
    """The binding that names a node: of the program's own names the first, else the first of a function's."""
    entry = entry_of(node)
    if entry is None or not entry.bound:
        return None
    found: Binding = min(entry.bound, key=lambda binding: (binding.rank, binding.output_nr))
    return found


def _recorder(node: Any) -> Any:
    """The node whose backward recorded one that the program has no name for."""
    entry = entry_of(node)
    return None if entry is None or entry.bound else entry.parent


def _ranks(nodes: list[Any]) -> dict[tuple[ast.AST, int], int]:
    """Which of the runs of its statement that these nodes are from a run is."""
    runs: dict[ast.AST, set[int]] = {}
    for node in nodes:
        binding, entry = _binding(node), entry_of(node)
        if binding is not None:
            runs.setdefault(binding.statement, set()).add(binding.number)
        elif entry is not None and type(entry.where) is Turn:
            runs.setdefault(entry.where.statement, set()).add(entry.where.number)
    return {(s, number): rank for s, some in runs.items() for rank, number in enumerate(sorted(some), 1)}


# -- statements ------------------------------------------------------------------------------


def _target(statement: ast.AST, owner: str | None) -> str:
    """Name a statement after what it binds, the function whose result it gives, or what it calls."""
    if isinstance(statement, ast.Assign):
        return _text(statement.targets[0])
    if isinstance(statement, (ast.AugAssign, ast.AnnAssign, ast.For)):
        return _text(statement.target)
    if isinstance(statement, ast.Return):
        return owner or "return"
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return statement.name
    if isinstance(statement, ast.With) and statement.items[0].optional_vars is not None:
        return _text(statement.items[0].optional_vars)
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return _called(statement.value.func)
    return "expr" if isinstance(statement, ast.expr) else type(statement).__name__.lower()


def _text(target: ast.expr) -> str:
    while isinstance(target, (ast.Tuple, ast.List, ast.Starred)):
        target = target.value if isinstance(target, ast.Starred) else target.elts[0]
    text = ast.unparse(target)
    return text if len(text) <= _LONG else text[: _LONG - 1] + "…"


def _called(function: ast.expr) -> str:
    """Name a statement that is a call after the tensor that it writes to, else after the function."""
    if isinstance(function, ast.Attribute):
        writes = function.attr.endswith("_") and isinstance(function.value, (ast.Name, ast.Attribute))
        return _text(function.value) if writes else function.attr
    return function.id if isinstance(function, ast.Name) else "expr"


def _labels(nodes: list[Any], taken: set[str]) -> dict[tuple[str, ast.AST], str]:
    """Choose a suffix that tells statements with the same name apart in ids, one for each."""
    sharing: dict[str, dict[ast.AST, None]] = {}
    for node in nodes:
        binding, entry = _binding(node), entry_of(node)
        if binding is not None:
            sharing.setdefault(binding.name, {})[binding.statement] = None
        elif entry is not None and entry.parent is None and type(entry.where) is Turn:
            turn = entry.where
            sharing.setdefault(_target(turn.statement, turn.owner), {})[turn.statement] = None
    labels: dict[tuple[str, ast.AST], str] = {}
    for name, statements in sharing.items():
        if len(statements) > 1 or name in taken:
            labels.update(_told_apart(name, list(statements), name in taken))
    return labels


def _told_apart(name: str, statements: list[ast.AST], all_of_them: bool) -> Iterator[tuple[tuple[str, ast.AST], str]]:
    words = [_words(statement, name) for statement in statements]
    counts: dict[str, int] = {}
    for some in words:
        for word in some:
            counts[word] = counts.get(word, 0) + 1
    used: dict[str, int] = {}
    for i, (statement, some) in enumerate(zip(statements, words, strict=True)):
        if i == 0 and not all_of_them:
            continue
        word = min(some, key=counts.__getitem__) if some else "op"
        number = used[word] = used.get(word, 0) + 1
        yield (name, statement), f"{name}~{word}" if number == 1 else f"{name}~{word}~{number}"


def _words(statement: ast.AST, name: str) -> list[str]:
    """The words of a statement in their order, each once; what it does where it has none."""
    parts = (getattr(statement, part, None) for part in ("value", "iter", "test"))
    value = statement if isinstance(statement, ast.expr) else next(filter(None, parts), None)
    found: dict[str, None] = {}
    doing: dict[str, None] = {}
    stack: list[Any] = [] if value is None else [value]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name):
            found[node.id] = None
        elif isinstance(node, ast.Attribute):
            found[node.attr] = None
        elif isinstance(node, ast.operator):
            doing[type(node).__name__.lower()] = None
        stack.extend(reversed(list(ast.iter_child_nodes(node))))
    if isinstance(statement, ast.AugAssign):
        doing[type(statement.op).__name__.lower()] = None
    words = [word for word in found if word not in _PLAIN and word != name]
    return words or list(doing)


# -- leaves ----------------------------------------------------------------------------------


def _as_it_was(start: Start) -> Tensor:
    """The tensor on which backward() was called: itself, or its twin when it has changed since."""
    tensor, then = start.tensor, start.then
    if edge_of(tensor) is then.edge and (then.array is None or then.array is tensor._a):
        return tensor
    twin = result(then.array)
    twin._node = then.edge
    return twin


def _leaf_names(tracer: Tracer, variables: Mapping[str, Any]) -> dict[Any, str]:
    names = _parameter_names(tracer, variables)
    places = _places(variables)
    taken = set(names.values())
    given: dict[Any, str] = {}
    for number, (edge, noted) in enumerate(tracer.leaves.items()):
        name = names.get(edge)
        if name is None:
            name = _free(_wanted(noted, places.get(edge), number), taken)
            taken.add(name)
        given[edge] = name
    return given


def _wanted(noted: Noted, place: str | None, number: int) -> str:
    if noted.name is None:
        # What asks for a gradient only later has been given a name before.
        return noted.tensor._label or place or f"leaf{number}"
    if place is not None and noted.rank != VARIABLE:
        return place
    return _numbered(noted.name, noted.number)


def _models(tracer: Tracer, variables: Mapping[str, Any]) -> Iterator[tuple[str, Module, bool]]:
    """The models of a program that are in no other, and whether names in them stand without the model's own.

    Of several that one name stood for and no list holds, the last has it, and those before it a number as well.
    """
    named = [(each.name, each.module()) for each in tracer.modules.values()]
    named += reversed(list(variables.items()))
    models: dict[int, tuple[str, Module]] = {}
    for name, model in named:
        if isinstance(model, Module):
            # What a variable stands for in the end comes last.
            models.pop(id(model), None)
            models[id(model)] = name, model
    inside = {id(module) for _, model in models.values() for _, module in modules_of(model) if module is not model}
    tops = [top for key, top in models.items() if key not in inside]
    if len(dict(tops)) < len(tops):
        tops = _named_by_place(tops, variables)
    alone = len({name for name, model in tops if next(parameters_of(model), None) is not None}) == 1
    last = dict(tops)
    numbers = dict.fromkeys(last, 0)
    found = []
    for name, model in tops:
        numbers[name] += 1
        if model is last[name]:
            names = [inner for inner, _ in parameters_of(model)]
            # All names of a model, or none.
            found.append((name, model, alone and bool(names) and all("." in inner for inner in names)))
        else:
            found.append((f"{name}@{numbers[name]}", model, False))
    yield from reversed(found)


def _named_by_place(models: list[tuple[str, Module]], variables: Mapping[str, Any]) -> list[tuple[str, Module]]:
    """Models with their names, in which those of one name are called by their places in the program's lists."""
    places: dict[int, str] = {}
    for place, item in _contents(variables):
        if isinstance(item, Module):
            places.setdefault(id(item), place)
    counts = Counter(name for name, _ in models)
    return [(places.get(id(model), name) if counts[name] > 1 else name, model) for name, model in models]


def _parameter_names(tracer: Tracer, variables: Mapping[str, Any]) -> dict[Any, str]:
    """The dotted names of parameters; those inside of one model are known without the model's own name."""
    names: dict[Any, str] = {}
    for name, model, whole in _models(tracer, variables):
        for inner, tensor in [*parameters_of(model), *buffers_of(model)]:
            dotted = inner if whole and "." in inner else f"{name}.{inner}"
            if tensor._node is not None:
                names.setdefault(tensor._node, dotted)
            if tensor._label is None:
                tensor._label = dotted
    return names


def _module_names(tracer: Tracer, variables: Mapping[str, Any]) -> Iterator[tuple[str, Module]]:
    """Modules with their dotted paths, as those of their parameters begin."""
    for name, model, whole in _models(tracer, variables):
        for prefix, module in modules_of(model):
            path = prefix.rstrip(".")
            yield (path if whole and path else f"{name}.{path}".rstrip(".")), module


def _places(variables: Mapping[str, Any]) -> dict[Any, str]:
    """Where leaves are found in lists, dictionaries and objects of the program; constants there get their label."""
    found: dict[Any, str] = {}
    for place, item in _contents(variables):
        if isinstance(item, Tensor):
            edge = edge_of(item)
            if edge is not None and edge.kind == LEAF:
                found.setdefault(edge, place)
            elif item._label is None:
                item._label = place
    return found


def _contents(variables: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The items of a program's lists, dictionaries and objects, each with its place."""
    seen: set[int] = set()
    level: list[tuple[str, Any]] = list(variables.items())
    for _ in range(_DEPTH):
        deeper: list[tuple[str, Any]] = []
        for name, value in level:
            for inner, item in _items(name, value, seen):
                yield inner, item
                if not isinstance(item, Tensor) and len(deeper) < _MANY:
                    deeper.append((inner, item))
        level = deeper


def _items(name: str, value: Any, seen: set[int]) -> Iterator[tuple[str, Any]]:
    """List the contents of a list, a dictionary or an object, each named by its place."""
    # No method of a program's own is asked.
    plain: Any = list if isinstance(value, list) else tuple
    if isinstance(value, plain) and plain.__len__(value) <= _MANY:
        items: Iterable[tuple[str, Any]] = ((f"{name}[{i}]", x) for i, x in enumerate(plain.__iter__(value)))
    elif type(value) is dict and len(value) <= _MANY:
        items = ((f"{name}[{key!r}]", x) for key, x in value.items() if isinstance(key, (str, int)))
    elif isinstance(type(value), UserType) and not isinstance(value, Module):
        own = value.__dict__.get(HELD, value.__dict__)
        items = ((f"{name}.{key}", x) for key, x in dict.items(own) if isinstance(key, str))
    else:
        return
    if id(value) not in seen:
        seen.add(id(value))
        yield from items
