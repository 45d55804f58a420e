"""Paths outside of the graph: found where they carry a derivative, and nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradcli as torch
from gradcli.check.check import check_program
from gradcli.check.judging.exact_tests import Structural, structural
from gradcli.check.judging.findings import Options
from gradcli.check.judging.hidden_paths import Hidden, hidden_paths
from gradcli.check.judging.verdict import Verdict
from gradcli.check.replay.subject import Subject, of_function
from tests.rings import sampled

from ..subjects import acting, program, subject

# Those with the longest training loops are left out.
LONG = ("gradient_penalty", "inner_step", "sine_polynomial", "xor")
GALLERY = [p for p in sorted((Path(__file__).parents[3] / "expressions").glob("*.py")) if p.stem not in LONG]
# These are about gradients that are stopped, or passed through, on purpose.
MEANT = {"stopped_gradients": "detach() at line 13", "straight_through": "detach() at line 16"}

VECTOR = "import torch\nx = torch.tensor([0.7, -1.3, 2.4], requires_grad=True)\n"
NUMBER = "import torch\nx = torch.tensor(0.7, requires_grad=True)\n"
SWITCHING = (
    "import torch\nx = torch.tensor({}, requires_grad=True)\nif x.item() >= 0.5:\n    y = x * 2\nelse:\n    y = {}\n"
)
SWITCH = "SWITCH: at this very point the program changes what it does; its graph shows one side only"


def look(found: Subject) -> Hidden:
    return hidden_paths(found, np.random.default_rng(0))


def both(found: Subject) -> tuple[Structural, Hidden]:
    return structural(found, np.random.default_rng(0)), look(found)


def looked(text: str, **how: Any) -> Hidden:
    return acting(look, text, **how)


# -- the graph is all there is -------------------------------------------------------------------


@pytest.mark.parametrize("path", GALLERY, ids=[path.stem for path in GALLERY])
@sampled(10)
def test_the_gallery(path: Path) -> None:
    structure, found = acting(both, path.read_text())
    assert structure == Structural([], [])
    if path.stem in MEANT:
        (finding,) = found.findings
        assert MEANT[path.stem] in finding.notes[0]
        return
    assert found.findings == []
    assert all(note.startswith("REPLAYED: the program writes to ") for note in found.notes)


@pytest.mark.parametrize(
    "rest",
    [
        "y = (x * x).sum()\nprint(y.item(), y.detach(), y.tolist())",
        # What a softmax subtracts cancels.
        "m = x.max().detach()\ny = m + torch.log(torch.exp(x - m).sum())",
        "m = x.max().item()\ny = m + torch.log(torch.exp(x - m).sum())",
        # Choices that nearby are the same.
        "y = (x * x).sum()\nif y.item() > 1:\n    y = y * 2",
        "i = x.argmax().item()\ny = x[i] ** 2",
        "n = int((x > 0).sum())\ny = (x * n).sum()",
        "y = x.sum()\nwhile y < 100:\n    y = y * 2 + x[0]",
        "y = (x * torch.round(x).detach()).sum()",
        # Writes that the graph follows, though it has not recorded them.
        "h = x * 2\nh.data.add_(3)\ny = (h * h).sum()",
        "h = x * 2\nh.data.clamp_(min=-10)\ny = (h * h).sum()",
        "(g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)\ny = (x * g).sum()",
        "y = torch.nn.functional.dropout(x * x, 0.5).sum()",
        "h = torch.nn.BatchNorm1d(1)(x.reshape(3, 1))\ny = (h**3).sum()",
        "for _ in range(3):\n    y = (x**4).sum()\n    y.backward()\n    x = (x - x.grad).detach().requires_grad_()\n"
        "y = (x * x).sum()",
        "y = (x * x).sum()\nassert abs(y.item() - 7.94) < 0.01",
    ],
)
def test_nothing_is_hidden(rest: str) -> None:
    assert looked(VECTOR + rest + "\n") == Hidden([], [])


def test_newtons_method() -> None:
    text = """
    import torch
    p = torch.tensor(2.0, requires_grad=True)
    for _ in range(3):
        y = p**4 - p
        (g,) = torch.autograd.grad(y, p, create_graph=True)
        (h,) = torch.autograd.grad(g, p)
        p = (p - g / h).detach().requires_grad_()
    """
    assert looked(text) == Hidden([], [])


def test_a_training_loop_says_what_is_checked() -> None:
    text = VECTOR + "for _ in range(3):\n    y = (x * x.detach()).sum()\n    y.backward()\n    x.data -= 0.1 * x.grad\n"
    found = looked(text)
    assert found.findings == []
    assert found.notes == [
        "REPLAYED: the program writes to x after it is made: what is checked is its last graph, and no path outside of "
        "it"
    ]


# -- it is not -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rest", "line", "note"),
    [
        ("h = x * 2\ny = h * h.detach()", 4, "detach() at line 4 takes numbers of h out of the graph; they go on"),
        ("h = x * 2\ny = h * h.data", 4, ".data at line 4 takes numbers of h out of the graph; they go on into y"),
        ("h = x * 2\ny = h * h.item()", 4, ".item() at line 4 takes numbers of h out of the graph"),
        ("y = x * float(x)", 3, "a number made of a tensor at line 3 takes numbers of x out of the graph"),
        ("c = x.reshape(1).tolist()\ny = x * c[0]", 3, ".tolist() at line 3 takes numbers out of the graph"),
        ("with torch.no_grad():\n    h = x * 2\ny = x * h", 4,
         "no_grad() at line 4 takes numbers of x out of the graph; they go on into y"),
        ("h = torch.zeros(())\nwith torch.no_grad():\n    h += x\ny = x * h", 5,
         "no_grad() at line 5 takes numbers of x out of the graph; they go on into y"),
        ("h = torch.zeros(())\nwith torch.no_grad():\n    h.copy_(x)\ny = x * h", 5,
         "no_grad() at line 5 takes numbers of x out of the graph; they go on into y"),
        ("y = x * torch.tensor(x)", 3, "torch.tensor() at line 3 takes numbers of x out of the graph; they go on"),
        ("y = x * x + 1e-6 * x * x.detach()", 3, "detach() at line 3"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:To copy construct from a tensor:UserWarning")
def test_where_the_path_left_the_graph(rest: str, line: int, note: str) -> None:
    found = looked(NUMBER + rest + "\n")
    (finding,) = found.findings
    assert finding.verdict is Verdict.HIDDEN_PATH
    assert (finding.output, finding.input) == ("y", "x")
    assert finding.notes[0].startswith(f"HIDDEN_PATH: {note}")
    assert finding.span is not None
    assert finding.span.line == line
    assert finding.worst is not None
    assert finding.worst.at == 0.7


def test_both_slopes() -> None:
    (finding,) = looked(NUMBER + "y = x * (x**2).detach()\n").findings
    assert finding.worst is not None
    judged = finding.worst.judged
    assert abs(judged.claimed - 0.7**2) < 1e-12
    assert abs(judged.estimate - 3 * 0.7**2) <= judged.bar < 1e-4


def test_a_straight_through_estimator() -> None:
    text = VECTOR + "y = (3 * (x + (torch.round(x) - x).detach())).sum()\n"
    (finding,) = looked(text).findings
    assert finding.worst is not None
    assert finding.worst.judged.claimed == 3
    assert abs(finding.worst.judged.estimate) < 1e-6
    assert "detach() at line 3" in finding.notes[0]


@pytest.mark.parametrize(
    "rest",
    [
        "(g,) = torch.autograd.grad((x**3).sum(), x)\ny = (x * g).sum()",
        "h = torch.zeros(3)\nh.data.copy_(x.data * 2)\ny = (x * h).sum()",
        "h = x * 2\nh.data.mul_(3)\ny = h.sum()",
    ],
)
def test_paths_that_nothing_has_noted(rest: str) -> None:
    (finding,) = looked(VECTOR + rest + "\n").findings
    assert finding.notes[0].startswith(
        "HIDDEN_PATH: the program uses numbers of its inputs that its graph does not show"
    )


def test_steps_of_an_optimiser_that_are_not_recorded() -> None:
    text = """
    import torch
    w = torch.tensor(0.7, requires_grad=True)
    v = w * 1.0
    for _ in range(3):
        (g,) = torch.autograd.grad((v - 2) ** 2, v, retain_graph=True)
        v = v - 0.1 * g
    y = v * v
    """
    (finding,) = looked(text).findings
    assert finding.worst is not None
    # v' = 0.8 v + 0.4, three times.
    last = 0.8 * (0.8 * (0.8 * 0.7 + 0.4) + 0.4) + 0.4
    judged = finding.worst.judged
    assert abs(judged.claimed - 2 * last) < 1e-9
    assert abs(judged.estimate - 2 * last * 0.8**3) <= judged.bar


def test_only_the_input_concerned_is_blamed() -> None:
    text = """
    import torch
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    y = a * b.detach() + b * b
    """
    (finding,) = looked(text).findings
    assert finding.input == "b"
    assert finding.worst is not None
    assert abs(finding.worst.judged.estimate - 8) <= finding.worst.judged.bar


def test_only_the_output_concerned_is_blamed() -> None:
    text = "def f(x):\n    a = x * x\n    b = x * x.detach()\n    return a, b\n"
    (finding,) = looked(text, inputs=["x=[1.0, 2.0]"], target="f").findings
    assert finding.output == "b"


def test_a_model_whose_parameters_were_set() -> None:
    text = """
    import torch
    model = torch.nn.Linear(3, 2)
    torch.nn.init.ones_(model.weight)
    h = model(torch.tensor([[1.0, 2.0, 3.0]]))
    y = (h * h.detach()).sum()
    """
    assert [f.input for f in looked(text).findings] == ["model.weight", "model.bias"]


def test_what_a_forward_computes_is_not_cut_off() -> None:
    text = """
    import torch
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2
        @staticmethod
        def backward(ctx, g):
            return g * 2
    x = torch.tensor(0.7, requires_grad=True)
    h = Double.apply(x) * 3
    y = h * h.detach()
    """
    (finding,) = looked(text).findings
    assert sum("takes numbers" in x.text for x in finding.notes) == 1
    assert "detach() at line 12" in finding.notes[0]


# -- switches ------------------------------------------------------------------------------------


@pytest.mark.parametrize("other", ["x + 0.5", "x * 2 - 3"])
def test_a_switch_at_the_very_point_is_told_of(other: str) -> None:
    assert looked(SWITCHING.format(0.5, other)) == Hidden([], [SWITCH])


def test_a_switch_further_away_is_not() -> None:
    assert looked(SWITCHING.format(0.501, "x")) == Hidden([], [])


@pytest.mark.parametrize(
    "jump",
    [
        "torch.where(x > 0, 1e-6, 0.0)",
        "torch.where(x >= 0, torch.tensor(1e-6), torch.tensor(0.0))",
        "(x > 0) * 1e-6",
        "torch.tensor([0.0, 1e-6])[(x > 0).long()]",
        "torch.zeros(()).masked_fill(x > 0, 1e-6)",
    ],
)
@pytest.mark.parametrize("seed", range(4))
def test_a_jump_between_constants_at_the_point_is_seen(jump: str, seed: int) -> None:
    text = f"import torch\nx = torch.tensor(0.0, requires_grad=True)\ny = x + {jump}"
    found = acting(lambda it: hidden_paths(it, np.random.default_rng(seed)), text)
    assert found == Hidden([], [SWITCH])


# -- what cannot be run again ----------------------------------------------------------------------


def test_a_program_that_fails_nearby() -> None:
    text = NUMBER + "if x != 0.7:\n    raise ValueError('only here')\ny = x * x.detach()\n"
    (note,) = looked(text).notes
    assert note.startswith("NOT_RERUN: run again, the program stops: ValueError: only here")


def test_a_program_that_takes_very_long() -> None:
    found = subject(NUMBER + "y = x * x.detach()\n")
    assert found.rerun is not None
    found.repeats = 1
    hidden = look(found)
    assert hidden.findings == []
    assert "run again: no path" in hidden.notes[0]


def test_a_first_run_that_takes_long_is_not_how_long_others_take() -> None:
    found = subject(NUMBER + "y = x * x\n")
    found.reruns = found.repeats = 5
    found.recorded_at([a + 1 for a in found.at])
    assert min(found.reruns, found.repeats) > 5


def test_a_difference_that_there_is_no_time_for_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    found = subject(NUMBER + "y = x * x.detach()\n")
    assert found.rerun is not None
    # However quick the program is when it is run again.
    monkeypatch.setattr(Subject, "repeats", property(lambda self: 5.0, lambda self, value: None), raising=False)
    (finding,), notes = look(found)
    assert finding.verdict is Verdict.UNRESOLVED
    assert notes == []
    assert "gives other numbers than its graph does" in finding.notes[0]
    assert "run again until a path" in finding.notes[1]


# -- leaves without a graph ------------------------------------------------------------------------

TWO = (
    "import torch\nx = torch.tensor([0.7, -1.2], requires_grad=True)\nw = torch.tensor(1.5, requires_grad=True)\n"
)


@pytest.mark.parametrize(
    ("use", "said"),
    [
        ("w.item()", ".item() at line 4 takes numbers of w"),
        ("w.data", ".data at line 4 takes numbers of w"),
        ("w.detach()", "detach() at line 4 takes numbers of w"),
        ("float(w)", "at line 4 takes numbers of w"),
    ],
)
def test_a_leaf_whose_numbers_alone_are_used(use: str, said: str) -> None:
    (finding,), notes = looked(f"{TWO}y = (x * {use}).sum()\n")
    assert (finding.verdict, finding.output, finding.input, notes) == (Verdict.HIDDEN_PATH, "y", "w", [])
    assert finding.worst is not None
    assert finding.worst.judged.estimate == pytest.approx(-0.5)
    assert said in finding.notes[0]


@pytest.mark.parametrize(
    "text",
    [
        "print(w.item())\ny = x.sum()\n",
        "w.requires_grad_(False)\ny = (x * w.detach()).sum()\n",
        "y = (x * w).sum()\nz = w.item()\n",
        "if w.item() > 0:\n    y = x.sum()\n",
    ],
)
def test_a_leaf_that_does_not_matter(text: str) -> None:
    assert looked(TWO + text) == Hidden([], [])


@pytest.mark.parametrize("text", ["with torch.no_grad():\n    z = w * 2\n", "z = (w * 2).detach()\n"])
def test_a_gradient_that_is_stopped_on_purpose_is_a_note(text: str) -> None:
    found, (note,) = looked(f"{TWO}{text}y = (x * z).sum()\n")
    assert found == []
    assert note.startswith("HIDDEN_PATH: y depends on w, with no gradient: ")


LAYER = (
    "import torch\nm = torch.nn.Linear(3, 2)\nx = torch.randn(2, 3, requires_grad=True)\n"
    "def called(given):\n    return torch.func.functional_call(m, given, (x,)).square().sum()\n"
)


@pytest.mark.parametrize(
    "given",
    [
        "{k: v.detach() for k, v in m.named_parameters()}",
        "{k: v.data for k, v in m.named_parameters()}",
        "m.state_dict()",
    ],
)
def test_a_module_that_is_called_with_its_own_parameters_held_fixed_is_frozen(given: str) -> None:
    found, notes = looked(f"{LAYER}y = called({given})\n")
    assert found == []
    assert [note.split(",")[0] for note in notes] == [
        "HIDDEN_PATH: y depends on m.weight",
        "HIDDEN_PATH: y depends on m.bias",
    ]


@pytest.mark.parametrize(
    ("made", "inputs"),
    [
        ("called({k: v.detach() * 1.5 for k, v in m.named_parameters()})", {"m.weight", "m.bias"}),
        ("called({'weight': m.weight, 'bias': m.bias.detach()})", {"m.bias"}),
        ("called({'bias': m.bias.detach()})", {"m.bias"}),
        ("called(m.state_dict()) + m.bias.sum()", {"m.bias"}),
        ("torch.nn.functional.linear(x, m.weight.detach(), m.bias.detach()).square().sum()", {"m.weight", "m.bias"}),
    ],
)
def test_what_is_less_than_a_whole_module_held_fixed_is_a_path_around_the_graph(made: str, inputs: set[str]) -> None:
    found, _ = looked(f"{LAYER}y = {made}\n")
    assert {finding.input for finding in found} == inputs


def test_a_jump_of_another_input_hides_no_path() -> None:
    text = f"{TWO}if x[0] == 0.7:\n    z = w * w.detach()\nelse:\n    z = w * w.detach() + 5\ny = x.sum() + z\n"
    (finding,), _ = looked(text)
    assert (finding.verdict, finding.input) == (Verdict.HIDDEN_PATH, "w")


def test_a_function_in_single_precision() -> None:
    x = torch.randn(20, 20, requires_grad=True)
    found = of_function(lambda x: torch.tanh(x @ x).softmax(1).log().sum(), (x,))
    assert look(found) == Hidden([], [])
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (finding,) = look(of_function(lambda x: (x * x.detach()).sum(), (x,))).findings
    assert finding.verdict is Verdict.HIDDEN_PATH


def test_a_forward_that_fails_nearby() -> None:
    class Strict(torch.autograd.Function):
        calls = 0

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            Strict.calls += 1
            if Strict.calls > 3:
                raise ValueError("too often")
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    (note,) = look(of_function(Strict.apply, (torch.ones(2, requires_grad=True),))).notes
    assert note.startswith("NOT_RERUN: run again, the program stops: ValueError: too often: no path outside of")


def test_a_training_loop_that_takes_long_is_known_for_what_it_is() -> None:
    step = "    y = (x * x).sum()\n    y.backward()\n    with torch.no_grad():\n        x -= x.grad\n"
    for told, notes in ("", 0), ("import time\nbegun = time.time()\n", 1):
        found = subject(VECTOR + told + "for _ in range(3):\n" + step)
        found.repeats = 0.5
        made = structural(found, np.random.default_rng(0)).notes
        # One that was told nothing of the world does the same whenever it is run.
        assert [note.startswith("NOT_RERUN: the program takes too long") for note in made] == [True] * notes
    assert look(found).notes[0].startswith("REPLAYED: the program writes to x after it is made")


def test_a_function() -> None:
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    assert look(of_function(lambda x: (x * x).sum(), (x,))) == Hidden([], [])
    (finding,) = look(of_function(lambda x: (x * x.detach()).sum(), (x,))).findings
    assert finding.notes[:-1] == ["HIDDEN_PATH: detach() takes numbers out of the graph; they go on into Mul"]


STRAIGHT_THROUGH = [
    "x + (torch.round(x) - x).detach()",
    "x - x.detach() + torch.sign(x).detach()",
    "(x > 0.5).to(x.dtype) - torch.sigmoid(x).detach() + torch.sigmoid(x)",
]


@pytest.mark.parametrize("text", STRAIGHT_THROUGH)
def test_a_straight_through_estimator_is_told_to_be_one(text: str) -> None:
    spec = f"import torch\nx = torch.tensor([0.3, 1.7], requires_grad=True)\nout = ({text}).sum()\n"
    found = check_program(program(spec), Options()).findings
    assert [f.verdict for f in found] == ["HIDDEN_PATH"]
    assert [x.text for x in found[0].notes[-2:]] == [
        "the program is flat here and its gradient is not, as a straight-through estimator means it",
        "where that is meant, as of a target that is held fixed, `# gradcli: allow hidden-path` in the spec, or "
        "--allow hidden-path, says so",
    ]
    allowed = check_program(program(spec), Options(allow=frozenset({found[0].verdict})))
    assert not any(f.fails(Options()) for f in allowed.findings)


def test_a_path_that_is_left_out_by_mistake_is_no_straight_through_estimator() -> None:
    spec = "import torch\nx = torch.tensor([0.3, 1.7], requires_grad=True)\nout = (x * x.detach()).sum()\n"
    found = check_program(program(spec), Options()).findings
    assert [len(f.notes) for f in found if f.verdict == "HIDDEN_PATH"] == [2]


def test_a_sample_of_pytorchs_own_with_the_gradient_of_another_is_no_fault() -> None:
    spec = (
        "import torch\nimport torch.nn.functional as F\ntorch.manual_seed(0)\n"
        "x = torch.tensor([[1.0, 2.0, 0.5]], requires_grad=True)\n"
        "out = (F.gumbel_softmax(x, hard=True) * torch.tensor([1.0, 2.0, 4.0])).sum()\n"
    )
    found = check_program(program(spec), Options()).findings
    assert [(f.verdict, f.allowed) for f in found if not f.passes(Options())] == [("HIDDEN_PATH", True)]


@pytest.mark.parametrize(
    "rest",
    [
        "bn = nn.BatchNorm1d(2)\ny = bn(x)\nbn.eval()\nout = (y * bn(x)).sum()",
        "n = nn.InstanceNorm1d(3, track_running_stats=True)\ny = n(x[None])\nn.eval()\nout = (y * n(x[None])).sum()",
        "m = nn.utils.spectral_norm(nn.Linear(2, 3))\nout = m(x).pow(2).sum()",
        "m = nn.utils.parametrizations.spectral_norm(nn.Linear(2, 3))\nwith torch.no_grad():\n"
        "    m.parametrizations.weight[0]._v.copy_(torch.tensor([0.6, 0.8]))\nout = m(x).pow(2).sum()",
        "import copy\nm = nn.Linear(2, 3)\nk = copy.deepcopy(m).requires_grad_(False)\nout = (m(x) * k(x)).sum()",
        "m, k = nn.Linear(2, 3), nn.Linear(2, 3).requires_grad_(False)\nk.load_state_dict(m.state_dict())\n"
        "out = (m(x) * k(x)).sum()",
        "m, k = nn.Linear(2, 3), nn.Linear(2, 3).requires_grad_(False)\n"
        "for p, q in zip(k.parameters(), m.parameters()):\n    p.data.mul_(0.9).add_(q.data, alpha=0.1)\n"
        "    p.data = 0.9 * p.data + 0.1 * q.detach()\nout = (m(x) * k(x)).sum()",
        "m = nn.Linear(2, 3)\nshadow = [m.weight.data.clone(), torch.zeros(3)]\n"
        "shadow[0] = 0.9 * shadow[0] + 0.1 * m.weight.data\nshadow[1].mul_(0.9).add_(m.bias.detach(), alpha=0.1)\n"
        "out = (m(x) * nn.functional.linear(x, *shadow)).sum()",
        "m = nn.Module()\nm.register_buffer('mean', torch.zeros(2))\n"
        "with torch.no_grad():\n    m.mean[:] = x.mean(0)\nout = (x * m.mean).sum()",
    ],
)
def test_what_modules_keep_is_no_fault(rest: str) -> None:
    head = "import torch\nfrom torch import nn\ntorch.manual_seed(0)\nx = torch.randn(3, 2, requires_grad=True)\n"
    found = check_program(program(f"{head}{rest}\n"), Options()).findings
    told = [f for f in found if f.verdict == "HIDDEN_PATH"]
    assert told
    assert all(f.allowed and "what a layer keeps at line" in f.notes[0].text for f in told)
    assert not any(f.fails(Options()) for f in found)
    # What a program takes out of the graph itself is another matter.
    found = check_program(program(f"{head}{rest}\nout = out * x.detach().sum()\n"), Options()).findings
    assert any(f.fails(Options()) for f in found)


@pytest.mark.parametrize(
    "rest",
    [
        "k = nn.Linear(2, 3).requires_grad_(False)\nk.weight.data.copy_(x.tanh().detach())\nout = k(x).sum()\n",
        "k = nn.Linear(2, 2, False)\nw = k.weight.data + k.weight.data.T\nout = (x @ w * k(x)).sum()\n",
        "k = nn.Linear(2, 2, False)\nw = 2 * k.weight.data.clone()\nout = (x @ w * k(x)).sum()\n",
    ],
)
def test_what_is_computed_beside_parameters_is_a_path_around_the_graph(rest: str) -> None:
    head = "import torch\nfrom torch import nn\ntorch.manual_seed(0)\nx = torch.randn(3, 2, requires_grad=True)\n"
    found = [f for f in check_program(program(head + rest), Options()).findings if f.verdict == "HIDDEN_PATH"]
    assert [(f.allowed, f.span and f.span.line) for f in found] == [(False, 6)]


@pytest.mark.parametrize(
    "rest",
    [
        "t = x.detach()\nout = torch.exp(x - t).sum()",
        "t = x.data\nout = (x / t).sum()",
        "t = 0.9 * x[1:].detach()\nout = nn.functional.mse_loss(x[:2], t, reduction='sum')",
        "with torch.no_grad():\n    t = x.amax(1)\nout = nn.functional.smooth_l1_loss(x[:, 0], 1 + t)",
        "with torch.no_grad():\n    t = 1 + 0.9 * x.amax(1)\nout = ((x[:, 0] - t) ** 2).mean()",
        "t = x[1:].softmax(1).detach()\nout = -(t * (x[:2] / 0.1).log_softmax(1)).sum(1).mean()",
        "t = 0.9 * x.detach()[1:]\nd = t - x[:2]\nout = (d * d).sum() + d.abs().sum() + d.norm()",
        "t = x.softmax(1).detach()\nout = nn.functional.kl_div((2 * x).log_softmax(1), t, reduction='batchmean')",
        "t = x.log_softmax(1).detach()\n"
        "out = nn.KLDivLoss(reduction='sum', log_target=True)(x.sin().log_softmax(1), t)",
        "with torch.no_grad():\n    t = x.exp()\nout = nn.functional.poisson_nll_loss(x, target=t, full=True)",
        "t = x.softmax(1).detach()\nout = nn.functional.cross_entropy(2 * x, t)",
        "t = x.sigmoid().detach()\nout = nn.functional.multilabel_soft_margin_loss(x.sin(), t)",
        "t = x.detach()[1:]\nout = nn.functional.mse_loss(t, x[:2])",
        "t = x[1:].softmax(1).detach()\nout = (t * (t.log() - x[:2].log_softmax(1))).sum()",
        "t = x[1:].sigmoid().detach()\nq = x[:2].sigmoid()\nout = -(t * q.log() + (1 - t) * (1 - q).log()).mean()",
        "t = x[1:].detach()\nout = -nn.functional.cosine_similarity(x[:2].sin(), t).mean()",
        "t = nn.functional.normalize(x[1:].detach(), dim=-1)\np = nn.functional.normalize(x[:2].sin(), dim=-1)\n"
        "out = (2 - 2 * (p * t).sum(-1)).mean() + nn.functional.cross_entropy(p @ t.T / 0.2, torch.arange(2))",
    ],
)
def test_what_its_place_says_is_held_fixed_is_no_fault(rest: str) -> None:
    head = "import torch\nfrom torch import nn\ntorch.manual_seed(0)\nx = torch.randn(3, 2, requires_grad=True)\n"
    for more, fails in ("", False), ("out = out * t.sum()\n", True):
        found = check_program(program(f"{head}{rest}\n{more}"), Options(order=2)).findings
        assert any(f.verdict == "HIDDEN_PATH" for f in found)
        assert any(f.fails(Options()) for f in found) == fails


def test_what_is_made_of_a_number_is_not_that_number() -> None:
    (finding,) = looked(f"{VECTOR}y = (x**2 / (x**2).detach().amax()).sum() + (x - x.detach().sum()).prod()\n").findings
    assert not finding.allowed
    (finding,) = looked(f"{VECTOR}with torch.no_grad():\n    t = x.sum()\ny = (x / t).pow(2).sum()\n").findings
    assert not finding.allowed


def test_probabilities_that_are_held_fixed_beside_their_own_logarithms_are_no_target() -> None:
    text = f"{VECTOR}z = x.sin()\np = z.softmax(0).detach()\ny = -(p * (2 * z).log_softmax(0)).sum()\n"
    (finding,) = looked(text).findings
    assert not finding.allowed


@pytest.mark.parametrize(
    "rest",
    [
        "p = z.softmax(0).detach()\ny = (p * (p.log() - (2 * z).log_softmax(0))).sum()",
        "p = z.softmax(0).detach()\ny = -(p * z.softmax(0).log()).sum()",
        "y = nn.functional.kl_div(z.log_softmax(0).detach() * x.sum(), torch.ones(3), reduction='sum')",
        "y = (nn.functional.normalize(z.detach(), dim=0) * x).sum()",
        "y = torch.outer(nn.functional.normalize(z.detach(), dim=0), nn.functional.normalize(x, dim=0)).pow(3).sum()",
        "t = x.sigmoid().detach()\nd = t - z.log_softmax(0)\ny = (t * d).sum() + d.exp().sum()",
    ],
)
def test_what_only_looks_like_a_loss_has_no_target(rest: str) -> None:
    (finding,) = looked(f"{VECTOR}from torch import nn\nz = x.sin()\n{rest}\n").findings
    assert not finding.allowed


@pytest.mark.parametrize("rest", ["d.pow(3).sum()", "(d * x).sum()", "(d**2 + d).sum()", "d.sum()", "(1.5**d).sum()"])
def test_a_difference_that_is_no_distance_has_no_target(rest: str) -> None:
    (finding,) = looked(f"{VECTOR}d = x - 0.9 * x.detach().sum()\ny = {rest}\n").findings
    assert not finding.allowed


@pytest.mark.parametrize(
    "text",
    [
        "bn = nn.BatchNorm1d(2)\ny = bn(x)\nbn.eval()\nout = (y * bn(x)).pow(2).sum()",
        "out = nn.functional.gaussian_nll_loss(x[:, 0], torch.ones(3), 1e-8 * x[:, 1] ** 2)",
        "out = nn.functional.cosine_similarity(1e-9 * x, torch.ones(3, 2)).sum()",
    ],
)
def test_what_pytorch_holds_fixed_is_no_fault_at_any_order(text: str) -> None:
    head = "import torch\nfrom torch import nn\ntorch.manual_seed(0)\nx = torch.randn(3, 2, requires_grad=True)\n"
    found = check_program(program(f"{head}{text}\n"), Options(order=2)).findings
    assert {f.order for f in found if f.verdict == "HIDDEN_PATH"} == {1, 2}
    assert not any(f.fails(Options()) for f in found)


def test_a_parameter_that_is_made_of_inputs_is_told_to_be_a_leaf_of_its_own() -> None:
    text = (
        "import torch\nw = torch.tensor([0.5, -1.0], requires_grad=True)\ns = torch.nn.Parameter(w.exp())\n"
        "out = (s * w).sum()\n"
    )
    checked = check_program(program(text), Options())
    assert [f.verdict for f in checked.findings] == ["PASS", "PASS"]
    assert "at line 3 makes a leaf of its own, s: no gradient passes on to w" in checked.notes[0].text


def test_a_precision_that_is_only_named_is_not_mixed_in() -> None:
    text = (
        "import torch\nx = torch.randn(3, requires_grad=True)\nassert x.dtype in (torch.float32, torch.float64)\n"
        "loss = x.float().square().sum()\nloss.backward()\n"
    )
    assert [f.verdict for f in check_program(program(text), Options()).findings] == ["PASS"]


@pytest.mark.parametrize("made", ["nn.Linear(2, 3)", "copy.deepcopy(policy)"])
def test_leaves_beside_the_graph_keep_what_was_copied_into_them(made: str) -> None:
    text = (
        "import copy\nimport torch\nfrom torch import nn\ntorch.manual_seed(0)\nx = torch.randn(4, 2)\n"
        f"policy = nn.Linear(2, 3)\ntarget = {made}\ntarget.load_state_dict(policy.state_dict())\n"
        "with torch.no_grad():\n    y = target(x).max(1).values\n"
        "loss = nn.functional.mse_loss(policy(x).max(1).values, 0.9 * y + 1)\nloss.backward()\n"
    )
    found = check_program(program(text), Options()).findings
    assert [(f.input, f.verdict) for f in found] == [("policy.weight", "PASS"), ("policy.bias", "PASS")]


def test_a_leaf_made_of_the_inputs_to_differentiate_at_moves_with_them() -> None:
    text = (
        "import torch\nc = torch.tensor(2.0, requires_grad=True)\nwith torch.no_grad():\n    p = c.sqrt()\n"
        "slope, = torch.autograd.grad(p.requires_grad_() * p - c, p)\nq = p.detach()\n"
        "out = q - (q * q - c) / slope\n"
    )
    assert looked(text) == Hidden([], [])
    # A leaf that is made of no input is one.
    (finding,) = looked(text.replace("c.sqrt()", "torch.tensor(1.4)")).findings
    assert finding.input == "p"


@pytest.mark.parametrize(("steps", "second"), [(1, Verdict.HIDDEN_PATH), (2, Verdict.PASS)])
def test_what_cancels_at_the_first_order_only_is_found_at_the_second(steps: int, second: Verdict) -> None:
    text = (
        "import torch\nc = torch.tensor(2.0, requires_grad=True)\np = c.sqrt().detach()\n"
        f"for _ in range({steps}):\n    p = p - (p * p - c) / (2 * p)\nout = p * 1\n"
    )
    found = check_program(program(text), Options(order=2)).findings
    assert [f.verdict for f in found] == [Verdict.PASS, second]


def test_a_weight_that_a_layer_is_given_out_of_the_graph_is_named() -> None:
    text = f"{VECTOR}y = torch.nn.functional.linear(x, torch.outer(x, x).detach()).sum()\n"
    (finding,) = looked(text).findings
    assert "detach() at line 3" in finding.notes[0]


@pytest.mark.parametrize(("made", "verdict"), [("", Verdict.PASS), (".double()", Verdict.INACCURATE)])
def test_who_names_both_precisions_mixes_them_in_a_double_program_alone(made: str, verdict: Verdict) -> None:
    spec = (
        "import torch\nknown = (torch.float32, torch.float64)\n"
        f"x = torch.tensor([0.3, 1.7]){made}.requires_grad_()\nassert x.dtype in known\n"
        "out = x.tanh().float().pow(2).mean()\n"
    )
    (finding,) = check_program(program(spec, dtype=None), Options()).findings
    assert finding.verdict is verdict


def test_a_program_that_mixes_its_precisions_is_read_all_in_double() -> None:
    spec = (
        "import torch\nx = torch.nn.Parameter(torch.FloatTensor([[0.5, -1.0]]))\n"
        "loss = torch.mm(torch.eye(1), x).pow(3).sum()\nloss.backward()\nprint(loss.double())\n"
    )
    found = check_program(program(spec), Options()).findings
    assert [f.verdict for f in found] == ["PASS"]


def test_a_leaf_that_a_forward_makes_of_its_argument_moves_as_that_does() -> None:
    text = """
