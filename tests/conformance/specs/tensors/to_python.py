# From tensors to Python's numbers and lists.
import torch

s = torch.tensor([3.7])
print(s.item(), int(s), float(s), bool(s), round(s.item(), 1))
print(int(torch.tensor(5)) + 1, float(torch.tensor(2, dtype=torch.int32)))
m = torch.tensor([[1, 2], [3, 4]])
print(m.tolist(), m.flatten().tolist(), [v.item() for v in m[0]])
print(type(m.tolist()[0][0]), type(s.item()), type(torch.tensor(True).item()))
x = torch.tensor(0.1)
print(x.item(), x.tolist(), torch.tensor(0.1, dtype=torch.float64).item())
print(f"{x:.3f} {x.item():.3f} {torch.tensor(7):>4} {torch.tensor(12):04d}")
print("%d %s %.2f" % (torch.tensor(3), torch.tensor(3), torch.tensor(3.0)))
print(sum(torch.tensor([1.0, 2.0])), max(torch.tensor([1, 9, 3])), len(m), list(m))
try:
    m.item()
except RuntimeError as e:
    print(e)
print([10, 20, 30][torch.tensor(1)], range(5)[torch.tensor(2)], 2 in m, 7 in m)
