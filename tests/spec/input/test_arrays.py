"""Files of numbers: what NumPy writes is read, and nothing else is."""

from __future__ import annotations

import io
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as nps

from gradcli.errors import GradcliError
from gradcli.spec.input.array_files import read_array
from tests.quick import within

from ..attempts import attempt

LIMIT = 10**6
MORE = "`--limits relaxed` allows more"
SAVE = "write it with numpy.save"
FORMATS = "numbers are read from .npy (numpy.save) and .csv"


@pytest.fixture(autouse=True)
def _in_its_own_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def npy(array: Any, version: tuple[int, int] | None = None) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, array, version)
    return file.getvalue()


def with_header(header: str, data: bytes = b"", version: int = 1) -> bytes:
    text = header.encode("latin-1")
    return b"\x93NUMPY" + bytes([version, 0]) + len(text).to_bytes(2 if version == 1 else 4, "little") + text + data


def header(descr: str = "'<f8'", order: str = "False", shape: str = "(2,)") -> str:
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n"


def read(name: str, data: bytes, limit: int = LIMIT) -> Any:
    Path(name).write_bytes(data)
    return read_array(name, limit)


def refused(name: str, data: bytes, limit: int = LIMIT) -> GradcliError:
    with pytest.raises(GradcliError) as caught:
        read(name, data, limit)
    return caught.value


def said(name: str, data: bytes, limit: int = LIMIT) -> tuple[str, str | None]:
    error = refused(name, data, limit)
    assert (error.code, error.span) == ("E502", None)
    return error.message, error.help


# -- .npy --------------------------------------------------------------------------------------

NUMBERS = st.one_of(
    nps.boolean_dtypes(),
    nps.integer_dtypes(endianness="?"),
    nps.unsigned_integer_dtypes(endianness="?", sizes=(8, 16, 32)),
    nps.floating_dtypes(endianness="?", sizes=(16, 32, 64)),
)


@given(
    nps.arrays(NUMBERS, nps.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)),
    st.sampled_from([(1, 0), (2, 0), (3, 0)]),
    st.booleans(),
)
def test_what_numpy_writes(array: Any, version: tuple[int, int], fortran: bool) -> None:
    array = np.asfortranarray(array) if fortran and array.ndim else array
    found = read("f.npy", npy(array, version))
    assert found.shape == array.shape
    assert found.dtype.isnative
    assert found.flags.c_contiguous
    assert found.flags.writeable
    np.testing.assert_array_equal(found, array)


@pytest.mark.parametrize(
    ("written", "read_as"),
    [("?", "bool"), ("i1", "int8"), (">i2", "int16"), ("i4", "int32"), (">i8", "int64"), ("u1", "uint8"),
     ("u2", "int64"), (">u4", "int64"), ("u8", "int64"), ("f2", "float32"),
     (">f2", "float32"), ("f4", "float32"), (">f8", "float64")],
)  # fmt: skip
def test_element_types(written: str, read_as: str) -> None:
    assert read("f.npy", npy(np.ones(3, written))).dtype == np.dtype(read_as)


