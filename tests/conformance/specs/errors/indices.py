# Out of range, wrong kinds, too many.
import torch

t = torch.arange(6).view(2, 3)
attempts = [
    lambda: t[2],
    lambda: t[0, 3],
    lambda: t[0, 0, 0],
    lambda: t[-3],
    lambda: t[1.5],
    lambda: t["a"],
    lambda: t[torch.tensor([0, 5])],
    lambda: t[[True, False, True]],
    lambda: t.sum(dim=2),
    lambda: torch.tensor(5)[0],
    lambda: t.gather(1, torch.tensor([[7]])),
    lambda: torch.nn.functional.one_hot(torch.tensor([3]), 2),
    lambda: torch.nn.Embedding(3, 2)(torch.tensor([3])),
]
for attempt in attempts:
    try:
        print("got", attempt())
    except (IndexError, TypeError, RuntimeError) as e:
        print(type(e).__name__ + ":", e)
