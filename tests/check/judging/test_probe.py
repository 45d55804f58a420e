"""Where is looked: entries, directions, and the entries that are wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradcli as torch
from gradcli.check.judging.beside import Beside
from gradcli.check.judging.entries import _Probe, probe
from gradcli.check.judging.findings import Finding, Options
from gradcli.check.judging.verdict import Verdict
from gradcli.check.judging.whole_gradient import whole_gradient
from gradcli.check.replay.subject import of_function
from gradcli.engine.tensor import result
from tests.rings import sampled

MANY = 10_000


def claimed(forward: Callable[..., Any], backward: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose gradient is claimed to be what ``backward`` says."""

    class Claimed(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *inputs: Any) -> Any:
            ctx.save_for_backward(*inputs)
            return forward(*inputs)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return backward(grad, *ctx.saved_tensors)

    return Claimed.apply


def leaf(values: Any) -> Any:
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def found(function: Callable[..., Any], *inputs: Any, seed: int = 0, **options: Any) -> list[Finding]:
    return probe(of_function(function, inputs), Options(**options), np.random.default_rng(seed))


def squares(error: np.ndarray[Any, Any]) -> Callable[..., Any]:
    """A sum of squares whose gradient is wrong by these shares."""
    return claimed(lambda x: (x * x).sum(), lambda grad, x: grad * 2 * x * result(1 + error))


# -- directions ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
@sampled(12)
def test_directions_catch_one_slightly_wrong_entry_among_many(seed: int) -> None:
    rng = np.random.default_rng(seed)
    error = np.zeros(MANY)
    place = int(rng.integers(MANY))
    error[place] = 1e-6
    (finding,) = found(squares(error), leaf(rng.standard_normal(MANY)), seed=seed)
    assert finding.wrong_entries == 1
    assert finding.worst is not None
    assert finding.worst.index == (place,)


def test_many_right_entries_pass_by_directions() -> None:
    (finding,) = found(squares(np.zeros(MANY)), leaf(np.random.default_rng(0).standard_normal(MANY)))
    assert finding.verdict is Verdict.PASS
    assert finding.digits is not None
    assert finding.digits > 10


def test_of_several_inputs_the_wrong_one_is_named() -> None:
    rng = np.random.default_rng(0)
    function = claimed(lambda x, y: (x * y).sum(), lambda grad, x, y: (grad * y, -grad * x))
    right, wrong = found(function, leaf(rng.standard_normal(500)), leaf(rng.standard_normal(500)))
    assert right.verdict is Verdict.PASS
    assert wrong.verdict is Verdict.WRONG
    assert wrong.wrong_entries == 500


def test_every_entry_is_looked_at_when_asked() -> None:
    error = np.zeros(300)
    error[7] = 1e-9
    (finding,) = found(squares(error), leaf(np.linspace(1, 2, 300)), every_entry=True)
    assert finding.wrong_entries == 1
    assert finding.worst is not None
    assert finding.worst.index == (7,)


@pytest.mark.parametrize("shape", [(9, 9), (100,)])
def test_of_many_outputs_random_sums_are_looked_at(shape: tuple[int, ...]) -> None:
    x = leaf(np.random.default_rng(0).standard_normal(shape))
    (right,) = found(torch.tanh, x)
    assert right.verdict is Verdict.PASS
    (wrong,) = found(claimed(torch.tanh, lambda grad, x: grad * (1 - torch.tanh(x))), x)
    assert wrong.wrong_entries == x.numel()


# -- pieces that meet ---------------------------------------------------------------------------


