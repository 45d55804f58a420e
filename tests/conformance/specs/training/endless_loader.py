import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
ds = TensorDataset(torch.arange(6.).view(6, 1), torch.arange(6) % 2)
loader = DataLoader(ds, batch_size=4, shuffle=True)
def cycle(dl):
    while True:
        for batch in dl:
            yield batch
it = cycle(loader)
for step in range(5):
    x, y = next(it)
    print(step, x.squeeze(1).tolist(), y.tolist())
print(len(loader), len(ds), ds[0])
