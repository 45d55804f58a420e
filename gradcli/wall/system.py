"""Calls to the kernel that Python has no functions for."""

from __future__ import annotations

import functools
import os
from errno import ENOSYS, EOPNOTSUPP


class System:
    """The function ``syscall`` of the C library; an ImportError where Python was built without ctypes."""

    def __init__(self) -> None:
        import ctypes

        self._ctypes = ctypes
        self._syscall = ctypes.CDLL(None, use_errno=True).syscall
        self._syscall.restype = ctypes.c_long

    def call(self, number: int, *arguments: int | bytes | None) -> int:
        """Make a system call; an error comes back as a negative number."""
        # An argument is a word: as plain numbers, only its lower half would be passed.
        word = self._ctypes.c_long
        answer: int = self._syscall(word(number), *[word(a) if isinstance(a, int) else a for a in arguments])
        return answer if answer != -1 else -self._ctypes.get_errno()

    def address(self, data: bytes) -> int:
        """Where the bytes of an object are, for as long as it lives."""
        return self._ctypes.cast(self._ctypes.c_char_p(data), self._ctypes.c_void_p).value or 0


@functools.cache
def system() -> System:
    """The one System of a process."""
    return System()


def refused(error: int) -> str:
    """Why the kernel does not do what it was asked for."""
    if error == ENOSYS:
        return "not offered by this kernel"
    if error == EOPNOTSUPP:
        return "switched off on this machine"
    return f"refused here ({os.strerror(error)})"
