"""What is checked of a program or a function: outputs, inputs, claims, and the program again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcli as torch
from gradcli.check.replay.subject import Subject, Unrepeatable, of_function, of_program
from gradcli.engine.modes import mode
from gradcli.errors import AssertFailed, InputError, LimitError, ProgramError, Source
from gradcli.spec.input.source import Spec
from gradcli.spec.program import Program

from ..subjects import acting, own, program, subject

VECTOR = "import torch\nx = torch.tensor([1.0, -2.0], requires_grad=True)\n"


TRAINED = """
import torch
x = torch.tensor([1.0, -2.0], requires_grad=True)
for _ in range(2):
    loss = (x * x).sum()
    loss.backward()
    WRITE
    x.grad = None
"""


def names(found: Subject) -> tuple[list[str], list[str]]:
    return [x.name for x in found.inputs], [y.name for y in found.outputs]


# -- what is checked ---------------------------------------------------------------------------


def test_the_root_and_its_leaves() -> None:
    found = subject(VECTOR + "w = torch.ones(2, requires_grad=True)\nloss = (x * 3).sum()\nloss.backward()\n")
    assert names(found) == (["x"], ["loss"])
    assert [(y.text, y.span and y.span.line) for y in found.outputs] == [("(x * 3).sum()", 4)]
    assert found.inputs[0].span is not None
    assert found.inputs[0].span.line == 2
    assert [found.id_of(node) for node in found.nodes] == ["loss.1", "loss"]
    assert [found.name_of(node) for node in found.nodes] == ["MulBackward0", "SumBackward0"]
    assert found.id_of(found.inputs[0].tensor._node) == "x"


def test_an_expression() -> None:
    found = subject("x * y", ["x=3", "y=[1.0, 2.0]"], inline=True)
    assert names(found)[0] == ["x", "y"]
    assert found.outputs[0].text == "x * y"
    np.testing.assert_array_equal(found.numbers[0], [3.0, 6.0])
    np.testing.assert_array_equal(found.at[1], [1.0, 2.0])


def test_every_tensor_of_a_result_is_an_output() -> None:
    text = "def f(x, y):\n    a = x * y\n    return a, a.sum(), 3, x > 0\n"
    found = subject(text, ["x=[1.0, 2.0]", "y=[2.0, 5.0]"], target="f")
    assert names(found) == (["x", "y"], ["a", "f.1"])
    claims = found.claim([None, np.ones(())])
    np.testing.assert_array_equal(claims[0], [2.0, 5.0])


def test_outputs_of_one_node_are_told_apart() -> None:
    text = own("return x * 2, x * 3", "return g", "").replace("backward(ctx, g)", "backward(ctx, g, h)")
    found = subject(text, ["x=[1.0, 2.0]"], target="Own")
    assert names(found)[1] == ["Own[0]", "Own[1]"]


def test_an_output_and_inputs_that_are_named() -> None:
    text = VECTOR + "w = torch.ones(2, requires_grad=True)\nh = x * w\nloss = h.sum()\n"
    assert names(subject(text, output="h", wrt=["w"])) == (["w"], ["h"])


def test_a_leaf_may_be_the_output() -> None:
    found = subject("x", ["x=2"], inline=True)
    assert names(found) == (["x"], ["x"])
    assert found.claim([np.array(3.0)]) == [np.array(3.0)]


def test_comments_and_exceptions() -> None:
    found = subject("# gradcli: allow hidden-path, order=2\n" + VECTOR + "loss = x.sum()\n")
    assert found.allowed == {"hidden-path"}
    assert [d.key for d in found.directives] == ["allow", "order"]


@pytest.mark.parametrize(
    ("text", "how", "message"),
    [
        ("import torch\nx = torch.ones(2)\ny = x * 2\n", {}, "there is no gradient to check"),
        (VECTOR + "y = (x * 2).detach()\n", {}, "there is no gradient to check"),
        (VECTOR + "n = (x > 0).sum()\ny = x.sum()\n", {"output": "n"}, "n has no graph: its numbers are int64"),
        (VECTOR + "loss = x.sum()\n", {"output": "los"}, "the program has no variable 'los'"),
        (VECTOR + "loss = x.sum()\n", {"wrt": ["xx"]}, "the program has no leaf 'xx'"),
        (VECTOR + "w = x * 1\nv = torch.ones(2, requires_grad=True)\nloss = w.sum()\n", {"wrt": ["v"]},
         "loss does not depend on v"),
        (VECTOR + "x.data[1] = float('nan')\nloss = x.sum()\n", {}, "there is no gradient to check at x[1] = nan"),
    ],
)  # fmt: skip
def test_what_cannot_be_checked_is_said(text: str, how: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as raised:
        subject(text, **how)
    assert raised.value.message.startswith(message)
    assert raised.value.help
    assert raised.value.exit_code == 2


def test_a_file_of_functions_says_how_to_check_one() -> None:
    spec = Spec(Source("spec.py", "def loss(w):\n    return w ** 2\n"), False, None, "spec.py")
    with pytest.raises(InputError) as raised:
        of_program(Program(spec), act=lambda found: found)
    assert raised.value.help
    assert raised.value.help.startswith("to check a function, name it: spec.py::loss with its inputs; else looked for")


def test_a_name_that_was_meant() -> None:
    with pytest.raises(InputError) as raised:
        subject("weight * x", ["weight=2", "x=3"], inline=True, wrt=["wieght"])
    assert raised.value.help == "did you mean weight?"


def test_an_assert_of_the_program_counts() -> None:
    with pytest.raises(AssertFailed):
        subject(VECTOR + "assert x[0] > 1\nloss = x.sum()\n")


# -- claims ------------------------------------------------------------------------------------


def test_a_claim_leaves_no_trace() -> None:
    text = VECTOR + "h = x * x\nh.retain_grad()\nloss = h.sum()\nloss.backward()\n"
    found = subject(text)
    leaf, h = found.inputs[0].tensor, found.variables["h"]
    before = np.array(leaf.grad._a), np.array(h.grad._a)
    for _ in range(2):
        np.testing.assert_array_equal(found.claim([np.array(2.0)])[0], [4.0, -8.0])
    np.testing.assert_array_equal(leaf.grad._a, before[0])
    np.testing.assert_array_equal(h.grad._a, before[1])


def test_hooks_run_only_where_that_is_asked_for() -> None:
    found = subject(VECTOR + "h = x * 2\nh.register_hook(lambda g: g * 10)\nloss = h.sum()\n")
    np.testing.assert_array_equal(found.claim([np.ones(())])[0], [2.0, 2.0])
    np.testing.assert_array_equal(found.backward([np.ones(())], hooks=True)[0], [20.0, 20.0])
    assert [found.id_of(node) for node in found.hooked] == ["h"]


def test_hooks_of_a_leaf_do_not_run_either() -> None:
    found = subject(VECTOR + "x.register_hook(lambda g: g * 10)\nloss = (x * 2).sum()\n")
    np.testing.assert_array_equal(found.claim([np.ones(())])[0], [2.0, 2.0])
    np.testing.assert_array_equal(found.backward([np.ones(())], hooks=True)[0], [20.0, 20.0])


def test_an_error_of_a_backward_has_its_place() -> None:
    def act(found: Subject) -> None:
        found.claim([np.ones(2)])

    with pytest.raises(ProgramError) as raised:
        acting(
            act,
            own("return x * 2", "return there_is_no_such_thing", "x = torch.ones(2, requires_grad=True)\nOwn.apply(x)"),
        )
    assert raised.value.span is not None
    assert raised.value.span.line == 11
    assert "there_is_no_such_thing" in raised.value.message


def test_nothing_to_start_from_is_no_gradient() -> None:
    assert subject(VECTOR + "loss = x.sum()\n").claim([None]) == [None]


def test_the_graph_of_a_trained_leaf_is_claimed_where_it_was_recorded() -> None:
    found = subject(TRAINED.replace("WRITE", "x.data -= 0.25 * x.grad"))
    np.testing.assert_array_equal(found.at[0], [0.5, -1.0])
    np.testing.assert_array_equal(found.claim([np.ones(())])[0], [1.0, -2.0])


# -- the program again -------------------------------------------------------------------------

RERUN = VECTOR + "noise = torch.randn(2)\nw = torch.randn(2, requires_grad=True)\nloss = (x * w + noise).sum()\n"


def test_the_same_values_give_the_same_numbers() -> None:
    def act(found: Subject) -> None:
        assert found.rerun is not None
        np.testing.assert_array_equal(found.rerun(found.at)[0], found.numbers[0])
        np.testing.assert_array_equal(found.repeated().numbers[0], found.numbers[0])

    acting(act, RERUN)


def test_other_values_do_not_change_the_random_numbers() -> None:
    def act(found: Subject) -> None:
        assert found.rerun is not None
        moved = [found.at[0] + 1, found.at[1] * 2]
        noise = found.numbers[0] - np.sum(found.at[0] * found.at[1])
        np.testing.assert_allclose(found.rerun(moved)[0], np.sum(moved[0] * moved[1]) + noise, rtol=1e-14)

    acting(act, RERUN)


def test_inputs_that_are_not_asked_for_stay() -> None:
    text = VECTOR + "y = (x * 2).detach().requires_grad_()\nloss = (x * y).sum()\n"
    found = subject(text, wrt=["x"])
    assert found.rerun is not None
    np.testing.assert_array_equal(found.rerun([np.array([2.0, 1.0])])[0], 2 * 2.0 - 4 * 1.0)


def test_a_new_graph_at_other_values() -> None:
    found = subject(VECTOR + "loss = (x * x).sum()\n")
    there = found.recorded_at([np.array([3.0, 4.0])])
    assert names(there) == names(found)
    np.testing.assert_array_equal(there.claim([np.ones(())])[0], [6.0, 8.0])
    np.testing.assert_array_equal(there.plan.outputs([np.array([1.0, 1.0])])[0], 2.0)
    assert there.rerun is not None


def test_branches_are_taken_anew() -> None:
    found = subject("import torch\nx = torch.tensor(1.0, requires_grad=True)\ny = x * 2\nif x > 2:\n    y = x * 3\n")
    assert found.rerun is not None
    assert found.rerun([np.array(3.0)]) == [9.0]
    assert found.plan.outputs([np.array(3.0)]) == [6.0]


def test_an_assert_holds_at_its_point_only() -> None:
    found = subject(VECTOR + "h = x * 2\nassert h[0] == 2, 'not here'\nloss = h.sum()\nassert loss == -2\n")
    assert found.rerun is not None
    assert found.rerun([np.array([5.0, 1.0])]) == [12.0]


def test_an_error_at_other_values_is_no_error_of_the_program() -> None:
    found = subject(
        "import torch\nx = torch.tensor(1.0, requires_grad=True)\nif x > 2:\n    raise ValueError('far')\ny = x * 2\n"
    )
    assert found.rerun is not None
    with pytest.raises(Unrepeatable, match="the program stops: ValueError: far"):
        found.rerun([np.array(3.0)])


def test_outputs_of_another_shape_are_not_compared() -> None:
    found = subject("import torch\nx = torch.tensor(1.0, requires_grad=True)\ny = x * torch.ones(int(x * 2))\n")
    with pytest.raises(Unrepeatable, match="other shapes"):
        found.recorded_at([np.array(3.0)])


@pytest.mark.parametrize("write", ["x.data -= 0.25 * x.grad", "with torch.no_grad():\n        x -= 0.25 * x.grad"])
def test_a_training_loop_cannot_be_run_from_its_end(write: str) -> None:
    found = subject(TRAINED.replace("WRITE", write))
    assert found.rerun is None
    assert found.rerun_why == "the program writes to x after it is made"
    with pytest.raises(Unrepeatable):
        found.recorded_at(found.at)
    np.testing.assert_array_equal(found.repeated().numbers[0], found.numbers[0])


def test_a_leaf_that_is_written_to_before_it_is_used_can_be_given_other_values() -> None:
    found = subject(
        """
        import torch
        model = torch.nn.Linear(2, 1)
        torch.nn.init.ones_(model.weight)
        with torch.no_grad():
            model.bias.copy_(torch.tensor([0.5]))
        loss = model(torch.tensor([1.0, 2.0])).sum()
        """
    )
    assert [x.changed for x in found.inputs] == [True, True]
    assert found.numbers == [3.5]
    assert found.rerun is not None
    assert found.rerun([np.array([[1.0, 3.0]]), np.array([2.0])]) == [9.0]


def test_a_write_that_changes_nothing_at_the_point_is_found_elsewhere() -> None:
    found = subject(VECTOR + "x.data.fill_(0.5)\nloss = (x * x).sum()\n")
    assert found.rerun is not None
    with pytest.raises(Unrepeatable, match="writes to x"):
        found.rerun([np.array([1.0, 2.0])])


def test_the_last_of_the_leaves_of_a_loop_is_the_one() -> None:
    found = subject(
        """
        import torch
        x = torch.tensor(2.0, requires_grad=True)
        for _ in range(3):
            y = x**2
            (g,) = torch.autograd.grad(y, x)
            x = (x - 0.25 * g).detach().requires_grad_()
        """
    )
    assert found.at == [0.5]
    assert found.rerun is not None
    assert found.rerun([np.array(3.0)]) == [9.0]


def test_the_run_goes_on_as_it_was() -> None:
    seen: list[Any] = []

    def act(found: Subject) -> None:
        seen.append((torch.get_default_dtype(), torch.rand(1).item()))
        found.repeated()
        seen.append((torch.get_default_dtype(), mode.tape, mode.grad))

    spec = program(RERUN)
    of_program(spec, act=act)
    assert seen[0][0] is seen[1][0] is torch.float64
    assert seen[1][1:] == (None, True)


def test_a_limit_ends_it_all() -> None:
    scalar = "import torch\nx = torch.tensor(1.0, requires_grad=True)\ny = x * 2\n"
    spec = program(scalar + "for _ in range(int(x.item() * 100)):\n    y = y + 1\n")
    spec.limits = spec.limits.replace(steps=2_000)
    with pytest.raises(LimitError):
        of_program(spec, act=lambda found: found.recorded_at([np.array(1e6)]))


def test_warnings_are_given_once(recwarn: pytest.WarningsRecorder) -> None:
    found = subject(VECTOR + "h = x * 2\nh.grad\nloss = h.sum()\n")
    count = len(recwarn)
    found.repeated()
    assert len(recwarn) == count


# -- functions ---------------------------------------------------------------------------------


def test_a_function_on_tensors() -> None:
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    calls: list[int] = []

    def f(x: Any, k: float) -> Any:
        calls.append(1)
        return x * k, x > 1, (x * x).sum()

    found = of_function(f, (x, 3.0), "f")
    assert names(found) == (["input[0]"], ["f[0]", "f[2]"])
    np.testing.assert_array_equal(found.claim([None, np.ones(())])[0], [2.0, 4.0])
    assert found.rerun is not None
    np.testing.assert_array_equal(found.rerun([np.array([3.0, 4.0])])[0], [9.0, 12.0])
    np.testing.assert_array_equal(found.plan.outputs([np.array([3.0, 4.0])])[0], [9.0, 12.0])
    assert x.grad is None
    np.testing.assert_array_equal(x._a, [1.0, 2.0])


def test_a_function_is_recorded_though_nothing_is_recorded_around_it() -> None:
    x = torch.tensor(2.0, requires_grad=True)
    with torch.no_grad():
        assert of_function(lambda x: x * x, (x,)).claim([np.ones(())]) == [np.array(4.0, np.float32)]
        assert not torch.is_grad_enabled()


@pytest.mark.parametrize(
    ("function", "given"),
    [
        (lambda x: x * 2, torch.ones(2)),
        (lambda x: x.detach(), torch.ones(2, requires_grad=True)),
        (lambda x: 3, torch.ones(2, requires_grad=True)),
    ],
)
def test_a_function_without_a_gradient(function: Any, given: Any) -> None:
    with pytest.raises(InputError) as raised:
        of_function(function, (given,))
    assert raised.value.help


def test_an_error_of_a_function_is_its_own() -> None:
    class Bad(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            raise KeyError("mine")

    found = of_function(Bad.apply, (torch.ones(2, requires_grad=True),))
    with pytest.raises(KeyError, match="mine"):
        found.claim([np.ones(2)])
