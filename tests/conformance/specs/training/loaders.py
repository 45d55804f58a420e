# Data sets, samplers and loaders: every order that is drawn.
import torch
from torch import nn
from torch.utils import data
from torch.utils.data import ConcatDataset, DataLoader, Dataset, Subset, TensorDataset, random_split

torch.manual_seed(0)
X = torch.arange(10.0).reshape(10, 1)
y = torch.arange(10)
ds = TensorDataset(X, y)
print(len(ds), ds[3], ds[1:3])
loader = DataLoader(ds, batch_size=4, shuffle=True)
print(len(loader), loader.batch_size, len(loader.dataset), loader.drop_last)
for ep in range(2):
    for i, (xb, yb) in enumerate(loader):
        print(ep, i, xb.flatten(), yb)
print(torch.rand(2))
xb, yb = next(iter(loader))
print(xb, yb)


class D(Dataset):
    def __init__(self, n):
        super().__init__()
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return {"x": torch.full((2,), float(i)), "i": i, "f": i / 2, "name": f"n{i}", "l": [i, (i, i)]}


d = D(5)
for b in DataLoader(d, batch_size=2):
    print(b)
a, b = random_split(d, [3, 2])
print(a.indices, b.indices, len(a))
a, b = random_split(d, [0.5, 0.5], generator=torch.Generator().manual_seed(42))
print(a.indices, b.indices)
g = torch.Generator()
g.manual_seed(1)
l = DataLoader(d + d, batch_size=3, shuffle=True, drop_last=True, generator=g, collate_fn=lambda s: [t["i"] for t in s])
for ep in range(3):
    print(list(l))
print(list(data.BatchSampler(data.SequentialSampler(range(10)), 3, False)))
print(
    list(data.WeightedRandomSampler([0.1, 0.9, 0.4], 5)),
    list(data.RandomSampler(range(5), replacement=True, num_samples=70)),
)
print(list(data.RandomSampler(range(5), num_samples=13, generator=g)), torch.rand(1, generator=g))
print(list(data.SubsetRandomSampler([5, 6, 7])), torch.rand(1))
print(type(loader), type(ds), type(d), isinstance(ds, Dataset))


class S(data.Sampler):
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return iter(range(self.n - 1, -1, -1))

    def __len__(self):
        return self.n


print(list(DataLoader(ds, sampler=S(10), batch_size=5)))
print(list(DataLoader(range(5), batch_size=None)))
try:
    loader.batch_size = 3
except ValueError as e:
    print(e)
for x, (xx, yy) in zip(range(2), loader):
    print(x, yy)


class It(data.IterableDataset):
    def __iter__(self):
        return iter(range(7))


print(list(DataLoader(It(), batch_size=3)), list(DataLoader(It(), batch_size=3, drop_last=True)))
try:
    for b in DataLoader([torch.ones(2), torch.ones(3)], batch_size=2):
        print(b)
except RuntimeError as e:
    print(e)
try:
    Dataset()[0]
except NotImplementedError as e:
    print(repr(e))
print([b for b in DataLoader([1.5, 2.5])], data.default_collate([True, False]))
for f in (
    lambda: DataLoader(ds, num_workers=-1),
    lambda: DataLoader(ds, batch_size=0),
    lambda: DataLoader(ds, shuffle=True, sampler=S(2)),
    lambda: DataLoader(ds, batch_sampler=[[0]], batch_size=2),
    lambda: DataLoader(ds, batch_size=None, drop_last=True),
    lambda: random_split(ds, [1, 2]),
    lambda: random_split(ds, [0.5, 0.6]),
    lambda: TensorDataset(X, y[:2]),
    lambda: ConcatDataset([]),
    lambda: DataLoader([], shuffle=True),
    lambda: ConcatDataset([ds, ds])[30],
    lambda: ConcatDataset([ds, ds])[-1],
    lambda: DataLoader(It(), shuffle=True),
    lambda: list(DataLoader([None])),
    lambda: list(DataLoader([{"a": 1}, {"b": 2}], batch_size=2)),
    lambda: data.BatchSampler([1], 0, False),
    lambda: data.WeightedRandomSampler([[1.0]], 2),
    lambda: len(DataLoader(It())),
    lambda: list(DataLoader(ds, batch_sampler=[[0, 1], [2]])),
    lambda: data.get_worker_info(),
    lambda: ds + ds,
    lambda: list(data.DataLoader(Subset(ds, [1, 2]), batch_size=2)),
    lambda: next(iter(DataLoader(ds, batch_size=3, num_workers=0, pin_memory=False))),
):
    try:
        print(f())
    except (ValueError, TypeError, AssertionError, KeyError, IndexError) as e:
        print(type(e).__name__, e)
