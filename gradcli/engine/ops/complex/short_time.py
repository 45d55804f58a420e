"""The short-time Fourier transform: of a signal in frames that overlap, and back."""

from __future__ import annotations

import warnings
from typing import Any

from ....errors import EngineTypeError, Unsupported
from ... import ops
from ...call_errors import fail, not_a_tensor
from ...costs import ALWAYS, costs
from ...dtypes import DTYPES
from ...registry import composite, public
from ...tensor import Tensor, Value
from .fourier import NOTHING, NUMBER, ROOT, complex_to_complex, complex_to_real, real_to_complex
from .parts import resolve_conj, view_as_complex, view_as_real

_NO_WINDOW = (
    "A window was not provided. A rectangular window will be applied,which is known to cause spectral leakage. Other "
    "windows such as torch.hann_window or torch.hamming_window are recommended to reduce spectral leakage.To suppress "
    "this warning and use a rectangular window, explicitly set `window=torch.ones(n_fft, device=<device>)`."
)
_NO_WINDOW_BACK = (
    "A window was not provided. A rectangular window will be applied.Please provide the same window used by stft to "
    "make the inversion lossless.To suppress this warning and use a rectangular window, explicitly set "
    "`window=torch.ones(n_fft, device=<device>)`."
)
_PAIRS = (
    "stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex tensors for "
    "all inputs, and return_complex=False will raise an error.\nNote: you can still call torch.view_as_real on the "
    "complex output to recover the old return format."
)
_ONE_SIDE = "Cannot have onesided output if window or input is complex"


def _shown(x: Any, brackets: str = "{}") -> str:
    """A tensor, or another argument, as PyTorch's errors show it."""
    if isinstance(x, Tensor):
        return f"{DTYPES[x._a.dtype].type_name}{brackets[:-1]}{list(x.shape)}{brackets[-1:]}"
    return str(int(x)) if isinstance(x, bool) else str(x)


def _call(name: str, first: str, **given: Any) -> str:
    return f"{name}({first}, {', '.join(f'{k}={_shown(v)}' for k, v in given.items())})"


def _given(name: str, x: Any, window: Any) -> None:
    if not isinstance(x, Tensor):
        raise not_a_tensor(name, "input", 1, x)
    if window is not None and not isinstance(window, Tensor):
        raise EngineTypeError(f"{name}(): argument 'window' must be Tensor, not {type(window).__name__}")


# -- there -----------------------------------------------------------------------------------------


