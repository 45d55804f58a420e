"""A function of arrays that somebody else has written: its values, and what is claimed of its derivative."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError, NoAnswer
from ..arrays import Array
from ..replay.recorded_graph import equal

# Some systems have no floating numbers of more digits than double precision.
_LONGER = bool(np.finfo(np.longdouble).eps < 2.0**-60)


def least_of(unit: float) -> float:
    """The least number of a precision, where numbers are often so small: of half precision, else none."""
    return 2.0**-24 if unit == 2.0**-11 else 0.0


class Refused(NoAnswer):
    """Someone's function cannot be called with these numbers: why."""


class Misshapen(NoAnswer):
    """A claim that is no gradient of the inputs, by its shape or its dtype."""


class Part(NamedTuple):
    """An input as real numbers: all of a real one, the real or the imaginary part of a complex one."""

    name: str
    number: int
    part: str


class Library:
    """A function in the terms of the library that it was written with; arrays are NumPy's on both sides.

    ``conjugate``: whether the gradient of a complex number has the sign of its imaginary part turned, as JAX has it.
    """

    name = "f"
    # Whether one call may be made for many points, as far as none was refused.
    can_batch = False
    # Whether its backward is put together by a library from its own functions alone, all of which are linear.
    is_composed = False
    # Whether its backward was seen to take gradients that lie in slices of memory.
    takes_slices = False
    # Whether there are numbers of more than double precision.
    has_long_numbers = False
    conjugate = False
    # The names of the inputs that are differentiated by, and their numbers.
    inputs: Sequence[str] = ()
    at: Sequence[Array] = ()

    def call(self, arrays: Sequence[Array]) -> list[Array]:
        """The outputs that are floating, for these inputs."""
        raise NotImplementedError

    def reads_halves(self) -> bool:
        """Tell whether it is put together by the library alone, of operations one of which reads half of a matrix."""
        return False

    def written(self, arrays: Sequence[Array]) -> tuple[list[Array], list[str]]:
        """The outputs for these inputs, and the names of those inputs that the call has changed."""
        given = [np.array(a) for a in arrays]
        found = self.call(given)
        return found, [name for name, a, b in zip(self.inputs, arrays, given, strict=True) if not equal(a, b)]

    def pulled(self, arrays: Sequence[Array]) -> Callable[[Sequence[Array | None]], list[Array | None]]:
        """Return what takes cotangents of the outputs at a point to the gradients of the inputs."""
        raise NotImplementedError

    def taken_sliced(self, pull: Callable[[], list[Array | None]]) -> list[Array | None] | None:
        """Return what is pulled where gradients lie in slices of memory; None where they never do, or it stops."""
        return None

    def pushed(self, arrays: Sequence[Array], tangents: Sequence[Array | None]) -> list[Array] | None:
        """The tangents of the outputs at a point, by the library's forward mode; None where there is none."""
        return None

    def many(self, arrays: Sequence[Array], moved: Sequence[bool], count: int) -> list[Array] | None:
        """The outputs at many points, from one call, that those arrays hold which are moved; None where it cannot."""
        return None

    def uncompile(self) -> None:
        """Call the function as it is from now on."""

    def output_names(self, count: int) -> list[str]:
        """The names of the outputs."""
        return [self.name] if count == 1 else [f"{self.name}[{i}]" for i in range(count)]