@pytest.mark.parametrize("count", [2, 3, 4, 5, 8])
@pytest.mark.parametrize(
    "function",
    [
        torch.median,
        lambda x: torch.sort(x).values,
        lambda x: torch.topk(x, 2).values,
        lambda x: torch.kthvalue(x, 2).values,
        lambda x: torch.mode(x).values,
        lambda x: torch.quantile(x, 0.3),
        torch.amax,
        lambda x: torch.cummax(x, 0).values,
    ],
    ids=["median", "sort", "topk", "kthvalue", "mode", "quantile", "amax", "cummax"],
)
@sampled(4, each="function")
def test_the_gradient_of_one_of_several_pieces_is_right(function: Callable[..., Any], count: int) -> None:
    for values in ([1.5] * count, [0.0] * count, [1.5] * count + [2.0]):
        (finding,) = found(function, leaf(values))
        assert finding.passes(Options()), (values, finding)


@pytest.mark.parametrize("share", [[1.0, 1.0, 0.0], [0.5, 0.4, 0.0], [0.0, 0.0, 0.0], [2.0, -1.0, 0.0]])
def test_a_gradient_of_a_median_that_no_piece_has_is_wrong(share: list[float]) -> None:
    function = claimed(torch.median, lambda grad, x: grad * leaf(share).detach())
    (finding,) = found(function, leaf([1.0, 1.0, 1.0]))
    assert finding.verdict in (Verdict.WRONG, Verdict.KINK_WRONG)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: torch.relu(x) - torch.relu(-x),
        lambda x: 0.5 * torch.maximum(x, -x) - 0.5 * torch.minimum(x, -x) - x.abs() + x.relu() - (-x).relu(),
    ],
)
def test_a_sum_of_subgradients_that_no_piece_has_is_wrong(function: Callable[..., Any]) -> None:
    (finding,) = found(function, leaf([0.0, 0.0, 0.0]))
    assert finding.verdict in (Verdict.WRONG, Verdict.KINK_WRONG)


# -- details --------------------------------------------------------------------------------------


