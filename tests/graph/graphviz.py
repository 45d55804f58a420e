"""Graphviz, where it is installed: what it reads in a DOT text, and where it puts what it draws."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any, NamedTuple

import pytest

DOT = shutil.which("dot")
needs_dot = pytest.mark.skipif(DOT is None, reason="Graphviz is not installed: apt install graphviz")

# Reads a graph without drawing it.
_READ = ("-Knop", "-Tdot_json")


class Graph(NamedTuple):
    """A graph as Graphviz has it."""

    nodes: dict[str, dict[str, Any]]
    # Tail, head, attributes.
    edges: list[tuple[str, str, dict[str, Any]]]
    clusters: dict[str, list[str]]


def run(dot: str, *words: str) -> bytes:
    """What ``dot`` makes of a text; it may not find fault with it."""
    done = subprocess.run(["dot", *words], input=dot.encode(), capture_output=True, timeout=600, check=False)
    if words != _READ:
        assert (done.returncode, done.stderr.decode()) == (0, "")
    return done.stdout


def read(dot: str, *words: str) -> Graph:
    """The nodes and edges of a DOT text."""
    found = json.loads(run(dot, *(words or _READ)))
    objects = {each["_gvid"]: each for each in found.get("objects", [])}
    clusters = {
        each["name"]: each for each in objects.values() if "nodes" in each or each["name"].startswith("cluster ")
    }
    nodes = {each["name"]: each for each in objects.values() if each["name"] not in clusters}
    edges = [(objects[e["tail"]]["name"], objects[e["head"]]["name"], e) for e in found.get("edges", [])]
    held = {name: [objects[id]["name"] for id in each.get("nodes", [])] for name, each in clusters.items()}
    return Graph(nodes, edges, held)


def name(id: str) -> str:
    """An id as Graphviz tells it: a backslash is two."""
    return id.replace("\\", "\\\\")


def texts(dot: str) -> list[tuple[str, tuple[float, float, float, float]]]:
    """Every line of text that is drawn, with its box: left, bottom, right, top."""
    found = json.loads(run(dot, "-Tjson"))
    boxes = []
    for each in [found, *found.get("objects", []), *found.get("edges", [])]:
        size = 0.0
        for drawing in ("_ldraw_",):
            for step in each.get(drawing, []):
                if step["op"] == "F":
                    size = step["size"]
                elif step["op"] == "T":
                    x, y = step["pt"]
                    start = {"l": x, "c": x - step["width"] / 2, "r": x - step["width"]}[step["align"]]
                    # Letters reach a quarter of their size below the line, and three quarters above it.
                    boxes.append((step["text"], (start, y - size / 4, start + step["width"], y + size * 3 / 4)))
    return boxes