import torch
class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad():
            u = x.detach().requires_grad_()
            s = (u * u * u).sum()
        ctx.inner = torch.autograd.grad(s, u)[0]
        return s.detach()
    @staticmethod
    def backward(ctx, g):
        return g * ctx.inner
x = torch.tensor([0.5, -1.2, 2.0], dtype=torch.float64, requires_grad=True)
loss = Own.apply(x) ** 2
"""
    assert [f.verdict for f in check_program(program(text), Options()).findings] == ["PASS"]


@pytest.mark.parametrize(("factor", "end"), [(1.0, ""), (1.001, ""), (1.0, "torch.optim.SGD([x, w], 1.0).step()")])
def test_a_hook_may_make_good_what_the_graph_of_an_implicit_layer_lacks(factor: float, end: str) -> None:
    # The fixed point of z = tanh(z w + x), whose graph has its last step only.
    text = f"""
import torch
x = torch.tensor([0.3, -0.8, 1.1], requires_grad=True)
w = torch.tensor(0.5, requires_grad=True)
def step(z, x):
    return torch.tanh(z * w + x)
with torch.no_grad():
    z = torch.zeros(3)
    for _ in range(60):
        z = step(z, x)
z = step(z, x)
z0 = z.clone().detach().requires_grad_()
again = step(z0, x)
def solve(g):
    u = g
    for _ in range(60):
        u = {factor} * g + torch.autograd.grad(again, z0, u, retain_graph=True)[0]
    return u
