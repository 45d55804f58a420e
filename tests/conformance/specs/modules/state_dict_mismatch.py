# load_state_dict names what is missing and what has another shape.
import torch
import torch.nn as nn


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)


class Large(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 3)
        self.b = nn.Linear(3, 1, bias=False)


try:
    Large().load_state_dict(Small().state_dict())
except RuntimeError as e:
    print(e)
try:
    Small().load_state_dict({"a.weight": torch.zeros(2, 2), "c": torch.zeros(1)})
except RuntimeError as e:
    print(e)
result = Small().load_state_dict({"a.weight": torch.zeros(2, 2)}, strict=False)
print(result)
print(result.missing_keys)
