# Workers of a loader: each has random numbers of its own, and a data set of its own.
import random

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info


class Noisy(Dataset):
    def __init__(self, n):
        self.n = n
    def __len__(self):
        return self.n
    def __getitem__(self, i):
        info = get_worker_info()
        return torch.tensor(float(i)) + torch.rand(1), np.random.rand(), random.random(), info.id if info else -1

def main():
    torch.manual_seed(0)
    random.seed(1)
    np.random.seed(2)
    for workers in (0, 2):
        loader = DataLoader(Noisy(7), batch_size=2, shuffle=True, num_workers=workers)
        for epoch in range(2):
            for x, a, b, i in loader:
                print(workers, x.flatten().tolist(), a.tolist(), b.tolist(), i.tolist())
        print(torch.rand(1), random.random(), np.random.rand(), len(loader))
    g = torch.Generator().manual_seed(3)
    loader = DataLoader(Noisy(5), batch_size=2, num_workers=2, persistent_workers=True, generator=g)
    for epoch in range(2):
        for x, a, b, i in loader:
            print(x.flatten().tolist(), a.tolist(), i.tolist())
    print(torch.rand(1))

class Stream(IterableDataset):
    def __init__(self, start, end):
        super().__init__()
        self.start, self.end = start, end
    def __iter__(self):
        info = get_worker_info()
        if info is None:
            return iter(range(self.start, self.end))
        per = -(-(self.end - self.start) // info.num_workers)
        a = self.start + info.id * per
        return iter(range(a, min(a + per, self.end)))

def split(worker_id):
    info = get_worker_info()
    d = info.dataset
    per = -(-(d.end - d.start) // info.num_workers)
    d.start = d.start + worker_id * per
    d.end = min(d.start + per, d.end)

class Plain(Stream):
    def __iter__(self):
        return iter(range(self.start, self.end))

def seed_worker(worker_id):
    s = torch.initial_seed() % 2**32
    np.random.seed(s)
    random.seed(s)

def more():
    torch.manual_seed(5)
    print(list(DataLoader(Stream(3, 12), num_workers=0)), list(DataLoader(Stream(3, 12), num_workers=2)))
    print(list(DataLoader(Stream(3, 12), num_workers=2, batch_size=2)))
    ds = Plain(3, 11)
    print(list(DataLoader(ds, num_workers=2, worker_init_fn=split)), ds.start, ds.end)
    print(list(DataLoader(ds, num_workers=2)))
    print(list(DataLoader(ds, num_workers=2, batch_size=3, drop_last=True)))
    print(list(DataLoader(ds, num_workers=2, batch_size=None)))
    g = torch.Generator().manual_seed(0)
    options = {"worker_init_fn": seed_worker, "generator": g, "shuffle": True}
    for batch in DataLoader(Noisy(6), batch_size=3, num_workers=2, **options):
        print(batch)
    for batch in DataLoader(Noisy(6), batch_size=2, num_workers=2, collate_fn=lambda rows: [r[0].item() for r in rows]):
        print(batch, get_worker_info())
    print(torch.initial_seed(), torch.rand(1))

if __name__ == "__main__":
    main()
    more()
