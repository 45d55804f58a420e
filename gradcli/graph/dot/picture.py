"""A graph of pydot's that is used as torchviz's is: rendered to a file, piped, changed, shown in a notebook."""

from __future__ import annotations

import os
from typing import Any

import pydot

from ...errors import InputError
from .render import FORMATS, drawn

# As long as a person waits.
_SECONDS = 60.0


class DrawnGraph(pydot.Dot):  # type: ignore[misc,unused-ignore]
    """A graph with the names that ``graphviz.Digraph`` has; nothing is ever opened."""

    # What a picture is, unless something else is asked for.
    format = "pdf"

    @property
    def source(self) -> str:
        """The text of the graph, in DOT."""
        text: str = self.to_string()
        return text

    def attr(self, kw: str | None = None, **attributes: Any) -> None:
        """Set attributes of the graph, or the defaults of every "node" or "edge"."""
        plain = {key: str(value) for key, value in attributes.items()}
        if kw in (None, "graph"):
            for key, value in plain.items():
                self.set(key, value)
        elif kw == "node":
            self.set_node_defaults(**plain)
        elif kw == "edge":
            self.set_edge_defaults(**plain)
        else:
            raise InputError(f"attr() is of the 'graph', of every 'node' or 'edge', not of {kw!r}")

    def pipe(self, format: str | None = None, encoding: str | None = None) -> bytes | str:
        """The picture itself, as Graphviz draws it; with an ``encoding`` as text."""
        made = drawn(self.source, self._form(format), _SECONDS)
        return made if encoding is None else made.decode(encoding)

    def save(self, filename: str | os.PathLike[str] = "graph", directory: str | os.PathLike[str] | None = None) -> str:
        """Write the text to a file, and give its path."""
        path = os.path.join(os.fspath(directory or ""), os.fspath(filename))
        if directory:
            os.makedirs(directory, exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.source)
        return path

    def render(
        self,
        filename: str | os.PathLike[str] = "graph",
        directory: str | os.PathLike[str] | None = None,
        view: bool = False,
        cleanup: bool = False,
        format: str | None = None,
    ) -> str:
        """Write the text to ``filename`` and the picture beside it, and give the picture's path.

        ``cleanup`` leaves the text out. ``view`` is taken, and opens nothing.
        """
        form = self._form(format)
        made = drawn(self.source, form, _SECONDS)
        path = self.save(filename, directory)
        picture = f"{path}.{form}"
        with open(picture, "wb") as file:
            file.write(made)
        if cleanup:
            os.remove(path)
        return picture

    def view(self, filename: str | os.PathLike[str] = "graph", **options: Any) -> str:
        """Render the picture, and open nothing."""
        return self.render(filename, **options)

    def _form(self, format: str | None) -> str:
        form = str(format or self.format).lower()
        if form not in FORMATS:
            raise InputError(f"a picture is one of {', '.join(FORMATS)}, not {form!r}")
        return form

    def _repr_svg_(self) -> str:
        return str(self.pipe("svg", "utf-8"))
