"""The graph: nodes, the leaves they end in, and the order between them."""

from __future__ import annotations

import itertools
import weakref
from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Protocol, runtime_checkable

from ..errors import EngineError, EngineTypeError
from .guard.addresses import address
from .guard.outside import guarded

if TYPE_CHECKING:
    from .registry import Op
    from .tensor import Tensor

next_sequence_number = itertools.count().__next__

# What an edge leads to. A class attribute, so that the backward loop asks one question of an edge.
NODE, LEAF, OUTPUT, VIEW, CUT = 0, 1, 2, 3, 4

LEAF_SEQUENCE_NUMBER = 2**64 - 1

# What stands for the dtype of a leaf where its gradient has none of its own.
OWN = object()

FREED_MESSAGE = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they "
    "have already been freed). Saved intermediate values of the graph are freed when you call .backward() "
    "or autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time "
    "or if you need to access saved tensors after calling backward."
)


@runtime_checkable
class GraphNode(Protocol):
    """The questions a view of a graph may ask of a node; PyTorch's own nodes answer them too."""

    def name(self) -> str: ...

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]: ...

    @property
    def metadata(self) -> dict[str, Any]: ...


class Extra:
    """Fields that few nodes need: hooks, metadata, retained gradients, versions of what was saved."""

    __slots__ = ("metadata", "number", "post", "pre", "result_version", "retain", "tensor", "versions")

    # Whether a program gave some node a number of its own.
    numbered: ClassVar[bool] = False

    def __init__(self) -> None:
        # hooks of the output tensors, each with the number of its output; of the node, before and after it runs
        self.tensor: dict[int, tuple[int, Callable[..., Any]]] = {}
        self.pre: dict[int, Callable[..., Any]] = {}
        self.post: dict[int, Callable[..., Any]] = {}
        self.metadata: dict[str, Any] = {}
        # what the program gave it to be run by
        self.number: int | None = None
        # output number -> the tensors whose .grad is wanted
        self.retain: dict[int, list[weakref.ref[Any]]] = {}
        # position in `saved` (of a tensor in a tuple there: and its position in that) -> version at the time of saving
        self.versions: dict[int | tuple[int, int], int] = {}
        # the counter of an output that the node keeps, and its version when kept
        self.result_version: dict[int, tuple[Any, int]] = {}


_hook_ids = itertools.count()


class RemovableHandle:
    """Takes a hook away again."""

    def __init__(self, hooks: dict[int, Any], hook: Any, facts: tuple[dict[int, bool], ...] = ()) -> None:
        self.id = next(_hook_ids)
        self._hooks = hooks
        self._facts = facts
        hooks[self.id] = hook
        for table in facts:
            table[self.id] = True

    def remove(self) -> None:
        """Take the hook away, and what is noted of it."""
        for table in (self._hooks, *self._facts):
            table.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


