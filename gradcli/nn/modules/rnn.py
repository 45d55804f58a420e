"""Recurrent networks, and their cells."""

from __future__ import annotations

import math
import warnings
from typing import Any

from ...engine.autocasting import cast_first
from ...engine.call_errors import fail, not_a_tensor
from ...engine.dtypes import float32
from ...engine.flags import settings
from ...engine.guard.trusted_classes import ours
from ...engine.modes import is_grad_enabled, mode
from ...engine.ops.make import filled
from ...engine.ops.matrix import addmm
from ...engine.ops.nn import rectifiers, recurrent_cells, recurrent_layers
from ...engine.ops.pointwise import elementary
from ...engine.ops.shape import joining
from ...engine.own_init import own_call, own_init
from ...engine.tensor import Tensor
from ...errors import EngineError, EngineTypeError, EngineValueError
from .. import functional as F, init
from ..base.holder import member
from ..utils.rnn import PackedSequence, each as _each, packed_back, packed_forth
from .linear import empty
from .module import Module

# The endings of the names of weights, by the direction that they are for.
_WAYS = ("", "_reverse")
_MODES = ("LSTM", "GRU", "RNN_TANH", "RNN_RELU")


class _Uniform(Module):
    hidden_size: int

    def reset_parameters(self) -> None:
        """Draw new starting values."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for p in self.parameters():
            init.uniform_(p, -bound, bound)


# -- cells -------------------------------------------------------------------------------------


class RNNCellBase(_Uniform):
    """The weights of one step of a recurrent network, for so many gates."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size
        self.weight_ih = empty(rows, input_size, dtype=dtype, device=device)
        self.weight_hh = empty(rows, hidden_size, dtype=dtype, device=device)
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, empty(rows, dtype=dtype, device=device) if bias else None)
        self.reset_parameters()

    def extra_repr(self) -> str:
        """The options that are not as usual."""
        text = f"{self.input_size}, {self.hidden_size}" + ("" if self.bias is True else f", bias={self.bias}")
        way = self.__dict__.get("nonlinearity", "tanh")
        return text + ("" if way == "tanh" else f", nonlinearity={way}")


class _Cell(RNNCellBase):
    _gates = 1

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, ours(self, _Cell)._gates, device, dtype)

    def _check(self, t: Tensor, what: str) -> None:
        if t.dim() not in (1, 2):
            raise EngineValueError(f"{type(self).__name__}: Expected {what} to be 1D or 2D, got {t.dim()}D instead")

    def _zeros(self, input: Tensor) -> Any:
        return filled.zeros(input.shape[0], self.hidden_size, dtype=input.dtype)

    def _weights(self) -> tuple[Any, ...]:
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The next hidden state."""
        self._check(input, "input")
        if hx is not None:
            self._check(hx, "hidden")
        alone = input.dim() == 1
        input = input.unsqueeze(0) if alone else input
        if hx is None:
            hx = self._zeros(input)
        elif alone:
            hx = hx.unsqueeze(0)
        found = self._step(input, hx)
        return found.squeeze(0) if alone else found

    def _step(self, input: Any, hx: Any) -> Any:
        raise NotImplementedError


@own_call
class RNNCell(_Cell):
    """One step of a plain recurrent network."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh", device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity = nonlinearity

    def _step(self, input: Any, hx: Any) -> Any:
        if self.nonlinearity not in ("tanh", "relu"):
            raise EngineError(f"Unknown nonlinearity: {self.nonlinearity}")
        cell = recurrent_cells.rnn_tanh_cell if self.nonlinearity == "tanh" else recurrent_cells.rnn_relu_cell
        return cell(input, hx, *self._weights())


@own_call
class GRUCell(_Cell):
    """One step of a gated recurrent unit."""

    _gates = 3

    def _step(self, input: Any, hx: Any) -> Any:
        return recurrent_cells.gru_cell(input, hx, *self._weights())


