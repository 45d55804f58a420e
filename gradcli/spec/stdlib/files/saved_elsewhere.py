"""Files that PyTorch or NumPy saved before, and that a program was lent: read without running anything of them."""

from __future__ import annotations

import io
import pickle
import zipfile
from typing import Any

from .... import serialization
from ...guard.size_limits import caps
from ...input.array_files import array_of

_ZIP = b"PK\x03\x04"
_ARRAY = b"\x93NUMPY"


def found_in(name: str, data: bytes) -> Any:
    """The content of a file: an array of NumPy's, several by their names, or what torch.save() was given."""
    caps.spend(len(data), len(data))
    if data.startswith(_ARRAY):
        return array_of(name, data, caps.limits.memory // 8)
    if not data.startswith(_ZIP):
        raise _unread(name, "gradcli reads texts, and what np.save(), np.savez() and torch.save() write")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            names = parts.namelist()
            if any(each.compress_type != zipfile.ZIP_STORED for each in parts.infolist()):
                raise _unread(name, "it is compressed")
            if names and all(each.endswith(".npy") for each in names):
                return {each[:-4]: array_of(each, parts.read(each), caps.limits.memory // 8) for each in names}
        return serialization.load(io.BytesIO(data))
    except pickle.UnpicklingError as error:
        raise caps.library("pickle")["UnpicklingError"](str(error)) from None
    except (zipfile.BadZipFile, EOFError, KeyError, IndexError, ValueError, TypeError, AttributeError) as error:
        raise caps.library("pickle")["UnpicklingError"](f"{name} is damaged: {error}") from None


def _unread(name: str, why: str) -> NotImplementedError:
    return NotImplementedError(f"{name} was not saved in this run: {why}")
