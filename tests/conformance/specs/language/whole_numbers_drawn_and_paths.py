"""Whole numbers of other types, drawn; arrays that share memory; paths in parts; mappings that are only read."""

from pathlib import Path, PurePath
from types import MappingProxyType

import numpy as np

state = np.random.RandomState(0)
image = state.randint(0, 255, (2, 2, 3), dtype=np.uint8)
print(image.tolist(), image.dtype, state.randint(5, size=4), state.randint(0, 2, 3, dtype=np.int32), state.rand())
rng = np.random.default_rng(1)
print(rng.integers(0, 256, size=5, dtype=np.uint8), rng.integers(3, endpoint=True, size=4))
print(rng.integers(9, dtype="int8"))
try:
    state.randint(3, dtype=float)
except TypeError as e:
    print(e)
a = np.arange(6)
m = a.reshape(2, 3)
print(np.shares_memory(a, a[::2]), np.shares_memory(a[::2], a[1::2]), np.may_share_memory(a[::2], a[1::2]))
print(np.shares_memory(m.T, a), np.shares_memory(m.flatten(), a), np.shares_memory(m[[0]], m))
print(a.clip(2), a.clip(max=3), a.clip(1, 4), np.fromiter((i * i for i in range(4)), dtype=float))
print(np.fromiter(range(9), np.int32, 3), np.fromiter([], float).shape)
try:
    np.fromiter([1], float, count=2)
except ValueError as e:
    print(e)
p = Path("/a/b/c.tar.gz")
print(p.suffixes, p.parts, list(p.parents), p.with_stem("x"), p.relative_to("/a"), p.is_relative_to("/b"))
print(PurePath("a/b").parts, Path(".gitignore").suffixes, list(Path("a/b").parents))
try:
    Path("a/b").relative_to("c")
except ValueError as e:
    print(e)
d = {"a": 1, "b": [2]}
frozen = MappingProxyType(d)
print(frozen, frozen["a"], len(frozen), list(frozen.items()), "b" in frozen, dict(frozen), frozen.get("z"))
print(frozen | {"c": 3})
d["c"] = 4
print(frozen.copy(), frozen == d)
for change in (lambda: frozen.__setitem__("a", 2), lambda: MappingProxyType(3)):
    try:
        change()
    except (TypeError, AttributeError) as e:
        print(e)
try:
    frozen["a"] = 2
except TypeError as e:
    print(e)
