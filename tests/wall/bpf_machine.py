"""What a kernel does with a filter: a machine for classic BPF, so that every architecture is tested on any."""

from __future__ import annotations

import errno
import struct
from collections.abc import Sequence


def answer(program: bytes, architecture: int, number: int, arguments: Sequence[int] = ()) -> str:
    """What the filter says to a call: allow, kill, or the name of the error that the call fails with."""
    words = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("<IIQ6Q", number & 0xFFFFFFFF, architecture, 0, *[word & (2**64 - 1) for word in words])
    steps = list(struct.iter_unpack("=HBBI", program))
    accumulator = at = 0
    while True:
        code, yes, no, operand = steps[at]
        at += 1
        match code:
            case 0x20:
                (accumulator,) = struct.unpack_from("<I", data, operand)
            case 0x54:
                accumulator &= operand
            case 0x15:
                at += yes if accumulator == operand else no
            case 0x35:
                at += yes if accumulator >= operand else no
            case 0x45:
                at += yes if accumulator & operand else no
            case 0x06:
                return _said(operand)
            case _:
                raise AssertionError(f"the kernel knows no such instruction: {code:#x}")


def _said(value: int) -> str:
    kind, rest = value & 0xFFFF0000, value & 0xFFFF
    if kind == 0x00050000:
        return errno.errorcode[rest]
    return {0x7FFF0000: "allow", 0x80000000: "kill"}[kind]
