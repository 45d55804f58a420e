"""Optimisers and schedules answer as PyTorch's do, and arrive where PyTorch's arrive."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pytest

import gradcli
import gradcli.optim
from tests.rings import sampled

from .programs import EXPECTED, LINES, answer, trained

CASES = json.loads(EXPECTED.read_text(encoding="utf-8"))
TOLERANCE = {"float32": 1e-6, "float64": 1e-12}
SAID = [code for group, code in LINES if group != "steps"]
STEPPED = [code for group, code in LINES if group == "steps"]


def test_every_program_was_recorded() -> None:
    assert [code for _, code in LINES] == list(CASES)


@pytest.mark.parametrize("code", SAID)
def test_program(torch: Any, code: str) -> None:
    assert answer(torch, code) == CASES[code]


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("code", STEPPED)
@sampled(10)
def test_a_hundred_steps(torch: Any, code: str, dtype: str) -> None:
    found, wanted = trained(torch, code, dtype), CASES[code][dtype]
    assert found["dtypes"] == wanted["dtypes"]
    near = {"rtol": TOLERANCE[dtype], "atol": TOLERANCE[dtype]}
    for a, b in zip(found["parameters"], wanted["parameters"], strict=True):
        np.testing.assert_allclose(a, b, **near)
    assert {i: list(s) for i, s in found["state"].items()} == {i: list(s) for i, s in wanted["state"].items()}
    for i, state in wanted["state"].items():
        for name, b in state.items():
            np.testing.assert_allclose(found["state"][i][name], b, **near)


def one(torch: Any) -> Any:
    return torch.tensor([1.0, -2.0], requires_grad=True)


def descend(optimizer: Any, p: Any, times: int) -> None:
    for _ in range(times):
        optimizer.zero_grad()
        (p**2).sum().backward()
        optimizer.step()


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "NAdam"])
def test_state_goes_from_one_optimiser_to_another(torch: Any, name: str) -> None:
    options = {"momentum": 0.9} if name == "SGD" else {}
    p = one(torch)
    first = getattr(torch.optim, name)([p], lr=0.1, **options)
    descend(first, p, 3)
    q = p.detach().clone().requires_grad_()
    second = getattr(torch.optim, name)([q], lr=0.7, **options)
    second.load_state_dict(copy.deepcopy(first.state_dict()))
    assert second.param_groups[0]["lr"] == 0.1
    descend(first, p, 5)
    descend(second, q, 5)
    assert p.tolist() == q.tolist()


def test_a_closure_runs_with_gradients(torch: Any) -> None:
    p = one(torch)
    optimizer = torch.optim.SGD([p], lr=0.1)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = (p**2).sum()
        loss.backward()
        return loss

    with torch.no_grad():
        assert optimizer.step(closure).item() == 5.0
    assert p.tolist() == pytest.approx([0.8, -1.6])


def test_gradients_are_forgotten_or_emptied(torch: Any) -> None:
    p = one(torch)
    optimizer = torch.optim.SGD([p])
    (p**2).sum().backward()
    optimizer.zero_grad(set_to_none=False)
    assert p.grad.tolist() == [0.0, 0.0]
    optimizer.zero_grad()
    assert p.grad is None
    optimizer.step()
    assert p.tolist() == [1.0, -2.0]


def test_a_step_is_a_write_that_the_graph_sees(torch: Any) -> None:
    p = one(torch)
    optimizer = torch.optim.SGD([p], lr=0.1)
    y = (p * p).sum()
    y.backward(retain_graph=True)
    optimizer.step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_groups_have_their_own_options(torch: Any) -> None:
    p, q = one(torch), one(torch)
    optimizer = torch.optim.SGD([{"params": p, "lr": 0.5}], lr=0.1)
    optimizer.add_param_group({"params": [q]})
    (p.sum() + q.sum()).backward()
    optimizer.step()
    assert p.tolist() == [0.5, -2.5]
    assert q.tolist() == pytest.approx([0.9, -2.1])


def test_hooks_run_around_a_step(torch: Any) -> None:
    seen = []
    optimizer = torch.optim.SGD([one(torch)])
    optimizer.register_step_pre_hook(lambda *_: seen.append("before"))
    handle = optimizer.register_step_post_hook(lambda *_: seen.append("after"))
    optimizer.step()
    handle.remove()
    optimizer.step()
    assert seen == ["before", "after", "before"]


def test_an_optimiser_of_ones_own(torch: Any) -> None:
    class Signs(torch.optim.Optimizer):  # type: ignore[misc]
        def __init__(self, params: Any, lr: float) -> None:
            super().__init__(params, {"lr": lr})

        def step(self, closure: Any = None) -> None:
            with torch.no_grad():
                for group in self.param_groups:
                    for p in group["params"]:
                        self.state[p]["steps"] = self.state[p].get("steps", 0) + 1
                        p.sub_(group["lr"] * p.grad.sign())

    p = one(torch)
    optimizer = Signs([p], 0.25)
    descend(optimizer, p, 2)
    assert p.tolist() == [0.5, -1.5]
    assert optimizer.state_dict()["state"] == {0: {"steps": 2}}


def test_capturing_is_refused_as_pytorch_refuses_it_on_this_device() -> None:
    import gradcli

    p = one(gradcli)
    p.grad = gradcli.ones_like(p)
    with pytest.raises(AssertionError, match="If capturable=True, params and state_steps must be on supported devices"):
        gradcli.optim.Adam([p], capturable=True).step()


def test_complex_parameters_are_refused_or_keep_their_real_state(torch: Any) -> None:
    w = torch.nn.Parameter(torch.ones(2, 2, dtype=torch.complex128))
    for name in ("Adafactor", "Muon"):
        w.grad = torch.ones_like(w)
        with pytest.raises(RuntimeError, match=f"{name} does not support complex parameters"):
            getattr(torch.optim, name)([w]).step()
    with pytest.raises(ValueError, match=r"Complex params at indices \[\[0, 0\]\]: SparseAdam does not support"):
        torch.optim.SparseAdam([w])
    old, new = torch.optim.NAdam([w]), torch.optim.NAdam([w])
    old.step()
    new.load_state_dict(old.state_dict())
    assert new.state[w]["mu_product"].dtype is torch.float32


def test_momentum_is_kept_in_bfloat16(torch: Any) -> None:
    p = torch.nn.Parameter(torch.ones(2, 2, dtype=torch.bfloat16))
    p.grad = torch.ones_like(p)
    for optimizer in (torch.optim.SGD([p], 0.1, momentum=0.9), torch.optim.Muon([p])):
        optimizer.step()
        assert optimizer.state[p]["momentum_buffer"].dtype is torch.bfloat16


def test_a_loaded_state_is_of_its_parameters_element_type(torch: Any) -> None:
    p = torch.nn.Parameter(torch.ones(2, dtype=torch.float64))
    optimiser = torch.optim.ASGD([p])
    p.grad = torch.ones_like(p)
    optimiser.step()
    optimiser.load_state_dict(optimiser.state_dict())
    optimiser.step()
    assert optimiser.state[p]["eta"].dtype is torch.float64
    plain = torch.optim.LBFGS([p])
    assert "differentiable" not in plain.defaults
    plain.load_state_dict(plain.state_dict())
    assert plain.defaults["differentiable"] is False


def test_a_state_without_defaults_leaves_those_that_are_there(torch: Any) -> None:
    optimiser = torch.optim.SGD([torch.nn.Parameter(torch.ones(2))], lr=0.5)
    group = {"params": optimiser.param_groups[0]["params"], "lr": 0.1}
    optimiser.__setstate__({"state": {}, "param_groups": [group]})
    assert optimiser.defaults["lr"] == 0.5
    assert optimiser.param_groups[0]["maximize"] is False


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "Adagrad"])
def test_fused_steps_are_of_real_parameters(torch: Any, name: str) -> None:
    p = torch.nn.Parameter(torch.ones(2, dtype=torch.complex64))
    p.grad = p.detach()
    with pytest.raises(RuntimeError, match="`fused=True` requires all the params to be floating point Tensors"):
        getattr(torch.optim, name)([p], fused=True).step()


def test_a_recorded_step_of_all_parameters_at_once_fails_at_the_first_write(torch: Any) -> None:
    p = torch.nn.Parameter(torch.ones(2))
    p.grad = torch.ones(2)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place"):
        torch.optim.SGD([p], foreach=True, differentiable=True).step()
    with pytest.raises(AssertionError, match="_foreach ops don't support autograd"):
        torch.optim.Adam([p], foreach=True, differentiable=True).step()


_REMEMBERED = {
    "sgd": ("momentum_buffer",),
    "adam": ("exp_avg", "exp_avg_sq", "max_exp_avg_sq", "step"),
    "adamax": ("exp_avg", "exp_inf", "step"),
    "nadam": ("exp_avg", "exp_avg_sq", "mu_product", "step"),
    "radam": ("exp_avg", "exp_avg_sq", "step"),
    "rmsprop": ("square_avg", "grad_avg", "momentum_buffer", "step"),
    "rprop": ("prev", "step_size", "step"),
    "asgd": ("ax", "mu", "eta", "step"),
    "adagrad": ("sum", "step"),
    "adadelta": ("square_avg", "acc_delta", "step"),
}
_CLASSES = {
    "sgd": "SGD", "adam": "Adam", "adamax": "Adamax", "nadam": "NAdam", "radam": "RAdam", "rmsprop": "RMSprop",
    "rprop": "Rprop", "asgd": "ASGD", "adagrad": "Adagrad", "adadelta": "Adadelta",
}  # fmt: skip

_SGD = {"weight_decay": 0.0, "lr": 0.5, "dampening": 0.0, "nesterov": False, "maximize": False}


@pytest.mark.parametrize("name", _REMEMBERED)
def test_a_step_as_a_function_is_that_of_the_optimiser(name: str) -> None:
    p = gradcli.nn.Parameter(gradcli.tensor([1.0, -2.0]))
    given = {"momentum": 0.9} if name in ("sgd", "rmsprop") else {}
    given |= {"amsgrad": True} if name == "adam" else {"centered": True} if name == "rmsprop" else {}
    optimizer = getattr(gradcli.optim, _CLASSES[name])([p], lr=0.1, **given)
    for k in (1.0, 2.0, -3.0):
        p.grad = gradcli.tensor([k, 1.0])
        if k == -3.0:
            q, state = p.detach().clone(), {key: t.clone() for key, t in optimizer.state[p].items()}
        optimizer.step()
    group = {k: v for k, v in optimizer.param_groups[0].items() if k not in ("params", "fused")}
    group |= dict(zip(("beta1", "beta2"), group.pop("betas", ()), strict=False))
    group |= dict(zip(("etaminus", "etaplus"), group.pop("etas", ()), strict=False))
    group |= dict(zip(("step_size_min", "step_size_max"), group.pop("step_sizes", ()), strict=False))
    group.pop("initial_accumulator_value", None)
    group.pop({"sgd": "differentiable", "rprop": "lr"}.get(name, ""), None)
    function = getattr(getattr(gradcli.optim, name), name)
    held = [[state[key]] for key in _REMEMBERED[name]]
    function([q], [gradcli.tensor([-3.0, 1.0])], *held, **{**group, "foreach": False})
    assert gradcli.equal(q, p.detach())
    for key, (t,) in zip(_REMEMBERED[name], held, strict=True):
        assert gradcli.equal(t, optimizer.state[p][key]), key


def test_a_step_as_a_function_begins_what_is_remembered_and_takes_a_scale_off() -> None:
    buffers: list[Any] = [None]
    p, grad = gradcli.ones(2), gradcli.tensor([2.0, 4.0])
    options = _SGD | {"momentum": 0.5}
    sgd = gradcli.optim.sgd.sgd
    scale = {"grad_scale": gradcli.tensor(2.0), "found_inf": gradcli.tensor(0.0)}
    sgd([p], [grad], buffers, fused=True, **scale, **options)
    assert p.tolist() == [0.5, 0.0]
    assert buffers[0].tolist() == [1.0, 2.0]
    sgd([p], [grad], buffers, fused=True, **{**scale, "found_inf": gradcli.tensor(1.0)}, **options)
    assert p.tolist() == [0.5, 0.0]
    with pytest.raises(AssertionError):
        sgd([p], [grad], buffers, foreach=False, **scale, **options)
    with pytest.raises(RuntimeError, match="`state_steps` argument must contain a list of singleton tensors"):
        gradcli.optim.radam.radam([p], [grad], [p], [p], [1], beta1=0.9, beta2=0.9, lr=0.1, weight_decay=0.0, eps=1e-8)


def test_a_step_as_a_function_is_recorded_where_gradients_are() -> None:
    grad = gradcli.tensor([2.0, 4.0], requires_grad=True)
    p = gradcli.ones(2, requires_grad=True) * 1
    options = _SGD | {"momentum": 0.0}
    gradcli.optim.sgd.sgd([p], [grad], [None], foreach=False, **options)
    p.sum().backward()
    assert grad.grad.tolist() == [-0.5, -0.5]
    leaf = gradcli.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        gradcli.optim.sgd.sgd([leaf], [grad], [None], foreach=False, **options)
