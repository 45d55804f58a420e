# L-BFGS: a closure that is called again and again.
import torch

x = torch.tensor([-1.5, 2.0], dtype=torch.float64, requires_grad=True)
opt = torch.optim.LBFGS([x], lr=1, max_iter=4, line_search_fn="strong_wolfe")


def closure():
    opt.zero_grad()
    loss = (1 - x[0]) ** 2 + 10 * (x[1] - x[0] ** 2) ** 2
    loss.backward()
    return loss


for step in range(5):
    print(step, f"{opt.step(closure).item():.6f}", [round(v, 5) for v in x.tolist()])
print(opt)
y = torch.tensor([3.0, -1.0], requires_grad=True)
plain = torch.optim.LBFGS([y], lr=0.1, history_size=5)


def bowl():
    plain.zero_grad()
    loss = ((y - 1) ** 4).sum()
    loss.backward()
    return loss


for step in range(3):
    print(f"{plain.step(bowl).item():.5f}")
print(sorted(plain.state[y]), plain.state[y]["func_evals"], plain.state[y]["n_iter"])
try:
    torch.optim.LBFGS([{"params": [x]}, {"params": [y]}])
except ValueError as error:
    print(error)
