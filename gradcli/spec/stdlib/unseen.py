"""Modules whose work nobody sees here: what draws, keeps records or tries examples. A program goes on without them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

from ...errors import SpecError
from ..guard.notes import note
from ..guard.size_limits import caps, fits, whole
from ..values.classes.sealed_classes import Given, known_as
from ..values.tables.table import MISSING, Setter, declare

Table = dict[str, Any]

# Module -> what is said of it.
NOTES = {
    "matplotlib_inline": "matplotlib draws nothing here: the program goes on without its pictures",
    "tensorboardX": "nothing is recorded for TensorBoard here: the program goes on without its records",
    "matplotlib": "matplotlib draws nothing here: the program goes on without its pictures",
    "seaborn": "seaborn draws nothing here: the program goes on without its pictures",
    "mpl_toolkits": "mpl_toolkits draws nothing here: the program goes on without its pictures",
    "torchviz": "torchviz draws nothing here: `gradcli export-dot` draws the graph",
    "graphviz": "graphviz draws nothing here: `gradcli export-dot` draws the graph that autograd records",
    "torchview": "torchview draws nothing here: `gradcli export-dot` draws the graph",
    "plotly": "plotly draws nothing here: the program goes on without its pictures",
    "tensorboard": "nothing is recorded for TensorBoard here: the program goes on without its records",
    "IPython": "IPython shows nothing here: print() what is to be seen",
    "profiler": "torch.profiler measures nothing here: the program goes on without its records",
    "benchmark": "torch.utils.benchmark measures nothing here: the program goes on without its times",
    **dict.fromkeys(("_dynamo", "_inductor"), "torch.compile() compiles nothing here: its settings change nothing"),
    "_logging": "torch._logging writes nothing here: the program goes on without its records",
    "wandb": "wandb records nothing here: the program goes on without its records",
    "visdom": "visdom shows nothing here: the program goes on without its pictures",
    "doctest": "doctest tries nothing here: the examples in docstrings are not run",
}


# Of these, those whose results are times.
_OF_TIMES = ("profiler", "benchmark")


class Unseen(Given):
    """A result of such a module: it takes any call and has any attribute, and is no number, text or truth."""

    __slots__ = ("name", "shape")

    def __init__(self, name: str, shape: tuple[int, ...] = ()) -> None:
        # Each asking makes it longer.
        fits(len(name), "str")
        self.name = name
        # Of several, such as the plots of a figure: how many, and in what order.
        self.shape = shape

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        caps.tick(1)
        last = self.name.rpartition(".")[2]
        if last in _FLAT and self.shape:
            return Unseen(self.name, (_product(self.shape),))
        if last == "subplots":
            return Unseen(f"{self.name}()"), Unseen(f"{self.name}()", _grid(*args, **kwargs))
        if last in _ROWS:
            return [Unseen(f"{self.name}()")]
        if last == "hist":
            return tuple([Unseen(f"{self.name}()") for _ in range(3)])
        if last in _SAVING and args:
            caps.library("_files")["drawn"](args[0], kwargs.get("format"))
        if last == "get_backend":
            # What matplotlib itself takes where there is no screen.
            return "agg"
        return Unseen(f"{self.name}()")

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: Any) -> None:
        return None

    def __getitem__(self, index: Any) -> Unseen:
        places = index if isinstance(index, tuple) else (index,)
        if self.shape and any(isinstance(i, int) and not -n <= i < n for i, n in zip(places, self.shape, strict=False)):
            raise IndexError(f"index {index} is out of bounds")
        kept = sum(1 for i in places if isinstance(i, int))
        return Unseen(f"{self.name}[...]", self.shape[kept:] if kept == len(places) else self.shape)

    def __setitem__(self, index: Any, value: Any) -> None:
        return None

    def __iter__(self) -> Iterator[Any]:
        if not self.shape:
            self.refuse("looked into")
        return iter([Unseen(self.name, self.shape[1:]) for _ in range(self.shape[0])])

    def __len__(self) -> int:
        return self.shape[0] if self.shape else self.refuse("counted")

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return self.refuse("shown")

    __str__ = __repr__

    def __float__(self) -> float:
        return self.refuse("computed with")

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    def refuse(self, verb: str) -> NoReturn:
        """Refuse what would need a result."""
        raise SpecError(
            f"{self.name} gives nothing here that could be {verb}",
            help="leave out what depends on it",
            code="E205",
        )


class Unmeasured(Unseen):
    """A time or a table of times: it can be shown and computed with, and stays what nobody has measured."""

    __slots__ = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        caps.tick(1)
        return Unmeasured(f"{self.name}()")

    def __getitem__(self, index: Any) -> Unmeasured:
        return Unmeasured(f"{self.name}[...]")

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "<not measured>"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return str(self)

    def _computed(self, other: Any = None) -> Unmeasured:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _computed
    __floordiv__ = __rfloordiv__ = __pow__ = __rpow__ = __neg__ = __abs__ = __round__ = _computed

    def _compared(self, other: Any) -> bool:
        return False

    __lt__ = __le__ = __gt__ = __ge__ = _compared


# Of several plots, all in one row.
_FLAT = ("flatten", "ravel")
# What leaves a file.
_SAVING = ("savefig", "imsave")
# What draws lines, and gives a list of them.
_ROWS = ("plot", "fill", "semilogx", "semilogy", "loglog")


def _product(shape: tuple[int, ...]) -> int:
    n = 1
    for m in shape:
        n *= m
    return n


def _grid(nrows: Any = 1, ncols: Any = 1, *args: Any, **kwargs: Any) -> tuple[int, ...]:
    """Count the plots that subplots() gives: one stands alone, and a row or a column has one order."""
    rows, columns = whole(nrows), whole(ncols)
    fits(rows * columns, "list")
    if kwargs.get("squeeze", True):
        return tuple([n for n in (rows, columns) if n != 1])
    return rows, columns


def _attribute(value: Unseen, name: str) -> Any:
    if name.startswith("__"):
        return MISSING
    if name == "shape" and value.shape:
        return value.shape
    shape = value.shape if name == "flat" or name in _FLAT else ()
    return type(value)(f"{value.name}.{name}", shape)


def _leave(value: Unseen, new: Any) -> None:
    """Set an attribute of what nobody sees: nothing changes."""


class _AnyName(dict[str, Setter]):
    """Setters of attributes, whatever their names are."""

    def get(self, name: str, default: Any = None) -> Any:
        return default if name.startswith("__") else _leave


for _kind in (Unseen, Unmeasured):
    known_as(_kind, "Unseen", "gradcli.spec")
    _table = declare(_kind, base=object)
    _table.find = _attribute
    _table.setters = _AnyName()


def unseen(module: str, name: str) -> Unseen:
    """A name of such a module; that it does nothing is said when it is first asked for one."""
    part = next(part for part in reversed(module.split(".")) if part in NOTES)
    note(NOTES[part])
    return (Unmeasured if part in _OF_TIMES else Unseen)(f"{module}.{name}")
