"""Modules of Python's and PyTorch's that are written in the spec language: a program runs what it imports of them.

What stands in a file `NAME.spec` here can do what any program can do, and no more: it is read by the same interpreter,
and its steps are counted with those of the program. An error in it is told of at the program's own call.
"""

from __future__ import annotations

import ast
import os
from functools import cache

from ...distributions import MODULES

# The modules that are written so.
NAMES = (
    "PIL.Image", "PIL.ImageOps", "_arrays", "_arrays.linalg", "_arrays.special", "_asked", "_environments", "_files",
    "_graphs.shown", "_grids",
    "_in_passing", "_kinds", "_line_searches", "_objects", "_pickle", "_quadrature", "_records",
    "_samples.breast_cancer", "_samples.diabetes", "_samples.digits", "_samples.wine", "_schedules", "_selective",
    "_series", "_special_numbers", "_splines",
    "_stats.base", "_stats.further", "_stats.judged", "_stats.usual", "_tables.asking",
    "_tables.categories", "_tables.columns", "_tables.dates", "_tables.frames", "_tables.group_measures",
    "_tables.groups", "_tables.indices", "_tables.joins", "_tables.labels", "_tables.levels", "_tables.measures",
    "_tables.operators", "_tables.picking", "_tables.reading", "_tables.texts", "_tables.values", "_tables.windows",
    "_tables.writing", "_texts", "_traced", "_walks", "argparse", "array", "atexit", "base64", "binascii", "bisect",
    "calendar", "codecs", "collections", "concurrent.futures", "configparser", "contextlib", "copyreg", "csv",
    "datetime", "decimal", "distutils.util", "distutils.version", "einops", "einops.layers.torch", "fnmatch",
    "fractions", "functools", "functorch", "gc", "getpass", "glob", "gymnasium", "gymnasium.spaces", "hashlib",
    "heapq", "io", "json", "keyword", "logging", "logging.config", "logging.handlers", "multiprocessing", "networkx",
    "numpy._core.multiarray", "numpy.char", "numpy.dtypes", "numpy.ma", "numpy.polynomial",
    "numpy.polynomial.chebyshev", "numpy.polynomial.hermite", "numpy.polynomial.hermite_e",
    "numpy.polynomial.laguerre", "numpy.polynomial.legendre", "numpy.polynomial.polynomial", "numpy.strings",
    "numpy.testing", "operator", "os", "os.path", "packaging.version", "pandas", "pathlib", "pickle", "platform",
    "pprint", "queue", "reprlib", "scipy.fft", "scipy.fftpack", "scipy.integrate", "scipy.interpolate", "scipy.linalg",
    "scipy.ndimage", "scipy.optimize", "scipy.signal", "scipy.signal.windows", "scipy.sparse", "scipy.spatial",
    "scipy.spatial.distance", "scipy.special", "scipy.stats", "shlex", "shutil", "signal", "sklearn.base",
    "sklearn.cluster", "sklearn.compose", "sklearn.datasets", "sklearn.decomposition", "sklearn.dummy",
    "sklearn.ensemble", "sklearn.exceptions", "sklearn.feature_extraction", "sklearn.feature_extraction.text",
    "sklearn.feature_selection", "sklearn.impute", "sklearn.linear_model", "sklearn.metrics",
    "sklearn.metrics._checks", "sklearn.metrics._classification", "sklearn.metrics._ranking",
    "sklearn.metrics._regression", "sklearn.metrics.pairwise", "sklearn.model_selection", "sklearn.naive_bayes",
    "sklearn.neighbors", "sklearn.pipeline", "sklearn.preprocessing", "sklearn.svm", "sklearn.tree", "sklearn.utils",
    "sklearn.utils._bunch", "sklearn.utils.class_weight", "socket", "statistics", "string", "struct", "subprocess",
    "sys", "tempfile", "textwrap", "threading", "time", "timeit", "torch._dynamo.eval_frame", "torch.fx",
    "torch.library", "torch.nested", "torch.nn.attention", "torch.nn.modules.utils", "torch.nn.utils.prune",
    "torch.optim.swa_utils", "torch.serialization", "torch.utils._pytree", "torch.utils.flop_counter",
    "torchvision.datasets", "torchvision.models", "torchvision.transforms", "torchvision.transforms.functional",
    "torchvision.transforms.v2", "torchvision.transforms.v2.functional", "torchvision.tv_tensors",
    "torchvision.tv_tensors._image", "torchvision.utils", "tqdm", "tqdm.auto", "tqdm.autonotebook", "tqdm.notebook",
    "traceback", "types", "unittest", "unittest.mock", "urllib.parse", "uuid", "weakref", "zlib",
    *(f"torch.distributions.{module}" for module in MODULES),
)  # fmt: skip
# Those that Python runs as well, as modules of gradcli: what they import of it, a program has by its public name.
_IN_PYTHON = {
    "torch._dynamo.eval_frame": "nn/base/eval_frame.py",
    "torch.nn.attention": "nn/attention/__init__.py", "torch.nn.modules.utils": "nn/modules/utils.py",
    "torch.nn.utils.prune": "nn/utils/prune.py", "torch.optim.swa_utils": "optim/swa_utils.py",
    **{f"torch.distributions.{module}": f"distributions/{module}.py" for module in MODULES},
}  # fmt: skip
# On a node of these modules, so that no place in them is shown as one of the program's.
_MARK = "of_library"


@cache
def tree_of(module: str) -> ast.Module:
    """The syntax tree of a module; none of its nodes has a place in a program."""
    loader = __spec__.loader
    here = os.path.dirname(__file__)
    shared = _IN_PYTHON.get(module)
    package = os.path.dirname(os.path.dirname(here))
    path = os.path.join(package, *shared.split("/")) if shared else os.path.join(here, f"{module}.spec")
    assert loader is not None
    tree: ast.Module = ast.parse(loader.get_data(path).decode("utf-8"), "")  # type: ignore[attr-defined]
    for node in ast.walk(tree):
        setattr(node, _MARK, True)
    return tree


def is_of_library(node: ast.AST) -> bool:
    """True if a node is of one of these modules."""
    return hasattr(node, _MARK)


def is_package(module: str) -> bool:
    """True if a module that Python runs as well has others within it."""
    return _IN_PYTHON.get(module, "").endswith("__init__.py")


@cache
def names_in(module: str) -> tuple[str, ...]:
    """The public names of a module."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    found = [node.name for node in tree_of(module).body if isinstance(node, kinds)]
    for node in tree_of(module).body:
        if isinstance(node, ast.Assign):
            found += [part.id for target in node.targets for part in ast.walk(target) if isinstance(part, ast.Name)]
        elif isinstance(node, ast.ImportFrom):
            found += [alias.asname or alias.name for alias in node.names]
    # The modules of PyTorch's whose names begin so are asked for them.
    return tuple(name for name in found if not name.startswith("_") or module.startswith("torch.nn.modules"))
