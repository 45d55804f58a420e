"""torch.nn.utils.rnn: sequences of different lengths in one tensor."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any

from ...engine import dtypes
from ...engine.costs import ALWAYS, costs
from ...engine.ops.make import filled, from_data, ranges
from ...engine.ops.named_results import NamedResult
from ...engine.ops.nn import packed_sequences
from ...engine.ops.reduce import sorting
from ...engine.ops.shape import joining, views
from ...engine.tensor import Tensor
from ...errors import EngineError, EngineTypeError, EngineValueError


class PackedSequence(NamedResult):
    """Sequences of different lengths, time by time: their elements, and how many sequences go on at each time."""

    __slots__ = ()
    _fields = ("data", "batch_sizes", "sorted_indices", "unsorted_indices")
    data, batch_sizes, sorted_indices, unsorted_indices = (property(itemgetter(i)) for i in range(4))

    def __new__(
        cls, data: Any, batch_sizes: Any = None, sorted_indices: Any = None, unsorted_indices: Any = None
    ) -> PackedSequence:
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None and isinstance(data, Tensor):
            raise AssertionError("Expected data to be a list or tuple of length 2")
        held = (data, batch_sizes) if batch_sizes is not None else tuple(data)
        return tuple.__new__(cls, (*held, sorted_indices, unsorted_indices))

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)

    def _asdict(self) -> dict[str, Any]:
        """Its parts by name."""
        return dict(zip(self._fields, self, strict=True))

    def _replace(self, **fields: Any) -> PackedSequence:
        """The same with some parts replaced."""
        unknown = [name for name in fields if name not in self._fields]
        if unknown:
            raise EngineValueError(f"Got unexpected field names: {unknown!r}")
        return tuple.__new__(PackedSequence, {**self._asdict(), **fields}.values())

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
        return f"PackedSequence({fields})"

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The same with its elements in another element type."""
        data, *rest = self
        if not isinstance(data, Tensor):
            raise EngineTypeError(f"the data of a PackedSequence should be a Tensor, not {type(data).__name__}")
        changed = data.to(*args, **kwargs)
        return self if changed is data else PackedSequence(changed, *rest)

    def cpu(self) -> PackedSequence:
        """The same: there is only the CPU."""
        return self

    def cuda(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Refused: there is only the CPU."""
        return self.to("cuda")

    def double(self) -> PackedSequence:
        """The same with its elements as float64."""
        return self.to(dtypes.float64)

    def float(self) -> PackedSequence:
        """The same with its elements as float32."""
        return self.to(dtypes.float32)

    def half(self) -> PackedSequence:
        """The same with its elements as float16."""
        return self.to(dtypes.float16)

    def long(self) -> PackedSequence:
        """The same with its elements as int64."""
        return self.to(dtypes.int64)

    def int(self) -> PackedSequence:
        """The same with its elements as int32."""
        return self.to(dtypes.int32)

    def short(self) -> PackedSequence:
        """The same with its elements as int16."""
        return self.to(dtypes.int16)

    def char(self) -> PackedSequence:
        """The same with its elements as int8."""
        return self.to(dtypes.int8)

    def byte(self) -> PackedSequence:
        """The same with its elements as uint8."""
        return self.to(dtypes.uint8)

    @property
    def is_cuda(self) -> bool:
        """Return False: there is only the CPU."""
        return False

    def is_pinned(self) -> bool:
        """Return False: no memory is pinned."""
        return False


def invert_permutation(permutation: Any) -> Any:
    """The permutation that undoes another; None for None."""
    return None if permutation is None else sorting.argsort(permutation)


def pack_padded_sequence(
    input: Any, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Sequences side by side packed, without what fills them up."""
    counts: Any = from_data.as_tensor(lengths)
    counts = counts if counts.dtype.tensor_name == "Long" else counts.long()
    if counts.ndim != 1:
        raise EngineError(
            f"'lengths' argument should be a 1D CPU int64 tensor, but got {counts.ndim}D cpu Long tensor"
        )
    indices = None
    if not enforce_sorted:
        counts, indices = sorting.sort(counts, descending=True)
        input = input.index_select(0 if batch_first else 1, indices)
    data, batch_sizes = packed_sequences.pack_sequences(input, counts, batch_first)
    return PackedSequence(data, batch_sizes, indices)


@costs("spatial.unpacked", careful=ALWAYS)
def pad_packed_sequence(
    sequence: Any, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Any, Any]:
    """Packed sequences side by side, the shorter ones filled up; and their lengths."""
    data, batch_sizes, _, unsorted = sequence
    longest = batch_sizes.shape[0]
    if total_length is not None and total_length < longest:
        raise EngineValueError(
            "Expected total_length to be at least the length of the longest sequence in input, but got "
            f"total_length={total_length} and max sequence length being {longest}"
        )
    out: Any
    steps = total_length or longest
    out, lengths = packed_sequences.pad_sequences(data, batch_sizes, batch_first, padding_value, steps)
    if unsorted is not None:
        return out.index_select(0 if batch_first else 1, unsorted), lengths[unsorted]
    return out, lengths


def pack_sequence(sequences: Any, enforce_sorted: bool = True) -> PackedSequence:
    """Sequences of different lengths packed."""
    lengths = [x.shape[0] for x in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: Any) -> list[Any]:
    """The sequences that are packed."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)


@costs("spatial.padded")
def pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Any:
    """Sequences side by side, the shorter ones filled up."""
    if isinstance(sequences, Tensor):
        sequences = sequences.unbind(0)
    elif not hasattr(sequences, "__iter__"):
        raise EngineError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    held = tuple(sequences)
    if not held:
        raise EngineError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise EngineError("Expected padding_side to be one of left or right, but got " + padding_side + ".")
    for i, x in enumerate(held):
        if not isinstance(x, Tensor):
            raise EngineTypeError(
                "pad_sequence(): argument 'sequences' (position 1) must be tuple of Tensors, but found element of "
                f"type {type(x).__name__} at pos {i}"
            )
    longest = max(x.shape[0] for x in held)
    rest = held[0].shape[1:]
    size = (len(held), longest) if batch_first else (longest, len(held))
    out: Any = filled.full((*size, *rest), padding_value, dtype=held[0].dtype)
    for i, x in enumerate(held):
        row = out.select(0 if batch_first else 1, i)
        n = x.shape[0]
        row.narrow(0, longest - n if padding_side == "left" else 0, n).copy_(x)
    return out


def unpad_sequence(padded_sequences: Any, lengths: Any, batch_first: bool = False) -> list[Any]:
    """The sequences that a padded tensor holds side by side."""
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    place: Any = ranges.arange(rows.shape[1])
    return [row[place < n] for row, n in zip(rows, lengths, strict=False)]


# -- layers over packed sequences ------------------------------------------------------------------

# One step of a layer: what the input adds, and the hidden state (a tensor, or several).
Cell = Callable[[Any, Any], Any]


def each(hidden: Any, change: Callable[[Any], Any]) -> Any:
    """A hidden state with every tensor of it changed."""
    return tuple(map(change, hidden)) if isinstance(hidden, tuple) else change(hidden)


def _rows(state: Any, start: int, end: int) -> Any:
    """The hidden states of some of the sequences."""
    return each(state, lambda h: views.slice_(h, 0, start, end, 1))


def _together(states: list[Any]) -> Any:
    """The hidden states of several groups of sequences as one."""
    if isinstance(states[0], tuple):
        return tuple(joining.cat(list(parts)) for parts in zip(*states, strict=True))
    return joining.cat(states)


def packed_forth(steps: Any, state: Any, cell: Cell, sizes: list[int]) -> tuple[list[Any], Any]:
    """The hidden states at all times, and each sequence's last: the shorter ones end on the way."""
    shown: list[Any] = []
    ended: list[Any] = []
    at, before = 0, sizes[0]
    for size in sizes:
        if size < before:
            ended.append(_rows(state, size, before))
            state = _rows(state, 0, size)
        state = cell(views.slice_(steps, 0, at, at + size, 1), state)
        shown.append(state)
        at, before = at + size, size
    return shown, _together([state, *ended[::-1]])


def packed_back(steps: Any, start: Any, cell: Cell, sizes: list[int]) -> tuple[list[Any], Any]:
    """The same from the last time to the first: the shorter ones begin on the way."""
    shown: list[Any] = []
    at, before = sum(sizes), sizes[-1]
    state = _rows(start, 0, before)
    for size in reversed(sizes):
        if size > before:
            state = _together([state, _rows(start, before, size)])
        state = cell(views.slice_(steps, 0, at - size, at, 1), state)
        shown.append(state)
        at, before = at - size, size
    return shown[::-1], state
