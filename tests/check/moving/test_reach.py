"""Custom Functions with a precondition that their program keeps: right ones are not blamed, wrong ones are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradcli.check.check import check_program
from gradcli.check.judging.findings import Checked, Options
from gradcli.check.moving.bonds import bonds_of, bound
from gradcli.verdicts import Verdict
from tests.rings import sampled

from ..subjects import own, program

# Each a program that is right, and how to make it wrong: what is written in place of what.
PROGRAMS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "reach.json").read_text())
MUTANTS = [(name, mutant) for name, each in PROGRAMS.items() for mutant in each["mutants"]]


def checked(text: str, **options: Any) -> Checked:
    found = check_program(program(text), Options(**options))
    assert found.failure is None
    return found


def wrong(found: Checked) -> list[Any]:
    return [finding for finding in found.findings if finding.fails(Options())]


@pytest.mark.parametrize("name", PROGRAMS)
@sampled(4)
def test_what_is_right_wherever_its_program_goes_is_right(name: str) -> None:
    found = checked(PROGRAMS[name]["program"])
    assert [finding for finding in found.findings if not finding.passes(Options())] == []


@pytest.mark.parametrize(("name", "mutant"), MUTANTS)
@sampled(6)
def test_what_is_wrong_where_its_program_goes_is_wrong(name: str, mutant: str) -> None:
    old, new = PROGRAMS[name]["mutants"][mutant]
    text = PROGRAMS[name]["program"]
    assert old in text
    found = wrong(checked(text.replace(old, new)))
    assert found
    assert any(finding.node is not None and finding.node.name == "F.backward" for finding in found)


# Right along the directions in which an argument can be moved, and wrong along others.
ALONG = ("diag_inv", "lower_tri_det", "orth_inv", "prob_entropy_tangent", "softmax_tangent", "upper_tri_exp")
# Right at points that are of the kind of the given one, and wrong at others.
AT = ("incr_leaf_trapz", "sym_grad_leaf")


@pytest.mark.parametrize("name", [*ALONG, *AT])
@sampled(6)
def test_what_is_wrong_out_of_reach_is_a_note_and_everywhere_a_finding(name: str) -> None:
    text = PROGRAMS[name]["program"]
    assert any(note.startswith("OUT_OF_REACH: ") for note in checked(text).notes)
    found = checked(text, everywhere=True)
    assert wrong(found)
    assert not any(note.startswith("OUT_OF_REACH: ") for note in found.notes)


UNUSED = """
import torch
class Moments(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.mean(), (x * x).mean()
    @staticmethod
    def backward(ctx, g, h):
        x, = ctx.saved_tensors
        return (g {sign} 2 * h * x) / x.numel()
x = torch.tensor([0.5, -1.2, 2.0], requires_grad=True)
loss = Moments.apply(x)[0] ** 2
"""


def test_what_is_wrong_for_an_output_that_is_not_used_is_a_note_and_everywhere_a_finding() -> None:
    found = checked(UNUSED.format(sign="-"))
    assert wrong(found) == []
    assert [note for note in found.notes if "at an output that the program does not use" in note]
    assert wrong(checked(UNUSED.format(sign="-"), everywhere=True))
    assert checked(UNUSED.format(sign="+")).notes == []


@pytest.mark.parametrize(
    ("factor", "is_seen"),
    [
        ("(3 if len(g) == 1 else 2)", True),
        ("(3 if len(g) == 4 else 2)", True),
        ("(2 if g.shape[0] != 1 else 2.0)", False),
        ("[1, 3, 2, 2, 3][len(g) % 5]", None),
    ],
)
def test_what_is_wrong_at_other_lengths_is_found_where_the_backward_decides_by_them(
    factor: str, is_seen: bool | None
) -> None:
    text = own("return x * x", f"return {factor} * g * x", """
        x = torch.tensor([[1.0, 2.0], [0.5, -1.0], [0.3, 0.8]], requires_grad=True)
        loss = Own.apply(x).sum()
    """)  # fmt: skip
    assert [finding.node.name for finding in wrong(checked(text))] == ["Own.backward"] * bool(is_seen)
    # What does not say that it decides by a length is found everywhere.
    if is_seen is None:
        assert [finding.node.name for finding in wrong(checked(text, everywhere=True))] == ["Own.backward"]


TWO = """
import torch
class Soft(torch.autograd.Function):
    @staticmethod
    def forward(ctx, lp):
        ctx.save_for_backward(lp)
        return torch.softmax(lp, 0)
    @staticmethod
    def backward(ctx, g):
        lp, = ctx.saved_tensors
        return torch.exp(lp) * g
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 2
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * x
x = torch.tensor([0.5, -0.7, 0.3], dtype=torch.float64, requires_grad=True)
out = Soft.apply(torch.log_softmax(Wrong.apply(x), 0))[0]
"""


def test_of_two_functions_the_one_is_blamed_that_the_program_shows_to_be_wrong() -> None:
    found = wrong(checked(TWO))
    assert [finding.node.name for finding in found] == ["Wrong.backward"]
    # The other one is right behind log_softmax.
    assert wrong(checked(TWO.replace("return g * x", "return 2 * g * x"))) == []
    found = wrong(checked(TWO.replace("torch.exp(lp) * g", "torch.exp(lp) * g ** 2")))
    assert {finding.node.name for finding in found} == {"Soft.backward"}


def test_a_function_around_cholesky_takes_its_matrix_to_be_symmetric() -> None:
    notes = checked(PROGRAMS["spd_leaf_logdet"]["program"]).notes
    assert any(note.startswith("SYMMETRIC: FBackward takes its matrix to be symmetric") for note in notes)


def test_a_function_around_cholesky_may_give_one_half_its_gradient() -> None:
    text = PROGRAMS["spd_leaf_logdet"]["program"]
    half = "i = torch.linalg.inv(a)\n        return g * (2 * torch.tril(i) - torch.diag(torch.diagonal(i)))"
    found = checked(text.replace("return g * torch.linalg.inv(a)", half)).findings
    assert [finding.verdict for finding in found] == [Verdict.PASS]


# -- bonds -------------------------------------------------------------------------------------

TURN = [[0.6, -0.8], [0.8, 0.6]]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([[2.0, 0.5], [0.5, 1.0]], ["symmetric and positive definite"]),
        ([[2.0, 3.5], [3.5, 1.0]], ["symmetric"]),
        ([[0.0, 3.5], [-3.5, 0.0]], ["skew-symmetric"]),
        ([[2.0, 0.0], [3.5, 1.0]], ["lower triangular"]),
        ([[2.0, 3.5], [0.0, 1.0]], ["upper triangular"]),
        ([[2.0, 0.0], [0.0, 1.5]], ["symmetric and positive definite", "diagonal"]),
        (TURN, ["orthogonal", "of length 1"]),
        ([0.6, -0.8], ["of length 1"]),
        ([0.5, 1.7, 9.0], ["sorted"]),
        ([9.0, 1.7, 0.5], ["sorted from the largest down"]),
        ([0.2, 0.5, 0.3], ["adding up to 1"]),
        # By chance, or written down in a row.
        ([1.0, 2.0, 3.0], []),
        ([3.0, 2.0, 1.0], []),
        ([0.3, 0.7], []),
        ([1.0, 1.0, 1.0], []),
        ([1.0, 0.0, 0.0], ["adding up to 1"]),
        ([0.5, -1.2, 2.0], []),
        ([2.0], []),
    ],
)
def test_what_ties_numbers(values: Any, words: list[str]) -> None:
    a = np.array(values)
    bonds = bonds_of(a)
    assert [bond.words for bond in bonds] == words
    # What is so stays as it is, and what is moved is so again.
    np.testing.assert_allclose(bound(bonds, a), a, atol=1e-12)
    moved = bound(bonds, a + np.random.default_rng(0).uniform(-0.3, 0.3, a.shape))
    assert {bond.words for bond in bonds} <= {bond.words for bond in bonds_of(moved)}


def test_a_rotation_stays_a_rotation() -> None:
    a = np.array(TURN)
    made = bound(bonds_of(a), np.random.default_rng(1).standard_normal((2, 2)))
    assert np.linalg.det(made) == pytest.approx(1)
