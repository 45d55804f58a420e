"""Hooks of all modules: they are called for each module there is, before the hooks of its own."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ...engine.graph import RemovableHandle
from ...engine.guard.outside import guarded
from ...engine.guard.tables_of_a_run import of_a_run

# By the table of a module that they go with, or the kind of member that is registered.
HOOKS: dict[str, OrderedDict[int, Any]] = {
    name: of_a_run(OrderedDict())
    for name in (
        "_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks",
        "_parameters", "_buffers", "_modules",
    )
}  # fmt: skip
# Of the hooks after forward: those that are given keyword arguments, and those that are called whatever happens.
WITH_KWARGS: dict[int, bool] = of_a_run({})
ALWAYS: dict[int, bool] = of_a_run({})
# That there are hooks around calls: what a module looks at before it calls its forward.
AROUND_CALLS: dict[int, bool] = of_a_run({})


def of_call(table: str, hook: Any, *facts: dict[int, bool]) -> RemovableHandle:
    """Hang a hook around the calls of all modules."""
    return RemovableHandle(HOOKS[table], guarded(hook), (AROUND_CALLS, *facts))


def registered(kind: str, module: Any, name: str, value: Any) -> Any:
    """A member that a module is about to own, as hooks leave it."""
    for hook in list(HOOKS[kind].values()):
        new = hook(module, name, value)
        value = value if new is None else new
    return value


def register_module_parameter_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, name, param)`` when any module is given a parameter; what it returns replaces it."""
    return RemovableHandle(HOOKS["_parameters"], guarded(hook))


def register_module_buffer_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, name, buffer)`` when any module is given a buffer; what it returns replaces it."""
    return RemovableHandle(HOOKS["_buffers"], guarded(hook))


def register_module_module_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, name, submodule)`` when any module is given one; what it returns replaces it."""
    return RemovableHandle(HOOKS["_modules"], guarded(hook))


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, args)`` before the forward of every module."""
    return of_call("_forward_pre_hooks", hook)


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call ``hook(module, args, output)`` after the forward of every module."""
    facts = ([WITH_KWARGS] if with_kwargs else []) + ([ALWAYS] if always_call else [])
    return of_call("_forward_hooks", hook, *facts)


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, grad_output)`` when the gradients at the outputs of any module are known."""
    return of_call("_backward_pre_hooks", hook)


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, grad_input, grad_output)`` when the gradients at the inputs of any module are known."""
    kinds.choose(True)
    return of_call("_backward_hooks", hook)


def register_module_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, grad_input, grad_output)`` after the last node of any module: an older kind of hook."""
    kinds.choose(False)
    return of_call("_backward_hooks", hook)


class _Kinds:
    """The kind of the backward hooks of all modules: there is one at a time."""

    def __init__(self) -> None:
        self._chosen: dict[str, bool] = of_a_run({})

    @property
    def full(self) -> bool | None:
        """True of the newer one, None where none was chosen."""
        return self._chosen.get("full")

    def choose(self, full: bool) -> None:
        """Say which kind comes next."""
        # As in PyTorch, it stays chosen when the hooks are gone.
        if self.full is not None and self.full is not full:
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks as a global Module hook. Please use "
                "only one of them."
            )
        self._chosen["full"] = full

    def choose_anew(self, full: bool | None) -> None:
        """Say which kind there is, or with None that none was chosen."""
        self._chosen.clear()
        if full is not None:
            self._chosen["full"] = full


kinds = _Kinds()

_TABLES: dict[str, dict[Any, Any]] = {
    **{f"_global{table}": HOOKS[table] for table in HOOKS if table.endswith("_hooks")},
    "_global_forward_hooks_with_kwargs": WITH_KWARGS,
    "_global_forward_hooks_always_called": ALWAYS,
    "_global_parameter_registration_hooks": HOOKS["_parameters"],
    "_global_buffer_registration_hooks": HOOKS["_buffers"],
    "_global_module_registration_hooks": HOOKS["_modules"],
}


class WithTables(ModuleType):
    """A module that has the tables of hooks by PyTorch's names: who sets one replaces what it holds."""

    def __getattr__(self, name: str) -> Any:
        if name in _TABLES:
            return _TABLES[name]
        if name == "_global_is_full_backward_hook":
            return kinds.full
        raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "_global_is_full_backward_hook":
            kinds.choose_anew(value)
        elif name in _TABLES:
            held = dict(value)
            _TABLES[name].clear()
            _TABLES[name].update(held)
            AROUND_CALLS.clear()
            for table, hooks in HOOKS.items():
                if table.endswith("_hooks"):
                    AROUND_CALLS.update(dict.fromkeys(hooks, True))
        else:
            super().__setattr__(name, value)
