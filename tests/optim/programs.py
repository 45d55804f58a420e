"""Small programs about optimisers; what PyTorch answers is in expected.json.

To record again, with PyTorch installed: ``python -m tests.optim.programs``.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

from ..nn import programs

EXPECTED = Path(__file__).with_name("expected.json")
LINES = programs.lines(Path(__file__).with_name("programs.txt"))
STEPS = 100


def answer(torch: Any, code: str) -> list[Any]:
    """What an engine answers: a repr or an error, and its warnings."""
    optim = torch.optim
    p, q = (torch.tensor([1.0, 2.0], requires_grad=True) for _ in "pq")

    def run(make: Any, wrong: bool = False) -> Any:
        """The rates of a schedule, and what its state names."""
        optimizer = optim.SGD([p], 0.1)
        schedule = make(optimizer)
        rates = []
        for _ in range(9):
            for step in (schedule.step, optimizer.step) if wrong else (optimizer.step, schedule.step):
                step()
            rates.append((round(optimizer.param_groups[0]["lr"], 12), round(schedule.get_last_lr()[0], 12)))
        state = schedule.state_dict()
        schedule.load_state_dict(state)
        return rates, sorted(k for k in state if not k.startswith("_"))

    def plateau(schedules: Any, optimizer: Any, **options: Any) -> Any:
        schedule = schedules.ReduceLROnPlateau(optimizer, **options)
        rates = []
        for measure in (3, 2, 2, 2, 2.1, 1, 1, 1, 1, 1, 1):
            schedule.step(measure)
            rates.append(round(optimizer.param_groups[0]["lr"], 12))
        return rates

    def closure(loss: Any) -> Any:
        """A closure that computes a loss and its gradients anew."""

        def again() -> Any:
            p.grad = q.grad = None
            value = loss()
            value.backward()
            return value

        return again

    return programs.answer(
        torch, code, O=optim, S=optim.lr_scheduler, p=p, q=q, run=run, plateau=plateau, closure=closure
    )


def trained(torch: Any, code: str, dtype: str) -> dict[str, Any]:
    """Parameters and state after some steps on a smooth convex function."""
    kind = getattr(torch, dtype)
    torch.set_default_dtype(kind)
    try:
        starts: list[Any] = [[0.3, -0.7, 1.1], [[0.5, -0.2], [0.9, 0.4]], 0.6]
        ps = [torch.tensor(start, requires_grad=True) for start in starts]
        optimizer = eval(code, {"torch": torch, "O": torch.optim, "ps": ps})
        sign = -1.0 if "maximize" in code else 1.0
        for step in range(STEPS):
            optimizer.zero_grad()
            loss = ((ps[0] - ps[2]) ** 2).sum() / 4 + (ps[2] - 0.25) ** 2
            loss = loss + (ps[1] ** 2).sum() / 5 + ps[1].exp().sum() / 9
            # Gradients that keep changing: where they do not, a variance of them is rounding.
            loss = loss * (1.0 + 0.5 * (-1) ** step)
            (sign * loss).backward()
            optimizer.step()
        state = optimizer.state_dict()["state"]
        return {
            "parameters": [p.detach().tolist() for p in ps],
            "state": {str(i): {k: v.tolist() for k, v in s.items()} for i, s in state.items()},
            "dtypes": sorted({str(v.dtype) for s in state.values() for v in s.values()}),
        }
    finally:
        torch.set_default_dtype(torch.float32)


def expectation(torch: Any, group: str, code: str) -> Any:
    """What is recorded of a program."""
    if group == "steps":
        return {dtype: trained(torch, code, dtype) for dtype in ("float32", "float64")}
    return answer(torch, code)


if __name__ == "__main__":
    engine = importlib.import_module("torch")
    found = {code: expectation(engine, group, code) for group, code in LINES}
    EXPECTED.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
