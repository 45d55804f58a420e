"""Calls whose results or errors once differed from PyTorch's."""

import numpy as np
import pytest

import gradcli

torch = pytest.importorskip("torch")

CALLS = """
M.searchsorted(t([1., 3., nan]), t([nan, 2., 5.]))
M.searchsorted(t([[1., 3., nan]]), t([[nan, 2., 5.]]), right=True)
M.searchsorted(t([5, 1, 7, 2, 9]), t([1, 6, 8]))
M.searchsorted(t([[1., 3.], [2, 4]]), 2.)
M.searchsorted(t([1., 3.]), t([2.]), sorter=t([[0, 1]]))
M.searchsorted(t(1), t([2]))
M.bucketize(t([nan, 1.]), t([1., nan]))
M.add(t([1.]), 1, alpha=True)
M.sub(t([1.]), 1, alpha=True)
M.add(t([1.]), 1, alpha=1j)
M.add(t([1]), 1, alpha=1j)
M.add(t([1.]), 2, t([3.]))
t([1.]).sub_(2, t([3.]))
t([1.]).addcmul_(2, t([2.]), t([3.]))
M.addcdiv(t([1.]), 2, t([2.]), t([3.]))
M.can_cast(M.float, 1)
M.result_type("a", 1)
M.zeros(2, dtype=M.promote_types(M.half, M.complex64))
M.repeat_interleave(t([1, 2]), t([1, 2]), output_size=4)
M.repeat_interleave(t([1, 2]), 2, output_size=5)
M.rot90(M.zeros(2, 3), 1, [0, 2])
M.vander(t([1, 2]), N=-1)
M.block_diag(1)
M.zeros(3, 5).scatter(1, t([[0, 1, 2]]), M.ones(1, 3), reduce="add")
M.zeros(3, 5).scatter_reduce(1, t([[0, 0, 2]]), t([[1., 2., 3.]]), "max")
M.zeros(3, 4).index_add(0, t([[0]]), M.ones(1, 4))
M.zeros(3, 4, 5).index_copy(1, t([0]), M.ones(3, 1, 4))
M.zeros(3, 4).index_copy(0, t([0.]), M.ones(1, 4))
M.zeros(3, 4).index_fill(0, t([0]), 1j)
M.take(M.empty(0), t([0]))
M.topk(M.ones(3), "a")
M.nn.functional.grid_sample(M.ones(0, 1, 2, 2), M.ones(0, 1, 1, 2), align_corners=False)
M.nn.functional.grid_sample(M.ones(1, 0, 2, 2, 2), M.ones(1, 1, 1, 1, 3), align_corners=False)
M.func.vmap(lambda x: x.masked_select(x > 0))(M.ones(2, 3))
N.cos(t([0.5, 1.]))
N.exp(t([1, 2]))
N.add(N.ones(2), t([1., 2.]))
N.isnan(t([1., nan]))
N.argmax(t([1., 3., 2.]))
N.cumsum(t([1., 3.]))
N.clip(t([1., 3.]), 0, 2)
N.transpose(M.ones(2, 3))
N.add.reduce(t([1., 2.]))
N.add.outer(t([1., 2.]), t([1., 2.]))
N.asarray(t([1, 2]), float)
N.array(t([1.]), copy=False)
N.array([t([1.]), t([2.])])
N.linalg.inv(M.eye(2))
N.cos(M.ones(2, requires_grad=True))
N.ones(2) * M.ones(2, requires_grad=True)
M.ones(2, requires_grad=True) * N.ones(2)
N.ones(2) + t([1., 2.])
N.ones(2) * t([1., 2.])
N.ones(2) / t([1., 2.])
N.ones(2) - t([1., 2.])
N.ones(2) < t([1., 2.])
N.ones(2) == t([1., 2.])
t([1., 2.]) + N.ones(2)
t([1., 2.]) % N.ones(2)
t([1., 2.]) @ N.ones(2)
t([1, 2]) ^ N.array([1, 2])
N.float64(2) - t([1., 2.])
N.int64(2) / t([1., 2.])
N.int64(2) ** t([1., 2.])
N.int64(5) % t([2, 3])
N.bool_(True) * t([1, 2])
t([1., 2.]) ** N.int64(2)
M.add(t([1.]), N.ones(1))
M.tensor(M.rrelu(M.ones(3, 4).t()).stride())
M.linspace(-3, 3, 2 * 5 * 37).bfloat16().reshape(2, 5, 37).softmax(1)
M.linspace(-3, 3, 2 * 5 * 37).half().reshape(2, 5, 37).softmax(0)
M.tensor(M.ones(3, 4).norm(1, -1, True).stride())
M.ones(1, 4).expand(3, 4).__setitem__(slice(2), 4.0)
M.tensor(M.ones(1, 2, 3, 4).to(memory_format=M.channels_last).pow(0.5).stride())
M.tensor(M.ones(1, 2, 3, 4).to(memory_format=M.channels_last).to(memory_format=M.contiguous_format).stride())
M.tensor(M.ones(3, 4).t().to(memory_format=M.contiguous_format).stride())
M.tensor(M.nn.functional.pad(M.ones(6, 4).t(), (-1, -2)).stride())
M.nn.functional.pixel_unshuffle(M.ones(0, 2, 4, 4), 2)
M.tensor(M.nn.utils.rnn.unpad_sequence(M.ones(3, 2), t([2, 3]))[0].stride())
M.nn.functional.max_pool1d(M.ones(1, 2, 4), 2, [1, 1])
M.nn.functional.adaptive_avg_pool2d(M.ones(1, 2, 4, 4, requires_grad=True), 0).sum().backward()
M.nn.functional.interpolate(M.ones(1, 2, 3), 3, mode="bicubic")
M.nn.ReLU(inplace=True)("s")
M.nn.SELU(inplace=True)("s")
M.nn.PReLU()("s")
M.tensor(M.conv3d(M.ones(2, 2, 3, 3, 3).contiguous(memory_format=M.channels_last_3d), M.ones(3, 2, 2, 2, 2)).stride())
M.tensor(M.conv3d(M.ones(1, 2, 3, 3, 3).contiguous(memory_format=M.channels_last_3d), M.ones(3, 2, 2, 2, 2)).stride())
M.zeros(2, dtype=M.complex64) ** 0
M.zeros(2, dtype=M.complex64).abs_()
(x := M.arange(3.)).index_put_((t([1, 0, 2]),), x)
(x := M.arange(3.)).__setitem__(t([1, 0, 2]), x)
(x := M.ones(2, 2)).scatter_(0, M.zeros(2, 2).long(), x)
(x := M.ones(2, 2)).scatter_add_(0, M.zeros(2, 2).long(), x.view(2, 2))
(x := M.ones(2, 2)).index_add_(0, t([1, 0]), x)
(x := M.ones(2, 2)).index_copy_(0, t([1, 0]), x)
(x := M.ones(4)).index_add_(0, t([1, 0]), x[2:])
M.autograd.grad(((x := M.zeros(1, dtype=M.complex64, requires_grad=True)) ** 1).real.sum(), x)[0]
t([2j, 0.5]) ** -2
M.zeros(0, 2).to(M.uint8).median()
M.zeros(0, 2).to(M.int32).nanmedian()
M.zeros(0, 2).bool().median()
M.zeros(0, 2).bool().median(0)
t(True).kthvalue(1).values
t(True).median(0).values
M.linalg.matrix_norm(M.zeros(3, 0, 2), 2, keepdim=True)
M.linalg.matrix_norm(M.zeros(0, 2), -2)
M.linalg.matrix_norm(M.zeros(2, 0), 1)
M.linalg.cond(M.zeros(3, 0, 2), 1)
M.linalg.cond(M.zeros(0, 2), "fro")
M.autograd.grad((x := M.zeros(0, 2, requires_grad=True)).double().softmax(0, dtype=M.float32).sum(), x)[0]
M.autograd.grad(M.nn.functional.multilabel_margin_loss((x := M.zeros(0, 2, requires_grad=True)), x.long()), x)[0]
M.nn.functional.cross_entropy(M.zeros(3, 0), M.zeros(3, 0), label_smoothing=0.1).isnan()
M.nn.functional.layer_norm(t(1.), ())
M.nn.functional.embedding_bag(t([0]), M.zeros(3), t([0]))
M.gradient(t(1.), dim=0)[0]
M.func.jvp(lambda x: x.std(1), (t([[1., 2.], [3., 3.]]),), (t([[1., 4.], [3., 5.]]),))[1]
M.func.jvp(lambda x: x.mean(0), (M.zeros(0, 2),), (M.zeros(0, 2),))[1].isnan()
M.func.jvp(lambda x: M.nn.functional.group_norm(x, 1), (M.zeros(1, 0, 2),), (M.zeros(1, 0, 2),))[1]
M.func.hessian(lambda x: M.nn.functional.multi_margin_loss(x, t([1])))(M.ones(1, 2))
M.func.jvp(lambda x: M.nn.functional.multilabel_margin_loss(x, t([0, -1])), (M.zeros(2),), (M.ones(2),))
M.func.jvp(lambda x: M.func.linearize(M.sin, x)[1](x), (t([.5]),), (t([1.]),))
M.func.vmap(lambda x: M.func.linearize(M.sin, x)[1](x))(M.ones(2, 3))
M.func.vmap(lambda v: M.func.linearize(M.sin, M.ones(3))[1](v))(M.ones(2, 3))
""".strip().splitlines()


def found(M, text):
    """The error's class and first line, or the element type, shape and elements of the result."""
    try:
        r = eval(text, {"M": M, "N": np, "t": M.tensor, "nan": float("nan")})
    except Exception as e:
        words = str(e).split("\n")[0].split(", but expected one of")[0]
        return next(c.__name__ for c in type(e).__mro__ if c.__module__ == "builtins"), words
    return str(r.dtype), tuple(r.shape), r.tolist()


@pytest.fixture
def as_many_threads():
    before = gradcli.get_num_threads()
    gradcli.set_num_threads(torch.get_num_threads())
    yield
    gradcli.set_num_threads(before)


@pytest.mark.usefixtures("as_many_threads")
@pytest.mark.filterwarnings("ignore")
def test_they_are_alike():
    for text in CALLS:
        assert (text, found(gradcli, text)) == (text, found(torch, text))
