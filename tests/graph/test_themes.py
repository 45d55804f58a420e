"""Colours and forms: text that can be read, and kinds that are told apart, also by who sees few colours or none."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest

from gradcli.graph.dot import themes
from gradcli.graph.heat import SHADES


def _linear(colour: str) -> Any:
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def _contrast(one: str, other: str) -> float:
    """The contrast of two colours as WCAG 2 defines it."""
    low, high = sorted(float(np.array([0.2126, 0.7152, 0.0722]) @ _linear(each)) for each in (one, other))
    return (high + 0.05) / (low + 0.05)


# What is left of red, green and blue where one kind of cone is missing (Machado, Oliveira and Fernandes, 2009).
_SIGHT = {
    "normal": "1 0 0 0 1 0 0 0 1",
    "protan": "0.152286 1.052583 -0.204868 0.114503 0.786281 0.099216 -0.003882 -0.048116 1.051998",
    "deutan": "0.367322 0.860646 -0.227968 0.280085 0.672501 0.047413 -0.011820 0.042940 0.968881",
    "tritan": "1.255528 -0.076749 -0.178779 -0.078411 0.930809 0.147602 0.004733 0.691367 0.303900",
}
_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def _lab(colour: str, sight: str) -> Any:
    x, y, z = (
        _XYZ
        @ np.clip(np.array(_SIGHT[sight].split(), float).reshape(3, 3) @ _linear(colour), 0, 1)
        / np.array([0.95047, 1.0, 1.08883])
    )
    f = [t ** (1 / 3) if t > (6 / 29) ** 3 else t * (29 / 6) ** 2 / 3 + 4 / 29 for t in (x, y, z)]
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("theme", [themes.LIGHT, themes.DARK, themes.MONO], ids=["light", "dark", "mono"])
def test_all_text_can_be_read(theme: themes.Theme) -> None:
    for fill in (*theme.fills.values(), theme.background, theme.area):
        assert _contrast(theme.text, fill) >= 4.5
    for behind in (theme.background, theme.area):
        assert min(_contrast(theme.muted, behind), _contrast(theme.wrong, behind)) >= 4.5
        # Lines need less.
        assert _contrast(theme.line, behind) >= 3


@pytest.mark.parametrize("name", [themes.LIGHT_NAME, themes.DARK_NAME, themes.MONO_NAME])
@pytest.mark.parametrize("sight", _SIGHT)
def test_shades_can_be_read_and_grow_stronger(name: str, sight: str) -> None:
    theme, shades = themes.THEMES[name], themes.HEATS[name]
    for fill, line in zip(shades.fills, shades.lines, strict=True):
        assert _contrast(theme.text, fill) >= 4.5
        assert _contrast(theme.background, line) >= 3
    for ramp in shades:
        assert len(set(ramp)) == len(ramp) == SHADES
        steps = [_contrast(theme.background, shade) for shade in ramp]
        assert steps == sorted(steps)
        assert min(np.linalg.norm(_lab(a, sight) - _lab(b, sight)) for a, b in pairwise(ramp)) >= 3


@pytest.mark.parametrize("theme", [themes.LIGHT, themes.DARK], ids=["light", "dark"])
@pytest.mark.parametrize("sight", _SIGHT)
def test_fills_can_be_told_apart(theme: themes.Theme, sight: str) -> None:
    distances = [np.linalg.norm(_lab(a, sight) - _lab(b, sight)) for a, b in combinations(theme.fills.values(), 2)]
    assert min(distances) >= 16


def test_shapes_tell_kinds_apart_without_colour() -> None:
    forms = [themes.FORMS[kind] for kind in themes.FORMS if kind != themes.DERIVED]
    assert len(set(forms)) == len(forms)


def test_each_light_colour_becomes_one_dark_one() -> None:
    light = [*themes.LIGHT[:-1], *themes.LIGHT.fills.values()]
    assert len(set(light)) == len(light)
    assert themes.dark_style().count(":#") == 2 * len(light) + 1
    shaded = [*light, *themes.HEATS[themes.LIGHT_NAME].fills, *themes.HEATS[themes.LIGHT_NAME].lines]
    assert len(set(shaded)) == len(shaded)
    assert themes.dark_style(True).count(":#") == 2 * len(shaded) + 1
