"""Files of numbers: .npy as NumPy writes it, and .csv."""

from __future__ import annotations

import io
import math
import os
import re
from array import array
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from ...errors import InputError, Source, Span
from .disk import open_regular, read_up_to
from .source import decoded, span_at

_FORMATS = "numbers are read from .npy (numpy.save) and .csv"
_MORE = "`--limits relaxed` allows more"

_MAGIC = b"\x93NUMPY"
# NumPy's own limits; an honest header has about a hundred characters.
_LONGEST_HEADER = 10_000
_MOST_DIMS = 64
_DESCR = re.compile(r"""['"]descr['"]\s*:\s*(?:['"]([^'"]*)['"]|(\[))""")
_SHAPE = re.compile(r"""['"]shape['"]\s*:\s*\(((?:\s*\d{1,19}\s*,)*\s*(?:\d{1,19}\s*)?)\)""")
_ORDER = re.compile(r"""['"]fortran_order['"]\s*:\s*(True|False)""")
_DTYPE = re.compile(r"[<>|=]?([a-zA-Z])(\d{0,9})(?:\[[\w/]+\])?")
_SIZES = {"b": ("1",), "i": ("1", "2", "4", "8"), "u": ("1", "2", "4", "8"), "f": ("2", "4", "8")}
_REFUSED = {
    "c": "complex numbers",
    "O": "Python objects",
    "U": "strings",
    "S": "strings",
    "V": "raw bytes",
    "M": "dates",
    "m": "time differences",
}

# What only begins like a number is a mistake, not the name of a column.
_COLUMN_NAME = re.compile(r"""\s*["']?[^\W\d]""")


def read_array(path: str, max_bytes: int) -> np.ndarray[Any, Any]:
    """The numbers in a .npy or .csv file; neither the file nor the array may have more bytes than that."""
    reader = {".npy": array_of, ".csv": _csv}.get(os.path.splitext(path)[1].lower())
    if reader is None:
        raise _refused(f"cannot read numbers from '{path}': its name ends in neither .npy nor .csv", help=_FORMATS)
    file, size = open_regular(path)
    with file:
        if size > max_bytes:
            raise _refused(f"'{path}' has {size:,} bytes; the limit is {max_bytes:,}", help=_MORE)
        try:
            data = read_up_to(file, size)
        except OSError as error:
            reason = (error.strerror or "unknown error").lower()
            raise _refused(f"cannot read '{path}': {reason}") from None
    return reader(path, data, max_bytes)


# -- .npy --------------------------------------------------------------------------------------


def array_of(path: str, data: bytes, max_bytes: int) -> np.ndarray[Any, Any]:
    """The array of a .npy file.

    Its header is written as a Python dict. NumPy has Python read that; here its three entries are picked out, so that
    a stranger's file never reaches Python's parser.
    """
    if not data.startswith(_MAGIC):
        raise _refused(f"'{path}' is no .npy file: it does not begin as one", help=_FORMATS)
    version = data[6:7]
    begin = 10 if version == b"\1" else 12
    if len(data) < begin:
        raise _refused(f"'{path}' ends within its header")
    if version not in (b"\1", b"\2", b"\3"):
        raise _refused(f"'{path}' is a .npy file of version {data[6]}, and 3 is the last one known")
    start = begin + int.from_bytes(data[8:begin], "little")
    if start - begin > _LONGEST_HEADER:
        raise _refused(f"the header of '{path}' has {start - begin:,} bytes; the limit is {_LONGEST_HEADER:,}")
    if len(data) < start:
        raise _refused(f"'{path}' ends within its header")
    dtype, shape, order = _header(path, data[begin:start].decode("latin-1"))
    count = math.prod(shape)
    needed, there = count * dtype.itemsize, len(data) - start
    if needed > max_bytes:
        raise _refused(
            f"'{path}' has shape {shape}, which takes {needed:,} bytes; the limit is {max_bytes:,}", help=_MORE
        )
    if needed > there:
        raise _refused(f"'{path}' is cut short: its shape {shape} takes {needed:,} bytes and {there:,} are there")
    try:
        found = np.frombuffer(data, dtype, count, start).reshape(shape, order=order)
    except ValueError:
        raise _refused(f"'{path}' has shape {shape}, which no array can have") from None
    return _for_a_tensor(path, found)


