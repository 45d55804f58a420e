"""Small programs outside of specs print what they print in PyTorch."""

from __future__ import annotations

import json

from .record_outside import RECORD, printed_by, programs


def test_programs_print_what_pytorch_prints() -> None:
    recorded = json.loads(RECORD.read_text())
    assert list(recorded) == list(programs())
    assert printed_by("gradcli") == recorded
