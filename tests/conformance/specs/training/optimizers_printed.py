# Optimizers, losses and states as print shows them.
import torch
from torch import nn, optim

w = nn.Parameter(torch.tensor([1.0, -2.0]))
print(optim.SGD([w], lr=0.01))
adam = optim.Adam([w], lr=1e-3, weight_decay=0.1)
print(adam)
for _ in range(2):
    adam.zero_grad()
    (w ** 2).sum().backward()
    adam.step()
state = adam.state[w]
print(sorted(state.keys()), state["step"], state["exp_avg"])
print(adam.state_dict()["param_groups"][0]["betas"])
print(nn.CrossEntropyLoss(), nn.BCEWithLogitsLoss(), nn.SmoothL1Loss(beta=0.5).beta)
print([nn.ReLU(), nn.Conv2d(3, 8, kernel_size=3, stride=2, padding=1), nn.BatchNorm2d(8), nn.MaxPool2d(2)])
print(nn.Embedding(10, 3), nn.LSTM(3, 4, batch_first=True), nn.LayerNorm(4), nn.Dropout(0.1))
print(nn.ModuleDict({"a": nn.Linear(1, 2), "b": nn.Sequential(nn.Tanh())}))
print(optim.SGD([w], lr=torch.tensor(0.5)))
plateau = optim.lr_scheduler.ReduceLROnPlateau(adam, patience=0, cooldown=1)
print([(plateau.step(loss), plateau.in_cooldown)[1] for loss in (1.0, 2.0, 3.0)])