def test_details_are_made_when_asked_for() -> None:
    (plain,) = found(torch.sin, leaf([0.3, 0.4]))
    assert plain.curve is None
    assert plain.jacobian is None
    (finding,) = found(torch.sin, leaf([0.3, 0.4]), detail=2)
    assert finding.curve is not None
    assert finding.jacobian is not None
    assert min(error for _, error in finding.curve) < 1e-9 < max(error for _, error in finding.curve)
    claims, estimates = finding.jacobian
    np.testing.assert_allclose(claims, estimates, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(claims, np.diag(np.cos([0.3, 0.4])), rtol=1e-12)


FORMULAS: list[tuple[Callable[..., Any], list[float]]] = [
    (torch.sin, [0.37, 1.3, 4.4]),
    (torch.erf, [0.37, -2.1, 2.6]),
    (lambda x: torch.sin(x * x), [1.3, 2.6]),
    (lambda x: torch.sin(50 * x), [0.37, 1.3, -0.9]),
    (lambda x: torch.sin(torch.exp(x)), [1.3, 2.6]),
    (lambda x: x * torch.log(x), [1.3, 7.7]),
    (lambda x: (x * x + 1) / (x**4 + x * x + 3), [0.37, 2.6]),
    (lambda x: x**3 / (torch.exp(x) - 1), [0.37, 7.7]),
    (lambda x: torch.tanh(torch.tanh(2 * x)), [0.37, -0.9]),
    (lambda x: torch.log(torch.cosh(x)), [0.37, -2.1]),
]
POINTS = [(function, x) for function, points in FORMULAS for x in points]


@pytest.mark.parametrize("off", [0.0, 1.2e-13, -2.5e-13])
def test_an_error_in_the_thirteenth_digit_is_no_rounding(off: float) -> None:
    def scaled(function: Callable[..., Any], x: float) -> Verdict:
        subject = of_function(function, [leaf(x)])
        before = subject.claim
        subject.claim = lambda weights: [None if g is None else g * (1 + off) for g in before(weights)]  # type: ignore[method-assign]
        (found,) = probe(subject, Options(), np.random.default_rng(0))
        return found.verdict

    verdicts = {scaled(function, x) for function, x in POINTS}
    # What the output cannot feel is no more than that, but it is told.
    assert verdicts <= ({Verdict.INACCURATE, Verdict.SATURATED} if off else {Verdict.PASS})


def test_rounding_does_not_put_claims_off_by_one_factor() -> None:
    # Slopes, and what they are claimed to be; whether the first is off by the factor of another slope.
    for slopes, claims, expected in (
        ([1.0, 3.0, 0.5], [2.0, 6.0, 7.0], True),
        ([1.0, 3.0, 0.5], [2.0, 6.1, 7.0], False),
        ([1.0, 1.0, 0.5], [2.0, 2.0, 7.0], False),
        ([1.0, 3.0, 0.5], [0.0, 0.0, 0.0], False),
        ([0.0, 3.0, 0.5], [2.0, 6.0, 1.0], False),
    ):
        beside = Beside(*(np.array(numbers)[:, None] for numbers in (claims, slopes, [1e-12] * 3)))
        assert beside.by_a_factor(0, 0) == expected


@pytest.mark.parametrize("squash", [lambda x: torch.softmax(x * 1e-30, 0), lambda x: torch.tanh(x + 20) / 3])
def test_gradients_that_vanish_are_judged_together(
    squash: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*args: object, **how: object) -> None:
        raise AssertionError

    # Whatever the mean of equal numbers is off by, in double precision and in complex numbers.
    monkeypatch.setattr(_Probe, "_judge_entry", refused)
    x = leaf([0.3, -0.7, 1.2, 0.5, 0.8, -1.1])
    (finding,) = found(lambda x: ((squash(x) - squash(x).mean()) * 3e2 * x).sum(), x)
    assert finding.verdict is Verdict.SATURATED


# -- many entries ----------------------------------------------------------------------------


def test_what_is_wrong_in_many_entries_is_told_beside_their_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*args: object, **how: object) -> None:
        raise AssertionError

    # None is looked at by differences of its own but the worst.
    monkeypatch.setattr(_Probe, "_entries", refused)
    x = leaf(np.linspace(-1.0, 2.0, 900))
    wrong = claimed(lambda x: torch.sin(x).sum(), lambda grad, x: grad * torch.cos(x) * (1 + 0.5 * (x > 0)))
    (finding,) = found(wrong, x)
    assert (finding.verdict, finding.wrong_entries) == (Verdict.WRONG, 600)
    truth = {entry.index: np.cos(entry.at) for entry in finding.table}
    assert all(abs(entry.judged.estimate - truth[entry.index]) <= 8 * entry.judged.bar for entry in finding.table)


