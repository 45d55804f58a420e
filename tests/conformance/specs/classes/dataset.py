# A dataset with __len__ and __getitem__, and a loader that shuffles.
import torch


class ToyDataset:
    """Numbers and whether they are even."""

    def __init__(self, n, transform=None):
        self.samples = [(torch.tensor([float(i)]), i % 2) for i in range(n)]
        self.transform = transform

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        x, y = self.samples[index]
        if self.transform:
            x = self.transform(x)
        return x, y


class Loader:
    def __init__(self, dataset, batch_size=2, shuffle=False):
        self.dataset, self.batch_size, self.shuffle = dataset, batch_size, shuffle

    def __len__(self):
        return (len(self.dataset) + self.batch_size - 1) // self.batch_size

    def batches(self):
        n = len(self.dataset)
        order = torch.randperm(n).tolist() if self.shuffle else list(range(n))
        result = []
        for start in range(0, n, self.batch_size):
            xs, ys = zip(*[self.dataset[i] for i in order[start:start + self.batch_size]])
            result.append((torch.stack(xs), torch.tensor(ys)))
        return result


torch.manual_seed(0)
ds = ToyDataset(5, transform=lambda x: x / 10)
print(len(ds), ds[3], ds[-1][1])
loader = Loader(ds, batch_size=2)
print(len(loader))
for i, (x, y) in enumerate(loader.batches()):
    print(i, x.flatten().tolist(), y)
for x, y in Loader(ds, batch_size=5, shuffle=True).batches():
    print(x.shape, y)
try:
    ds[10]
except IndexError as e:
    print(e)


class Streamed(torch.utils.data.IterableDataset):
    def __init__(self, start, end):
        super(Streamed).__init__()
        self.start, self.end = start, end

    def __iter__(self):
        return iter(range(self.start, self.end))


print(list(torch.utils.data.DataLoader(Streamed(3, 7), batch_size=2, num_workers=0)))
