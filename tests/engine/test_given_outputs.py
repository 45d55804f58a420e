"""What is said of tensors given for results, in another element type than the results, against PyTorch."""

import pytest

import gradcli

torch = pytest.importorskip("torch")

CALLS = """
M.add(a, a, out=given)
M.abs(a, out=given)
M.mm(a, a, out=given)
M.dot(a[0], a[0], out=given)
M.gather(a, 0, M.tensor([[0]]), out=given)
M.index_select(a, 0, M.tensor([0]), out=given)
M.amax(a, 0, out=given)
M.all(a, out=given)
M.quantile(a, 0.5, out=given)
M.nonzero(a, out=given)
M.inner(a, a, out=given)
M.igamma(a, a, out=given)
M.linalg.det(a, out=given)
M.linalg.inv(a, out=given)
M.linalg.cond(a, out=given)
M.linalg.norm(a, out=given)
M.linalg.multi_dot([a, a], out=given)
M.cholesky_inverse(a, out=given)
M.zeros(2, dtype=M.float32, out=given)
M.sort(a, out=(given, indices))
M.topk(a, 1, out=(given, indices))
M.sort(a, out=(given,))
M.add(a, a, out=M.empty(0, device="meta"))
M.cumsum(a, 0, out=given)
M.sum(a, 0, out=given)
M.prod(a, 0, out=given)
M.nn.functional.gelu(a, out=given)
M.nn.functional.logsigmoid(a, out=given)
M.nn.functional.linear(a, a, out=given)
""".strip().splitlines()


def found(M, text, kind):
    """The error's class and first line, or the element type of the result."""
    names = {"M": M, "a": M.eye(2), "given": M.empty(0, dtype=getattr(M, kind)), "indices": M.empty(0, dtype=M.int64)}
    try:
        r = eval(text, names)
    except Exception as e:
        return next(c.__name__ for c in type(e).__mro__ if c.__module__ == "builtins"), str(e).split("\n")[0]
    return str(r.dtype) if hasattr(r, "dtype") else type(r).__name__


@pytest.mark.parametrize("kind", ["float32", "float64", "int64"])
def test_an_output_is_taken_or_refused_as_in_pytorch(kind):
    for text in CALLS:
        assert (text, found(gradcli, text, kind)) == (text, found(torch, text, kind))


# Optimisers written by hand call ops for lists of tensors; the losses of torch itself reduce by a number.
LISTS = """
M._foreach_norm(xs)
M._foreach_powsum(xs, 3)
M._foreach_mm([M.ones(2, 3)], [M.ones(3, 1)])
M._foreach_mm([M.ones(2, 3)], [])
M._foreach_add(xs, 1)
M._foreach_add(xs, [1, 2], )
M._foreach_add_(xs, xs, alpha=3)
M._foreach_maximum(xs, 0.5)
M._foreach_maximum_(xs, 0.5)
M._foreach_addcdiv(xs, xs, xs, [1, 2])
M._foreach_lerp(xs, xs, 0.5)
M._foreach_copy_(xs, xs)
M._foreach_zero_(xs)
M._foreach_add([], 1)
M._foreach_add(xs, xs[:1])
M._foreach_mul(xs, M.ones(2))
M.margin_ranking_loss(xs[0], xs[0], xs[0])
M.binary_cross_entropy_with_logits(xs[0], xs[0])
M.kl_div(xs[0], xs[0], 1)
M.hinge_embedding_loss(xs[0], xs[0], 1.0, 2)
""".strip().splitlines()


def computed(M, text):
    """What a call gives, in lists, or its error."""
    try:
        r = eval(text, {"M": M, "xs": [M.tensor([1.0, 2.0]), M.tensor([[0.25]])]})
    except Exception as e:
        return str(e)
    return (type(r), [x.tolist() for x in r]) if isinstance(r, (list, tuple)) else r.tolist()


@pytest.mark.parametrize("text", LISTS)
def test_lists_and_numbers_for_reductions_are_as_in_pytorch(text):
    assert computed(gradcli, text) == computed(torch, text)


NODES = """
[M._foreach_NAME([x], other) for other in (2, [2.0], [x], t)] for NAME in add sub mul div pow maximum minimum clamp_max
[M._foreach_NAME([x])] for NAME in exp neg max clone norm log1p
[M._foreach_addcmul([x], [x], [x], v) for v in (1, [2.0])] + [M._foreach_pow(2, [x])] + [M._foreach_mm([x], [x.T])]
[M._foreach_NAME_([x * 1], other) for other in (2, [2.0], [x], t)] for NAME in add sub mul div pow
[M._foreach_minimum_([x * 1], [x])] + [[x.sort(stable=False)[0]], [x.sort()[0]]]
""".strip().splitlines()


@pytest.mark.parametrize("text", NODES)
def test_nodes_of_lists_are_called_as_in_pytorch(text):
    text, _, names = text.partition(" for NAME in ")

    def nodes(M):
        own = {"M": M, "x": M.ones(2, 2, requires_grad=True), "t": M.tensor(2.0)}
        made = [eval(text.replace("NAME", name), own) for name in names.split() or [""]]
        return [(ts[0].grad_fn.name(), len(ts[0].grad_fn.next_functions)) for each in made for ts in each]

    assert nodes(gradcli) == nodes(torch)


@pytest.mark.parametrize("M", [gradcli, torch], ids=["gradcli", "torch"])
def test_an_axis_is_a_whole_number(M):
    x = M.ones(2, 3)
    for call in (lambda: x.argmax(True), lambda: x.unbind("a"), lambda: x.unsqueeze(True), lambda: x.flatten("a")):
        with pytest.raises(TypeError, match="must be int, not"):
            call()
    assert x.argmax(M.tensor(1)).tolist() == [0, 0]


@pytest.mark.parametrize("M", [gradcli, torch], ids=["gradcli", "torch"])
def test_a_flag_is_a_bool(M):
    x = M.ones(2, 3)
    flags = (lambda: x.topk(1, 0, 1), lambda: x.sort(stable=1), lambda: x.var(0, keepdim=1), lambda: x.sum(0, 1))
    for call in flags:
        with pytest.raises(TypeError, match=r"must be bool, not int|got \(.*=int"):
            call()


@pytest.mark.parametrize("M", [gradcli, torch], ids=["gradcli", "torch"])
def test_an_output_whose_elements_are_one_is_refused_whatever_its_size(M):
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor refers to a single"):
        M.sin(M.ones(4), out=M.zeros(1, 4).expand(2, 4))
    with pytest.raises(IndexError, match="slice\\(\\) cannot be applied to a 0-dim tensor"):
        M.tensor(1.0)[:] = 2