class BaseNode:
    """The common part of nodes and leaves."""

    __slots__ = ("__weakref__", "extra")

    kind: ClassVar[int] = NODE
    extra: Extra | None

    def name(self) -> str:
        """The name PyTorch's C++ gives this node."""
        name = type(self).__name__
        return f"torch::autograd::{name}" if name in ("CopyBackwards", "Identity", "NotImplemented") else name

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {address(self):#x}>"

    def __deepcopy__(self, memo: Any) -> NoReturn:
        raise EngineTypeError(f"cannot pickle '{type(self).__name__}' object")

    @property
    def requires_grad(self) -> bool:
        """True: a node is there for gradients."""
        return True

    def extras(self) -> Extra:
        """The node's rarely used fields, made on first use."""
        if self.extra is None:
            self.extra = Extra()
        return self.extra

    @property
    def metadata(self) -> dict[str, Any]:
        """A dictionary that belongs to the node's user."""
        return self.extras().metadata

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(grad_inputs, grad_outputs)`` after the node's backward."""
        return RemovableHandle(self.extras().post, guarded(hook))

    def register_prehook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(grad_outputs)`` before the node's backward."""
        return RemovableHandle(self.extras().pre, guarded(hook))


class Node(BaseNode):
    """One recorded operation: where its gradients go and what its rules need."""

    # edges   where the gradient of each input goes: a Node, an AccumulateGrad, an Output or None
    # saved   kept tensors and arrays, in the order of op.saves; None once freed
    # attrs   kept plain arguments, in the order of op.attrs
    # shape, dtype   of the output (of each output, for a MultiNode)
    # entry   what a tape wrote down, if one was on
    __slots__ = ("attrs", "dtype", "edges", "entry", "saved", "seq", "shape")

    op: ClassVar[Op]
    edges: tuple[Any, ...]
    saved: tuple[Any, ...] | None
    attrs: tuple[Any, ...]
    shape: Any
    dtype: Any
    seq: int
    entry: Any
    outputs: ClassVar[int] = 1
    # Whether what a rule returns is new memory, or a view of new memory or of the node's own gradient.
    fresh: ClassVar[bool] = True
    # Whether it runs where no gradient arrives, too: a program's own backward may be given zeros then.
    runs_on_nothing: ClassVar[bool] = False
    # Whether it is of complex tensors: a real input takes the real part of its gradient.
    for_complex: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        # A `__getattr__` would do, and slow down every other attribute: the walk reads little else.
        if "op" in cls.__dict__:
            for name in cls.op.saved_names:
                setattr(cls, f"_saved_{name}", _saved_value(name))
                if name in cls.op.saves:
                    setattr(cls, f"_raw_saved_{name}", _raw_saved_value(name))

    @property
    def broadcasts(self) -> bool:
        """True where a share may come in the output's shape, for the walk to undo the broadcast."""
        return self.op.broadcasts

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """The nodes that the gradients go to, each with the number of its output."""
        return tuple(
            (None, 0) if e is None or e.kind == CUT else (e.node, e.nr) if e.kind == OUTPUT else (e, 0)
            for e in self.edges
        )

    def __call__(self, *grads: Any) -> Any:
        """The gradients that the node makes of those of its outputs."""
        from .walk.backward import gradients_at

        return gradients_at(self, grads)

    def _sequence_nr(self) -> int:
        number = None if self.extra is None else self.extra.number
        return self.seq if number is None else number

    def _set_sequence_nr(self, number: int) -> None:
        """Have a backward run the node before those of lower numbers, where both could run."""
        self.extras().number = number
        Extra.numbered = True

    @property
    def _input_metadata(self) -> tuple[InputMetadata, ...]:
        if self.outputs == 1:
            return (InputMetadata(self.shape, self.dtype),)
        return tuple([InputMetadata(s, d) for s, d in zip(self.shape, self.dtype, strict=True)])

    def run(self, g: Any, edges: tuple[Any, ...]) -> Iterable[Any]:
        """The gradients for ``edges`` (None: not wanted), from arrays to arrays."""
        raise NotImplementedError

    def run_graph(self, g: Any, edges: tuple[Any, ...]) -> Iterable[Any]:
        """The gradients for ``edges`` (None: not wanted), from tensors to tensors, recorded."""
        raise NotImplementedError


def _saved_value(name: str) -> property:
    return property(lambda node: node.op.read_saved(node, name))


def _raw_saved_value(name: str) -> property:
    def read(node: Node) -> Any:
        from .walk.saved_tensors_hooks import raw_saved

        return raw_saved(node, node.op.saves.index(name))

    return property(read)


class MultiNode(Node):
    """A node with several outputs; its gradient is a list, None where an output was not used."""

    __slots__ = ()


class Output:
    """One output of a MultiNode, as an edge."""

    __slots__ = ("dtype", "node", "nr", "shape")

    kind: ClassVar[int] = OUTPUT

    def __init__(self, node: Node, nr: int, a: Any) -> None:
        self.node = node
        self.nr = nr
        self.shape = a.shape
        self.dtype = a.dtype


class Cut:
    """The edge to a view that was made unrecorded of what is recorded: it asks for a gradient that goes nowhere."""

    __slots__ = ("dtype", "shape")

    kind: ClassVar[int] = CUT

    def __init__(self, a: Any) -> None:
        self.shape = a.shape
        self.dtype = a.dtype


class InputMetadata:
    """Shape and dtype of what a node's output was: what a gradient for it must look like."""

    __slots__ = ("_dtype", "_shape")

    is_nested_tensor = is_cpp_nested_tensor = False

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self._shape = shape
        self._dtype = dtype

    @property
    def shape(self) -> Any:
        """The shape, as a torch.Size."""
        from .tensor import Size

        return Size(self._shape)

    @property
    def dtype(self) -> Any:
        """The element type."""
        from .dtypes import DTYPES

        return DTYPES[self._dtype]

    @property
    def device(self) -> Any:
        """Where the output was."""
        from .memory.places import CPU

        return CPU


# PyTorch's own name for it.
InputMetadata.__name__ = InputMetadata.__qualname__ = "_InputMetadata"


class AccumulateGrad(BaseNode):
    """The end of the graph at a leaf: adds what arrives to the leaf's gradient.

    The leaf owns this node and the node owns the gradient; the way back is weak, so no cycle keeps a
    dropped leaf's memory. A graph that outlives its leaf tensor makes the tensor anew when asked.
    """

    __slots__ = ("dtype", "grad", "hooks", "leaf", "make", "post_accumulate", "shape")

    kind: ClassVar[int] = LEAF
    next_functions: ClassVar[tuple[Any, ...]] = ()
    outputs: ClassVar[int] = 1

    def __init__(self, leaf: Tensor) -> None:
        self.extra = None
        self.grad: Tensor | None = None
        self.hooks: dict[int, Callable[..., Any]] = {}
        self.post_accumulate: dict[int, Callable[..., Any]] = {}
        self.follow(leaf)

    def follow(self, leaf: Tensor) -> None:
        """Belong to ``leaf`` as it is now."""
        self.shape = leaf._a.shape
        wanted = leaf._grad_dtype
        self.dtype = leaf._a.dtype if wanted is OWN else wanted and wanted.np
        self.leaf = weakref.ref(leaf)
        self.make = leaf._remake()

    @property
    def variable(self) -> Tensor:
        """The leaf tensor."""
        leaf = self.leaf()
        if leaf is None:
            leaf = self.make()
            leaf._node = self
            self.leaf = weakref.ref(leaf)
        return leaf

    def name(self) -> str:
        """The name PyTorch's C++ gives this node."""
        return "torch::autograd::AccumulateGrad"

    def __call__(self, *grads: Any) -> tuple[()]:
        """Add a gradient to the leaf's, as a backward would."""
        from .walk.backward import added_at

        return added_at(self, grads)

    def _sequence_nr(self) -> int:
        return LEAF_SEQUENCE_NUMBER

    @property
    def _input_metadata(self) -> tuple[InputMetadata, ...]:
        return (InputMetadata(self.shape, self.dtype),)


class _NodeType(ABCMeta):
    """The type of a class that all nodes are said to belong to, and none has for a base."""

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, BaseNode) or super().__subclasscheck__(subclass)

    def __instancecheck__(cls, instance: Any) -> bool:
        return issubclass(type(instance), cls)