class Real:
    """Someone's function between real arrays: complex ones are taken apart."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.at_library = [np.asarray(a) for a in library.at]
        self.parts = list(_parts(library.inputs, self.at_library))
        self.at = self.split(self.at_library, self.parts)
        first = library.call(self._copied(self.at_library))
        if not first:
            raise InputError(
                f"there is no gradient of {library.name} to check: it returns no floating number or array",
                help="return an array, a tensor, or a tuple of them",
                code="G114",
            )
        self.outputs = list(_parts(library.output_names(len(first)), first))
        self.values_at = self.split(first, self.outputs)
        self.dtypes = [a.dtype for a in self.values_at]
        self.shapes = [a.shape for a in self.values_at]
        self._library_shapes = [a.shape for a in first]
        self._holomorphic: bool | None = None
        # How often it was called.
        self.calls = 1
        # Whether it was seen to compute a part of itself in single precision.
        self.is_in_steps = False
        # Whether what was had for many points at once was seen to be what single calls give.
        self._is_alike = False

    @staticmethod
    def split(arrays: Sequence[Array], parts: Sequence[Part]) -> list[Array]:
        """The real numbers of some arrays, part by part; they are the function's own no more."""
        return [np.array(getattr(arrays[p.number], p.part) if p.part else arrays[p.number]) for p in parts]

    @staticmethod
    def _copied(arrays: Sequence[Array]) -> list[Array]:
        return [np.array(a) for a in arrays]

    def joined(self, arrays: Sequence[Any]) -> list[Array]:
        """The inputs in the library's own dtypes; the function may have them for itself."""
        made: list[Any] = [None] * len(self.at_library)
        for part, a in zip(self.parts, arrays, strict=True):
            own = self.at_library[part.number]
            if not part.part:
                made[part.number] = np.array(a, np.complex128 if np.iscomplexobj(a) else own.dtype)
            else:
                if made[part.number] is None:
                    made[part.number] = np.array(own)
                setattr(made[part.number], part.part, np.real(a))
        return made

    @property
    def single(self) -> bool:
        """True of a function that computes in less than double precision."""
        return any(a.dtype.itemsize < 8 for a in (*self.at, *self.values_at))

    def values(self, arrays: Sequence[Any]) -> list[Array]:
        """The outputs at a point; or it is Refused."""
        self.calls += 1
        found = self.library.call(self.joined(arrays))
        if [a.shape for a in found] != self._library_shapes:
            raise Refused("the outputs have other shapes there")
        return self.split(found, self.outputs)

    def written(self) -> tuple[list[Array], list[str]]:
        """The outputs of another call at the point, and the names of the inputs that it has changed."""
        found, names = self.library.written(self.joined(self.at))
        return self.split(found, self.outputs), names

    @cached_property
    def pull(self) -> Callable[[Sequence[Array | None]], list[Array | None]]:
        """The map from cotangents to gradients at the point itself."""
        return self.pulled(self.at)

    def many(self, arrays: Sequence[Any], moved: Sequence[bool], count: int) -> list[Array] | None:
        """The outputs at many points, if one call can give them: the first of it is compared with a call of its own."""
        if not self.library.can_batch or any(part.part for part in (*self.parts, *self.outputs)):
            return None
        first = [a[0] if m else a for a, m in zip(arrays, moved, strict=True)]
        is_complex = any(np.iscomplexobj(a) for a in arrays)
        if is_complex:
            if not self._is_alike or self.beside(first) is None:
                return None
            arrays = [np.asarray(a, np.complex128) for a in arrays]
        found = self.library.many(arrays, moved, count)
        if found is None or [a.shape for a in found] != [(count, *shape) for shape in self.shapes]:
            return None
        if is_complex and not all(np.iscomplexobj(a) for a in found):
            return None
        if not self._is_alike:
            alone = self.values(first)
            if not all(_same(a[0], b) for a, b in zip(found, alone, strict=True)):
                self.library.can_batch = False
                return None
            self._is_alike = True
        return found

    def beside(self, arrays: Sequence[Any]) -> list[Array] | None:
        """The outputs at a complex point; None where the function is none of complex numbers."""
        return self._beside(arrays) if self.is_holomorphic else None

    @property
    def is_holomorphic(self) -> bool:
        """True of a function of complex numbers that is, beside the axis, what its slopes along it say."""
        if self._holomorphic is None:
            self._holomorphic = self._is_holomorphic()
        return self._holomorphic

    def _beside(self, arrays: Sequence[Any]) -> list[Array] | None:
        if any(part.part for part in (*self.parts, *self.outputs)):
            return None
        try:
            found = self.library.call(self.joined([np.asarray(a, np.complex128) for a in arrays]))
        except Refused:
            return None
        good = [np.shape(a) for a in found] == self.shapes and all(np.iscomplexobj(a) for a in found)
        return found if good else None

    @cached_property
    def is_long(self) -> bool:
        """True of a function of real numbers whose results have more digits where its inputs have."""
        if not _LONGER or not self.library.has_long_numbers or self.single:
            return False
        if any(part.part for part in (*self.parts, *self.outputs)):
            return False
        try:
            found = self.library.call([np.asarray(a, np.longdouble) for a in self._copied(self.at)])
        except Refused:
            return False
        followed = [a.shape for a in found] == self.shapes and all(a.dtype == np.longdouble for a in found)
        return followed and all(_same(a, b) for a, b in zip(found, self.values_at, strict=True))

    def long(self, arrays: Sequence[Any]) -> list[Array]:
        """The outputs at a point with more digits; or it is Refused."""
        found = self.library.call([np.array(a, np.longdouble) for a in arrays])
        if [a.shape for a in found] != self.shapes or any(a.dtype != np.longdouble for a in found):
            raise Refused("the outputs have other shapes or dtypes there")
        return found

    def _is_holomorphic(self) -> bool:
        """Tell whether f(x + 0j) is f(x), and the imaginary part beside the axis is the slope along it."""
        if self.single:
            return False
        same = self._beside(self.at)
        if same is None or not all(_same(a, b) for a, b in zip(same, self.values_at, strict=True)):
            return False
        rng = np.random.default_rng(0)
        way = [rng.uniform(0.5, 1, a.shape) * np.maximum(np.abs(a), 2.0**-10) for a in self.at]
        try:
            for step in (2.0**-16, 2.0**-18):
                ahead, back = (
                    self.values([a + s * d for a, d in zip(self.at, way, strict=True)]) for s in (step, -step)
                )
                aside = self._beside([a + 1j * 1e-20 * d for a, d in zip(self.at, way, strict=True)])
                if aside is None:
                    return False
                for a, b, z in zip(ahead, back, aside, strict=True):
                    slope, seen = (a - b) / (2 * step), np.imag(z) / 1e-20
                    size = np.max(np.abs(slope), initial=0.0) + np.max(np.abs(a), initial=0.0)
                    if not np.all(np.abs(slope - seen) <= 1e-6 * size):
                        return False
        except Refused:
            return False
        return True

    def pulled(self, arrays: Sequence[Any]) -> Callable[[Sequence[Array | None]], list[Array | None]]:
        """Return what takes cotangents of the real outputs to the gradients of the real inputs."""
        given = self.joined(arrays)
        back = self.library.pulled(given)
        sign = -1.0 if self.library.conjugate else 1.0

        def pull(weights: Sequence[Array | None]) -> list[Array | None]:
            cotangents: list[Any] = [None] * len(self._library_shapes)
            for part, w, dtype in zip(self.outputs, weights, self.dtypes, strict=True):
                if w is None:
                    continue
                own = np.array(w, dtype)
                if part.part == "imag":
                    own = sign * 1j * own
                elif part.part:
                    own = own + 0j
                if part.part and dtype == np.float32:
                    own = own.astype(np.complex64)
                before = cotangents[part.number]
                cotangents[part.number] = own if before is None else before + own
            found = back(cotangents)
            return [self._gradient(part, found[part.number], given[part.number], sign) for part in self.parts]

        return pull

    def pushed(self, arrays: Sequence[Any], directions: Sequence[Array | None]) -> list[Array] | None:
        """The tangents of the real outputs along a direction of the real inputs, by the forward mode, if it has one."""
        given = self.joined(arrays)
        tangents: list[Any] = [None] * len(given)
        for part, d in zip(self.parts, directions, strict=True):
            if d is not None:
                own = np.asarray(d, given[part.number].real.dtype)
                own = np.asarray(own * 1j if part.part == "imag" else own, given[part.number].dtype)
                before = tangents[part.number]
                tangents[part.number] = own if before is None else before + own
        found = self.library.pushed(given, tangents)
        if found is None:
            return None
        for part, t, shape in zip(self.outputs, self.split(found, self.outputs), self.shapes, strict=True):
            if t.shape != shape:
                words = f"the tangent of {part.name} has the shape {list(t.shape)}, {part.name} has {list(shape)}"
                raise Misshapen(words)
        return self.split(found, self.outputs)

    def _gradient(self, part: Part, g: Any, x: Array, sign: float) -> Array | None:
        if g is None:
            return None
        g = np.asarray(g)
        if g.shape != x.shape and not (g.size == x.size == 1):
            words = f"the gradient of {part.name} has the shape {list(g.shape)}, {part.name} has {list(x.shape)}"
            raise Misshapen(words)
        if g.dtype.kind not in "fc" and g.dtype.kind not in "iub":
            raise Misshapen(f"the gradient of {part.name} is of {g.dtype}, which is no number")
        if not part.part and g.dtype.kind == "c":
            raise Misshapen(f"the gradient of {part.name} is complex, and {part.name} is real")
        g = g.reshape(x.shape)
        if part.part == "imag":
            return np.array(sign * g.imag if np.iscomplexobj(g) else np.zeros(g.shape))
        return np.array(g.real if part.part else g)


def _parts(names: Sequence[str], arrays: Sequence[Array]) -> Iterator[Part]:
    for number, (name, a) in enumerate(zip(names, arrays, strict=True)):
        if a.dtype.kind == "c":
            yield Part(f"{name}.real", number, "real")
            yield Part(f"{name}.imag", number, "imag")
        else:
            yield Part(name, number, "")


def _same(a: Array, b: Array) -> bool:
    with np.errstate(all="ignore"):
        size = np.max(np.abs(b), initial=0.0)
        return bool(np.all(np.abs(a - b) <= 1e-12 * size) and np.all(np.isfinite(b)))


def named(x: Any) -> Iterator[tuple[str, Any]]:
    """The inputs that somebody gives, with their names: of a dict its own, of a tuple or list their places."""
    if isinstance(x, Mapping):
        yield from ((str(key), value) for key, value in x.items())
    elif isinstance(x, (tuple, list)) and any(hasattr(each, "shape") for each in x):
        yield from ((f"x{i}" if len(x) > 1 else "x", value) for i, value in enumerate(x))
    else:
        yield "x", x
