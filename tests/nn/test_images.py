"""Images that are resized, pooled and read at places: what PyTorch does at the edges of what it takes."""

from __future__ import annotations

from typing import Any

import pytest

PLACES = [float("nan"), 0.1, float("inf"), 0.1, float("-inf"), 0.1]


@pytest.mark.parametrize("options", [{}, {"antialias": True}], ids=str)
def test_bytes_keep_their_channels_last(torch: Any, options: dict[str, Any]) -> None:
    x = torch.arange(96).reshape(2, 3, 4, 4).to(torch.uint8)
    last = torch.nn.functional.interpolate(
        x.contiguous(memory_format=torch.channels_last), (3, 5), mode="bilinear", **options
    )
    assert last.stride() == (45, 1, 15, 3)
    assert torch.equal(last, torch.nn.functional.interpolate(x, (3, 5), mode="bilinear", **options))


def test_no_images_have_gradients(torch: Any) -> None:
    x = torch.zeros(0, 2, 4, 4, requires_grad=True)
    torch.nn.functional.interpolate(x, scale_factor=2, mode="bilinear").sum().backward()
    assert x.grad.shape == x.shape


@pytest.mark.parametrize(
    ("mode", "padding", "found"),
    [
        ("bilinear", "border", [4.45, 6.45, 4.45]),
        ("bilinear", "reflection", [4.45, 4.45, 4.45]),
        ("nearest", "border", [4.0, 6.0, 4.0]),
        ("nearest", "zeros", [0.0, 0.0, 0.0]),
        ("bilinear", "zeros", ["nan", "nan", "nan"]),
    ],
)
def test_places_that_are_no_numbers(torch: Any, mode: str, padding: str, found: list[Any]) -> None:
    x = torch.arange(1.0, 10.0).reshape(1, 1, 3, 3)
    grid = torch.tensor(PLACES).reshape(1, 1, 3, 2)
    read = torch.nn.functional.grid_sample(x, grid, mode, padding, False).flatten().tolist()
    assert read == pytest.approx([float(x) for x in found], nan_ok=True)


def test_places_beside_volumes_that_are_no_numbers_count_as_high(torch: Any) -> None:
    x = torch.arange(27.0).reshape(1, 1, 3, 3, 3)
    grid = torch.tensor([float("nan"), 0.1, 0.2]).reshape(1, 1, 1, 1, 3)
    assert torch.nn.functional.grid_sample(x, grid, "nearest", "border", False).item() == 14.0
    assert torch.nn.functional.grid_sample(x, grid, "bilinear", "zeros", False).item() == 0.0


def test_what_fractional_pooling_is_given(torch: Any) -> None:
    nn, x = torch.nn, torch.ones(1, 1, 6, 6, 6)
    assert nn.FractionalMaxPool3d(2, output_ratio=(0.5, 0.5, 0.5, 0.5))(x).shape == (1, 1, 3, 3, 3)
    with pytest.raises(IndexError, match="tuple index out of range"):
        nn.FractionalMaxPool3d(2, output_ratio=(0.5, 0.5))(x)
    with pytest.raises(ValueError, match="requires output_ratio to either be a single Int or tuple of Ints"):
        nn.FractionalMaxPool2d(2, output_ratio=(0.5, 0.5, 0.5))(x[0])
    with pytest.raises(RuntimeError, match="Expect _random_samples to have the same dtype as input"):
        nn.FractionalMaxPool2d(2, output_size=3, _random_samples=torch.rand(1, 1, 2).double())(x[0, 0])


@pytest.mark.parametrize(
    ("name", "argument"),
    [("pixel_shuffle", "upscale_factor"), ("pixel_unshuffle", "downscale_factor"), ("channel_shuffle", "groups")],
)
def test_factors_are_whole_numbers(torch: Any, name: str, argument: str) -> None:
    shuffled = getattr(torch.nn.functional, name)
    for factor, kind in ((2.0, "float"), ("2", "str")):
        words = rf"{name}\(\): argument '{argument}' \(position 2\) must be int, not {kind}"
        with pytest.raises(TypeError, match=words):
            shuffled(torch.ones(1, 4, 2, 2), factor)
