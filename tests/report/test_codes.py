"""The long forms of codes."""

from __future__ import annotations

import ast

import pytest

from gradcli import errors
from gradcli.report.codes import CODES, explanation, titles

EXAMPLES = [(code, e) for code, entry in CODES.items() for e in (entry.wrong, entry.right) if e]
every_code = pytest.mark.parametrize("code", CODES)


def test_codes_are_sorted_and_titled() -> None:
    assert list(titles()) == sorted(CODES)
    assert len(set(titles().values())) == len(CODES)


def test_every_error_has_a_code_that_is_explained() -> None:
    kinds = [v for v in vars(errors).values() if isinstance(v, type) and issubclass(v, errors.GradcliError)]
    assert {kind.code for kind in kinds} <= set(CODES)


@every_code
def test_an_explanation_reads_well(code: str) -> None:
    text = explanation(code)
    assert text is not None
    assert explanation(code.lower()) == text
    assert max(map(len, text.split("\n"))) <= 80
    assert text.startswith(f"{code}: {CODES[code].title}\n\n")
    assert text.endswith(CODES[code].advice + "\n")
    assert not any(line != line.rstrip() for line in text.split("\n"))
    assert CODES[code].meaning.endswith(".")
    assert CODES[code].advice.endswith(".")


def test_what_is_no_code_has_no_explanation() -> None:
    assert explanation("E999") is None
    assert explanation("") is None


def test_an_explanation_to_the_letter() -> None:
    assert explanation("E404") == (
        "E404: an integer that is too large\n"
        "\n"
        "Integers of a spec have up to 4,300 digits, which is what Python writes out,\n"
        "and those that tensors and arrays are made of or computed with have 64 bits.\n"
        "Python's own have no end, and a short line can make one that fills the memory,\n"
        "so the size is checked before the operation.\n"
        "\n"
        "This earns it:\n"
        "\n"
        "    import torch\n"
        "    print(torch.tensor(2 ** 64))\n"
        "\n"
        "This does not:\n"
        "\n"
        "    import torch\n"
        "    print(torch.tensor(2.0 ** 64))\n"
        "\n"
        "Make one operand a float, or use a tensor: floats reach to about 1e308.\n"
    )


@pytest.mark.parametrize(("code", "example"), EXAMPLES)
def test_examples_are_commands_settings_or_programs(code: str, example: str) -> None:
    if not example.startswith(("gradcli ", "[tool.gradcli]")) and code != "E101":
        ast.parse(example)