def _header(path: str, text: str) -> tuple[np.dtype[Any], tuple[int, ...], Any]:
    """Element type, shape and order of the elements."""
    descr, dims, order = _DESCR.search(text), _SHAPE.search(text), _ORDER.search(text)
    name = descr and (descr[2] or _DTYPE.fullmatch(descr[1]))
    if not (descr and dims and order and name and re.fullmatch(r"\s*\{.*\}\s*", text, re.DOTALL)):
        raise _refused(f"the header of '{path}' is not that of a .npy file", help="write it with numpy.save")
    shape = tuple(int(dim) for dim in re.findall(r"\d+", dims[1]))
    if len(shape) > _MOST_DIMS:
        raise _refused(f"'{path}' has {len(shape):,} dimensions; gradcli has at most {_MOST_DIMS}")
    what = "records" if isinstance(name, str) else _REFUSED.get(name[1])
    if what:
        raise _refused(f"'{path}' holds {what}, and inputs are real numbers", help="save the numbers alone")
    if isinstance(name, str) or name[2] not in _SIZES.get(name[1], ()):
        raise _refused(
            f"'{path}' holds elements of type '{descr[1]}', which gradcli does not have", help="save them as float64"
        )
    return np.dtype(descr[1]), shape, "F" if order[1] == "True" else "C"


def _for_a_tensor(path: str, found: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A copy in this machine's byte order; half precision and wide unsigned integers become what holds them."""
    dtype = found.dtype.newbyteorder("=")
    if dtype == np.float16:
        dtype = np.dtype(np.float32)
    elif dtype.kind == "u" and dtype.itemsize > 1:
        dtype = np.dtype(np.int64)
        if found.size and int(found.max()) > np.iinfo(dtype).max:
            raise _refused(f"'{path}' holds integers that do not fit into 64 bits with a sign")
    return found.astype(dtype, order="C")


# -- .csv --------------------------------------------------------------------------------------


def _csv(path: str, data: bytes, max_bytes: int) -> np.ndarray[Any, Any]:
    """The table in a .csv file: one column is a vector, more are a matrix."""
    most = data.count(b",") + data.count(b"\n") + data.count(b"\r") + 1
    if most * 8 > max_bytes:
        raise _refused(
            f"'{path}' has about {most:,} numbers, which take {most * 8:,} bytes; the limit is {max_bytes:,}",
            help=_MORE,
        )
    source = decoded(path, data)
    first = next(_rows(source), None)
    if first is None:
        raise _refused(f"'{path}' has no numbers")
    columns = first[1].count(",") + 1
    start = first[0] + len(first[1]) if _are_names(first[1]) else 0
    if next(_rows(source, start), None) is None:
        raise _refused(f"'{path}' has no numbers, only the names of columns")
    table = _quick(source, start, columns)
    if table is None:
        table = _checked(source, start, columns)
    return table[:, 0] if table.shape[1] == 1 else table


def _cells(row: str) -> Iterator[str]:
    # One by one: a row may have millions, and most questions are answered by the first.
    return (found[1] for found in re.finditer(r"(?:^|,)([^,]*)", row))


def _are_names(row: str) -> bool:
    return all(_COLUMN_NAME.match(cell) and _number(cell) is None for cell in _cells(row))


def _rows(source: Source, start: int = 0) -> Iterator[tuple[int, str]]:
    """The lines that hold more than a comment, and where each begins."""
    lines = io.StringIO(source.text)
    lines.seek(start)
    for line in lines:
        text = line.rstrip("\n").partition("#")[0]
        if text.strip():
            yield start, text
        start += len(line)


def _quick(source: Source, start: int, columns: int) -> np.ndarray[Any, Any] | None:
    """All numbers at once, or None when one of them seems wrong."""
    try:
        table = np.loadtxt((text for _, text in _rows(source, start)), delimiter=",", comments=None, ndmin=2)
    except ValueError:
        return None
    return table if table.shape[1] == columns else None


def _checked(source: Source, start: int, columns: int) -> np.ndarray[Any, Any]:
    """The numbers one by one, and a word about the first that is wrong."""
    numbers = array("d")
    for begin, text in _rows(source, start):
        here = text.count(",") + 1
        if here != columns:
            end = begin + len(text.rstrip())
            message = f"this row has {here:,} numbers where the first has {columns:,}"
            _refuse(source, begin, end, message, "every row needs as many numbers as the first")
        for cell in _cells(text):
            number = _number(cell)
            if number is None:
                at, shown = begin + len(cell) - len(cell.lstrip()), cell.strip()
                message = f"'{shown}' is no number" if shown else "there is no number here"
                _refuse(source, at, at + len(shown), message, "numbers stand between commas, as in 1, 2.5, -3e-4")
            numbers.append(number)
            begin += len(cell) + 1
    return np.array(numbers).reshape(-1, columns)


def _number(cell: str) -> float | None:
    # Python also reads 1_000 and the digits of other scripts; a table has neither.
    if "_" in cell or not cell.isascii():
        return None
    try:
        return float(cell)
    except ValueError:
        return None


def _refuse(source: Source, start: int, end: int, message: str, help: str) -> NoReturn:
    raise _refused(message, help, span_at(source, start, end))


def _refused(message: str, help: str | None = None, span: Span | None = None) -> InputError:
    return InputError(message, help=help, span=span, code="E502")
