"""A call of a module that has hooks, or while there are hooks of all modules."""

from __future__ import annotations

import warnings
from typing import Any

from ...errors import EngineError, raised_by_program
from . import everywhere


def call_with_hooks(module: Any, args: Any, kwargs: Any) -> Any:
    """Call a module's hooks around its forward."""
    progress = _Progress()
    try:
        return _called(module, args, kwargs, progress)
    except raised_by_program():
        if module.__dict__["_forward_hooks_always_called"] or everywhere.ALWAYS:
            _call_what_is_left(module, args, kwargs, progress)
        raise


class _Progress:
    """The output of a call so far, and the numbers of the hooks after forward that were called."""

    def __init__(self) -> None:
        self.out: Any = None
        self.called: set[int] = set()


def _called(module: Any, args: Any, kwargs: Any, progress: _Progress) -> Any:
    state = module.__dict__
    args, kwargs = _before(module, args, kwargs)
    full, older, before = _around(module)
    around = None
    if full or before:
        from .backward_hooks import BackwardHook

        around = BackwardHook(module, full, before)
        args = around.before(args)
    out = progress.out = module.forward(*args, **kwargs)
    for number, hook, with_kwargs in _after(state):
        progress.called.add(number)
        new = hook(module, args, kwargs, out) if with_kwargs else hook(module, args, out)
        if new is not None:
            out = progress.out = new
    out = out if around is None else around.after(out)
    if older:
        from .backward_hooks import hang_older

        hang_older(module, older, args, out)
    return out


def _before(module: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """The arguments as the hooks before forward leave them."""
    state = module.__dict__
    with_kwargs = state["_forward_pre_hooks_with_kwargs"]
    everybodys = everywhere.HOOKS["_forward_pre_hooks"]
    for number, hook in (*everybodys.items(), *state["_forward_pre_hooks"].items()):
        if number in with_kwargs:
            new = hook(module, args, kwargs)
            if new is not None:
                if not isinstance(new, tuple) or len(new) != 2:
                    raise EngineError(
                        f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {new}."
                    )
                args, kwargs = new
        else:
            new = hook(module, args)
            if new is not None:
                args = new if isinstance(new, tuple) else (new,)
    return args, kwargs


def _after(state: dict[str, Any]) -> list[tuple[int, Any, bool]]:
    """The hooks after forward: their numbers, and whether they are given keyword arguments."""
    own = state["_forward_hooks_with_kwargs"]
    found = [(n, hook, n in everywhere.WITH_KWARGS) for n, hook in everywhere.HOOKS["_forward_hooks"].items()]
    return found + [(n, hook, n in own) for n, hook in state["_forward_hooks"].items()]


def _around(module: Any) -> tuple[list[Any], list[Any], list[Any]]:
    """The backward hooks of a module: the full ones, the older ones, and those before backward."""
    state = module.__dict__
    everybodys = list(everywhere.HOOKS["_backward_hooks"].values())
    full = everybodys if everywhere.kinds.full is True else []
    older = everybodys if everywhere.kinds.full is False else []
    own = list(state["_backward_hooks"].values())
    if state["_is_full_backward_hook"] is True:
        full = full + own
    else:
        older = older + own
    before = [*everywhere.HOOKS["_backward_pre_hooks"].values(), *state["_backward_pre_hooks"].values()]
    return full, older, before


def _call_what_is_left(module: Any, args: Any, kwargs: Any, progress: _Progress) -> None:
    """Call the hooks that are called whatever happens; what goes wrong in them is only told of."""
    always = {**everywhere.ALWAYS, **module.__dict__["_forward_hooks_always_called"]}
    for number, hook, with_kwargs in _after(module.__dict__):
        if number not in always or number in progress.called:
            continue
        try:
            hook(module, args, kwargs, progress.out) if with_kwargs else hook(module, args, progress.out)
        except raised_by_program() as another:
            kind = "global module forward hook" if number in everywhere.ALWAYS else "module forward hook"
            warnings.warn(
                f"{kind} with ``always_call=True`` raised an exception that was silenced as another error was raised "
                f"in forward: {another}",
                stacklevel=3,
            )
