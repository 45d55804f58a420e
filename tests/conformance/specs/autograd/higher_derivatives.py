# create_graph=True lets a gradient be differentiated.
import torch

x = torch.tensor(1.5, requires_grad=True)
f = x ** 4 - 2 * x ** 2
names = ["f", "f'", "f''", "f'''", "f''''"]
values = [f]
for _ in range(4):
    g, = torch.autograd.grad(values[-1], x, create_graph=True)
    values.append(g)
for name, value in zip(names, values):
    print(f"{name:<6}{value.item():10.4f}")
print(values[1])
print(values[-1].requires_grad)
