"""Nodes of the graph, the ctx of custom functions, and how a gradient for a node must look."""

from __future__ import annotations

from typing import Any

from ....engine.function import FunctionNode
from ....engine.graph import AccumulateGrad, BaseNode, InputMetadata, Node
from .table import MISSING, Table, attributes, declare, own_methods

_SAVED = ("_saved_", "_raw_saved_")


def _saved(node: Any, name: str) -> Any:
    """Return the value of ``node._saved_NAME``."""
    return getattr(node, name) if name in _saved_names(node) else MISSING


def _saved_names(node: Any) -> list[str]:
    return [name for name in dir(type(node)) if name.startswith(_SAVED)]


def _name(self: Any) -> str:
    found: str = self.name()
    return found


def _sequence_nr(self: Any) -> int:
    found: int = self._sequence_nr()
    return found


declare(
    BaseNode,
    methods={
        **own_methods(BaseNode, "register_hook register_prehook"),
        "name": _name,
        "_sequence_nr": _sequence_nr,
    },
    fields=attributes("next_functions metadata requires_grad"),
)
_NODE = declare(Node, base=BaseNode, fields=attributes("_input_metadata"))
_NODE.find, _NODE.extra = _saved, _saved_names
declare(AccumulateGrad, base=BaseNode, fields=attributes("variable _input_metadata"))
declare(InputMetadata, fields={**attributes("shape dtype device"), "is_nested_tensor": lambda _: False})


def table_of(cls: type) -> Table | None:
    """The table of a class that is read only when results are packed, or None."""
    return declare(cls, methods=own_methods(cls, "register_hooks")) if cls.__name__ == "SavedTensor" else None


# -- ctx -----------------------------------------------------------------------------------------


def _own(ctx: Any, name: str) -> Any:
    """Return an attribute that the program has put on a ctx."""
    return _held(ctx).get(name, MISSING)


def _own_names(ctx: Any) -> list[str]:
    return list(_held(ctx))


def _held(ctx: Any) -> dict[str, Any]:
    """A program's attributes of a ctx: apart from the node's own, which have names such as shape and saved."""
    held: dict[str, Any] = ctx.__dict__.setdefault("held", {})
    return held


def hold(ctx: Any, name: str, value: Any) -> None:
    """Put a value on a ctx."""
    _held(ctx)[name] = value


def drop(ctx: Any, name: str) -> bool:
    """Take a value off a ctx; whether there was one."""
    held = _held(ctx)
    # A new table, so that whoever keeps the old one can put it back: see Duals.applied.
    ctx.__dict__["held"] = {key: value for key, value in held.items() if key != name}
    return name in held


_CTX = declare(
    FunctionNode,
    base=BaseNode,
    methods=own_methods(
        FunctionNode,
        "save_for_backward save_for_forward mark_dirty mark_non_differentiable set_materialize_grads",
    ),
    fields={
        **attributes("saved_tensors needs_input_grad _input_metadata"),
        "saved_variables": lambda ctx: ctx.saved_tensors,
    },
)
_CTX.find, _CTX.extra = _own, _own_names
