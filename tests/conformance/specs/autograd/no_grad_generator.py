import torch


@torch.no_grad()
def stream(w):
    for i in range(2):
        yield w * i, torch.is_grad_enabled()
w = torch.ones(1, requires_grad=True)
for t, g in stream(w):
    print(t.requires_grad, g, torch.is_grad_enabled())


@torch.no_grad()
@torch.enable_grad()
def both():
    yield torch.is_grad_enabled()


class Source:
    @torch.no_grad()
    def items(self):
        yield torch.is_grad_enabled()


print(list(both()), list(Source().items()), list(torch.enable_grad()(both)()), torch.is_grad_enabled())
