"""The gallery as DOT: read back it is the graph that was traced, and its bytes are the same in every process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from gradcli.graph.dot.document import to_dot
from gradcli.graph.view.collect import of_program
from gradcli.graph.view.view import View
from gradcli.spec.input.source import read as read_spec
from gradcli.spec.program import Program
from tests import rings
from tests.rings import long, sampled

from .graphviz import needs_dot, read, run

ROOT = Path(__file__).parents[2]
GALLERY = sorted((ROOT / "expressions").glob("*.py"))

# For larger ones Graphviz takes seconds.
_DRAWN = 100


def expected(view: View) -> tuple[set[str], Counter[tuple[str, str, str]]]:
    """The nodes and edges of a view, for which there are no constants drawn several times."""
    edges = Counter(
        (item.id, f"{item.id}.{edge.argument}" if edge.to is None else edge.to.id, edge.argument)
        for item, edge in view.edges()
    )
    return {end for each in edges for end in each[:2]} | {view.root.id}, edges


@needs_dot
@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
@sampled(10)
def test_the_gallery_is_read_back_as_it_is(path: Path) -> None:
    traced = of_program(Program(read_spec(str(path))))
    drawn = len(traced.items) < _DRAWN
    found = read(to_dot(traced, share_leaves=True), *(["-Tjson"] if drawn else []))
    nodes, edges = expected(traced)
    assert set(found.nodes) == nodes
    assert Counter((tail, head, each["label"].split()[0]) for tail, head, each in found.edges) == edges
    if drawn:
        run(to_dot(traced, show_saved=True, show_attrs=True, weight="grad"), "-Tsvg")


_HASHES = """
import glob, hashlib, sys
from gradcli.graph.view.collect import of_program
from gradcli.graph.dot.document import to_dot
from gradcli.spec.program import Program
from gradcli.spec.input.source import read
for path in sorted(glob.glob("expressions/*.py"))[::int(sys.argv[1])]:
    dot = to_dot(of_program(Program(read(path))), show_saved=True, show_attrs=True, weight="grad")
    print(path, hashlib.sha256(dot.encode()).hexdigest())
"""


@long("it takes a second or more")
def test_the_same_bytes_in_every_process() -> None:
    every = 1 if rings.is_full() else 5
    runs = []
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        runs.append(
            subprocess.Popen(
                [sys.executable, "-c", _HASHES, str(every)], cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True
            )
        )
    first, second = (run.communicate(timeout=600)[0] for run in runs)
    assert first == second
    assert len(first.splitlines()) == len(GALLERY[::every])
