"""Limited-memory BFGS: steps along the gradient as a few earlier steps bend it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ..engine.guard.outside import guarded
from ..engine.modes import enable_grad, no_grad
from ..engine.ops.shape.joining import cat
from ..engine.tensor import Tensor
from ..errors import EngineError, EngineValueError
from .optimizer import Optimizer, check_rate

# A step must make the loss less by this share of what its slope promises, and the slope less by that one.
_DESCENT, _CURVATURE = 1e-4, 0.9
# Pairs of steps and gradients that bend less tell nothing.
_LEAST_BEND = 1e-10


class Point(NamedTuple):
    """A step length that was tried: the loss there, its gradient, and its slope along the direction."""

    t: Any
    loss: float
    gradient: Any
    slope: Any


Evaluate = Callable[[Any], Point]


class LBFGS(Optimizer):
    """Limited-memory BFGS; its closure computes the loss and the gradients anew, as often as it is needed."""

    def __init__(
        self, params: Iterable[Any], lr: float | Tensor = 1, max_iter: int = 20, max_eval: int | None = None,
        tolerance_grad: float = 1e-7, tolerance_change: float = 1e-9, history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:  # fmt: skip
        check_rate(lr)
        defaults = {
            "lr": lr, "max_iter": max_iter, "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change, "history_size": history_size,
            "line_search_fn": line_search_fn,
        }  # fmt: skip
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise EngineValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        """Take up to ``max_iter`` steps; gives the loss before them."""
        with no_grad():
            return self._steps(closure)

    def _steps(self, closure: Callable[[], Any]) -> Any:
        closure = guarded(closure)
        group = self.param_groups[0]
        if len(self.param_groups) != 1:
            raise AssertionError(f"Expected exactly one param_group, but got {len(self.param_groups)}")
        # What is remembered of all parameters stands under the first.
        state = self.state[group["params"][0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        with enable_grad():
            first = closure()
        loss = float(first)
        evaluations = 1
        state["func_evals"] += 1
        gradient = self._gradient()
        if gradient.abs().max() <= group["tolerance_grad"]:
            return first
        memory = _Memory(state, group["history_size"])
        for n in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            direction = memory.direction(gradient)
            before, memory.previous_loss = loss, loss
            lr = group["lr"]
            memory.t = min(1.0, 1.0 / gradient.abs().sum()) * lr if state["n_iter"] == 1 else lr
            slope = gradient.dot(direction)
            if slope > -group["tolerance_change"]:
                break
            used = 0
            if group["line_search_fn"] is not None:
                if group["line_search_fn"] != "strong_wolfe":
                    raise EngineError("only 'strong_wolfe' is supported")
                start = Point(0, loss, gradient.clone(), slope)
                found, used = _strong_wolfe(
                    self._evaluation(closure, direction), memory.t, direction, start, group["max_eval"] - evaluations
                )
                memory.t, loss, gradient = found.t, found.loss, found.gradient
                self._move(memory.t, direction)
            else:
                self._move(memory.t, direction)
                if n != group["max_iter"]:
                    with enable_grad():
                        last = closure()
                    loss = float(last)
                    gradient = self._gradient()
                    used = 1
            evaluations += used
            state["func_evals"] += used
            if (
                evaluations >= group["max_eval"]
                or gradient.abs().max() <= group["tolerance_grad"]
                or direction.mul(memory.t).abs().max() <= group["tolerance_change"]
                or abs(loss - before) < group["tolerance_change"]
            ):
                break
        memory.keep(state)
        return first

    def _parameters(self) -> Iterable[Any]:
        return self.param_groups[0]["params"]  # type: ignore[no-any-return]

    def _gradient(self) -> Any:
        """The gradients of all parameters as one vector."""
        parts = [p.new_zeros(p.shape) if p.grad is None else p.grad for p in self._parameters()]
        return cat([_as_real(part.to_dense() if part.is_sparse else part).reshape(-1) for part in parts], 0)

    def _move(self, t: Any, direction: Any) -> None:
        """Go a length of step from where the parameters are."""
        at = 0
        for p in map(_as_real, self._parameters()):
            p.add_(direction[at : at + p.numel()].view_as(p), alpha=float(t))
            at += p.numel()

    def _evaluation(self, evaluated: Callable[[], Any], direction: Any) -> Evaluate:
        """A function that looks at a length of step, and leaves the parameters where they are."""
        origin = [p.clone() for p in self._parameters()]

        def evaluate(t: Any) -> Point:
            self._move(t, direction)
            with enable_grad():
                found = evaluated()
            loss = float(found)
            gradient = self._gradient()
            for p, value in zip(self._parameters(), origin, strict=True):
                p.copy_(value)
            return Point(t, loss, gradient, gradient.dot(direction))

        return evaluate


class _Memory:
    """The last steps, with what they changed of the gradient: a sketch of the inverse Hessian."""

    _KEPT = ("d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad")

    def __init__(self, state: dict[str, Any], size: int) -> None:
        self.state = state
        self.size = size
        self.d: Any
        self.t: Any
        self.previous: Any
        self.d, self.t, changes, steps, ro, scale, self.previous = (state.get(name) for name in self._KEPT)
        self.changes: list[Any] = changes or []
        self.steps: list[Any] = steps or []
        self.ro: list[Any] = ro or []
        self.scale: Any = 1 if scale is None else scale
        self.previous_loss: Any = state.get("prev_loss")

    def direction(self, gradient: Any) -> Any:
        """Where to go next, from a gradient that is then remembered."""
        if self.state["n_iter"] == 1:
            self.changes, self.steps, self.ro, self.scale = [], [], [], 1
            self.d = gradient.neg()
        else:
            self._learn(gradient)
            self.d = self._bent(gradient)
        if self.previous is None:
            self.previous = gradient.clone()
        else:
            self.previous.copy_(gradient)
        return self.d

    def _learn(self, gradient: Any) -> None:
        change, step = gradient.sub(self.previous), self.d.mul(self.t)
        bend = change.dot(step)
        if bend > _LEAST_BEND:
            if len(self.changes) == self.size:
                for held in (self.changes, self.steps, self.ro):
                    held.pop(0)
            self.changes.append(change)
            self.steps.append(step)
            self.ro.append(1.0 / bend)
            self.scale = bend / change.dot(change)

    def _bent(self, gradient: Any) -> Any:
        """The inverse Hessian, as far as it is known, times the gradient downhill."""
        shares = self.state.setdefault("al", [None] * self.size)
        q = gradient.neg()
        count = len(self.changes)
        for i in reversed(range(count)):
            shares[i] = self.steps[i].dot(q) * self.ro[i]
            q.add_(self.changes[i], alpha=float(-shares[i]))
        r = q.mul(self.scale)
        for i in range(count):
            share = self.changes[i].dot(r) * self.ro[i]
            r.add_(self.steps[i], alpha=float(shares[i] - share))
        return r

    def keep(self, state: dict[str, Any]) -> None:
        """Remember all for the next call."""
        held = (self.d, self.t, self.changes, self.steps, self.ro, self.scale, self.previous)
        state.update(zip(self._KEPT, held, strict=True), prev_loss=self.previous_loss)


def _cubic(a: Point, b: Point, least: Any, most: Any) -> Any:
    """Where the cubic that fits two points is lowest, within bounds; their middle if it is nowhere."""
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    square = d1**2 - a.slope * b.slope
    if square < 0:
        return (least + most) / 2.0
    d2 = square.sqrt()
    if a.t > b.t:
        a, b = b, a
    at = b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
    return min(max(at, least), most)


def _strong_wolfe(evaluate: Evaluate, t: Any, direction: Any, start: Point, most: int) -> tuple[Point, int]:
    """A length of step after which the loss is less and flatter, as far as ``most`` more looks find one."""
    new, looks, previous = evaluate(t), 1, start
    flat = -_CURVATURE * start.slope
    while looks <= most:
        if _too_high(new, start) or (looks > 2 and new.loss >= previous.loss):
            bracket = [previous, new]
            break
        if abs(new.slope) <= flat:
            return new, looks
        if new.slope >= 0:
            bracket = [previous, new]
            break
        least, largest = new.t + 0.01 * (new.t - previous.t), new.t * 10
        previous, new = new, evaluate(_cubic(previous, new, least, largest))
        looks += 1
    else:
        bracket = [start, new]
    return _zoomed(evaluate, direction, start, bracket, looks, most)


def _too_high(point: Point, start: Point) -> Any:
    return point.loss > start.loss + _DESCENT * point.t * start.slope


def _zoomed(
    evaluate: Evaluate, direction: Any, start: Point, bracket: list[Point], looks: int, most: int
) -> tuple[Point, int]:
    """The best of a bracket that is made smaller and smaller."""
    reach = direction.abs().max()
    flat = -_CURVATURE * start.slope
    low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
    stuck = False
    while looks <= most and not abs(bracket[1].t - bracket[0].t) * reach < 1e-9:
        least, largest = min(bracket[0].t, bracket[1].t), max(bracket[0].t, bracket[1].t)
        t = _cubic(bracket[0], bracket[1], least, largest)
        # Twice next to an end of the bracket, or at it, is no progress: stay a tenth away.
        margin = 0.1 * (largest - least)
        near = min(largest - t, t - least) < margin
        if near and (stuck or t >= largest or t <= least):
            t = largest - margin if abs(t - largest) < abs(t - least) else least + margin
            stuck = False
        else:
            stuck = bool(near)
        new = evaluate(t)
        looks += 1
        if _too_high(new, start) or new.loss >= bracket[low].loss:
            bracket[high] = new
            low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
            continue
        if abs(new.slope) <= flat:
            return new, looks
        if new.slope * (bracket[high].t - bracket[low].t) >= 0:
            bracket[high] = bracket[low]
        bracket[low] = new
    return bracket[low], looks


def _as_real(p: Any) -> Any:
    """A tensor as real numbers: of complex ones, pairs in the same memory."""
    if not p.is_complex():
        return p
    from ..engine.ops import parts

    return parts.view_as_real(p)
