"""Formatting: as Python formats, with plain fields only, and never wider than a string may be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

from gradcli import nn, ones, tensor
from gradcli.errors import LimitError, SpecError
from gradcli.spec.guard.size_limits import caps
from gradcli.spec.values.formatting import filled, formatted, percent
from gradcli.spec.values.members import get

VALUES: list[Any] = [
    1, -3, 2.5, "abc", None, True, (1, 2), (1,), (), [1], {"a": 1}, {"a": "x", "b": 2.5}, ("a", 3, 2.0),
    float("nan"), float("inf"), "%", "é",
]  # fmt: skip

TEMPLATES = [
    *"%d %s %r %a %5d| %-5d| %05d %+.2f %(a)s %(a)d %% % %5 %. %.f %.3s %*d %.*f %c %y %(a %(a) %x %#o %e".split(),
    *"%g %ld %()s %5% a%db %i %u abc %-+#05.3f %.2 %F %hd".split(),
    *("%s %s", "%(a)s %(b)f", "% d", "%5.1f %s %d", "%(a)s %s", ""),
]

SPECS = [
    *"d 5 <5 >10.3f ^7s 05d +.2e .1% , _ x #x b c n g ! . 10. 9<5 99 =5 { } 5s .2s s q e > E 0 - =+5d ,.2f".split(),
    *("*^20", "05.1f", "", "  5"),
]

FIELDS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("{}", (1,), {}),
    ("{} {}", (1,), {}),
    ("{0} {}", (1, 2), {}),
    ("{} {0}", (1, 2), {}),
    ("{1}{0}", (1, 2), {}),
    ("{a}", (), {}),
    ("{a}{}", (1,), {"a": 2}),
    ("{a b}", (), {"a b": 3}),
    ("{!r} {!s} {!a:>8}", ("x", 1, "é"), {}),
    ("{!z}", ("x",), {}),
    ("{!}", (1,), {}),
    ("{:>{}}", ("x", 5), {}),
    ("{:>{w}}", ("x",), {"w": 4}),
    ("{:{:{}}}", (1, 2, 3), {}),
    ("{", (1,), {}),
    ("}", (1,), {}),
    ("{{}}", (), {}),
    ("{0:.4f} {:d}", (1.5,), {}),
    ("{:d}", ("x",), {}),
    ("{:}", (1,), {}),
    ("{-1}", (1,), {}),
    ("{³}", (0,), {}),
    ("{:%}", (0.5,), {}),
]


def outcome(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What a function returns, or the class and the words of its error."""
    try:
        return function(*args, **kwargs)
    except (SpecError, LimitError):
        raise
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("template", TEMPLATES)
def test_percent_formats_as_in_python(template: str) -> None:
    for value in VALUES:
        assert outcome(percent, template, value) == outcome(lambda: template % value), value  # noqa: B023


@pytest.mark.parametrize("spec", SPECS)
def test_a_format_spec_means_what_it_means_in_python(spec: str) -> None:
    for value in VALUES:
        assert outcome(formatted, value, spec) == outcome(format, value, spec), value


@pytest.mark.parametrize(("template", "args", "kwargs"), FIELDS)
def test_fields_are_filled_in_as_in_python(template: str, args: Any, kwargs: Any) -> None:
    assert outcome(filled, template, args, kwargs) == outcome(template.format, *args, **kwargs)


_ARGUMENTS = st.lists(st.integers(-999, 999) | st.floats() | st.text(max_size=3), max_size=3).map(tuple)


@given(st.text("{}01:!rs.<>5fd a", max_size=10), _ARGUMENTS)
def test_any_template_is_filled_in_as_in_python(template: str, args: tuple[Any, ...]) -> None:
    try:
        found = outcome(filled, template, args, {})
    except (SpecError, LimitError):
        return
    assert found == outcome(template.format, *args)


@given(st.text("%sdrfx.*5 0+-#(a)l", max_size=8), _ARGUMENTS)
def test_any_percent_template_is_formatted_as_in_python(template: str, args: tuple[Any, ...]) -> None:
    try:
        found = outcome(percent, template, args)
    except LimitError:
        return
    assert found == outcome(lambda: template % args)


@pytest.mark.parametrize(("conversion", "want"), [(-1, "é"), (ord("s"), "é"), (ord("r"), "'é'"), (ord("a"), r"'\xe9'")])
def test_conversions(conversion: int, want: str) -> None:
    assert formatted("é", "", conversion) == want
    assert formatted("é", ">9", conversion) == want.rjust(9)


# -- tensors -----------------------------------------------------------------------------------------


def test_a_tensor_of_no_axes_is_formatted_as_its_number() -> None:
    t = tensor(1.5)
    assert [formatted(t, ".2f"), formatted(t, ""), formatted(tensor(3), "d")] == ["1.50", "1.5", "3"]
    assert formatted(t, "", ord("s")) == "tensor(1.5000)"
    assert percent("%d %s %.2f", (tensor(3), tensor(3), t)) == "3 tensor(3) 1.50"
    assert filled("{} {:.1f}", (t, t), {}) == "1.5 1.5"


def test_other_tensors_take_no_format_spec() -> None:
    assert formatted(ones(2), "") == "tensor([1., 1.])"
    parameter = nn.Parameter(tensor(1.5))
    assert formatted(parameter, "") == "Parameter containing:\ntensor(1.5000, requires_grad=True)"
    for value, name in ((ones(2), "Tensor"), (ones(1, 2).T, "Tensor"), (parameter, "Parameter")):
        with pytest.raises(TypeError, match=rf"^unsupported format string passed to {name}.__format__$"):
            formatted(value, ".2f")


# -- limits ------------------------------------------------------------------------------------------

_WIDE = ["0999999999d", ".999999999f", "999999999", "<999999999", "٩٩٩٩٩٩٩٩٩", "0" * 5_000 + "9" * 9, "9" * 5_000]


@pytest.mark.parametrize("spec", _WIDE)
def test_no_width_is_beyond_a_strings_length(spec: str) -> None:
    for make in (
        lambda: formatted(1.5, spec),
        lambda: filled("{:" + spec + "}", (1.5,), {}),
        lambda: filled("{:{}}", (1.5, spec), {}),
    ):
        with pytest.raises(LimitError) as caught:
            make()
        assert caught.value.code == "E405"


@pytest.mark.parametrize(
    ("template", "values"),
    [
        ("%0999999999d", 1),
        ("%-999999999s", "x"),
        ("%.999999999f", 1.5),
        ("%*d", (10**9, 1)),
        ("%*d", (-(10**9), 1)),
        ("%.*f", (10**9, 1.5)),
        ("%(a)999999999d", {"a": 1}),
        ("%s" * 3, ("x" * 40_000,) * 3),
        ("%" + "9" * 5_000 + "d", 1),
    ],
)
def test_no_percent_is_beyond_a_strings_length(template: str, values: Any) -> None:
    with pytest.raises(LimitError) as caught:
        percent(template, values)
    assert caught.value.code == "E405"


def test_a_field_reaches_as_far_as_a_program_and_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caps, "member", get)
    assert filled("{0.real} {0.imag} {a[b][1]} {1[0]}", (1j, [7]), {"a": {"b": "xy"}}) == "0.0 1.0 y 7"
    for field in ("0.__class__.__mro__", "0.__init__", "0.format.__globals__", "a.__dict__", "a.b"):
        with pytest.raises(AttributeError):
            filled("{" + field + "}", ("x",), {"a": {"b": 1}})


def test_all_together_is_no_longer_than_a_string() -> None:
    with pytest.raises(LimitError):
        filled("{0}{0}", ("x" * 60_000,), {})
