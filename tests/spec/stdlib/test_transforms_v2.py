# ruff: noqa: E501 (programs on one line)
"""The second version of torchvision's transforms, on pictures, tensors and whole samples, and its made-up data."""

from __future__ import annotations

import hashlib

import pytest

from ..running import printed

_IMPORTS = """\
import numpy as np
import torch
from PIL import Image
from torchvision import datasets, tv_tensors
from torchvision.transforms import InterpolationMode, v2
from torchvision.transforms.v2 import functional as F
pil = Image.fromarray((np.arange(13 * 17 * 3) * 37 % 251).astype(np.uint8).reshape(13, 17, 3))
byte = v2.ToImage()(pil)
floats = v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True)])(pil)
plain = floats.as_subclass(torch.Tensor)
def told(x):
    tensor = x if isinstance(x, torch.Tensor) else torch.from_numpy(np.array(x).astype(np.int64))
    kept = tensor.as_subclass(torch.Tensor).double().mul(1000).round()
    return type(x).__name__, str(tensor.dtype), list(x.shape) if tensor is x else x.size, kept.sum().item(), (kept.flatten() * torch.arange(kept.numel()) % 97).sum().item()
def each(*transforms, of):
    found = []
    for transform in transforms:
        torch.manual_seed(3)
        found.append((str(transform), told(transform(of))))
    return found
"""
# What is computed -> the hash of what torchvision 0.28.0 prints for it.
RECORDED = {
    "[each(v2.ToImage(), v2.Resize(8), v2.Resize((6, 30)), v2.Resize(9, interpolation=InterpolationMode.NEAREST), v2.CenterCrop(20), v2.Pad((1, 2), 5), v2.RandomCrop(9, padding=2), v2.RandomCrop((20, 25), padding=1, pad_if_needed=True), v2.RandomHorizontalFlip(0.9), v2.RandomVerticalFlip(), v2.RandomRotation(30), v2.RandomResizedCrop(8), v2.Grayscale(3), v2.RandomAffine(15, (0.1, 0.2), (0.8, 1.2), 10), v2.GaussianBlur(3, 1.5), v2.RandomErasing(1.0), v2.RandomInvert(1.0), of=x) for x in (pil, byte, floats)]": "66f95ad8cf10c366",
    "[each(v2.ColorJitter(0.5, 0.4, 0.3, 0.2), v2.ColorJitter(brightness=0.3), v2.RandomGrayscale(1.0), v2.RandomApply([v2.RandomHorizontalFlip(1.0), v2.CenterCrop(5)], 0.8), v2.RandomChoice([v2.CenterCrop(4), v2.CenterCrop(5)]), v2.RandomOrder([v2.CenterCrop(6), v2.RandomCrop(5), v2.Pad(1)]), v2.Identity(), v2.ToDtype(torch.float64), v2.ToDtype(torch.uint8, scale=True), v2.Lambda(lambda x: x), v2.ToPureTensor(), of=x) for x in (pil, byte, floats, plain)]": "4b29f5140f072976",
    "each(v2.Normalize([0.5] * 3, (0.25,) * 3), v2.ToPILImage(), v2.RandomErasing(1.0, value='random'), v2.RandomResizedCrop((8, 6)), of=floats), each(v2.RandomCrop(5), of=torch.stack([plain, plain]))": "91e5d6e0ac83259c",
    "(lambda s: (sorted(s), s['label'], s['boxes'].shape, told(s['image'])))(v2.RandomHorizontalFlip(1.0)({'image': floats, 'label': torch.tensor(3), 'boxes': torch.ones(2, 4)})), [told(x) for x in v2.RandomVerticalFlip(1.0)(plain, plain)], v2.Compose([v2.Resize(3), v2.ToImage()])(pil, 4)[1]": "fed75a8a4e741e92",
    "floats[:, :2, :1], v2.Resize((1, 2))(floats), type(floats), type(floats + 1), type(floats.clone()), type(tv_tensors.wrap(plain, like=byte)), tv_tensors.Image([[1, 2]])": "5688979aff6ef4d6",
    "told(F.resize(byte, [5, 5])), told(F.to_image(np.zeros((4, 5), np.uint8))), told(F.adjust_saturation(byte, 1.3)), told(F.adjust_contrast(byte, 0.7)), told(F.rotate(floats, 20, fill=0.5)), told(F.to_dtype(byte, torch.int32, scale=True))": "c64895a1a50e8f5d",
    "(lambda d: (len(d), str(d), told(d[3][0]), d[3][1], d[0][1]))(datasets.FakeData(5, (1, 6, 8), 4, v2.Compose([v2.ToImage()]), random_offset=2))": "c5df8578033c6dcc",
}


@pytest.mark.parametrize("text", RECORDED)
def test_the_results_are_those_of_torchvision(text: str) -> None:
    line = printed(f"{_IMPORTS}print(repr(({text})).replace(chr(10), ' '))\n").rstrip("\n")
    assert hashlib.sha256(line.encode()).hexdigest()[:16] == RECORDED[text]


def test_a_transform_of_ones_own_changes_what_is_a_picture() -> None:
    text = """\
class Mine(v2.Transform):
    def make_params(self, flat_inputs):
        return {"k": len(flat_inputs)}

    def transform(self, inpt, params):
        return inpt * params["k"]

print(Mine()(plain, 4, torch.ones(1))[1:], Mine())
"""
    assert printed(_IMPORTS + text) == "(4, tensor([1.])) Mine()\n"


def test_bytes_are_interpolated_with_weights_of_fifteen_bits() -> None:
    # As PyTorch 2.13 on a processor with AVX2 has it.
    text = """\
import torch, torch.nn.functional as F
x = (torch.arange(13 * 17 * 3) * 37 % 251).to(torch.uint8).reshape(1, 3, 13, 17)
for mode in ("bilinear", "bicubic"):
    for smooth, corners in ((True, False), (False, False), (False, True)):
        for size in ((8, 8), (40, 30), (13, 9)):
            y = F.interpolate(x, size=size, mode=mode, align_corners=corners, antialias=smooth).flatten().long()
            print(y.sum().item(), (y * torch.arange(len(y)) % 97).sum().item())
"""
    assert hashlib.sha256(printed(text).encode()).hexdigest()[:16] == "50131982dc747e20"


def test_a_program_without_classes_of_tensors_has_them_too() -> None:
    text = "import torch\nfrom torchvision.transforms import v2\nprint(v2.Resize((1, 2))(torch.ones(1, 4, 4)))"
    assert printed(text) == "tensor([[[1., 1.]]])\n"
