# A table of a function and its gradient over a grid, and the steepest place.
import torch


def himmelblau(x, y):
    return (x ** 2 + y - 11) ** 2 + (x + y ** 2 - 7) ** 2


grid = [(float(i), float(j)) for i in range(-1, 2) for j in range(-1, 2)]
steepest = None
for point in grid:
    p = torch.tensor(point, requires_grad=True)
    value = himmelblau(*p)
    value.backward()
    size = p.grad.norm().item()
    if steepest is None or size > steepest[1]:
        steepest = (point, size)
    print("f(%4.1f, %4.1f) = %7.2f   grad = (%7.2f, %7.2f)" % (*point, value.item(), *p.grad.tolist()))
print("steepest at {} with {:.3f}".format(*steepest))

p = torch.tensor([0.0, 0.0], requires_grad=True)
opt = torch.optim.Adam([p], lr=0.1)
for step in range(150):
    opt.zero_grad()
    himmelblau(p[0], p[1]).backward()
    opt.step()
print([round(v, 2) for v in p.tolist()])
