# ruff: noqa: E501 (programs on one line)
"""Axes that are named in patterns: the nodes, the layout, the numbers and the errors of einops 0.8.2 on PyTorch."""

from __future__ import annotations

import ast
import keyword

import pytest

from ..running import printed

_BEGIN = '''\
import einops, numpy as np, torch
from einops import asnumpy, einsum, pack, parse_shape, rearrange, reduce, repeat, unpack
from einops.layers.torch import EinMix, Rearrange, Reduce
torch.manual_seed(0)
x = torch.arange(48.0).reshape(1, 2, 4, 6).requires_grad_()
n = x.detach().numpy()
def told(make):
    try:
        y = make()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if not isinstance(y, torch.Tensor):
        return f"{y.shape} {y.sum()}" if isinstance(y, np.ndarray) else str(y)
    nodes, node = [], y.grad_fn
    while node is not None and node.next_functions:
        nodes.append(node.name())
        node = node.next_functions[0][0]
    return f"{tuple(y.shape)} {y.stride()} {(y.double() * torch.arange(y.numel()).reshape(y.shape)).sum().item():g} {' '.join(nodes)}"
'''
# What is computed -> what einops gives for it.
_CASES = {
    'rearrange(x, "b c h w -> b (c h w)")': '(1, 48) (48, 1) 35720 ViewBackward0',
    'rearrange(x, "b c (h p) (w q) -> b (h w) (p q c)", p=2, q=3)': '(1, 4, 12) (48, 12, 1) 31180 UnsafeViewBackward0 CloneBackward0 PermuteBackward0 ViewBackward0',
    'rearrange(x, "b ... w -> w (...) b")': '(6, 8, 1) (1, 6, 48) 29140 ReshapeAliasBackward0 PermuteBackward0',
    'rearrange(x, "1 c h w -> c () h 1 w")': '(2, 1, 4, 1, 6) (24, 24, 6, 6, 1) 35720 ViewBackward0 ViewBackward0',
    'rearrange([x, 2 * x], "n 1 c h w -> c (n h) w")': '(2, 8, 6) (48, 6, 1) 222648 UnsafeViewBackward0 CloneBackward0 PermuteBackward0 ViewBackward0 StackBackward0',
    'rearrange(n, "b c h w -> w (b c h)")': '(6, 8) 1128.0',
    'reduce(x, "b c (h 2) (w 3) -> b c h w", "max")': '(1, 2, 2, 2) (8, 4, 2, 1) 1016 AmaxBackward0 PermuteBackward0 ViewBackward0',
    'reduce(x, "b c h w -> c", "mean")': '(2,) (1,) 35.5 MeanBackward1 PermuteBackward0',
    'reduce(x, "b c h w -> b () ()", "prod")': '(1, 1, 1) (1, 1, 1) 0 ViewBackward0 ProdBackward1 ProdBackward1 ProdBackward1',
    'reduce(x > 7, "b c h w -> h", "all")': '(4,) (1,) 5 ',
    'reduce(x, "b c h w -> c b", torch.logsumexp)': '(2, 1) (1, 1) 47.4587 LogsumexpBackward0 PermuteBackward0',
    'reduce(n, "b c h w -> c", "min")': '(2,) 24.0',
    'repeat(x, "b c h w -> b (c r) h (2 w)", r=2)': '(1, 4, 4, 12) (192, 48, 12, 1) 559328 UnsafeViewBackward0 CloneBackward0 ExpandBackward0 UnsqueezeBackward0 UnsqueezeBackward0',
    'repeat(x, "1 c h w -> k c h w", k=3)': '(3, 2, 4, 6) (0, 24, 6, 1) 269592 ExpandBackward0 UnsqueezeBackward0 ViewBackward0',
    'repeat(n, "1 c h w -> c h w 2")': '(2, 4, 6, 2) 2256.0',
    'einsum(x, x, "b c h w, b d h w -> b c d")': '(1, 2, 2) (4, 2, 1) 127032 ViewBackward0 PermuteBackward0 ViewBackward0 BmmBackward0 ViewBackward0 PermuteBackward0 PermuteBackward0 UnsqueezeBackward0',
    'einsum(x, "batch ... width -> width ...")': '(6, 2, 4) (8, 4, 1) 29140 SumBackward1 PermuteBackward0',
    'einsum(n, n, "b c h w, b c h v -> w v")': '(6, 6) 213480.0',
    'pack([x, x[:, 0], x[:, :, 0, 0]], "b *")[0]': '(1, 74) (74, 1) 55044 CatBackward0 ViewBackward0',
    'pack([x, x[:, 0]], "b * w")[1]': '[torch.Size([2, 4]), torch.Size([4])]',
    '[tuple(part.shape) for part in unpack(x, [(2,), (), (-1, 1)], "b c * w")]': '[(1, 2, 2, 6), (1, 2, 6), (1, 2, 1, 1, 6)]',
    'parse_shape(x, "_ channels ... w")': "{'channels': 2, 'w': 6}",
    'asnumpy(x)': '(1, 2, 4, 6) 1128.0',
    'Rearrange("b c (h p) ... -> b (c p) h ...", p=2)(x)': '(1, 4, 2, 6) (48, 12, 6, 1) 35288 UnsafeViewBackward0 CloneBackward0 PermuteBackward0 ViewBackward0',
    '[Rearrange("b c (h p) w -> b c h p w", p=2), Reduce("b c h w -> b", "max"), EinMix("b d -> b e", "d e", "e", d=6, e=3)]': "[Rearrange('b c (h p) w -> b c h p w', p=2), Reduce('b c h w -> b', 'max'), EinMix('b d -> b e', 'd e', 'e', d=6, e=3)]",
    '(EinMix("b (h c) y z -> b (h e) y z", "h c e", "h e", h=1, c=2, e=3), torch.manual_seed(0))[0](x)': '(1, 3, 4, 6) (72, 24, 6, 1) 76328.1 ViewBackward0 AsStridedBackward0 torch::autograd::CopySlices BmmBackward0 ReshapeAliasBackward0 PermuteBackward0 PermuteBackward0 UnsqueezeBackward0 UnsqueezeBackward0 UnsqueezeBackward0',
    'EinMix("... d -> ... e", "d e", d=6, e=2).einsum_pattern': '...a,ab->...b',
    'rearrange(x, "b c h -> b c h")': 'EinopsError:  Error while processing rearrange-reduction pattern "b c h -> b c h".\n Input tensor shape: torch.Size([1, 2, 4, 6]). Additional info: {}.\n Wrong shape: expected 3 dims. Received 4-dim tensor.',
    'rearrange(x, "b c h w -> b c h")': 'EinopsError:  Error while processing rearrange-reduction pattern "b c h w -> b c h".\n Input tensor shape: torch.Size([1, 2, 4, 6]). Additional info: {}.\n Identifiers only on one side of expression (should be on both): {\'w\'}',
    'rearrange(x, "b c (h p) w -> b c h p w", p=3)': 'EinopsError:  Error while processing rearrange-reduction pattern "b c (h p) w -> b c h p w".\n Input tensor shape: torch.Size([1, 2, 4, 6]). Additional info: {\'p\': 3}.\n Shape mismatch, can\'t divide axis of length 4 in chunks of 3',
    'rearrange(x, "b c (h p) w -> b c h p w", p=2, q=1)': 'EinopsError:  Error while processing rearrange-reduction pattern "b c (h p) w -> b c h p w".\n Input tensor shape: torch.Size([1, 2, 4, 6]). Additional info: {\'p\': 2, \'q\': 1}.\n Axis q is not used in transform',
    'rearrange(x, "b c (h p) w -> b c h p w", p=2, h=4)': 'EinopsError:  Error while processing rearrange-reduction pattern "b c (h p) w -> b c h p w".\n Input tensor shape: torch.Size([1, 2, 4, 6]). Additional info: {\'p\': 2, \'h\': 4}.\n Shape mismatch, 4 != 8',
    'rearrange(x, "b (c (h)) w -> b c h w")': 'EinopsError:  Error while processing rearrange-reduction pattern "b (c (h)) w -> b c h w".\n Input tensor shape: torch.Size([1, 2, 4, 6]). Additional info: {}.\n Axis composition is one-level (brackets inside brackets not allowed)',
    'rearrange(x, "b c h) w -> b c h w")': 'EinopsError:  Error while processing rearrange-reduction pattern "b c h) w -> b c h w".\n Input tensor shape: torch.Size([1, 2, 4, 6]). Additional info: {}.\n Brackets are not balanced',
    'rearrange(x, "(b c h w -> b c h w")': 'EinopsError:  Error while processing rearrange-reduction pattern "(b c h w -> b c h w".\n Input tensor shape: torch.Size([1, 2, 4, 6]). Additional info: {}.\n Imbalanced parentheses in expression: "(b c h w "',
    'rearrange(x, "b b h w -> b h w")': 'EinopsError:  Error while processing rearrange-reduction pattern "b b h w -> b h w".\n Input tensor shape: torch.Size([1, 2, 4, 6]). Additional info: {}.\n Indexing expression contains duplicate dimension "b"',
    'rearrange(x, "b-c h w -> b c h w")': 'EinopsError:  Error while processing rearrange-reduction pattern "b-c h w -> b c h w".\n Input tensor shape: torch.Size([1, 2, 4, 6]). Additional info: {}.\n Unknown character \'-\'',
    'rearrange(x, "_b c h w -> _b c h w")': 'EinopsError:  Error while processing rearrange-reduction pattern "_b c h w -> _b c h w".\n Input tensor shape: torch.Size([1, 2, 4, 6]). Additional info: {}.\n Invalid axis identifier: _b\naxis name should should not start or end with underscore',
    'rearrange(x, "b c h 2 -> b c h")': 'EinopsError:  Error while processing rearrange-reduction pattern "b c h 2 -> b c h".\n Input tensor shape: torch.Size([1, 2, 4, 6]). Additional info: {}.\n Non-unitary anonymous axes are not supported in rearrange (exception is length 1)',
    'rearrange(x, "b .. w -> b w")': 'EinopsError:  Error while processing rearrange-reduction pattern "b .. w -> b w".\n Input tensor shape: torch.Size([1, 2, 4, 6]). Additional info: {}.\n Expression may contain dots only inside ellipsis (...)',
    'rearrange(x, "... -> ... b")': 'EinopsError:  Error while processing rearrange-reduction pattern "... -> ... b".\n Input tensor shape: torch.Size([1, 2, 4, 6]). Additional info: {}.\n Identifiers only on one side of expression (should be on both): {\'b\'}',
    'rearrange(x, "b (...) -> b ...")': 'EinopsError:  Error while processing rearrange-reduction pattern "b (...) -> b ...".\n Input tensor shape: torch.Size([1, 2, 4, 6]). Additional info: {}.\n Ellipsis inside parenthesis in the left side is not allowed: b (...) -> b ...',
    'repeat(x, "b c h w -> b c h w k")': 'EinopsError:  Error while processing repeat-reduction pattern "b c h w -> b c h w k".\n Input tensor shape: torch.Size([1, 2, 4, 6]). Additional info: {}.\n Specify sizes for new axes in repeat: {\'k\'}',
    'repeat(x, "b c h w -> b c h")': 'EinopsError:  Error while processing repeat-reduction pattern "b c h w -> b c h".\n Input tensor shape: torch.Size([1, 2, 4, 6]). Additional info: {}.\n Unexpected identifiers on the left side of repeat: {\'w\'}',
    'reduce(x, "b c h w -> b", "median")': 'EinopsError:  Error while processing median-reduction pattern "b c h w -> b".\n Input tensor shape: torch.Size([1, 2, 4, 6]). Additional info: {}.\n Unknown reduction median. Expect one of (\'min\', \'max\', \'sum\', \'mean\', \'prod\', \'any\', \'all\').',
    'reduce(x, "b c h w -> b k", "sum")': 'EinopsError:  Error while processing sum-reduction pattern "b c h w -> b k".\n Input tensor shape: torch.Size([1, 2, 4, 6]). Additional info: {}.\n Unexpected identifiers on the right side of reduce sum: {\'k\'}',
    'reduce(torch.arange(3), "n ->", "mean")': 'NotImplementedError: reduce_mean is not available for non-floating tensors',
    'einsum(x, "b c h w")': "ValueError: Einsum pattern must contain '->'.",
    'einsum(x, "b c h w -> k")': 'EinopsError: Unknown axis k on right side of einsum b c h w -> k.',
    'einsum(x, "b (c h) w -> b")': 'NotImplementedError: Shape rearrangement is not yet supported in einsum.',
    'pack([x], "b c h")': 'EinopsError: No *-axis in pack(..., "b c h")',
    'unpack(x, [(1,), (7,)], "b c * w")': 'EinopsError: Error during unpack(..., "b c * w"): could not split axis of size 4 into requested [(1,), (7,)]',
    'parse_shape(x, "b c h")': "RuntimeError: Can't parse shape with different number of dimensions: b c h torch.Size([1, 2, 4, 6])",
    'rearrange(3, "b -> b")': "RuntimeError: Tensor type unknown to einops <class 'int'>",
    'rearrange([], "b -> b")': "TypeError: Rearrange/Reduce/Repeat can't be applied to an empty list",
    'Rearrange("b c -> b")': "EinopsError:  Error while preparing Rearrange('b c -> b')\n Identifiers only on one side of expression (should be on both): {'c'}",
    'Rearrange("b c -> c b")(x)': 'KeyError: 4',
    'EinMix("b d -> b e", "d e", d=3)': 'EinopsError: Dimension e of weight should be specified',
    'EinMix("b d -> b e", "d e", "f", d=3, e=2)': "EinopsError: Bias axes {'f'} not present in output",
}