def _asked_of_nodes(self: Any) -> Any:
    """One of the answers that each node gives for itself."""


AnyNode = _NodeType(
    "Node",
    (),
    dict.fromkeys(
        "_input_metadata _register_hook_dict _sequence_nr metadata name next_functions register_hook "
        "register_prehook".split(),
        abstractmethod(_asked_of_nodes),
    ),
)
AnyNode.__module__ = "torch.autograd.graph"
AnyNode.__doc__ = "A node of a graph: what `grad_fn` and `next_functions` give."


def recorded(kind: type[Node], edges: tuple[Any, ...], attrs: tuple[Any, ...], shape: Any, dtype: Any) -> Any:
    """A new node; what it keeps of tensors is for the caller to say."""
    node = kind()
    node.edges = edges
    node.attrs = attrs
    node.shape = shape
    node.dtype = dtype
    node.saved = ()
    node.extra = None
    node.seq = next_sequence_number()
    return node


def node_of(edge: Any) -> Any:
    """The node that an edge leads to."""
    if edge is None or edge.kind == CUT:
        return None
    return edge.node if edge.kind == OUTPUT else edge


def freed() -> EngineError:
    """The error for a graph whose saved values are gone."""
    return EngineError(
        FREED_MESSAGE, help="pass retain_graph=True to the first backward() to keep the graph for another"
    )
