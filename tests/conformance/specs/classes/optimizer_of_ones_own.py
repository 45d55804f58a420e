# Optimizers written as plain classes, with momentum and Adam.
import torch


class Momentum:
    def __init__(self, params, lr=0.1, beta=0.9):
        self.params = list(params)
        self.lr, self.beta = lr, beta
        self.v = [torch.zeros_like(p) for p in self.params]

    def zero_grad(self):
        for p in self.params:
            p.grad = None

    @torch.no_grad()
    def step(self):
        for p, v in zip(self.params, self.v):
            v.mul_(self.beta).add_(p.grad)
            p.sub_(self.lr * v)


class Adam(Momentum):
    def __init__(self, params, lr=0.1, betas=(0.9, 0.999), eps=1e-8):
        super().__init__(params, lr, betas[0])
        self.beta2, self.eps, self.t = betas[1], eps, 0
        self.s = [torch.zeros_like(p) for p in self.params]

    @torch.no_grad()
    def step(self):
        self.t += 1
        for p, v, s in zip(self.params, self.v, self.s):
            v.mul_(self.beta).add_(p.grad, alpha=1 - self.beta)
            s.mul_(self.beta2).addcmul_(p.grad, p.grad, value=1 - self.beta2)
            v_hat = v / (1 - self.beta ** self.t)
            s_hat = s / (1 - self.beta2 ** self.t)
            p -= self.lr * v_hat / (s_hat.sqrt() + self.eps)


def minimise(make, steps=25):
    p = torch.tensor([2.0, -1.0], requires_grad=True)
    opt = make([p])
    for _ in range(steps):
        opt.zero_grad()
        (p[0] ** 2 + 5 * p[1] ** 2).backward()
        opt.step()
    return p.detach()


print(minimise(lambda ps: Momentum(ps, lr=0.05)))
mine = minimise(lambda ps: Adam(ps, lr=0.1))
theirs = minimise(lambda ps: torch.optim.Adam(ps, lr=0.1))
print(mine, torch.allclose(mine, theirs, atol=1e-5))
print(torch.allclose(minimise(Momentum), minimise(lambda ps: torch.optim.SGD(ps, lr=0.1, momentum=0.9)), atol=1e-5))
