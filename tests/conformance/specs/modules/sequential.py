# A Sequential: printed, indexed, sliced, iterated.
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(
    nn.Linear(4, 8),
    nn.ReLU(),
    nn.Dropout(p=0.5),
    nn.Linear(8, 2),
    nn.Softmax(dim=-1),
)
print(model)
print(len(model), model[0], model[-1])
print(model[:2])
for i, layer in enumerate(model):
    print(i, layer.__class__.__name__)
model.eval()
probs = model(torch.ones(2, 4))
print(probs.sum(dim=1))
print(probs.shape)