@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (torch.tanh, lambda x: 1 / np.cosh(x) ** 2),
        # Near many entries is a kink; and at one.
        (lambda x: torch.relu(x - 1e-3), lambda x: (x > 1e-3) * 1.0),
        (torch.relu, None),
    ],
)
def test_a_gradient_that_differences_do_not_confirm_is_none(
    function: Callable[..., Any], slope: Callable[..., Any] | None
) -> None:
    rng = np.random.default_rng(1)
    x = rng.standard_normal(100)
    x[3] = 0.0
    rows = _Probe(of_function(claimed(lambda x: function(x).sum(), lambda grad, x: x), [leaf(x)]), rng, 1, 0).rows
    moved = rng.standard_normal(100)
    made = whole_gradient(rows.plan, 0, np.arange(100), rows.of, rows.line([moved]), moved)
    assert (made is None) == (slope is None)
    if made is not None and slope is not None:
        off = np.abs(made.slopes[:, 0] - slope(x))
        assert (off <= made.bars[:, 0] + 1e-15).all()
        assert made.bars.max() < 1e-6


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The entries that were judged in full."""
    places: list[int] = []
    judge = _Probe._judge_entry

    def counted(self: _Probe, leaf: int, place: int, *args: Any, **how: Any) -> None:
        places.append(place)
        judge(self, leaf, place, *args, **how)

    monkeypatch.setattr(_Probe, "_judge_entry", counted)
    return places


def test_what_is_slightly_off_in_many_entries_is_told_beside_the_most_and_the_least(judged: list[int]) -> None:
    x = leaf(np.linspace(-1.0, 2.0, 300))
    share = result(1 + 1e-8 * (x._a > 0))
    off = claimed(lambda x: torch.sin(x).sum(), lambda grad, x: grad * torch.cos(x) * share)
    (finding,) = found(off, x)
    assert (finding.verdict, finding.wrong_entries, len(set(judged))) == (Verdict.INACCURATE, 200, 5)
    seen = [(entry.judged, np.cos(entry.at)) for entry in finding.table]
    assert all(judged.claimed == pytest.approx(truth * (1 + 1e-8), rel=1e-12) for judged, truth in seen)
    assert all(abs(judged.estimate - truth) <= 8 * judged.bar for judged, truth in seen)


def test_what_has_a_jump_near_by_is_told_beside_what_is_plainly_wrong(judged: list[int]) -> None:
    x = leaf(np.linspace(-0.1, 0.1, 40))
    (finding,) = found(claimed(lambda x: (x > 0).double().sum(), lambda grad, x: grad / (1 + x.abs())), x)
    assert (finding.verdict, finding.wrong_entries, len(set(judged))) == (Verdict.WRONG, 40, 8)


def test_where_the_output_is_no_number_no_entry_is_looked_at_further(monkeypatch: pytest.MonkeyPatch) -> None:
    alone: list[Any] = []
    monkeypatch.setattr(_Probe, "_judge_entry", lambda *asked: alone.append(asked))
    weights = torch.ones(30, 40)
    weights[3, 7] = float("nan")
    nan, good = leaf(np.zeros((30, 40))), leaf(np.arange(1.0, 5.0))
    findings = found(lambda x, y: ((x * weights).sum(), (y * y).sum()), nan, good)
    of_nan = [one for one in findings if one.verdict is Verdict.DOMAIN]
    assert [(one.entries, one.wrong_entries, one.worst.judged.note) for one in of_nan if one.worst] == [
        (entries, entries, "the output is not finite here") for entries in (1200, 4)
    ]
    # With respect to the other output all is told as before.
    assert {one.verdict for one in findings if one not in of_nan} == {Verdict.PASS, Verdict.PASS_ZERO}
    assert not alone


# -- second looks ----------------------------------------------------------------------------


def looks(
    monkeypatch: pytest.MonkeyPatch, function: Callable[..., Any], *inputs: Any
) -> tuple[list[str], set[Verdict]]:
    """The further looks that a probe takes, by name, and its verdicts."""
    taken: list[str] = []
    for name in ("_closer", "_look_again", "_judge_entry"):
        method = getattr(_Probe, name)

        def noting(self: Any, *args: Any, _name: str = name, _method: Any = method, **more: Any) -> Any:
            taken.append(_name)
            return _method(self, *args, **more)

        monkeypatch.setattr(_Probe, name, noting)
    return taken, {finding.verdict for finding in found(function, *inputs)}


def test_beside_a_kink_smaller_steps_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    taken, verdicts = looks(monkeypatch, lambda x: (torch.relu(x) * torch.sin(x)).sum(), leaf([0.01, 0.7, -0.4]))
    assert (taken, verdicts) == (["_closer"], {Verdict.PASS})


def test_at_a_kink_they_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    taken, verdicts = looks(monkeypatch, lambda x: torch.abs(x).sum(), leaf([0.0, 0.7]))
    assert "_judge_entry" in taken
    assert verdicts == {Verdict.KINK_OK}


def test_what_vanishes_for_one_output_and_is_right_for_another_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def function(x: Any) -> Any:
        y = x - torch.tanh(x)
        return torch.stack([y.sum() * 1e-3, torch.softmax(x, 0).sum() + 1e3])

    taken, verdicts = looks(monkeypatch, function, leaf([1e-4, 0.4, -0.9]))
    assert "_look_again" in taken
    assert "_judge_entry" not in taken
    assert Verdict.WRONG not in verdicts
