# Parts of a data set for training and for validation, in turn.
import torch
from torch.utils.data import DataLoader, Subset, SubsetRandomSampler, TensorDataset

torch.manual_seed(3)
ds = TensorDataset(torch.randn(12, 2), torch.arange(12))
k = 3
fold = len(ds) // k
idx = torch.randperm(len(ds)).tolist()
for i in range(k):
    val = idx[i * fold : (i + 1) * fold]
    tr = idx[: i * fold] + idx[(i + 1) * fold :]
    tl = DataLoader(ds, batch_size=4, sampler=SubsetRandomSampler(tr))
    vl = DataLoader(Subset(ds, val), batch_size=4)
    print([b[1].tolist() for b in tl], [b[1].tolist() for b in vl])
n_train = int(0.8 * len(ds))
a, b = torch.utils.data.random_split(ds, [n_train, len(ds) - n_train])
print(len(a), len(b), [int(t) for _, t in b])


def collate(batch):
    xs, ys = zip(*batch)
    return torch.stack(xs).sum(1), torch.tensor(ys)


for xs, ys in DataLoader(ds, batch_size=5, shuffle=True, collate_fn=collate):
    print(ys, xs.shape)
it = iter(DataLoader(ds, batch_size=6, shuffle=True))
while True:
    try:
        xb, yb = next(it)
    except StopIteration:
        break
    print(yb)
