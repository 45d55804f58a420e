"""What schedules and optimisers save are copies, and they take over what they know."""

from __future__ import annotations

from typing import Any

import pytest

from gradcli import nn, optim
from gradcli.engine.tensor import tensor
from gradcli.errors import EngineTypeError
from gradcli.optim import lr_scheduler as lr


def sgd(**options: Any) -> Any:
    """An optimiser of one parameter."""
    return optim.SGD([nn.Parameter(tensor([1.0, 2.0]))], lr=1.0, **options)


SCHEDULES = {
    "LambdaLR": lambda o: lr.LambdaLR(o, lambda e: 0.5),
    "MultiplicativeLR": lambda o: lr.MultiplicativeLR(o, lambda e: 0.5),
    "StepLR": lambda o: lr.StepLR(o, 2),
    "MultiStepLR": lambda o: lr.MultiStepLR(o, [1, 3]),
    "ConstantLR": lr.ConstantLR,
    "LinearLR": lr.LinearLR,
    "ExponentialLR": lambda o: lr.ExponentialLR(o, 0.5),
    "PolynomialLR": lr.PolynomialLR,
    "CosineAnnealingLR": lambda o: lr.CosineAnnealingLR(o, 3),
    "CosineAnnealingWarmRestarts": lambda o: lr.CosineAnnealingWarmRestarts(o, 3),
    "CyclicLR": lambda o: lr.CyclicLR(o, 0.1, 1.0, cycle_momentum=False),
    "OneCycleLR": lambda o: lr.OneCycleLR(o, 1.0, 9, cycle_momentum=False),
    "SequentialLR": lambda o: lr.SequentialLR(o, [lr.StepLR(o, 1), lr.StepLR(o, 2)], [1]),
    "ChainedScheduler": lambda o: lr.ChainedScheduler([lr.StepLR(o, 1)]),
    "ReduceLROnPlateau": lr.ReduceLROnPlateau,
}


@pytest.mark.parametrize("name", SCHEDULES)
def test_a_state_dict_is_a_copy(name: str) -> None:
    schedule = SCHEDULES[name](sgd())
    state = schedule.state_dict()
    before = repr(state)
    for key, value in list(state.items()):
        if isinstance(value, list):
            value.append("odd")
        elif isinstance(value, dict):
            value["odd"] = "odd"
        state[key] = "odd"
    state["odd"] = "odd"
    assert repr(schedule.state_dict()) == before


@pytest.mark.parametrize("name", SCHEDULES)
def test_a_state_dict_is_taken_over(name: str) -> None:
    optimizer = sgd()
    schedule = SCHEDULES[name](optimizer)
    for _ in range(2):
        optimizer.step()
        schedule.step(*([1.0] if name == "ReduceLROnPlateau" else []))
    fresh = SCHEDULES[name](sgd())
    fresh.load_state_dict(schedule.state_dict())
    assert fresh.state_dict() == schedule.state_dict()
    assert fresh.optimizer is not optimizer


@pytest.mark.parametrize("name", SCHEDULES)
@pytest.mark.parametrize(
    "key", ["optimizer", "_schedulers", "step", "get_lr", "_rates", "_closed", "_move", "__class__", "_aside", "odd "]
)
def test_no_key_reaches_what_a_schedule_calls(name: str, key: str) -> None:
    schedule = SCHEDULES[name](sgd())
    held = dict(schedule.__dict__)
    state = schedule.state_dict()
    if key != "_schedulers" or key not in state:
        state[key] = print
    schedule.load_state_dict(state)
    assert {k: v for k, v in schedule.__dict__.items() if v is print} == ({"odd ": print} if key == "odd " else {})
    assert schedule.optimizer is held["optimizer"]


@pytest.mark.parametrize(
    ("key", "value", "kind"),
    [
        ("last_epoch", "1", "a number"),
        ("gamma", [0.1], "a number"),
        ("base_lrs", 0.1, "a list"),
        ("base_lrs", {0: 0.1}, "a list"),
        ("_last_lr", None, "a list"),
        ("_step_count", print, "a number"),
    ],
)
def test_a_value_of_another_kind_is_refused(key: str, value: Any, kind: str) -> None:
    schedule = lr.StepLR(sgd(), 2)
    with pytest.raises(EngineTypeError) as caught:
        schedule.load_state_dict({key: value})
    words = f"'{key}' of this state dict should be {kind}, but is of type {type(value).__name__}"
    assert caught.value.message == words


def test_a_state_dict_must_be_a_dict() -> None:
    with pytest.raises(EngineTypeError, match="a state dict must be a dict, not list"):
        lr.StepLR(sgd(), 2).load_state_dict([])  # type: ignore[arg-type]


def test_what_nobody_else_has_is_kept() -> None:
    schedule = lr.StepLR(sgd(), 2)
    schedule.load_state_dict({"note": "mine"})
    assert schedule.state_dict()["note"] == "mine"


def test_the_list_of_schedules_belongs_to_whoever_steps_them() -> None:
    optimizer = sgd()
    schedules: list[Any] = [lr.StepLR(optimizer, 1)]
    both = lr.ChainedScheduler(schedules)
    schedules[0] = None
    optimizer.step()
    both.step()
    assert both.get_last_lr() == [0.1]


def test_the_state_of_an_optimiser_is_a_copy() -> None:
    optimizer = sgd(momentum=0.9)
    p = optimizer.param_groups[0]["params"][0]
    p.grad = tensor([1.0, 1.0])
    optimizer.step()
    state = optimizer.state_dict()
    state["state"][0]["odd"] = 1
    state["param_groups"][0]["odd"] = 1
    assert "odd" not in optimizer.state[p]
    assert "odd" not in optimizer.param_groups[0]


@pytest.mark.parametrize(
    "state", [{"state": [], "param_groups": [{"params": [0]}]}, {"state": {}, "param_groups": [1]}]
)
def test_an_optimiser_takes_over_dicts_only(state: Any) -> None:
    with pytest.raises(EngineTypeError, match="where there should be a dict"):
        sgd().load_state_dict(state)


def test_an_optimiser_steps_tensors_only() -> None:
    optimizer = sgd()
    optimizer.param_groups[0]["params"][0] = object()
    with pytest.raises(EngineTypeError, match="one of the params is object"):
        optimizer.step()


def test_the_state_of_a_parameter_is_tensors() -> None:
    optimizer = sgd(momentum=0.9)
    p = optimizer.param_groups[0]["params"][0]
    p.grad = tensor([1.0, 1.0])
    optimizer.state[p] = {"momentum_buffer": 1.0}
    with pytest.raises(EngineTypeError, match="momentum_buffer in the state of a parameter should be a Tensor"):
        optimizer.step()
