"""Everything loaded that loads when it is first used: what is loaded later could not be told from what is changed."""

from __future__ import annotations

import warnings
from pathlib import Path

from gradcli.engine.tensor import Tensor
from gradcli.errors import GradcliError
from gradcli.spec.guard.limits import STRICT
from gradcli.spec.input.source import Spec, decoded
from gradcli.spec.program import Program
from gradcli.spec.torch_names.names import NAMESPACES
from gradcli.spec.values import members
from tests.spec.crawler import live
from tests.spec.harvest import all_names, host_classes
from tests.spec.instances import world
from tests.spec.kinds import offered

from . import atoms, corpus, hostile

# The first tensor of its kind puts a door up.
_SPARSE = "import torch\ntorch.eye(2).to_sparse()"
# Not to compute much, but to come by as many places as possible.
_LIMITS = STRICT._replace(steps=4_000, work=20_000_000)


def warm_up() -> None:
    """Load the modules, the methods of tensors, and what the gallery and the conformance specs use."""
    for space in NAMESPACES.values():
        for name in space.names():
            space.find(name)
    for cls in host_classes():
        members.names(cls)
    for name in dir(Tensor):
        getattr(Tensor, name)
    for base, _ in hostile.bases():
        hostile.names_of(base)
    for make in (corpus.texts, corpus.trees, corpus.tokens, corpus.fragments, all_names, atoms.instances):
        make()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tests = Path(__file__).parents[1]
        files = sorted(tests.parent.joinpath("expressions").glob("*.py"))
        files += sorted(tests.joinpath("conformance", "specs").rglob("*.py"))
        for text in [world(), _SPARSE, *(path.read_text("utf-8") for path in files[::8])]:
            try:
                Program(Spec(decoded("spec.py", text.encode()), False, None, None), limits=_LIMITS).run(trace=True)
            except GradcliError:
                # Some of them show errors, and some take longer than they are given.
                continue
    # These load modules: not inside of a program that is watched, or it would load them while it does so.
    live()
    offered()
