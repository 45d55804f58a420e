"""Programs outside of specs print what they print in PyTorch: modules, layers, losses, optimisers, schedules."""

from __future__ import annotations

import json

from tests.rings import long

from .whole_programs import RECORD, alike, printed_by, programs


@long("some thousand calls are made")
def test_programs_print_what_pytorch_prints() -> None:
    recorded = json.loads(RECORD.read_text(encoding="utf-8"))
    assert list(recorded) == list(programs())
    printed = printed_by("gradcli")
    assert not {name: (text, printed[name]) for name, text in recorded.items() if not alike(text, printed[name])}
