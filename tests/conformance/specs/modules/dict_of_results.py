# forward may take keywords and return dicts and tuples.
import torch
import torch.nn.functional as F
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 4)
        self.head = nn.Linear(4, 2)

    def forward(self, x, targets=None, *, verbose=False):
        h = torch.tanh(self.body(x))
        logits = self.head(h)
        if verbose:
            print("h", tuple(h.shape), "logits", tuple(logits.shape))
        if targets is None:
            return {"logits": logits, "loss": None}
        return {"logits": logits, "loss": F.cross_entropy(logits, targets)}


torch.manual_seed(3)
model = Model()
x = torch.randn(5, 3)
print(model(x)["loss"])
out = model(x, targets=torch.tensor([0, 1, 1, 0, 1]), verbose=True)
print(sorted(out.keys()), out["loss"])
out["loss"].backward()
print(model.head.bias.grad)
model.zero_grad()
print(model.head.bias.grad)
