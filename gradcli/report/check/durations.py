"""The time that the check of each spec took, for the next one to be divided by."""

from __future__ import annotations

import json as encoder
import os
from collections.abc import Sequence

from ...text.escape import in_json
from .outcome import Missing, Outcome

SCHEMA = "gradcli.durations/1"


def durations(outcomes: Sequence[Outcome], missing: Missing) -> str:
    """The document: seconds by the name of a spec."""
    del missing
    seconds = {outcome.name.replace(os.sep, "/"): round(outcome.checked.seconds, 3) for outcome in outcomes}
    return in_json(encoder.dumps({"schema": SCHEMA, "seconds": seconds}, indent=1, sort_keys=True)) + "\n"
