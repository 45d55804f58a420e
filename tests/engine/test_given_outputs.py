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
