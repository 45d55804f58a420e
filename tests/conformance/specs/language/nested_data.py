# Lists of dicts of tensors, printed and walked.
import torch

batch = {
    "x": torch.tensor([[1, 2], [3, 4]]),
    "meta": {"ids": [7, 8], "shape": torch.Size([2, 2]), "dtype": torch.int64},
    "empty": [],
    "flag": (True, None),
}
print(batch)


def describe(value, depth=0):
    pad = "  " * depth
    if isinstance(value, dict):
        for k in value:
            print(f"{pad}{k}:")
            describe(value[k], depth + 1)
    elif isinstance(value, (list, tuple)) and len(value) > 0 and not isinstance(value, torch.Size):
        for v in value:
            describe(v, depth + 1)
    elif isinstance(value, torch.Tensor):
        print(f"{pad}tensor {tuple(value.shape)} {value.dtype}")
    else:
        print(f"{pad}{value!r}")


describe(batch)
batch["meta"]["ids"][0] = 70
batch["meta"]["ids"] += [9]
print(batch["meta"]["ids"], batch["x"][1][0].item())
print([torch.tensor([1.5]), torch.arange(2)], (torch.tensor(1),), {torch.float32: 1})
