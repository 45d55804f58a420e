"""Optimisers and learning-rate schedules."""

from __future__ import annotations

from functools import partial
from typing import Any

from ....optim.optimizer import HOOKS, Optimizer
from ....optim.schedule import LRScheduler
from ...guard.reserved_names import reserved
from ..user_definitions import UserType
from .containers import Held
from .modules import emptied, private, with_public
from .table import TABLES, Getter, Table

# What an optimiser or a schedule calls or reads where nobody looks at it again.
_OURS = ("_scale_fn_custom", "_schedule_phases", "_anneal_func_type")


def _copied(name: str) -> Getter:
    """A list that can be read only: who is asked to step is settled when a schedule is made."""

    def read(schedule: Any) -> list[Any]:
        return list(schedule.__dict__[name])

    return read


def held_by_schedule(schedule: Any) -> Held:
    """A copy of what a schedule holds, its state and what it has by name, through which both are set."""
    from ..attributes import assign, delete, get

    hidden, state = TABLES[type(schedule)].hidden, LRScheduler.state_dict(schedule)

    def store(name: str, new: Any) -> None:
        if name in state:
            LRScheduler.load_state_dict(schedule, {name: new})
        else:
            assign(schedule, name, new)

    shown = [name for name in schedule.__dict__ if name in state or name not in hidden]
    own = {name: state[name] if name in state else get(schedule, name) for name in shown}
    return Held(own, store, partial(delete, schedule))


def table_of(cls: type) -> Table | None:
    """The table of a class of gradcli.optim, or None."""
    if not issubclass(cls, (Optimizer, LRScheduler)):
        return None
    table = with_public(Table(TABLES[object]), cls)
    if issubclass(cls, Optimizer):
        table.methods["__setstate__"] = Optimizer.__setstate__
        table.methods["_patch_step_function"] = Optimizer._patch_step_function
        table.setters.update({kind: emptied(kind) for kind in HOOKS})
    table.in_python = frozenset(table.methods)
    table.free = True
    hidden = reserved(cls) if issubclass(cls, Optimizer) else frozenset(private(cls))
    table.hidden = hidden | frozenset(_OURS)
    if issubclass(cls, LRScheduler):
        table.fields.update({name: _copied(name) for name in cls._settled})
    if not isinstance(cls, UserType) and hasattr(cls, "in_cooldown"):
        table.fields["in_cooldown"] = lambda scheduler: scheduler.in_cooldown
    return table
