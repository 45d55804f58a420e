"""Checkpoints that keep the results of some ops: a policy says of which.

A function counts as one op (see _python_dispatch). A result that was kept is not asked for again: the op is computed
again only where a graph is to be recorded, for what its node keeps besides, and its numbers are those that were kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any, NamedTuple

from ..engine.dispatch.overriding import TorchDispatchMode
from ..engine.guard.outside import guarded
from ..engine.ops.aten_names import Aten, Packet
from ..engine.tensor import Tensor
from ..errors import EngineError, EngineTypeError, EngineValueError

SAC_IGNORED_OPS = frozenset(getattr(Aten(), name).default for name in ("detach", "is_contiguous", "numel"))


class CheckpointPolicy(Enum):
    """The fate of an op's result."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


# All memory is that of the CPU.
_KEPT = (
    CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE, CheckpointPolicy.MUST_CPU_OFFLOAD,
    CheckpointPolicy.PREFER_CPU_OFFLOAD, True,
)  # fmt: skip


class SelectiveCheckpointContext:
    """The facts that a policy is told beside the op."""

    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None:
        self.is_recompute, self.op_output = is_recompute, op_output


class _CachingTorchDispatchMode(TorchDispatchMode):
    """The first call: results are kept as the policy says."""

    def __init__(self, policy: Callable[..., Any], kept: dict[Any, list[Any]]) -> None:
        self.policy, self.storage = policy, kept

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """The call, with its result noted, or that it is to be computed again."""
        if func in SAC_IGNORED_OPS:
            return func(*args, **(kwargs or {}))
        kwargs = kwargs or {}
        found = func(*args, **kwargs)
        says = self.policy(SelectiveCheckpointContext(is_recompute=False, op_output=found), func, *args, **kwargs)
        self.storage.setdefault(func, []).append(_noted(found) if says in _KEPT else None)
        return found


class _CachedTorchDispatchMode(TorchDispatchMode):
    """The call that is made again: what was kept is given."""

    def __init__(self, kept: dict[Any, list[Any]], may_change: bool) -> None:
        self.storage, self.may_change = kept, may_change

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """The result that was kept, or the call."""
        if func in SAC_IGNORED_OPS:
            return func(*args, **(kwargs or {}))
        if func not in self.storage:
            raise EngineError(f"{func} encountered during backward, but not found in storage")
        if not self.storage[func]:
            raise EngineError(
                "Trying to backward an extra time. You are only allowed to backward once on any region computed under "
                "selective activation checkpoint."
            )
        noted = self.storage[func].pop(0)
        return func(*args, **(kwargs or {})) if noted is None else _given(noted, self.may_change)


class _Noted(NamedTuple):
    """A value that is kept, out of the graph, and the count of writes to it."""

    val: Any
    version: int | None


def _noted(found: Any) -> Any:
    """A result that is kept, each part of it with its count."""
    if isinstance(found, (tuple, list)):
        return type(found), [_noted(x) for x in found]
    return _Noted(found.detach(), found._version) if isinstance(found, Tensor) else _Noted(found, None)


def _given(noted: Any, may_change: bool) -> Any:
    if not isinstance(noted, _Noted):
        kind, parts = noted
        return getattr(kind, "_make", kind)([_given(x, may_change) for x in parts])
    if noted.version is not None and noted.val._version != noted.version and not may_change:
        raise EngineError("Tensor cached during selective activation checkpoint has been mutated")
    return noted.val


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Callable[..., Any] | Iterable[Any], allow_cache_entry_mutation: bool = False
) -> tuple[TorchDispatchMode, TorchDispatchMode]:
    """The blocks for a call and for making it again, by a policy or the ops that are kept: see ``context_fn``."""
    if isinstance(policy_fn_or_list, list):
        for op in policy_fn_or_list:
            if not (isinstance(op, Packet) and op.is_overload):
                hint = (
                    "Please update the OpOverloadPacket to a specific OpOverload.For example, if you have "
                    "`torch.ops.aten.mm`, change it to `torch.ops.aten.mm.default`."
                )
                raise EngineValueError(
                    f"Expected op in `op_list` to be an OpOverload but got: {op} of type {type(op)}. "
                    + (hint if isinstance(op, Packet) else "")
                )
        ops = tuple(policy_fn_or_list)

        def policy(ctx: Any, op: Any, *args: Any, **kwargs: Any) -> CheckpointPolicy:
            return CheckpointPolicy.MUST_SAVE if op in ops else CheckpointPolicy.PREFER_RECOMPUTE

    elif callable(policy_fn_or_list):
        policy = guarded(policy_fn_or_list)
    else:
        raise EngineTypeError("policy_fn_or_list must be either a function or a list of ops.")
    kept: dict[Any, list[Any]] = {}
    return _CachingTorchDispatchMode(policy, kept), _CachedTorchDispatchMode(kept, allow_cache_entry_mutation)