@public("torch Tensor")
@costs("spatial.framed", careful=ALWAYS)
@composite
def stft(
    input: Any,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Any = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Value:
    """The Fourier transforms of a signal's frames: frequencies by frames."""
    _given("stft", input, window)
    x: Any = input
    if center:
        if align_to_window is not None:
            fail("stft align_to_window should only be set when center = false")
        extended = (*[1] * (3 - x.ndim), *x.shape)
        bordered: Any = ops.padding.pad_any(x.view(extended), (n_fft // 2, n_fft // 2), pad_mode)
        x = bordered.view(bordered.shape[-x.ndim :])
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    call = _call(
        "stft", _shown(x, ""), n_fft=n_fft, hop_length=hop, win_length=width, window=window, normalized=normalized,
        onesided=onesided, return_complex=return_complex, align_to_window=align_to_window,
    )  # fmt: skip
    in_pairs = _refuse(call, x, n_fft, hop, width, window, return_complex)
    if align_to_window and width < n_fft:
        raise Unsupported("stft(): align_to_window=True with win_length below n_fft is not supported")
    frames = _weighted(x if x.ndim == 2 else x.unsqueeze(0), n_fft, hop, width, window)
    norm = ROOT if normalized else NOTHING
    made: Any
    if frames.is_complex():
        if onesided:
            fail(_ONE_SIDE)
        made = complex_to_complex(frames, (2,), norm, True)
    else:
        made = real_to_complex(frames, (2,), norm, onesided is None or onesided)
    made.transpose_(1, 2)
    if x.ndim == 1:
        made.squeeze_(0)
    return view_as_real(made) if in_pairs else made


def _refuse(
    call: str, x: Any, n_fft: int, hop: int, width: int, window: Any, return_complex: bool | None
) -> bool:
    """Refuse what is no signal, or makes no frames; tell whether pairs of numbers are wanted."""
    if window is None:
        warnings.warn(_NO_WINDOW, UserWarning, stacklevel=4)
    if return_complex is None:
        return_complex = x.is_complex() or (window is not None and window.is_complex())
        if not return_complex:
            fail(
                "stft requires the return_complex parameter be given for real inputs, and will further require that "
                "return_complex=True in a future PyTorch release."
            )
    if not return_complex:
        warnings.warn(_PAIRS, UserWarning, stacklevel=4)
    if not (x.is_floating_point() or x.is_complex()):
        fail(f"{call} : expected a tensor of floating point or complex values")
    if x.ndim not in (1, 2):
        fail(f"{call} : expected a 1D or 2D tensor")
    if not 0 < n_fft <= x.shape[-1]:
        fail(f"{call} : expected 0 < n_fft < {x.shape[-1]}, but got n_fft={n_fft}")
    if hop <= 0:
        fail(f"{call} : expected hop_length > 0, but got hop_length={hop}")
    if not 0 < width <= n_fft:
        fail(f"{call} : expected 0 < win_length <= n_fft, but got win_length={width}")
    if window is not None and tuple(window.shape) != (width,):
        fail(
            f"{call} : expected a 1D window tensor of size equal to win_length={width}, but got window with size "
            f"{list(window.shape)}"
        )
    return not return_complex


def _weighted(x: Any, n_fft: int, hop: int, width: int, window: Any) -> Any:
    """The frames of a signal, each number with the weight that the window has for it."""
    if width < n_fft:
        like = x if window is None else window
        wide: Any = ops.filled.new_zeros(like, (n_fft,))
        inner: Any = ops.reshaping.narrow(wide, 0, (n_fft - width) // 2, width)
        inner.fill_(1) if window is None else inner.copy_(window)
        window = wide
    count = 1 + (x.shape[1] - n_fft) // hop
    over, step = x.stride()
    frames: Any = ops.strides.as_strided(x, (x.shape[0], count, n_fft), (over, hop * step, step))
    return frames if window is None else frames * window


# -- and back --------------------------------------------------------------------------------------


@public("torch Tensor")
@composite
def istft(
    input: Any,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Any = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Value:
    """The signal of which these are the Fourier transforms of its frames."""
    _given("istft", input, window)
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    if window is None:
        warnings.warn(_NO_WINDOW_BACK, UserWarning, stacklevel=3)
    if not input.is_complex():
        fail("istft requires a complex-valued input tensor matching the output from stft with return_complex=True.")
    kind = DTYPES[input._a.dtype].tensor_name
    call = _call(
        "istft", f"CPU{kind}Type{list(input.shape)}", n_fft=n_fft, hop_length=hop, win_length=width, window=window,
        center=center, normalized=normalized, onesided=onesided, length=length, return_complex=return_complex,
    )  # fmt: skip
    one_side = input.shape[-2] != n_fft if onesided is None else onesided
    _refuse_back(call, input, n_fft, hop, width, window, one_side)
    x: Any = view_as_real(resolve_conj(input))
    alone = x.ndim == 3
    x = view_as_complex((x.unsqueeze(0) if alone else x).transpose(1, 2))
    weights = window
    if window is None:
        weights = ops.filled.ones(width, dtype=DTYPES[x._a.real.dtype])
    elif window.is_complex() and not return_complex:
        fail("Complex windows are incompatible with return_complex=False")
    left = (n_fft - width) // 2
    if width != n_fft:
        weights = ops.padding.constant_pad_nd(weights, (left, n_fft - width - left), 0)
    norm = ROOT if normalized else NUMBER
    if return_complex:
        if one_side:
            fail(_ONE_SIDE)
        x = complex_to_complex(x, (2,), norm, False)
    else:
        x = complex_to_real(x if one_side else x[..., : n_fft // 2 + 1], (2,), norm, n_fft)
    made = _added_up(call, x, weights, n_fft, hop, center, length)
    if alone:
        made = made.squeeze(0)
    missing = 0 if length is None else length + (n_fft // 2 if center else 0) - (n_fft + hop * (x.shape[1] - 1))
    if missing > 0:
        warnings.warn(
            "The length of signal is shorter than the length parameter. Result is being padded with zeros in the tail. "
            "Please check your center and hop_length settings.",
            UserWarning,
            stacklevel=3,
        )
        made = ops.padding.constant_pad_nd(made, (0, missing), 0)
    return made


def _refuse_back(call: str, x: Any, n_fft: int, hop: int, width: int, window: Any, one_side: bool) -> None:
    """Refuse what are no transforms of frames of a signal."""
    if not x._a.size:
        fail(f"{call} : input tensor cannot be empty.")
    if x.ndim not in (2, 3):
        fail(f"{call} : expected a tensor with 3 or 4 dimensions, but got {x.ndim + 1}")
    if one_side and n_fft // 2 + 1 != x.shape[-2]:
        fail(
            f"{call} : expected the frequency dimension (3rd to the last) of the input tensor to match n_fft / 2 + 1 "
            f"when onesided=True, but got {x.shape[-2]}"
        )
    if not one_side and n_fft != x.shape[-2]:
        fail(
            f"{call} : expected the frequency dimension (3rd to the last) of the input tensor to match n_fft when "
            f"onesided=False, but got {x.shape[-2]}"
        )
    if not 0 < hop <= width:
        fail(f"{call} : expected 0 < hop_length <= win_length")
    if not 0 < width <= n_fft:
        fail(f"{call} : expected 0 < win_length <= n_fft")
    if window is not None and tuple(window.shape) != (width,):
        fail(f"{call} : Invalid window shape. window has to be 1D and length of `win_length`")


def _added_up(call: str, x: Any, weights: Any, n_fft: int, hop: int, center: bool, length: int | None) -> Any:
    """The frames where they belong, divided by the weight that each place has had."""
    count = x.shape[1]
    total = n_fft + hop * (count - 1)
    back: Any = ops.strides.unfold_backward
    y = back(x * weights.view((1, 1, n_fft)), (x.shape[0], total), 1, n_fft, hop)
    had = back(weights.pow(2).expand((1, count, n_fft)), (1, total), 1, n_fft, hop)
    start = n_fft // 2 if center else 0
    end = -(n_fft // 2) if center else None
    end = end if length is None else start + length
    y, had = (ops.views.slice_(t, 1, start, end, 1) for t in (y, had))
    if had.detach().abs().min().item() < 1e-11:
        fail(f"{call} window overlap add min: 1\n[ CPUBoolType{{}} ]")
    return y / had
