"""Attention with scores that a function changes, and masks by blocks."""

from __future__ import annotations

from typing import Any

import pytest

import gradcli as torch
from gradcli.nn.attention.flex_attention import (
    AuxRequest,
    BlockMask,
    and_masks,
    create_block_mask,
    create_mask,
    flex_attention,
    or_masks,
)

attention = torch.nn.functional.scaled_dot_product_attention


def causal(b: Any, h: Any, q: Any, k: Any) -> Any:
    return q >= k


def drawn() -> Any:
    torch.manual_seed(0)
    return (torch.randn(2, 2, 3, 4, dtype=torch.double, requires_grad=True) for _ in range(3))


def test_scores_are_changed_by_places() -> None:
    q, k, v = drawn()
    slopes = torch.tensor([0.5, -1.0], dtype=torch.double, requires_grad=True)
    found = flex_attention(q, k, v, score_mod=lambda score, b, h, i, j: score + slopes[h] * (i - j))
    at = torch.arange(3)
    table = torch.tensor([[1.0, -1.0, 2.0]] * 3, dtype=torch.double)
    # A function that takes no more than one place at a time.
    by_one = flex_attention(q, k, v, score_mod=lambda score, b, h, i, j: score + table[i][j] * (h > 0))
    torch.testing.assert_close(by_one[:, 1], attention(q, k, v, attn_mask=table)[:, 1])
    wanted = attention(q, k, v, attn_mask=slopes[:, None, None] * (at[:, None] - at))
    torch.testing.assert_close(found, wanted)
    mine, theirs = (torch.autograd.grad(y.sin().sum(), (q, k, v, slopes), retain_graph=True) for y in (found, wanted))
    torch.testing.assert_close(mine, theirs)


def test_a_mask_hides_scores_and_rows_without_any_are_zero() -> None:
    q, k, v = drawn()
    found, aux = flex_attention(
        q, k, v, block_mask=create_block_mask(causal, None, None, 3, 3), return_aux=AuxRequest(lse=True)
    )
    torch.testing.assert_close(found, attention(q, k, v, is_causal=True))
    assert aux.lse.shape == (2, 2, 3)
    assert aux.max_scores is None
    below = create_block_mask(lambda b, h, q, k: q > k, None, None, 3, 3)
    found, aux = flex_attention(q, k, v, block_mask=below, return_aux=AuxRequest(lse=True))
    assert not found[:, :, 0].any()
    assert aux.lse[0, 0, 0] == -float("inf")


def test_blocks_of_a_mask() -> None:
    mask = create_block_mask(causal, 2, 3, 5, 7, BLOCK_SIZE=2)
    assert mask.shape == (2, 3, 5, 7)
    assert mask.kv_num_blocks[0, 0].tolist() == [1, 1, 3]
    assert mask.kv_indices[0, 0].tolist() == [[0, 1, 2, 3], [1, 0, 2, 3], [0, 1, 2, 3]]
    assert mask.full_kv_num_blocks[0, 0].tolist() == [0, 1, 0]  # type: ignore[index]
    assert mask.q_indices[0, 0].tolist() == [[0, 2, 1], [1, 2, 0], [2, 0, 1], [0, 1, 2]]  # type: ignore[index]
    assert mask.to_dense()[0, 0].tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0]]
    assert (mask[0].shape, mask[0, 1].shape, mask[:, 0].shape) == ((1, 3, 5, 7), (1, 1, 5, 7), (2, 1, 5, 7))
    drawn = str(create_block_mask(causal, None, None, 300, 300))
    assert drawn == "BlockMask(shape=(1, 1, 300, 300), sparsity=-9.23%, \n(0, 0)\n██    \n████  \n██████\n)"
    assert "mask_mod=causal" in repr(mask)


def test_masks_by_functions() -> None:
    assert create_mask(causal, 1, 2, 2, 2).tolist() == [[[[True, False], [True, True]]] * 2]
    near = and_masks(causal, lambda b, h, q, k: q - k < 2)
    seen = create_mask(near, None, None, 3, 3)[0, 0]
    assert seen.int().tolist() == [[1, 0, 0], [1, 1, 0], [0, 1, 1]]
    assert not create_mask(or_masks(), None, None, 2, 2).any()
    hidden = create_mask(lambda s, b, h, q, k: torch.where(q >= k, s, -float("inf")), None, None, 2, 2)
    assert hidden[0, 0].tolist() == [[True, False], [True, True]]


def test_what_does_not_fit_is_refused() -> None:
    q, k, v = drawn()
    for args, words in (
        ((q[0], k, v), "4D tensors"),
        ((q, k[..., :2], v), "E=4 and E=2"),
        ((q, k[:, :1], v[:, :1]), "enable_gqa"),
    ):
        with pytest.raises((NotImplementedError, ValueError), match=words):
            flex_attention(*args)
    with pytest.raises(ValueError, match="block_mask was created for"):
        flex_attention(q, k, v, block_mask=create_block_mask(causal, None, None, 4, 4))
    with pytest.raises(AssertionError, match="Expected 4 or 5 positional args, got 1"):
        create_mask(lambda a: a, 1, 1, 2, 2)
    with pytest.raises(RuntimeError, match="at least 2 dimensions"):
        BlockMask.from_kv_blocks(torch.ones(1), torch.ones(1))
