import torch
import torch.nn.functional as F

x, image = torch.arange(6.0).view(2, 3), torch.ones(1, 2, 4, 4)
calls = [
    lambda: torch.argsort(x, descending="a"), lambda: torch.linalg.svd(x, full_matrices=None),
    lambda: F.dropout(x, 0.5, 2.5), lambda: F.avg_pool2d(image, 2, ceil_mode=1), lambda: F.kl_div(x, x, log_target=0),
    lambda: torch.unique(x, return_counts=1), lambda: F.max_pool2d(image, True), lambda: x.topk(True),
    lambda: x.cumsum(True), lambda: x.max(True), lambda: torch.tril(x, 2.5), lambda: torch.rot90(x, True),
    lambda: F.pad(x, (True, False)), lambda: F.conv_transpose2d(image, image, groups=True),
    lambda: F.unfold(image, 2, stride=True), lambda: torch.fft.fft(x, n=True), lambda: x.sort(True),
]
for number, call in enumerate(calls):
    try:
        print(number, call())
    except TypeError:
        print(number, "refused")
print(F.dropout(x, 0.0, True), x.topk(torch.tensor(1)).values, torch.tril(x, -1), x.max(-1).indices)
