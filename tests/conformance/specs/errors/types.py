# Dtypes and arguments of the wrong kind.
import torch
import torch.nn.functional as F

x = torch.tensor([1, 2, 3])
attempts = {
    "mean of ints": lambda: x.mean(),
    "in-place float into int": lambda: x.add_(0.5),
    "dot of two dtypes": lambda: x.float() @ x.double(),
    "mm of int and float": lambda: torch.ones(1, 1) @ torch.ones(1, 1).long(),
    "nll with float targets": lambda: F.nll_loss(torch.zeros(1, 2), torch.tensor([1.0])),
    "truth of many": lambda: bool(x > 1),
    "item of many": lambda: x.item(),
    "float of many": lambda: float(x),
    "minus of bools": lambda: (x > 1) - (x > 2),
    "neg of bools": lambda: -(x > 1),
    "softmax of ints": lambda: torch.softmax(x, 0),
    "dropout p": lambda: F.dropout(x.float(), p=1.5),
    "index by float": lambda: x.float()[torch.tensor([0.0])],
}
for name, attempt in attempts.items():
    try:
        attempt()
        print(name, "-> fine")
    except (RuntimeError, TypeError, ValueError, IndexError) as e:
        print(name, "->", type(e).__name__, "-", str(e).splitlines()[0])
