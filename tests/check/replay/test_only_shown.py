"""What a program reads only to print it takes no path around the graph."""

from __future__ import annotations

import pytest

from tests.check.subjects import subject

HEAD = """
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
seen = []
def keep(v):
    seen.append(v)
    return v
"""


@pytest.mark.parametrize(
    ("statement", "only_shown"),
    [
        ("print(y.item())", True),
        ("print(f'{y.item():.3f}', 'b', [round(v, 2) for v in x.tolist()], sep=', ')", True),
        ("print('large' if y > 100 else 'small')", True),
        ("print(keep(y.item()))", False),
        ("print(seen.append(y.item()))", False),
        ("print((k := y.item()))", False),
        ("keep(y.item())", False),
        ("k = y.item()", False),
        ("len = keep\nprint(len(y.item()))", False),
        ("class A:\n    def __rmul__(self, v):\n        return keep(v)\nprint(y.item() * A())", False),
        ("class A:\n    def item(self, v):\n        return keep(v)\nprint(A().item(y.item()))", False),
        ("def print(v):\n    keep(v)\nprint(y.item())", False),
    ],
)
def test_what_is_read_for_print_alone_goes_nowhere(statement: str, only_shown: bool) -> None:
    found = subject(f"{HEAD}y = (x * x).sum()\n{statement}\nloss = y * y\n")
    assert (not found.tape.escapes) is only_shown
