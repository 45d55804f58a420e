# ruff: noqa: E501 (programs on one line)
"""Trees of containers in programs: taken apart, put together and refused as PyTorch does."""

from __future__ import annotations

from ..running import printed

_PROGRAM = """\
import torch
from collections import namedtuple, OrderedDict, defaultdict, deque
from torch.utils._pytree import tree_map, tree_flatten, tree_unflatten, tree_map_only, tree_leaves, tree_structure, register_pytree_node, tree_all, tree_any, TreeSpec, tree_map_
import torch.utils._pytree as pytree
P = namedtuple("P", "a b")
t = {"w": torch.ones(2), "l": [1, (2, None)], "p": P(3, [4]), "o": OrderedDict(x=1), "d": defaultdict(list, y=[7]), "q": deque([1, 2], maxlen=4), "s": torch.Size([2, 3])}
leaves, spec = tree_flatten(t)
print(leaves); print(spec); print(spec.num_leaves, spec.num_nodes, spec.num_children, spec.is_leaf())
print(tree_unflatten([i for i in range(len(leaves))], spec))
print(tree_map(lambda x: x, t))
print(tree_map(lambda x, y: (x, y), [1, (2, 3)], [4, (5, [6])]))
print(tree_map_only(int, lambda x: x + 1, [1, 2.0, "a", (3,)]))
print(tree_map_only((int, str), lambda x: x * 2, [1, 2.0, "a", (3,)]))
print(tree_map_only(torch.Tensor, lambda x: x.sum(), t)["w"])
print(tree_all(lambda x: x > 0, [1, 2]), tree_any(lambda x: x > 1, [1, {"a": 2}]))
for f in (lambda: tree_map(lambda x, y: x, [1, 2], [1]), lambda: tree_map(lambda x, y: x, {"a": 1}, {"b": 1}), lambda: tree_map(lambda x, y: x, [1], (1,)), lambda: tree_unflatten([1], spec), lambda: tree_unflatten([1], 3), lambda: tree_map(lambda x, y: x, [torch.Size([1])], [(1,)])):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
class Pt:
    def __init__(self, x, y): self.x, self.y = x, y
register_pytree_node(Pt, lambda p: ([p.x], p.y), lambda c, y: Pt(*c, y))
q = tree_map(lambda x: x * 10, [Pt(1, 2)])
print(q[0].x, q[0].y, tree_structure([1, [2]]) == tree_structure([3, [4]]), tree_structure(1))
try: register_pytree_node(Pt, None, None)
except Exception as e: print(type(e).__name__, str(e)[-40:])
print(tree_leaves([1, (2, 3)], is_leaf=lambda x: isinstance(x, tuple)), tree_structure([Pt(1, 2)]))
print(pytree.tree_map(torch.neg, {"a": torch.ones(1)}), tree_map_(print, [1, 2]))
m = torch.nn.Linear(2, 2)
print(tree_map(lambda p: p.shape, dict(m.named_parameters())), list(pytree.tree_iter((1, 2))))
print(pytree.tree_map_with_path(lambda way, x: f"{pytree.keystr(way)}={x}", {"a": [1, P(2, ())]}), pytree.tree_leaves_with_path([3]))
"""
_PRINTED = """\
[tensor([1., 1.]), 1, 2, None, 3, 4, 1, 7, 1, 2, 2, 3]
TreeSpec(dict, ['w', 'l', 'p', 'o', 'd', 'q', 's'], [*,
  TreeSpec(list, None, [*,
    TreeSpec(tuple, None, [*,
      *])]),
  TreeSpec(namedtuple, <class '__main__.P'>, [*,
    TreeSpec(list, None, [*])]),
  TreeSpec(OrderedDict, ['x'], [*]),
  TreeSpec(defaultdict, [<class 'list'>, ['y']], [TreeSpec(list, None, [*])]),
  TreeSpec(deque, 4, [*,
    *]),
  TreeSpec(Size, None, [*,
    *])])
12 22 7 False
{'w': 0, 'l': [1, (2, 3)], 'p': P(a=4, b=[5]), 'o': OrderedDict([('x', 6)]), 'd': defaultdict(<class 'list'>, {'y': [7]}), 'q': deque([8, 9], maxlen=4), 's': (10, 11)}
{'w': tensor([1., 1.]), 'l': [1, (2, None)], 'p': P(a=3, b=[4]), 'o': OrderedDict([('x', 1)]), 'd': defaultdict(<class 'list'>, {'y': [7]}), 'q': deque([1, 2], maxlen=4), 's': (2, 3)}
[(1, 4), ((2, 5), (3, [6]))]
[2, 2.0, 'a', (4,)]
[2, 2.0, 'aa', (6,)]
tensor(2.)
True True
ValueError Node arity mismatch; expected 2, but got 1.
ValueError Node keys mismatch; missing key(s): {'a'}; extra key(s): {'b'}.
ValueError Node type mismatch; expected <class 'list'>, but got <class 'tuple'>.
ValueError treespec.unflatten(leaves): `leaves` has length 1 but the spec refers to a pytree that holds 12 items (TreeSpec(dict, ['w', 'l', 'p', 'o', 'd', 'q', 's'], [*,
  TreeSpec(list, None, [*,
    TreeSpec(tuple, None, [*,
      *])]),
  TreeSpec(namedtuple, <class '__main__.P'>, [*,
    TreeSpec(list, None, [*])]),
  TreeSpec(OrderedDict, ['x'], [*]),
  TreeSpec(defaultdict, [<class 'list'>, ['y']], [TreeSpec(list, None, [*])]),
  TreeSpec(deque, 4, [*,
    *]),
  TreeSpec(Size, None, [*,
    *])])).
TypeError Expected `treespec` to be an instance of PyTreeSpec but got item of type <class 'int'>.
ValueError Type mismatch; expected <class 'torch.Size'>, but got <class 'tuple'>.
10 2 True *
ValueError '> is already registered as pytree node.
[1, (2, 3)] TreeSpec(list, None, [TreeSpec(Pt, 2, [*])])
1
2
{'a': tensor([-1.])} [1, 2]
{'weight': torch.Size([2, 2]), 'bias': torch.Size([2])} [1, 2]
{'a': ["['a'][0]=1", P(a="['a'][1].a=2", b=())]} [((SequenceKey(idx=0),), 3)]
"""


def test_a_program_with_trees_prints_what_it_prints_under_pytorch() -> None:
    assert printed(_PROGRAM) == _PRINTED
