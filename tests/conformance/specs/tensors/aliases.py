# Which operations share memory.
import torch

base = torch.arange(6.0)
views = {"view": base.view(2, 3), "slice": base[1:4], "t": base.view(2, 3).t(), "expand": base[:1].expand(3)}
copies = {"clone": base.clone(), "index": base[[0, 1]], "add": base + 0, "contiguous": base.view(2, 3).t().contiguous()}
base[0] = 99
base[1] = -5
for name, v in {**views, **copies}.items():
    print(f"{name:<11}{v.flatten().tolist()}")
a = b = torch.zeros(2)
b += 1
print(a, a is b)
b = b + 1
print(a, b, a is b)