def test_unsigned_integers_that_do_not_fit() -> None:
    top = np.array([2**63 - 1], np.uint64)
    assert read("f.npy", npy(top)).tolist() == [2**63 - 1]
    assert said("f.npy", npy(top + np.uint64(1))) == (
        "'f.npy' holds integers that do not fit into 64 bits with a sign", None,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("array", "what"),
    [
        (np.ones(2, complex), "complex numbers"),
        (np.array([{}]), "Python objects"),
        (np.array(["a"]), "strings"),
        (np.array([b"a"]), "strings"),
        (np.ones(2, "f8,f8"), "records"),
        (np.array(["2020-01-01"], "M8[D]"), "dates"),
        (np.ones(2, "m8[25s]"), "time differences"),
        (np.ones(2, "V3"), "raw bytes"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_array_of_numbers(array: Any, what: str) -> None:
    assert said("f.npy", npy(array)) == (f"'f.npy' holds {what}, and inputs are real numbers", "save the numbers alone")


def test_numbers_that_gradcli_does_not_have() -> None:
    for descr in ("<f16", "<f3", "<i16", "|b2", "<f", "<q8"):
        assert said("f.npy", with_header(header(f"'{descr}'"), bytes(99))) == (
            f"'f.npy' holds elements of type '{descr}', which gradcli does not have", "save them as float64",
        )  # fmt: skip


def test_a_shape_larger_than_the_limit_is_refused_before_anything_is_made() -> None:
    message, help = said("big.npy", with_header(header(shape="(1000000000000,)"), bytes(16)))
    assert (
        message == "'big.npy' has shape (1000000000000,), which takes 8,000,000,000,000 bytes; the limit is 1,000,000"
    )
    assert help == MORE
    digits = "9" * 19
    assert refused("big.npy", with_header(header(shape=f"({f'{digits},' * 64})"), bytes(16))).code == "E502"


def test_a_file_larger_than_the_limit_is_not_read() -> None:
    with open("big.npy", "wb") as file:
        file.truncate(10**12)
    with pytest.raises(GradcliError) as caught:
        read_array("big.npy", LIMIT)
    assert caught.value.message == "'big.npy' has 1,000,000,000,000 bytes; the limit is 1,000,000"
    assert caught.value.help == MORE


@pytest.mark.parametrize(
    ("data", "message", "help"),
    [
        (b"", "'f.npy' is no .npy file: it does not begin as one", FORMATS),
        (b"\x93NUMP", "'f.npy' is no .npy file: it does not begin as one", FORMATS),
        (b"PK\x03\x04", "'f.npy' is no .npy file: it does not begin as one", FORMATS),
        (b"\x93NUMPY", "'f.npy' ends within its header", None),
        (b"\x93NUMPY\1\0\xff", "'f.npy' ends within its header", None),
        (b"\x93NUMPY\2\0\xff\0\0", "'f.npy' ends within its header", None),
        (b"\x93NUMPY\1\0\xff\0abc", "'f.npy' ends within its header", None),
        (b"\x93NUMPY\4\0abcdefgh", "'f.npy' is a .npy file of version 4, and 3 is the last one known", None),
        (b"\x93NUMPY\1\0\xff\xff", "the header of 'f.npy' has 65,535 bytes; the limit is 10,000", None),
        (b"\x93NUMPY\2\0" + b"\xff" * 4, "the header of 'f.npy' has 4,294,967,295 bytes; the limit is 10,000", None),
        (with_header("{}"), "the header of 'f.npy' is not that of a .npy file", SAVE),
        (with_header(header("open('x')")), "the header of 'f.npy' is not that of a .npy file", SAVE),
        (with_header(header("'<f8,<f8'")), "the header of 'f.npy' is not that of a .npy file", SAVE),
        (with_header(header("'(9,)f8'")), "the header of 'f.npy' is not that of a .npy file", SAVE),
        (with_header(header(order="1")), "the header of 'f.npy' is not that of a .npy file", SAVE),
        (with_header(header(shape="(-1,)")), "the header of 'f.npy' is not that of a .npy file", SAVE),
        (with_header(header(shape="(1.5,)")), "the header of 'f.npy' is not that of a .npy file", SAVE),
        (with_header(header(shape="(10**9,)")), "the header of 'f.npy' is not that of a .npy file", SAVE),
        (with_header(header(shape="[2]")), "the header of 'f.npy' is not that of a .npy file", SAVE),
        (with_header(header(shape="(" + "(" * 9000)), "the header of 'f.npy' is not that of a .npy file", SAVE),
        (with_header(header(), bytes(15)),
         "'f.npy' is cut short: its shape (2,) takes 16 bytes and 15 are there", None),
        (with_header(header(shape="(" + "1," * 65 + ")")), "'f.npy' has 65 dimensions; gradcli has at most 64", None),
        (with_header(header(shape="(0, 9999999999, 9999999999)")),
         "'f.npy' has shape (0, 9999999999, 9999999999), which no array can have", None),
    ],
)  # fmt: skip
def test_what_is_no_npy_file(data: bytes, message: str, help: str | None) -> None:
    assert said("f.npy", data) == (message, help)


def test_bytes_after_the_array_are_left_alone() -> None:
    assert read("f.npy", npy(np.ones(2)) + npy(np.zeros(2))).tolist() == [1.0, 1.0]


@given(st.data())
def test_a_damaged_file_is_an_array_or_an_error(data: st.DataObject) -> None:
    whole = bytearray(npy(np.arange(6.0).reshape(2, 3)))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(6, len(whole) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(whole)))
    found = attempt(lambda: read("f.npy", bytes(whole[:cut])))
    assert found.code == "E502" if isinstance(found, GradcliError) else isinstance(found, np.ndarray)


@given(st.binary(max_size=200))
def test_garbage_is_an_error(data: bytes) -> None:
    for start in (b"", b"\x93NUMPY", b"\x93NUMPY\1\0", with_header(header())[:-5]):
        assert refused("f.npy", start + data).code == "E502"


# -- .csv --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,2\n3,4\n", [[1, 2], [3, 4]]),
        ("1\n2\n3", [1, 2, 3]),
        ("7", [7]),
        ("1,2,3", [[1, 2, 3]]),
        ("x,y\n1,2\n", [[1, 2]]),
        ("x\n1\n2\n", [1, 2]),
        ('"length","a b" # in mm\n1,2\n', [[1, 2]]),
        ("# made by hand\n\n x1 , é \r\n\n1 , -2e-3 # first\r\n\r\n  # none\r\n+.5,1.\r\n", [[1, -2e-3], [0.5, 1]]),
        ("\ufeff1,2", [[1, 2]]),
        ("1,2\r3,4\r", [[1, 2], [3, 4]]),
        ("\t1 ,\t2", [[1, 2]]),
        ("-inf,inf,Infinity,1e400", [[-math.inf, math.inf, math.inf, math.inf]]),
        ("nan\n1", [math.nan, 1]),
    ],
)
def test_tables(text: str, expected: list[Any]) -> None:
    found = read("f.csv", text.encode())
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, np.array(expected, float))


