"""Classes of a program's own that answer for ops, and modes that see a backward: as PyTorch asks them."""

from __future__ import annotations

import importlib
from types import SimpleNamespace
from typing import Any

import pytest


@pytest.fixture
def world(torch: Any) -> SimpleNamespace:
    """A class that wraps tensors and notes the ops it is asked about, and a mode that does."""
    name = torch.__name__
    tree_map = importlib.import_module(f"{name}.utils._pytree").tree_map
    dispatch = importlib.import_module(f"{name}.utils._python_dispatch")
    seen: list[str] = []

    class Wrapped(torch.Tensor):  # type: ignore[misc, name-defined]
        __slots__ = ["elem"]

        @staticmethod
        def __new__(cls: Any, elem: Any, requires_grad: bool = False) -> Any:
            made = torch.Tensor._make_wrapper_subclass(
                cls, elem.size(), strides=elem.stride(), storage_offset=elem.storage_offset(), dtype=elem.dtype,
                layout=elem.layout, device=elem.device, requires_grad=requires_grad,
            )  # fmt: skip
            made.elem = elem
            return made

        def __repr__(self) -> str:
            return str(super().__repr__(tensor_contents=f"{self.elem}"))

        @classmethod
        def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(func.name().partition(".")[0].removeprefix("aten::"))
            plain = tree_map(lambda x: x.elem if isinstance(x, cls) else x, (args, kwargs or {}))
            found = func(*plain[0], **plain[1])
            return tree_map(lambda x: cls(x) if isinstance(x, torch.Tensor) else x, found)

    class Noting(dispatch.TorchDispatchMode):  # type: ignore[misc, name-defined]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(func.name().partition(".")[0].removeprefix("aten::"))
            return func(*args, **(kwargs or {}))

    return SimpleNamespace(Wrapped=Wrapped, Noting=Noting, seen=seen)


def test_a_class_answers_for_ops_and_the_graph_is_any_tensor_s(torch: Any, world: Any) -> None:
    numbers = torch.tensor([1.0, 2.0, 3.0])
    x = world.Wrapped(numbers, requires_grad=True)
    assert (x.shape, x.is_leaf, x.stride(), x.device.type) == (numbers.shape, True, (1,), "cpu")
    y = (x.sin() * x).sum()
    assert (type(y), y.grad_fn.name(), y.elem.requires_grad) == (world.Wrapped, "SumBackward0", False)
    assert world.seen == ["sin", "mul", "sum"]
    y.backward()
    assert world.seen[3:] == ["ones_like", "expand", "mul", "mul", "cos", "mul", "add", "detach"]
    assert type(x.grad) is world.Wrapped
    assert torch.allclose(x.grad.elem, numbers.cos() * numbers + numbers.sin())
    assert repr(x * 2) == "Wrapped(tensor([2., 4., 6.]), grad_fn=<MulBackward0>)"
    (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(g.sum(), x)
    assert torch.allclose(second.elem, 6 * numbers)


def test_a_class_answers_in_layers_writes_and_jacobians(torch: Any, world: Any) -> None:
    x = world.Wrapped(torch.tensor([[1.0, 2.0], [3.0, 5.0]]), requires_grad=True)
    torch.nn.functional.linear(x, torch.ones(3, 2), torch.ones(3)).relu().mean().backward()
    assert torch.allclose(x.grad.elem, torch.full((2, 2), 0.5))
    (g,) = torch.autograd.grad(torch.softmax(x, 1)[0, 0], x)
    assert torch.allclose(g.elem, torch.tensor([[0.196612, -0.196612], [0.0, 0.0]]))
    y = x.clone()
    assert y.mul_(3) is y
    (g,) = torch.autograd.grad(y.sum(), x)
    assert g.elem.tolist() == [[3.0, 3.0], [3.0, 3.0]]
    found = torch.autograd.functional.jacobian(lambda t: t.exp().sum(1), x.detach())
    assert type(found) is world.Wrapped
    assert torch.allclose(found.elem[0, 0], x.elem[0].exp())
    plain = torch.ones(2, requires_grad=True)
    (plain * x.detach()[0]).sum().backward()
    assert type(plain.grad) is world.Wrapped


def test_modes_see_what_a_backward_computes_with(torch: Any, world: Any) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x.sin() * x).sum()
    with world.Noting():
        y.backward()
    assert world.seen == ["ones_like", "expand", "mul", "mul", "cos", "mul", "add", *world.seen[7:]]
    assert torch.allclose(x.grad, x.detach().cos() * x.detach() + x.detach().sin())
    world.seen.clear()
    (x * 2).sum().backward()
    assert world.seen == []
    with world.Noting():
        x.backward(x.detach())
    assert world.seen[-1] == "add_"


def test_only_a_class_that_answers_has_numbers_of_its_own(torch: Any) -> None:
    with pytest.raises(TypeError, match="Plain must define __torch_dispatch__"):
        torch.Tensor._make_wrapper_subclass(type("Plain", (torch.Tensor,), {}), (2,))


def test_beside_such_a_tensor_others_are_checked_as_ever(torch: Any, world: Any) -> None:
    kept = world.Wrapped(torch.ones(2))
    shared = torch.zeros(3)
    with pytest.raises(RuntimeError, match="different inplace randomness on an unbatched tensor"):
        torch.func.vmap(lambda x: shared.normal_(), randomness="different")(torch.zeros(2, 3))
    x = torch.tensor([0.3, -1.2, 0.8], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: x.logsumexp(0), x)
    assert torch.autograd.gradgradcheck(lambda x: x.logsumexp(0), x)
    assert world.seen == []
    assert kept.shape == (2,)
