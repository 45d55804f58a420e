"""A graph as data: what every drawing of it shows, and nothing of how it is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...errors import Span

if TYPE_CHECKING:
    from ...spec.program import Run
    from .scopes import Scope

Array = np.ndarray[Any, Any]

OP, LEAF, CONST = "op", "leaf", "const"
# What several tensors hang on that one backward started from.
ROOT = "root"
# A whole call, or several equal ones in a row, shown as one.
CALL = "call"


class Edge:
    """Where the gradient of one argument of an op goes."""

    __slots__ = ("argument", "grad", "output_nr", "slot", "stands_for", "to")

    def __init__(self, argument: str, to: Item | None, output_nr: int, slot: int | None) -> None:
        # The argument's name (`self`, `other`, `tensors[0]`), or its position when that is all that is known.
        self.argument = argument
        # What is at the other end; None for a None edge of which no constant is known.
        self.to = to
        self.output_nr = output_nr
        # The place among the node's next_functions; None for an argument that has none.
        self.slot = slot
        # The gradient that goes along this edge, in the shape of what it goes to; None when none does.
        self.grad: Array | None = None
        # Of an edge from or to a call that is shown as one: the edges of the graph that it is.
        self.stands_for: tuple[tuple[Item, Edge], ...] = ()


class Saved:
    """Something that a node keeps for its backward."""

    __slots__ = ("bytes", "name", "of", "value")

    def __init__(self, name: str, value: Any, of: Item | None, size: int) -> None:
        # PyTorch's name of it, without `_saved_`.
        self.name = name
        # An array, or a plain value.
        self.value = value
        # The item whose output it is, when it is one of this graph's.
        self.of = of
        # The bytes that it holds: 0 for what another item of the graph holds already.
        self.bytes = size


class Box(NamedTuple):
    """The sizes of a call that is shown as one item."""

    # The call; of several in a row all of them, in their order.
    scopes: tuple[Scope, ...]
    # The items of the graph that are in it: its ops, and the constants and parameters that nothing else uses.
    items: tuple[Item, ...]
    # How many parameters there are in it, and the length of their gradient.
    parameters: int
    parameters_grad: float | None
    # The length of the gradient that arrives, and of what goes on from it; in a row at the last call, from the first.
    arrives: float | None
    leaves: float | None

    @property
    def ops(self) -> int:
        """The number of ops in it."""
        return sum(item.kind == OP for item in self.items)


class Output:
    """One output of a node that has several."""

    __slots__ = ("dtype", "grad", "name", "shape", "tangent", "value")

    def __init__(self, name: str | None, shape: tuple[int, ...] | None, dtype: str | None) -> None:
        # The program's name for it.
        self.name = name
        self.shape = shape
        self.dtype = dtype
        # Its numbers, the gradient that arrives there, and its tangent, as far as they are known.
        self.value: Array | None = None
        self.grad: Array | None = None
        self.tangent: Array | None = None


class Item:
    """One node of a graph: an op, a leaf (an AccumulateGrad) or a constant; the one root of several tensors."""

    __slots__ = (
        "arrived", "backward_of", "box", "cut", "detached", "dtype", "edges", "grad", "hidden", "id", "kind", "label",
        "name", "node", "number", "order", "outputs", "parent", "repeats", "results", "saved", "scope", "shape", "span",
        "tangent", "value", "variable",
    )  # fmt: skip

    def __init__(self, kind: str, name: str, node: Any) -> None:
        self.kind = kind
        # PyTorch's name of the node; `AccumulateGrad` of a leaf, `const` of a constant.
        self.name = name
        # The node itself (None for a constant): items are keyed by it, never by its id().
        self.node = node
        # The stable name that JSON and DOT use, and the number that the tree shows (#0 is the root).
        self.id = ""
        self.number = 0
        # The program's name for what the node made; of a parameter its dotted name.
        self.variable: str | None = None
        # What a constant is shown as: a name of the program's, or its value.
        self.label: str | None = None
        # 0 for what the program's forward recorded, k for what a backward of order k-1 recorded.
        self.order = 0
        # The item whose backward recorded this one.
        self.parent: Item | None = None
        self.outputs = 1
        # What there is to tell of each output, where there are several.
        self.results: list[Output] = []
        self.shape: tuple[int, ...] | None = None
        self.dtype: str | None = None
        # The numbers of (the first output of) the node, and the gradient that arrives there, when they are known.
        self.value: Array | None = None
        self.grad: Array | None = None
        # How it changes where the leaves change, where that was asked for and is known.
        self.tangent: Array | None = None
        # What arrived there, where a hook of the program's has made another gradient of it.
        self.arrived: Array | None = None
        # The innermost call, or turn of a loop, that the op was made in.
        self.scope: Scope | None = None
        # Of an op that a backward recorded: the call that it is the backward of.
        self.backward_of: Scope | None = None
        # The source of the op; of a leaf, where it was made.
        self.span: Span | None = None
        # Of a constant: where it was cut out of the graph (detach, no_grad ...), and by what.
        self.detached: tuple[str, Span | None] | None = None
        self.edges: list[Edge] = []
        self.saved: list[Saved] = []
        # Why the item's edges are not shown ("depth", "nodes"), and how many items are hidden behind it.
        self.cut: str | None = None
        self.hidden = 0
        # Of a call that is shown as one: what is in it.
        self.box: Box | None = None
        # Of calls in a row: how often it is repeated, and the variables of the first and the last.
        self.repeats: tuple[int, str, str] | None = None

    def output(self, number: int) -> Item | Output:
        """One output of the node; of the only one the item itself tells."""
        return self.results[number] if self.results else self

    def __repr__(self) -> str:
        return f"<{self.kind} {self.id or self.name}>"


class Backward(NamedTuple):
    """A call of backward(), or of grad(), among all that a program makes."""

    number: int
    # None where the program was ended there.
    of: int | None
    called: str = "backward"

    @property
    def words(self) -> str | None:
        """Tell which it is; None where there was no choice."""
        if self.of is None:
            return f"{self.called} {self.number}"
        return f"{self.called} {self.number} of {self.of}" if self.of > 1 else None


class View:
    """A graph seen from its root."""

    def __init__(self, root: Item, items: list[Item]) -> None:
        self.root = root
        # In forward order: an item stands behind everything that its edges lead to.
        self.items = items
        # The root as the program wrote it, and where it is from.
        self.title: str | None = None
        self.spec: str | None = None
        self.root_name: str | None = None
        # Which output of its node the root is.
        self.output_nr = 0
        # Leaves of the program that the root does not depend on.
        self.unused: list[Item] = []
        # The .grad that the program's leaves have in the end, where it is another than this graph's, and how many
        # backwards the program has run.
        self.own_grads: dict[Item, Array | None] = {}
        self.backwards = 0
        # The backward whose graph it is, where it is one's.
        self.backward: Backward | None = None
        # Why the backward stopped before all gradients were known, if it did.
        self.ungraded: str | None = None
        # The leaves that tangents are along, and the first op whose own nobody knows.
        self.moving: list[Item] = []
        self.untold: Item | None = None
        # How many items were left out by --max-nodes or --depth.
        self.truncated = 0
        # How this view was taken from a larger one, in words for the header: "focus x", "inverted from x" ...
        self.aspect: str | None = None
        # That larger one.
        self.taken_from: View | None = None
        # The run of the program that made the graph, when it was a program.
        self.run: Run | None = None

    @property
    def whole(self) -> View:
        """The graph that this view is of, with all that was left out of it: what leaves and counts are told of."""
        view = self
        while view.taken_from is not None:
            view = view.taken_from
        return view

    @cached_property
    def has_several_files(self) -> bool:
        """True if the program stands in several files, so that a line alone is no place."""
        return len({item.span.source.name for item in self.whole.items if item.span is not None}) > 1

    @property
    def is_inverted(self) -> bool:
        """True if edges lead from what is used to what uses it."""
        return self.root.id != self.whole.root.id

    def ops(self) -> Iterator[Item]:
        """The ops, in forward order."""
        return (item for item in self.items if item.kind == OP)

    def leaves(self) -> Iterator[Item]:
        """The leaves that the root depends on, in the order in which they were made."""
        return (item for item in self.items if item.kind == LEAF)

    def constants(self) -> Iterator[Item]:
        """The constants."""
        return (item for item in self.items if item.kind == CONST)

    def edges(self) -> Iterator[tuple[Item, Edge]]:
        """Every edge with the item that it starts at."""
        return ((item, edge) for item in self.items for edge in item.edges)

    @property
    def saved_bytes(self) -> int:
        """The bytes that all nodes together hold for backward."""
        return sum(saved.bytes for item in self.items for saved in item.saved)