@own_init
class LSTMCell(_Cell):
    """One step of a long short-term memory."""

    _gates = 4

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The next hidden state, and what is remembered."""
        self._check(input, "input")
        if isinstance(hx, Tensor):
            self._check(hx[0], "hx[0]")
            raise EngineTypeError("lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not Tensor")
        for i, part in enumerate(hx or ()):
            self._check(part, f"hx[{i}]")
        if hx is not None and len(hx) != 2:
            raise EngineError("lstm_cell expects two hidden states")
        alone = input.dim() == 1
        input = input.unsqueeze(0) if alone else input
        if hx is None:
            zeros = self._zeros(input)
            hx = (zeros, zeros)
        elif alone:
            hx = tuple(part.unsqueeze(0) for part in hx)
        found = recurrent_cells.lstm_cell(input, hx, *self._weights())
        return tuple(part.squeeze(0) for part in found) if alone else found


# -- whole sequences ---------------------------------------------------------------------------


class RNNBase(_Uniform):
    """Layers of cells over whole sequences, in one direction or both."""

    _gates = 1
    _added = {"proj_size": 0}

    def __init__(
        self, mode: str, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, proj_size: int = 0,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if isinstance(dropout, bool) or not isinstance(dropout, (int, float)) or not 0 <= dropout <= 1:
            raise EngineValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        if dropout > 0 and num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}",
                UserWarning,
                stacklevel=3,
            )
        for name, value, kind in (
            ("bias", bias, bool), ("batch_first", batch_first, bool), ("input_size", input_size, int),
            ("hidden_size", hidden_size, int),
        ):  # fmt: skip
            if not isinstance(value, kind):
                raise EngineTypeError(f"{name} should be of type {kind.__name__}, got: {type(value).__name__}")
        for name, size in (("input_size", input_size), ("hidden_size", hidden_size), ("num_layers", num_layers)):
            if size <= 0:
                raise EngineValueError(f"{name} must be greater than zero")
        if proj_size < 0:
            raise EngineValueError("proj_size should be a positive integer or zero to disable projections")
        if proj_size >= hidden_size:
            raise EngineValueError("proj_size has to be smaller than hidden_size")
        if mode not in _MODES:
            raise EngineValueError("Unrecognized RNN mode: " + mode)
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._make_weights({"dtype": dtype, "device": device})
        self.reset_parameters()

    def _make_weights(self, like: dict[str, Any]) -> None:
        rows = ours(self, RNNBase)._gates * self.hidden_size
        shown = self.proj_size or self.hidden_size
        for layer in range(self.num_layers):
            width = shown * (1 + self.bidirectional) if layer else self.input_size
            for ending in _WAYS[: 1 + self.bidirectional]:
                sizes: dict[str, tuple[int, ...]] = {"weight_ih": (rows, width), "weight_hh": (rows, shown)}
                if self.bias:
                    sizes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
                if self.proj_size:
                    sizes["weight_hr"] = (self.proj_size, self.hidden_size)
                for name, size in sizes.items():
                    setattr(self, f"{name}_l{layer}{ending}", empty(*size, **like))

    @property
    def _all_weights(self) -> list[list[str]]:
        """The names of the weights of each layer and direction."""
        kinds = ("weight_ih", "weight_hh", *(("bias_ih", "bias_hh") if self.bias else ()))
        kinds += ("weight_hr",) if self.proj_size else ()
        ways = _WAYS[: 1 + bool(self.bidirectional)]
        return [[f"{kind}_l{layer}{way}" for kind in kinds] for layer in range(self.num_layers) for way in ways]

    @property
    def all_weights(self) -> list[list[Any]]:
        """The weights of each layer and direction."""
        return [[member(self, name) for name in names] for names in ours(self, RNNBase)._all_weights.fget(self)]

    @property
    def _flat_weights_names(self) -> list[str]:
        """The names of all weights in one row."""
        return [name for names in ours(self, RNNBase)._all_weights.fget(self) for name in names]

    @property
    def _flat_weights(self) -> list[Any]:
        """All weights in one row."""
        return [weight for weights in self.all_weights for weight in weights]

    def flatten_parameters(self) -> None:
        """Nothing: this is for other devices."""

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The hidden states of the last layer at all times, and those of all layers at the last."""
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        if input.dim() not in (2, 3):
            raise EngineValueError(
                f"{self._kind()}: Expected input to be 2D or 3D, got {input.dim()}D{ours(self, RNNBase)._noun} instead"
            )
        alone = input.dim() == 2
        axis = 0 if self.batch_first else 1
        if hx is not None:
            hx = self._batched(hx, alone)
        input = input.unsqueeze(axis) if alone else input
        batch = input.shape[0 if self.batch_first else 1]
        hx = self._zeros(input, batch) if hx is None else hx
        self._check(input, hx, batch)
        output, hidden = self._run(input.transpose(0, 1) if self.batch_first else input, hx)
        output = self._batch_first(output) if self.batch_first else output
        return (output.squeeze(axis), _each(hidden, lambda h: h.squeeze(1))) if alone else (output, hidden)

    def _forward_packed(self, input: PackedSequence, hx: Any) -> Any:
        """The same of packed sequences, the hidden states in the order that the sequences came in."""
        data, batch_sizes, order, back = input
        sizes = batch_sizes.tolist()
        if hx is None:
            hx = self._zeros(data, sizes[0])
        else:
            hx = self.permute_hidden(hx, order)
        self._check(data, hx, sizes[0], True)
        output, hidden = self._run(data, hx, sizes)
        return PackedSequence(output, batch_sizes, order, back), self.permute_hidden(hidden, back)

    def _batch_first(self, output: Any) -> Any:
        return output.transpose_(0, 1)

    # How PyTorch names the input in its complaint.
    _noun = ""

    def _kind(self) -> str:
        return self.mode.split("_")[0]

    def _batched(self, hx: Any, alone: bool) -> Any:
        """Given hidden states, with an axis for the batch."""
        if hx.dim() != (2 if alone else 3):
            case = "unbatched 2-D input, hx should also be 2-D" if alone else "batched 3-D input, hx should also be 3-D"
            raise EngineError(f"For {case} but got {hx.dim()}-D tensor")
        return hx.unsqueeze(1) if alone else hx

    def _zeros(self, input: Any, batch: int) -> Any:
        return filled.zeros(*self._hidden_shape(batch), dtype=input.dtype)

    def _hidden_shape(self, batch: int) -> tuple[int, int, int]:
        return self.num_layers * (1 + self.bidirectional), batch, self.proj_size or self.hidden_size

    # -- what PyTorch's own layers are asked -----------------------------------------------

    def get_expected_hidden_size(self, input: Any, batch_sizes: Any) -> tuple[int, int, int]:
        """The shape that a hidden state has for an input."""
        batch = int(batch_sizes[0]) if batch_sizes is not None else input.shape[0 if self.batch_first else 1]
        return self._hidden_shape(batch)

    def check_input(self, input: Any, batch_sizes: Any) -> None:
        """Refuse an input that does not fit the weights."""
        wanted = self.all_weights[0][0].dtype
        if input.dtype != wanted and mode.autocast is None:
            raise EngineValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({wanted}). Convert input: "
                f"input.to({wanted}), or convert model: model.to({input.dtype})"
            )
        rank = 2 if batch_sizes is not None else 3
        if input.dim() != rank:
            raise EngineError(f"input must have {rank} dimensions, got {input.dim()}")
        if input.shape[-1] != self.input_size:
            raise EngineError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.shape[-1]}"
            )

    def check_hidden_size(
        self, hx: Any, expected_hidden_size: Any, msg: str = "Expected hidden size {}, got {}"
    ) -> None:
        """Refuse a hidden state of another shape."""
        if hx.shape != expected_hidden_size:
            said = msg.replace("{}", f"{expected_hidden_size}", 1)
            raise EngineError(said.replace("{}", f"{list(hx.shape)}", 1))

    def check_forward_args(self, input: Any, hidden: Any, batch_sizes: Any) -> None:
        """Refuse an input or a hidden state that does not fit."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx: Any, permutation: Any) -> Any:
        """A hidden state with its sequences in another order."""
        if permutation is None:
            return hx
        for h in hx if isinstance(hx, tuple) else (hx,):
            if not isinstance(h, Tensor):
                raise not_a_tensor("permute_hidden", "hx", 1, h)
        return _each(hx, lambda h: h.index_select(1, permutation))

    def _check(self, input: Any, hx: Any, batch: int, packed: bool = False) -> None:
        self.check_input(input, (batch,) if packed else None)
        self._check_hidden(hx, batch)

    def _check_hidden(self, hx: Any, batch: int) -> None:
        self.check_hidden_size(hx, self._hidden_shape(batch))

    # -- the steps -------------------------------------------------------------------------

    def _run(
        self, input: Any, hx: Any, sizes: list[int] | None = None, all_weights: list[list[Any]] | None = None
    ) -> tuple[Any, Any]:
        """All layers; ``sizes``: of packed sequences, how many go on at each time."""
        if not input.shape[0]:
            fail("Expected sequence length to be larger than 0 in RNN")
        all_weights = self.all_weights if all_weights is None else all_weights
        starts = self._unbound(hx)
        lasts = []
        directions = 1 + self.bidirectional
        for layer in range(self.num_layers):
            outputs = []
            for way in range(directions):
                i = layer * directions + way
                weights = list(all_weights[i])
                w_hr = weights.pop() if self.proj_size else None
                w_ih, w_hh, b_ih, b_hh = (*weights, None, None)[:4]
                steps = addmm.linear(input, w_ih, b_ih)

                def cell(gi: Any, state: Any, w_hh: Any = w_hh, b_hh: Any = b_hh, w_hr: Any = w_hr) -> Any:
                    state = self._step(gi, state, w_hh, b_hh)
                    return state if w_hr is None else (addmm.linear(state[0], w_hr), *state[1:])

                if sizes is None:
                    shown, last = self._at_all_times(steps, starts[i], cell, way)
                else:
                    shown, last = (packed_back if way else packed_forth)(steps, starts[i], cell, sizes)
                    shown = [self._output(state) for state in shown]
                lasts.append(last)
                outputs.append(joining.stack(shown) if sizes is None else joining.cat(shown))
            input = joining.cat(outputs, 2 if sizes is None else -1) if self.bidirectional else outputs[0]
            if self.dropout and layer < self.num_layers - 1:
                input = F.dropout(input, self.dropout, self.training)
        return input, self._stacked(lasts)

    def _at_all_times(self, steps: Any, state: Any, cell: Any, way: int) -> tuple[list[Any], Any]:
        """The outputs at all times, and the last hidden state."""
        shown = []
        times = list(steps.unbind(0))
        for gi in reversed(times) if way else times:
            state = cell(gi, state)
            shown.append(self._output(state))
        return shown[::-1] if way else shown, state

    def _unbound(self, hx: Any) -> list[Any]:
        return list(hx.unbind(0))

    def _stacked(self, lasts: list[Any]) -> Any:
        return joining.stack(lasts)

    def _output(self, state: Any) -> Any:
        return state

    def _step(self, gi: Any, state: Any, w_hh: Any, b_hh: Any) -> Any:
        raise NotImplementedError

    def extra_repr(self) -> str:
        """The options that are not as usual."""
        usual = {
            "proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0, "bidirectional": False,
        }  # fmt: skip
        text = f"{self.input_size}, {self.hidden_size}"
        return text + "".join(f", {k}={own}" for k, v in usual.items() if (own := member(self, k)) != v)


@own_call
class RNN(RNNBase):
    """A plain recurrent network."""

    _noun = " tensor"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _refuse_projection(kwargs)
        ways = {"tanh": "RNN_TANH", "relu": "RNN_RELU"}
        way = args[3] if len(args) > 3 else kwargs.pop("nonlinearity", "tanh")
        if way not in ways:
            raise EngineValueError(f"Unknown nonlinearity '{way}'. Select from 'tanh' or 'relu'.")
        super().__init__(ways[way], *args[:3], *args[4:], **kwargs)
        self.nonlinearity = way

    def _step(self, gi: Any, state: Any, w_hh: Any, b_hh: Any) -> Any:
        bend = elementary.tanh if self.nonlinearity == "tanh" else rectifiers.relu
        return recurrent_cells.plain(addmm.linear(state, w_hh, b_hh), gi, bend)


@own_call
class GRU(RNNBase):
    """A network of gated recurrent units."""

    _gates = 3

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _refuse_projection(kwargs)
        super().__init__("GRU", *args, **kwargs)

    def _step(self, gi: Any, state: Any, w_hh: Any, b_hh: Any) -> Any:
        return recurrent_cells.gru(gi, state, w_hh, b_hh)


def _refuse_projection(kwargs: dict[str, Any]) -> None:
    if "proj_size" in kwargs:
        raise EngineValueError("proj_size argument is only supported for LSTM, not RNN or GRU")


def _is_by_kernel() -> bool:
    """Tell whether PyTorch's kernel for whole layers may compute; transforms of functions see into the steps here."""
    return not mode.transforms and mode.duals is None and not mode.readings and settings.get("mkldnn.enabled", True)


