# Indices and masks that the backward needs may not be written over either.
import torch
import torch.nn.functional as F

x = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
m = torch.tensor([[1.0, -2.0, 3.0], [4.0, 0.5, 6.0], [-7.0, 8.0, 2.0]], requires_grad=True)
image = m[None, None]
volume = image[:, :, None].expand(1, 1, 2, 3, 3)


def told(name, y, index):
    index.zero_()
    try:
        y.sum().backward()
        print(name, "runs", x.grad)
        x.grad = None
    except RuntimeError as e:
        print(name, str(e).split("operation: ")[1].split(" Hint")[0])


def reading(make):
    def of(name, read, *more):
        index = make()
        told(name, read(index, *more), index)

    return of


by_places = reading(lambda: torch.tensor([1, 2]))
by_places("index", lambda i: x[i])
by_places("index of an axis", lambda i: m[:, i])
by_places("one of two", lambda i: m[torch.tensor([0, 1]), i])
by_places("part of the index", lambda i: x[i[:1]])
by_places("index_put", lambda i: x.index_put((i,), torch.zeros(2)))
by_places("index_put, adding", lambda i: x.index_put((i,), torch.zeros(2), accumulate=True))
by_places("gather", lambda i: x.gather(0, i))
by_places("scatter", lambda i: x.scatter(0, i, 5.0))
by_places("scatter_add", lambda i: x.scatter_add(0, i, x[:2]))
by_places("scatter_reduce", lambda i: x.scatter_reduce(0, i, x[:2], "amax"))
by_places("index_select", lambda i: x.index_select(0, i))
by_places("index_add", lambda i: x.index_add(0, i, x[:2]))
by_places("index_add of a constant", lambda i: x.index_add(0, i, torch.ones(2)))
by_places("index_copy", lambda i: x.index_copy(0, i, x[:2]))
by_places("index_fill", lambda i: x.index_fill(0, i, 5.0))
by_places("take", lambda i: x.take(i))
by_places("take_along_dim", lambda i: torch.take_along_dim(x, i, 0))
by_places("take_along_dim, flat", lambda i: torch.take_along_dim(m, i))
by_places("embedding", lambda i: F.embedding(i, m))
by_places("embedding_bag", lambda i: F.embedding_bag(i, m, torch.tensor([0, 1])))
by_places("cross_entropy", lambda i: F.cross_entropy(m[:2], i))

offsets = torch.tensor([0, 1])
told("offsets", F.embedding_bag(torch.tensor([1, 2]), m, offsets), offsets)

by_mask = reading(lambda: x.detach() > 0)
by_mask("index", lambda b: x[b])
by_mask("where", lambda b: torch.where(b, x, 0.0))
by_mask("masked_fill", lambda b: x.masked_fill(b, 0.0))
by_mask("masked_select", lambda b: x.masked_select(b))
by_mask("product", lambda b: x * b)

told("sort", *x.sort())
told("sort, stable", *torch.sort(x, stable=True, descending=True))
told("topk", *x.topk(2))
told("max", *m.max(1))
told("min", *m.min(1, keepdim=True))
told("median", *m.median(1))
told("nanmedian", *m.nanmedian(1))
told("mode", *m.mode(1))
told("kthvalue", *m.kthvalue(2, 1))
told("cummax", *x.cummax(0))
told("cummin", *x.cummin(0))
told("max_pool1d", *F.max_pool1d(m, 2, return_indices=True))
told("max_pool2d", *F.max_pool2d(image, 2, return_indices=True))
told("max_pool3d", *F.max_pool3d(volume, 2, return_indices=True))
told("adaptive_max_pool2d", *F.adaptive_max_pool2d(image, 2, return_indices=True))
told("adaptive_max_pool3d", *F.adaptive_max_pool3d(volume, 2, return_indices=True))

order = torch.argsort(x)
told("argsort", x[order], order)
values, order = x.sort()
order[0] = 2
told("a part of it written", values, torch.zeros(1))

# What was written before it was used is counted from there.
i = torch.tensor([1, 2])
i.add_(0)
y = x[i]
y.sum().backward()
print(x.grad)
y = x[i]
told("after a write", y, i)

# The second derivative needs the index of the first.
i = torch.tensor([1, 2])
(g,) = torch.autograd.grad((x[i] ** 3).sum(), x, create_graph=True)
told("second derivative", g, i)
