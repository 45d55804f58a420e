"""gradcli on the sample inputs that PyTorch tests its own ops with: never silently wrong."""

from __future__ import annotations

import pytest

from .. import summary
from ..rings import long
from . import complex_op_db, exempt, forward_op_db
from .op_db import REFUSED, WRONG, report, table

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch==2.13.0")
torch.set_num_threads(1)


@long("it takes half a minute")
def test_no_sample_of_pytorchs_own_comes_out_wrong() -> None:
    outcomes, missing = report([])
    summary.add("PyTorch's own sample inputs", table(outcomes, missing))
    wrong = {o.name: o.first[WRONG] for o in outcomes if o.counts[WRONG]}
    unknown = [f"{name}: {why}" for name, why in wrong.items() if name not in exempt.OP_DB]
    stale = [f"{name}: is right now, so its exemption is stale" for name in exempt.OP_DB.keys() - wrong.keys()]
    assert not unknown + stale, "\n".join(unknown + stale)


@long("it takes a minute")
def test_no_tangent_of_pytorchs_own_samples_comes_out_wrong() -> None:
    outcomes, missing = forward_op_db.report([])
    summary.add("PyTorch's own sample inputs in forward mode", table(outcomes, missing))
    wrong = {o.name: o.first[WRONG] for o in outcomes if o.counts[WRONG]}
    unknown = [f"{name}: {why}" for name, why in wrong.items() if name not in exempt.FORWARD]
    stale = [f"{name}: is right now, so its exemption is stale" for name in exempt.FORWARD.keys() - wrong.keys()]
    assert not unknown + stale, "\n".join(unknown + stale)


@long("it takes half a minute")
def test_no_complex_sample_of_pytorchs_own_comes_out_wrong() -> None:
    outcomes, missing = complex_op_db.report([])
    summary.add("PyTorch's own complex sample inputs", table(outcomes, missing))
    known = exempt.COMPLEX_OP_DB
    faults = [(o.name, why) for o in outcomes for why in o.faults]
    unknown = [f"{name}: {why}" for name, why in faults if not (name in known and why.startswith(known[name][0]))]
    stale = [f"{name}: is right now, so its exemption is stale" for name in known.keys() - dict(faults).keys()]
    assert not unknown + stale, "\n".join(unknown + stale)
    assert {o.name for o in outcomes if o.counts[REFUSED]} == exempt.COMPLEX_REFUSED