def test_the_name_may_be_in_capitals() -> None:
    assert read("F.CSV", b"1").tolist() == [1.0]


@pytest.mark.parametrize(
    ("text", "message", "line", "columns"),
    [
        ("1,2\n3,x4\n", "'x4' is no number", 2, (2, 4)),
        ("1,2\n3,  four  # no\n", "'four' is no number", 2, (4, 8)),
        ("1;2\n", "'1;2' is no number", 1, (0, 3)),
        ("1\t2\n", "'1\t2' is no number", 1, (0, 3)),
        ("1_000\n", "'1_000' is no number", 1, (0, 5)),
        ("١\n", "'١' is no number", 1, (0, 1)),
        ("0x10\n", "'0x10' is no number", 1, (0, 4)),
        ("1j\n", "'1j' is no number", 1, (0, 2)),
        ("1.O\n2\n", "'1.O' is no number", 1, (0, 3)),
        ("a,1\n1,2\n", "'a' is no number", 1, (0, 1)),
        ("a,b\nc,d\n1,2\n", "'c' is no number", 2, (0, 1)),
        ("1,,2\n", "there is no number here", 1, (2, 3)),
        ("1,2,\n", "there is no number here", 1, (4, 5)),
        ("1,  \n", "there is no number here", 1, (4, 5)),
    ],
)
def test_what_is_no_number(text: str, message: str, line: int, columns: tuple[int, int]) -> None:
    error = refused("f.csv", text.encode())
    assert (error.code, error.message) == ("E502", message)
    assert error.help == "numbers stand between commas, as in 1, 2.5, -3e-4"
    assert error.span is not None
    assert error.span.source.name == "f.csv"
    assert error.span[1:] == (line, columns[0], line, columns[1])


