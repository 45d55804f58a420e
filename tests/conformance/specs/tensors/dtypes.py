# Kinds of numbers and what comes of mixing them.
import torch

i = torch.tensor([1, 2, 3])
f = torch.tensor([0.5, 1.5, 2.5])
d = f.double()
b = i > 1
for t in (i, f, d, b, i.int(), f.half()):
    print(t.dtype, t.element_size(), t.is_floating_point())
print((i + f).dtype, (f + d).dtype, (i + b).dtype, (i * 2.0).dtype, (i / 2).dtype, (i // 2).dtype)
print(b + b, b.sum(), b.float().mean())
print(f.to(torch.int64), f.long().dtype == torch.long, torch.float is torch.float32)
print(torch.result_type(i, 1.0), torch.promote_types(torch.int32, torch.float16))
print(i.type(torch.float64), torch.tensor(1, dtype=torch.uint8) - 2)
print(torch.get_default_dtype(), torch.tensor(1.0).dtype, torch.tensor([1]).type())
print(torch.tensor([1.7, -1.7]).int())