z.register_hook(solve)
loss = (z ** 2).sum()
loss.backward()
{end}
"""
    checked = check_program(program(text), Options())
    assert checked.failure is None
    assert {x.verdict is Verdict.HIDDEN_PATH for x in checked.findings} == {factor != 1}
    assert any("with its hooks" in note for note in checked.notes) == (factor == 1 and not end)
    if not end:
        # The hook's own gradient is recorded nowhere.
        _, _, *second = check_program(program(text), Options(order=2)).findings
        assert [x.verdict for x in second] == [Verdict.UNRESOLVED] * (2 * (factor == 1))


POLICY = (
    "import torch\ntorch.manual_seed(0)\nm = torch.tensor([0.3, -0.2], requires_grad=True)\n"
    "d = torch.distributions.Normal(m, 1.0)\n"
)


@pytest.mark.parametrize("drawn", ["d.sample()", "(m + torch.randn(2)).detach()"])
def test_samples_are_held_fixed_by_an_estimator_by_the_score(drawn: str) -> None:
    spec = f"{POLICY}a = {drawn}\nout = (d.log_prob(a) * (a - 1) ** 2).sum()\n"
    (finding,) = check_program(program(spec), Options()).findings
    assert (finding.verdict, finding.allowed) == ("HIDDEN_PATH", True)
    assert not finding.fails(Options())
    assert finding.notes[-1].text == (
        "the program takes log_prob() of these numbers, which an estimator by the score holds fixed: its gradient is "
        "that of the expectation, not of the sample"
    )


ACTOR_CRITIC = """
import torch
torch.manual_seed(0)
policy, critic = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
x, a, r = torch.randn(3, 2), torch.tensor([0, 1, 1]), torch.randn(3)
d, v = torch.distributions.Categorical(logits=policy(x)), critic(x).squeeze(1)
p, held = d.log_prob(a), (r - v).detach()
loss = {} + (r - v).pow(2).mean()
loss.backward()
"""


@pytest.mark.parametrize(
    ("loss", "fails"),
    [
        ("-(p * held).mean()", False),
        ("-(torch.exp(p - p.detach()) * held).sum()", False),
        ("-(p + held).mean()", True),
        ("-(p * v + p.detach() * v).mean()", True),
        ("-(p * v).mean() + (d.probs * d.probs.detach()).sum()", True),
        ("-sum(p[i] * (r[i] - v[i].item()) for i in range(3))", False),
        ("-(p * torch.tensor(v.tolist())).sum()", False),
        ("-(p * v).sum() + (d.probs * v[0].item()).sum()", True),
        ("-(policy(x).log_softmax(1).gather(1, a.unsqueeze(1)).squeeze(1) * held).mean()", False),
        ("-(policy(x).softmax(1)[torch.arange(3), a].log() * held).mean()", False),
        ("(torch.nn.functional.cross_entropy(policy(x), a, reduction='none') * held).sum()", False),
        ("-(policy(x).log_softmax(1).sum(1) * held).mean()", True),
        ("-(policy(x).softmax(1)[:, 0] * held).mean()", True),
        ("-(policy(x)[:, 0].exp().log() * held).mean()", True),
    ],
)
def test_what_weighs_a_log_prob_is_held_fixed_by_an_estimator_by_the_score(loss: str, fails: bool) -> None:
    findings = check_program(program(ACTOR_CRITIC.format(loss)), Options()).findings
    hidden = [x for x in findings if x.verdict is Verdict.HIDDEN_PATH]
    assert hidden
    assert any(x.fails(Options()) for x in hidden) == fails


@pytest.mark.parametrize("rest", ["(a - 1) ** 2 * m", "d.log_prob(a.detach()) + m * m.detach()"])
def test_what_else_leaves_the_graph_is_a_path_around_it(rest: str) -> None:
    spec = f"{POLICY}a = d.sample()\nout = ({rest}).sum()\n"
    (finding,) = check_program(program(spec), Options()).findings
    assert finding.fails(Options())
