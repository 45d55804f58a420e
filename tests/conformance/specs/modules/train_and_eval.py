# Dropout acts only in training mode.
import torch
import torch.nn as nn

torch.manual_seed(10)
model = nn.Sequential(nn.Identity(), nn.Dropout(0.5))
x = torch.ones(8)
print(model.training, model[1].training)
y = model(x)
print(y)
print(set(y.tolist()) <= {0.0, 2.0})
model.eval()
print(model.training, model[1].training)
print(torch.equal(model(x), x))
model.train()
print(model[1].training)
model.train(False)
print([m.training for m in model.modules()])
