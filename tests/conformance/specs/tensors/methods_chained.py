# Long chains of methods over lines.
import torch

result = (
    torch.arange(1, 13)
    .reshape(3, 4)
    .float()
    .mul(0.5)
    .add(1)
    .transpose(0, 1)
    .contiguous()
    .view(-1, 2)
    .sum(dim=1)
)
print(result)
total = result \
    .sum() \
    .item()
print(total)
x = torch.tensor(
    [
        [1, 2],  # first
        [3, 4],  # second
    ],
    dtype=torch.float32,
)
print(x.fill_(0.5).t().tolist())
