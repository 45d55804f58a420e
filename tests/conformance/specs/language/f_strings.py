# Format specs in f-strings.
import math

import torch

loss, epoch, name = 0.123456789, 7, "adam"
print(f"epoch {epoch:03d} loss {loss:.4f} {loss:10.3f}| {loss:<10.2f}| {loss:^10.1f}| {loss:+.2e}")
print(f"{name:>8}|{name:<8}|{name:^8}|{name:*^10}|{name!r:>8}|{name.upper()}")
print(f"{1234567:,} {1234567.891:,.2f} {0.256:.1%} {255:x} {255:#x} {5:b} {5:08b} {255:o} {1e-7:g} {12345678.9:g}")
print(f"{epoch=} {loss=:.3f} {name=} {epoch + 1 = }")
width, digits = 12, 3
print(f"{math.pi:{width}.{digits}f}|{'ab':>{width}}|{math.pi:.{digits}}")
print(f"{{braces}} {[1, 2]} {(1,)} {None} {True} {1.0} {1e20} {1e-5} {'nested ' + f'{epoch}'}")
t = torch.tensor(2.5)
print(f"{t} {t:.2f} {t.item():.1f} {t.shape} {torch.tensor([1.0])} {t.dtype}")
print(f"{-5:d} {5:+d} {5: d} {-3.7:.0f} {2.5:.0f} {3.5:.0f} {1e100:.3e} {float('inf'):.2f} {float('nan'):f}")
print(f"{True:d} {True!s:>6} {3:5}| {'x':5}| {3.0:5}| {0.1 + 0.2} {100000000000000000.0} {1 / 3}")
print(f"multi "
      f"line {epoch}")
