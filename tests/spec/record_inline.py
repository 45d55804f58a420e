"""`python -m tests.spec.record_inline` writes down what PyTorch prints for the inline specs of inline_cases.json."""

from __future__ import annotations

import ast
import builtins
import contextlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

RECORD = Path(__file__).with_name("inline_cases.json")

# Operations when given a tensor, Python's own functions for all else.
BOTH = ("abs", "all", "any", "max", "min", "pow", "round", "sum")


def printed(case: dict[str, Any]) -> str:
    """What a case prints in PyTorch, in float64, with its inputs as leaves and its last bare expression shown."""
    import torch

    names = {**vars(torch.nn.functional), **vars(torch), **vars(builtins)}
    names.update(torch=torch, nn=torch.nn, F=torch.nn.functional)
    names.update({name: either(torch, name) for name in BOTH})
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    out = io.StringIO()
    try:
        for given in case["inputs"]:
            name, _, text = given.partition("=")
            leaf = torch.as_tensor(eval(text, names)).to(torch.float64).detach().clone()
            names[name] = leaf.requires_grad_(name not in case["no_grad"])
        body = ast.parse(case["spec"]).body
        last = body.pop() if isinstance(body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(out):
            exec(compile(ast.Module(body, []), "<spec>", "exec"), names)
            value = None if last is None else eval(compile(ast.Expression(last.value), "<spec>", "eval"), names)
            if value is not None:
                print(repr(value))
    finally:
        torch.set_default_dtype(before)
    return out.getvalue()


def either(torch: Any, name: str) -> Callable[..., Any]:
    """A function that is PyTorch's for tensors and Python's otherwise."""
    op, builtin = getattr(torch, name), getattr(builtins, name)

    def call(*args: Any, **kwargs: Any) -> Any:
        return (op if args and isinstance(args[0], torch.Tensor) else builtin)(*args, **kwargs)

    return call


def main() -> None:
    """Fill in what each case prints; a case to add needs its spec, its inputs and no_grad."""
    cases = json.loads(RECORD.read_text(encoding="utf-8"))
    rows = [json.dumps({**case, "prints": printed(case)}, ensure_ascii=False) for case in cases]
    RECORD.write_text("[\n " + ",\n ".join(rows) + "\n]\n", encoding="utf-8")
    print(f"{len(rows)} inline specs recorded in {RECORD.name}")


if __name__ == "__main__":
    main()
