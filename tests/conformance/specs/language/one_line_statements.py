# Semicolons, one-line bodies, line continuations, lambdas as values.
import torch; x = torch.tensor(1.0); y = x + 1; print(y)
if x > 0: print("positive")
else: print("negative")
for i in range(3): print(i, end=","); total = i
print(total)
while total: total -= 1
def f(a): return a * 2
class Box: pass
box = Box(); box.value = f(21); print(box.value)
print(1 +
      2 +
      3, 4 + \
      5)
ops = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "max": max}
print([ops[k](3, 4) for k in ops], (lambda: None)(), (lambda *v: sum(v))(1, 2, 3))
try: 1 / 0
except ZeroDivisionError: print("zero")