@pytest.mark.parametrize(
    ("text", "numbers", "line", "columns"),
    [
        ("1,2\n# none\n3 # one\n", (1, 2), 3, (0, 1)),
        ("1\n1,2,3\n", (3, 1), 2, (0, 5)),
        ("a,b\n1,2,3\n4,5,6\n", (3, 2), 2, (0, 5)),
    ],
)
def test_ragged_rows(text: str, numbers: tuple[int, int], line: int, columns: tuple[int, int]) -> None:
    error = refused("f.csv", text.encode())
    assert error.message == f"this row has {numbers[0]} numbers where the first has {numbers[1]}"
    assert error.help == "every row needs as many numbers as the first"
    assert error.span is not None
    assert error.span[1:] == (line, columns[0], line, columns[1])


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n"])
def test_an_empty_table(text: str) -> None:
    assert said("f.csv", text.encode()) == ("'f.csv' has no numbers", None)


def test_a_table_of_names() -> None:
    assert said("f.csv", b"a,b\n# none\n") == ("'f.csv' has no numbers, only the names of columns", None)


def test_text_that_is_not_utf8() -> None:
    error = refused("f.csv", b"1\n\xff\n")
    assert (error.code, error.message) == ("E104", "byte 0xff at offset 2 is not UTF-8")


def test_a_table_larger_than_the_limit() -> None:
    with within(10):
        line = b"1," * 10**7
        assert said("f.csv", line, 10**6) == ("'f.csv' has 20,000,000 bytes; the limit is 1,000,000", MORE)
        message = "'f.csv' has about 10,000,001 numbers, which take 80,000,008 bytes; the limit is 20,000,000"
        assert said("f.csv", line, 2 * 10**7) == (message, MORE)


@given(nps.arrays(np.float64, nps.array_shapes(min_dims=2, max_dims=2)))
def test_numbers_come_back_as_they_were(table: Any) -> None:
    text = "\n".join(",".join(repr(float(x)) for x in row) for row in table)
    found = read("f.csv", text.encode())
    np.testing.assert_array_equal(found, table[:, 0] if table.shape[1] == 1 else table)


@given(
    st.lists(
        st.lists(st.one_of(st.text("0123456789.e+-_ninfa xj\t\"'"), st.floats().map(repr)), min_size=1), min_size=1
    )
)
def test_a_quick_reading_is_a_careful_one(rows: list[list[str]]) -> None:
    def number(cell: str) -> float | None:
        try:
            return None if "_" in cell else float(cell)
        except ValueError:
            return None

    text = "\n".join(",".join(row) for row in rows)
    kept = [line.split(",") for line in text.split("\n") if line.strip()]
    values = [[number(cell) for cell in row] for row in kept]
    good = bool(kept) and all(None not in row and len(row) == len(values[0]) for row in values)
    found = attempt(lambda: read("f.csv", text.encode()))
    if isinstance(found, GradcliError):
        assert not good
        assert found.code == "E502"
    else:
        whole = values if good else values[1:]
        np.testing.assert_array_equal(found, np.array(whole, float).reshape(found.shape))


# -- other files -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["f.txt", "f", "f.npz", "f.pt", "f.pkl", "f.npy.gz", ".npy"])
def test_other_files_are_not_read(name: str) -> None:
    message = f"cannot read numbers from '{name}': its name ends in neither .npy nor .csv"
    assert said(name, npy(np.ones(2))) == (message, FORMATS)


def test_no_such_file() -> None:
    with pytest.raises(GradcliError) as caught:
        read_array("f.npy", LIMIT)
    assert (caught.value.code, caught.value.message) == ("E501", "no such file: 'f.npy'")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="POSIX only")
def test_only_regular_files_are_read() -> None:
    os.mkfifo("pipe.npy")
    os.mkdir("d.csv")
    for name, what in (("pipe.npy", "a pipe"), ("d.csv", "a directory")):
        with pytest.raises(GradcliError) as caught:
            read_array(name, LIMIT)
        assert (caught.value.code, caught.value.message) == ("E502", f"'{name}' is not a regular file but {what}")
