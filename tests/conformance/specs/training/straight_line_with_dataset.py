# A Dataset class of one's own, batched by a small function.
import torch


class LineDataset:
    def __init__(self, n, slope, intercept):
        self.x = torch.linspace(0, 1, n)
        self.y = slope * self.x + intercept

    def __len__(self):
        return len(self.x)

    def __getitem__(self, idx):
        return self.x[idx], self.y[idx]


def batches(dataset, size):
    out = []
    for start in range(0, len(dataset), size):
        items = [dataset[i] for i in range(start, min(start + size, len(dataset)))]
        xs, ys = zip(*items)
        out.append((torch.stack(xs), torch.stack(ys)))
    return out


data = LineDataset(10, 2.0, -1.0)
print(len(data), data[3], data[-1])
params = torch.zeros(2, requires_grad=True)
for epoch in range(30):
    for x, y in batches(data, 4):
        loss = ((params[0] * x + params[1] - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            params -= 0.3 * params.grad
            params.grad.zero_()
print([len(x) for x, _ in batches(data, 4)])
print("slope %.3f intercept %.3f" % tuple(params.tolist()))