@own_call
class LSTM(RNNBase):
    """A network of long short-term memories."""

    _gates = 4

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def _run(
        self, input: Any, hx: Any, sizes: list[int] | None = None, all_weights: list[list[Any]] | None = None
    ) -> tuple[Any, Any]:
        plain = sizes is None and not self.proj_size and input.numel()
        if plain and input.dtype is float32 and mode.autocast is None and _is_by_kernel():
            return self._run_by_kernel(input, hx)
        if mode.autocast is None or not plain:
            return super()._run(input, hx, sizes, all_weights)
        # PyTorch's kernel for whole sequences computes all of them in half precision.
        found: tuple[Any, Any] = cast_first("lower", super()._run, (input, hx, None, self.all_weights), {})
        return found

    def _run_by_kernel(self, input: Any, hx: Any) -> tuple[Any, Any]:
        """The same by a node for each layer and direction, as PyTorch's kernel for the CPU leaves them."""
        lasts = []
        input, hx = input.contiguous(), [h.contiguous() for h in hx]
        for i, weights in enumerate(self.all_weights):
            way = i % 2 if self.bidirectional else 0
            if not self.bias:
                weights = [*weights, *[filled.zeros(4 * self.hidden_size)] * 2]
            h, c = (states.select(0, i) for states in hx)
            found = recurrent_layers.mkldnn_rnn_layer(input, *weights, h, c, bool(way), is_grad_enabled())
            shown, h, c, _ = found
            lasts.append((h, c))
            if self.bidirectional and not way:
                forth = shown
                continue
            input = joining.cat([forth, shown], 2) if way else shown
            if self.dropout and i < len(self.all_weights) - 1:
                input = F.dropout(input, self.dropout, self.training)
        return input, self._stacked(lasts)

    def get_expected_cell_size(self, input: Any, batch_sizes: Any) -> tuple[int, int, int]:
        """The shape that what is remembered has for an input."""
        layers, batch, _ = self.get_expected_hidden_size(input, batch_sizes)
        return layers, batch, self.hidden_size

    def check_forward_args(self, input: Any, hidden: Any, batch_sizes: Any) -> None:
        """Refuse an input or a state that does not fit."""
        self.check_input(input, batch_sizes)
        shape = self.get_expected_hidden_size(input, batch_sizes)
        self._check_hidden(hidden, shape[1])

    def _zeros(self, input: Any, batch: int) -> Any:
        layers, batch, _ = self._hidden_shape(batch)
        return super()._zeros(input, batch), filled.zeros(layers, batch, self.hidden_size, dtype=input.dtype)

    def _batch_first(self, output: Any) -> Any:
        return output.transpose(0, 1)

    def _batched(self, hx: Any, alone: bool) -> Any:
        n = 2 if alone else 3
        if any(h.dim() != n for h in hx):
            case = "unbatched 2-D" if alone else "batched 3-D"
            raise EngineError(
                f"For {case} input, hx and cx should also be {n}-D but got ({hx[0].dim()}-D, {hx[1].dim()}-D) tensors"
            )
        return tuple(h.unsqueeze(1) for h in hx) if alone else tuple(hx)

    def _check_hidden(self, hx: Any, batch: int) -> None:
        layers, batch, shown = self._hidden_shape(batch)
        for i, size in enumerate((shown, self.hidden_size)):
            self.check_hidden_size(hx[i], (layers, batch, size), f"Expected hidden[{i}] size {{}}, got {{}}")

    def _unbound(self, hx: Any) -> list[Any]:
        return list(zip(hx[0].unbind(0), hx[1].unbind(0), strict=True))

    def _stacked(self, lasts: list[Any]) -> Any:
        return tuple(joining.stack(part) for part in zip(*lasts, strict=True))

    def _output(self, state: Any) -> Any:
        return state[0]

    def _step(self, gi: Any, state: Any, w_hh: Any, b_hh: Any) -> Any:
        h, c = state
        return recurrent_cells.lstm(addmm.linear(h, w_hh, b_hh), gi, c)
