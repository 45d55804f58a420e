# No input asked for a gradient.
import torch

model = torch.nn.Linear(2, 1)
with torch.no_grad():
    loss = model(torch.ones(1, 2)).sum()
loss.backward()
