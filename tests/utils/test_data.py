"""Data sets and loaders in Python; what programs see of them is recorded in tests/conformance/specs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import gradcli as torch
from gradcli.utils import data
from tests.spec.running import printed

ROWS = torch.arange(6.0).reshape(6, 1)


class Drawn(data.Dataset):
    """A data set of random numbers."""

    def __len__(self) -> int:
        return 4

    def __getitem__(self, i: int) -> Any:
        return torch.rand(1)


def test_the_order_is_that_of_pytorch() -> None:
    torch.manual_seed(0)
    loader = data.DataLoader(data.TensorDataset(ROWS), batch_size=4, shuffle=True)
    drawn = [[row.item() for row in batch[0]] for _ in range(2) for batch in loader]
    # As PyTorch 2.13 draws them.
    assert drawn == [[0.0, 4.0, 3.0, 5.0], [2.0, 1.0], [2.0, 3.0, 1.0, 5.0], [4.0, 0.0]]


def test_workers_load_what_is_the_same_in_any_process() -> None:
    loader = data.DataLoader(data.Subset(data.TensorDataset(ROWS), [5, 0]), num_workers=2)
    assert [batch[0].item() for batch in loader] == [5.0, 0.0]


def test_workers_have_numbers_of_their_own_and_leave_the_program_its_own() -> None:
    torch.manual_seed(0)
    before = torch.rand(2)
    torch.manual_seed(0)
    first = torch.rand(1)
    drawn = [x.item() for x in data.DataLoader(Drawn(), num_workers=2, generator=torch.Generator().manual_seed(1))]
    assert torch.equal(torch.cat([first, torch.rand(1)]), before)
    # As PyTorch 2.13 draws them.
    assert drawn == [0.5113104581832886, 0.3022708296775818, 0.2310420274734497, 0.8597546219825745]


@pytest.mark.filterwarnings("ignore:the workers of a DataLoader")
def test_workers_load_what_pytorch_s_load() -> None:
    program = Path(__file__).with_name("programs") / "workers.py"
    # As PyTorch 2.13 prints it.
    assert printed(program.read_text()) == program.with_suffix(".out").read_text()


def test_containers_are_put_together_part_by_part() -> None:
    batch = data.default_collate([{"a": (1, [2.0]), "b": "x"}, {"a": (3, [4.0]), "b": "y"}])
    assert repr(batch) == "{'a': [tensor([1, 3]), [tensor([2., 4.], dtype=torch.float64)]], 'b': ['x', 'y']}"


@pytest.mark.parametrize(
    "lines",
    [
        "found = data.Subset(list, ['a'])[0]", "found = next(iter(data.DataLoader(list, None, sampler='a')))",
        "d = data.StackDataset([1])\nd.datasets = (list,)\nfound = d['a'][0]",
    ],
)  # fmt: skip
def test_a_type_has_no_entries(lines: str) -> None:
    # Python's own `list['a']` is an object with attributes that nobody looked at; here it is a name for annotations.
    assert printed(f"from torch.utils import data\n{lines}\nprint(found)") == "list['a']\n"