@pytest.fixture(scope="module")
def lines() -> dict[str, str]:
    """What a program says of all of them."""
    text = "".join(f"print(repr(told(lambda: {case})))\n" for case in _CASES)
    return dict(zip(_CASES, map(ast.literal_eval, printed(_BEGIN + text).splitlines()), strict=True))


@pytest.mark.parametrize("case", _CASES)
def test_it_is_as_in_einops(case: str, lines: dict[str, str]) -> None:
    assert lines[case] == _CASES[case]


def test_a_length_may_be_a_name_of_many_patterns() -> None:
    """What is known of patterns is kept, but not without end."""
    text = "import torch\nfrom einops import rearrange\nfor i in range(1500):\n    rearrange(torch.ones(2), f'a{i} -> a{i} 1')\n"
    assert printed(text + "print(rearrange(torch.ones(2), 'a0 -> 1 a0').shape)\n") == "torch.Size([1, 2])\n"


def test_words_of_python_are_known() -> None:
    assert printed("import keyword\nprint(keyword.iskeyword('for'), keyword.iskeyword('x'), len(keyword.kwlist))\n") == f"True False {len(keyword.kwlist)}\n"


def test_arrays_are_read_in_the_order_that_is_asked_for() -> None:
    text = "import numpy as np\na = np.arange(6)\nprint(a.reshape([2, 3], order='F').ravel().tolist(), np.reshape(a, (2, -1), 'F').flatten('F').tolist(), np.ravel(a.reshape(3, 2), order='F').tolist())\n"
    assert printed(text) == "[0, 2, 4, 1, 3, 5] [0, 1, 2, 3, 4, 5] [0, 2, 4, 1, 3, 5]\n"
