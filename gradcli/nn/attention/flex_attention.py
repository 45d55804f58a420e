"""Attention whose scores a function changes and a mask hides, in its plain form: every score is made.

Unlike PyTorch on a CPU, this is differentiable: through the functions of scores, too.
"""

from __future__ import annotations

import inspect
import itertools
import math
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ...engine.dtypes import bool_, float32, float64, int32
from ...engine.modes import no_grad
from ...engine.ops.make.filled import zeros
from ...engine.ops.make.ranges import arange
from ...engine.ops.pointwise.choosing import where
from ...engine.ops.shape.padding import pad_any as pad
from ...engine.tensor import Tensor
from ...engine.transforms.vmap import vmap

Mod: TypeAlias = Callable[..., Any]
FlexKernelOptions = dict[str, Any]

_BLOCK = 128


class AuxRequest(NamedTuple):
    """A request for results beside the output."""

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """Results beside the output."""

    lse: Tensor | None = None
    max_scores: Tensor | None = None


def noop_mask(batch: Tensor, head: Tensor, token_q: Tensor, token_kv: Tensor) -> Tensor:
    """Hide nothing."""
    return batch.new_ones(size=(), dtype=bool_)


def and_masks(*mask_mods: Mod) -> Mod:
    """The mask of what all of these show."""
    _check_callable(mask_mods)

    def and_mask(b: Tensor, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Any:
        result: Any = b.new_ones((), dtype=bool_)
        for mask in mask_mods:
            result = result & mask(b, h, q_idx, kv_idx)
        return result

    return and_mask


def or_masks(*mask_mods: Mod) -> Mod:
    """The mask of what any of these shows."""
    _check_callable(mask_mods)

    def or_mask(b: Tensor, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Any:
        result: Any = b.new_zeros((), dtype=bool_)
        for mask in mask_mods:
            result = result | mask(b, h, q_idx, kv_idx)
        return result

    return or_mask


def _check_callable(mask_mods: tuple[Mod, ...]) -> None:
    if not all(callable(mod) for mod in mask_mods):
        raise RuntimeError(f"All inputs should be callable mask_mods: {mask_mods}")


def _takes_score(mod: Mod) -> bool:
    """True of a function that changes scores: it takes one more argument than a mask."""
    needed = [
        p for p in inspect.signature(mod).parameters.values()
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty
    ]
    if len(needed) not in (4, 5):
        raise AssertionError(f"Expected 4 or 5 positional args, got {len(needed)}")
    return len(needed) == 5


def _each(mod: Mod, sizes: tuple[int, ...], *scores: Tensor) -> Any:
    """The results of a function for each batch, head, query and key."""
    places = [arange(size) for size in sizes]
    found = _at_once(mod, sizes, places, scores)
    if found is not None:
        return found
    for axis in reversed(range(4)):
        mod = vmap(mod, in_dims=(*(0 for _ in scores), *(0 if i == axis else None for i in range(4))))
    return mod(*scores, *places)


def _at_once(mod: Mod, sizes: tuple[int, ...], places: list[Tensor], scores: tuple[Tensor, ...]) -> Tensor | None:
    """The same by one call with all places along their axes; None of a function that is not one for each place."""
    along = [place.view(*(-1 if i == axis else 1 for i in range(4))) for axis, place in enumerate(places)]
    try:
        found = mod(*scores, *along)
        found = found.expand(sizes) if isinstance(found, Tensor) else None
    except (RuntimeError, IndexError, ValueError):
        # What takes single places alone may refuse all of them; what is wrong fails there as well.
        return None
    if found is None or 0 in sizes:
        return found
    with no_grad():
        for at in (tuple(0 for _ in sizes), tuple(n // 2 for n in sizes), tuple(n - 1 for n in sizes)):
            alone = mod(*(t[at] for t in scores), *(place[i] for place, i in zip(places, at, strict=True)))
            if not np.allclose(alone._a, found[at]._a, equal_nan=True):
                return None
    return found


def create_mask(
    mod_fn: Mod, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = None
) -> Tensor:  # fmt: skip
    """The mask that a function makes: of truth values, also where the function changes scores."""
    del device
    sizes = (1 if B is None else B, 1 if H is None else H, Q_LEN, KV_LEN)
    if not _takes_score(mod_fn):
        mask: Tensor = _each(mod_fn, sizes)
        return mask
    shown: Tensor = _each(mod_fn, sizes, zeros(*sizes)) != -math.inf
    return shown


def create_block_mask(
    mask_mod: Mod, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = None,
    BLOCK_SIZE: int | tuple[int, int] = _BLOCK, _compile: bool = False, separate_full_blocks: bool = True,
    compute_dq_write_order: bool = False, dq_kv_order: bool = True,
) -> BlockMask:  # fmt: skip
    """The blocks of queries and keys in which a mask shows something, and those in which it shows all."""
    if _takes_score(mask_mod):
        raise AssertionError(f"create_block_mask requires a mask_mod function! Got {mask_mod}")
    q_block, kv_block = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else BLOCK_SIZE
    mask = create_mask(mask_mod, B, H, Q_LEN, KV_LEN)
    mask = pad(mask, (0, -KV_LEN % kv_block, 0, -Q_LEN % q_block))
    b, h, rows, columns = mask.shape
    blocks = mask.reshape(b, h, rows // q_block, q_block, columns // kv_block, kv_block)
    shown = blocks.permute(0, 1, 2, 4, 3, 5).sum((-2, -1))
    full = (shown == q_block * kv_block) & separate_full_blocks
    partial = (shown > 0) & ~full
    count, indices = _listed(full) if separate_full_blocks else (None, None)
    sizes, lengths = (q_block, kv_block), (Q_LEN, KV_LEN)
    return BlockMask.from_kv_blocks(*_listed(partial), count, indices, sizes, mask_mod, lengths)


def _listed(dense: Tensor) -> tuple[Tensor, Tensor]:
    """The number of blocks that are there in each row, and the blocks: those first."""
    dense = dense.to(int32)
    return dense.sum(-1).to(int32), dense.argsort(dim=-1, descending=True, stable=True).to(int32).contiguous()


def _dense(count: Tensor, indices: Tensor) -> Tensor:
    """Ones for the blocks that are there."""
    there = (arange(indices.shape[-1]) < count[..., None]).to(int32)
    made: Tensor = zeros(*indices.shape, dtype=int32)
    return made.scatter_(-1, indices.long(), there)


_TENSORS = (
    "kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices", "q_num_blocks", "q_indices",
    "full_q_num_blocks", "full_q_indices",
)  # fmt: skip


class BlockMask:
    """A mask by its blocks: for each row of blocks, which are shown in part and which whole; and for each column."""

    def __init__(
        self, seq_lengths: tuple[int, int], kv_num_blocks: Tensor, kv_indices: Tensor,
        full_kv_num_blocks: Tensor | None, full_kv_indices: Tensor | None, q_num_blocks: Tensor | None,
        q_indices: Tensor | None, full_q_num_blocks: Tensor | None, full_q_indices: Tensor | None,
        BLOCK_SIZE: int | tuple[int, int] = _BLOCK, mask_mod: Mod | None = None,
    ) -> None:  # fmt: skip
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        self.kv_num_blocks, self.kv_indices = kv_num_blocks, kv_indices
        self.full_kv_num_blocks, self.full_kv_indices = full_kv_num_blocks, full_kv_indices
        self.q_num_blocks, self.q_indices = q_num_blocks, q_indices
        self.full_q_num_blocks, self.full_q_indices = full_q_num_blocks, full_q_indices
        self.seq_lengths = seq_lengths
        self.BLOCK_SIZE = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else BLOCK_SIZE
        self.mask_mod = noop_mask if mask_mod is None else mask_mod

    @classmethod
    def from_kv_blocks(
        cls, kv_num_blocks: Tensor, kv_indices: Tensor, full_kv_num_blocks: Tensor | None = None,
        full_kv_indices: Tensor | None = None, BLOCK_SIZE: int | tuple[int, int] = _BLOCK,
        mask_mod: Mod | None = None, seq_lengths: tuple[int, int] | None = None, compute_q_blocks: bool = True,
    ) -> BlockMask:  # fmt: skip
        """A mask of the blocks of each row: those of each column follow."""
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        if (full_kv_num_blocks is None) != (full_kv_indices is None):
            raise AssertionError("full_kv_num_blocks and full_kv_indices must be both provided or omitted")
        sizes = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else BLOCK_SIZE
        by_column: list[Any] = [None] * 4
        if compute_q_blocks:
            by_column[:2] = _listed(_dense(kv_num_blocks, kv_indices).transpose(-2, -1))
            if full_kv_num_blocks is not None and full_kv_indices is not None:
                by_column[2:] = _listed(_dense(full_kv_num_blocks, full_kv_indices).transpose(-2, -1))
        if seq_lengths is None:
            seq_lengths = (kv_indices.shape[-2] * sizes[0], kv_indices.shape[-1] * sizes[1])
        by_row = (kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices)
        blocks: tuple[Any, ...] = (*by_row, *by_column, sizes, mask_mod)
        return cls(seq_lengths, *blocks)

    def as_tuple(self, flatten: bool = True) -> tuple[Any, ...]:
        """All parts."""
        lengths, sizes = self.seq_lengths, self.BLOCK_SIZE
        # The order in which a kernel writes is none here.
        between = (*self._tensors(), *[None] * 4)
        if flatten:
            return (*lengths, *between, *sizes, self.mask_mod)
        return (lengths, *between, sizes, self.mask_mod)

    def _tensors(self) -> tuple[Tensor | None, ...]:
        return (
            self.kv_num_blocks, self.kv_indices, self.full_kv_num_blocks, self.full_kv_indices, self.q_num_blocks,
            self.q_indices, self.full_q_num_blocks, self.full_q_indices,
        )  # fmt: skip

    def _changed(self, change: Callable[[Tensor], Tensor]) -> BlockMask:
        tensors = [None if t is None else change(t) for t in self._tensors()]
        parts: tuple[Any, ...] = (self.seq_lengths, *tensors, self.BLOCK_SIZE, self.mask_mod)
        return BlockMask(*parts)

    @property
    def shape(self) -> tuple[int, ...]:
        """Batches, heads, queries and keys."""
        return (*self.kv_indices.shape[:-2], *self.seq_lengths)

    def numel(self) -> int:
        """The number of pairs of a query and a key."""
        return math.prod(self.shape)

    def sparsity(self) -> float:
        """The share of all scores that need not be made, in percent."""
        counts = (self.kv_num_blocks, self.full_kv_num_blocks)
        made = sum(int(t.sum().item()) for t in counts if t is not None) * math.prod(self.BLOCK_SIZE)
        return 100 * (1 - made / self.numel())

    def to_dense(self) -> Tensor:
        """Ones for the blocks in which anything is shown."""
        partial = _dense(self.kv_num_blocks, self.kv_indices)
        if self.full_kv_num_blocks is None or self.full_kv_indices is None:
            return partial
        both: Tensor = partial | _dense(self.full_kv_num_blocks, self.full_kv_indices)
        return both

    def to(self, device: Any) -> BlockMask:
        """The same on a device."""
        return self._changed(lambda t: t.to(device))

    def __getitem__(self, index: Any) -> BlockMask:
        """Some of the batches and heads; these axes stay."""
        places = index if isinstance(index, tuple) else (index,)
        kept = tuple(slice(i, i + 1 or None) if isinstance(i, int) else i for i in places)
        return self._changed(lambda t: t[kept])

    def __repr__(self) -> str:
        def shown(value: Any) -> Any:
            return f"torch.{value.shape!r}".replace("torch.torch", "torch") if isinstance(value, Tensor) else value

        name = getattr(self.mask_mod, "__name__", self.mask_mod)
        tensors = zip(_TENSORS, self._tensors(), strict=True)
        parts = {key: shown(t) for key, t in tensors} | {
            "BLOCK_SIZE": self.BLOCK_SIZE, "shape": self.shape, "sparsity": f"{self.sparsity():.2f}%", "mask_mod": name,
        }  # fmt: skip
        return "BlockMask(\n" + ",\n".join(f"    {key}={value}" for key, value in parts.items()) + "\n)"

    def __str__(self) -> str:
        head = f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%, \n"
        return f"{head}{self.to_string().strip()}\n)"

    def to_string(self, grid_size: int | tuple[int, int] = (20, 20), limit: int = 4) -> str:
        """A picture of the blocks of the first batches and heads."""
        most = (grid_size, grid_size) if isinstance(grid_size, int) else grid_size
        dense = self.to_dense()
        pictures = []
        for number, place in enumerate(itertools.product(*map(range, dense.shape[:-2]))):
            if number == limit:
                pictures += [
                    "...",
                    "To print out more, set BlockMask.to_string(limit=N)",
                    "You can also index (BlockMask[batch, head]) to choose a specific batch or head",
                ]
                break
            pictures.append(f"{place}\n{_picture(dense[place], most)}")
        return "\n".join(pictures)


def _picture(blocks: Tensor, most: tuple[int, int]) -> str:
    rows, columns = blocks.shape
    down, right = (max(1, -(-n // m)) for n, m in zip((rows, columns), most, strict=True))
    lines = []
    for r in range(0, rows, down):
        shares = [float(blocks[r : r + down, c : c + right].float().mean()) for c in range(0, columns, right)]
        lines.append("".join(2 * ("█" if share == 1 else " " if share == 0 else "░") for share in shares))
    return "\n".join([*lines, ""])


def flex_attention(
    query: Tensor, key: Tensor, value: Tensor, score_mod: Mod | None = None, block_mask: BlockMask | None = None,
    scale: float | None = None, enable_gqa: bool = False, return_lse: bool = False,
    kernel_options: FlexKernelOptions | None = None, *, return_aux: AuxRequest | None = None,
) -> Any:  # fmt: skip
    """Attention with scores that ``score_mod(score, batch, head, query, key)`` changes, where a mask shows them."""
    del kernel_options
    _check(query, key, value, block_mask, enable_gqa)
    if return_lse:
        if return_aux is not None:
            raise ValueError(
                "Cannot specify both return_lse and return_aux. return_lse is deprecated, please use "
                "return_aux=AuxRequest(lse=True) instead."
            )
        warnings.warn(
            "return_lse is deprecated and will be removed in v2.10. Please use return_aux=AuxRequest(lse=True) "
            "instead.",
            FutureWarning,
            stacklevel=2,
        )
    if return_aux is not None and return_aux.max_scores:
        raise NotImplementedError("Returning max scores is not supported on CPU/MPS.")
    out, lse = _attended(query, key, value, score_mod, block_mask, scale)
    if return_lse:
        return out, lse
    return out if return_aux is None else (out, AuxOutput(lse if return_aux.lse else None))


def _attended(
    query: Tensor, key: Tensor, value: Tensor, score_mod: Mod | None, block_mask: BlockMask | None, scale: float | None
) -> tuple[Tensor, Tensor]:
    """The sums of values that queries gather, and the logarithms of the sums of their scores' exponentials."""
    shared = query.shape[1] // key.shape[1]
    key, value = (t.repeat_interleave(shared, 1) if shared > 1 else t for t in (key, value))
    precise = float64 if query.dtype == float64 else float32
    scores: Any = (query @ key.transpose(-2, -1)).to(precise)
    scores = scores * (1.0 / math.sqrt(query.shape[-1]) if scale is None else scale)
    sizes = tuple(scores.shape)
    if score_mod is not None:
        scores = _each(score_mod, sizes, scores).to(precise)
    if block_mask is not None:
        scores = where(_each(block_mask.mask_mod, sizes), scores, -math.inf)
    hidden = (scores == -math.inf).all(-1, keepdim=True)
    weights = where(hidden, 0.0, scores.softmax(-1)).to(query.dtype)
    return weights @ value, where(hidden[..., 0], -math.inf, scores.logsumexp(-1))


def _check(query: Any, key: Any, value: Any, block_mask: BlockMask | None, enable_gqa: bool) -> None:
    """PyTorch's complaints about what does not fit together."""
    if any(t.dim() != 4 for t in (query, key, value)):
        raise NotImplementedError("NYI: query, key, and value must be 4D tensors")
    if query.dtype != key.dtype or query.dtype != value.dtype:
        raise ValueError(
            f"Expected query, key, and value to have the same dtype, but got query.dtype: {query.dtype}, key.dtype: "
            f"{key.dtype}, and value.dtype: {value.dtype} instead."
        )
    (bq, hq, nq, e), (bk, hk, nk, ek) = query.shape, key.shape
    if e != ek:
        raise ValueError(f"Expect query and key/value to have the same embedding dimension but got E={e} and E={ek}.")
    if bq != bk and (block_mask is None or bk != 1):
        raise ValueError(
            f"Expect query and key/value to have the same batch size, or non-none block_mask, but got {block_mask=}, "
            f"Bq={bq}, and Bkv={bk}."
        )
    if not enable_gqa and hq != hk:
        raise ValueError(
            f"Expect query and key/value to have the same number of heads but got Hq={hq} and Hkv={hk}. Try setting "
            "enable_gqa=True for GQA."
        )
    if hq % hk:
        raise ValueError(
            f"Expect number of query heads to be a multiple of kv heads for GQA but got Hq={hq} and Hkv={hk}."
        )
    if block_mask is not None and block_mask.seq_lengths != (nq, nk):
        raise ValueError(
            f"block_mask was created for {block_mask.shape=} but got q_len={nq} and kv_len={nk}. A mask of these "
            "lengths is to be made."
        )
