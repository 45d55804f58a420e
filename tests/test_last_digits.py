"""What may differ between processors, and what may not."""

from __future__ import annotations

import pytest

from tests.last_digits import with_digits_of

ALIKE = [
    ("0.0003264   11", "0.0003263   11"),
    ("norm before: 1565.9186", "norm before: 1565.9185"),
    ("‖0.662‖", "‖0.661‖"),
    ("1.234..5.678 at line 3", "1.235..5.677 at line 3"),
    ("tensor([[-9.9233e-01,  2.0001e+00]])", "tensor([[-9.9232e-01,  2.0000e+00]])"),
    ("9.999", "10.000"),
    ("0.30000000000000004", "0.3"),
    ("true 3.036979297774577 ± 7e-15", "true 3.0369792977745766 ± 6e-15"),
    ("2.8e15 error bars away", "2.4e15 error bars away"),
    ("w.grad=0.1250", "w.grad=0.1251"),
    ("it is 0.1234.", "it is 0.1235."),
]
DIFFERENT = [
    ("0.0003265   11", "0.0003263   11"),
    ("0.0003264   11", "0.0003263   12"),
    ("0.1235 of 4", "0.1234 of 5"),
    ("-0.1234", "0.1234"),
    ("0.1234 ", "0.1234"),
    ("0.1234 1.5", "0.1234"),
    ("lr 0.01", "lr 0.02"),
    ("lr: 1e-05", "lr: 2e-05"),
    ("shape (3,4)", "shape (3,5)"),
    ("tensor([1235.])", "tensor([1234.])"),
    ("gradcli 2.13.0", "gradcli 2.14.0"),
    ("swish.py:15:9", "swish.py:16:9"),
    ("G101 0.123", "G102 0.123"),
    ("± 7e-15", "± 2e-15"),
    ("± 7e-15", "± 7e-14"),
    ("7e-11", "6e-11"),
    ("7.123e-15", "6.123e-15"),
    ("0.0", "1e-17"),
    ("3.036979297774577", "3.036979297774574"),
    ("1.2340e-05", "1.2340e-06"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_a_last_digit_may_differ(one: str, other: str) -> None:
    assert with_digits_of(one, other) == other
    assert with_digits_of(other, one) == one


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_nothing_else_may(one: str, other: str) -> None:
    assert with_digits_of(one, other) != other
    assert with_digits_of(other, one) != one


def test_what_is_equal_stays_as_it_is() -> None:
    text = "tensor([0.1000, 2.0000e-05], dtype=torch.float64) ± 7e-15 at 3:4 of 5.0 in 2.13.0"
    assert with_digits_of(text, text) == text
