# Plain numerical Python: bisection, Simpson, Euler.
import math


def bisect(f, lo, hi, tol=1e-10):
    assert f(lo) * f(hi) < 0, "no sign change"
    steps = 0
    while hi - lo > tol:
        mid = (lo + hi) / 2
        if f(lo) * f(mid) <= 0:
            hi = mid
        else:
            lo = mid
        steps += 1
    return (lo + hi) / 2, steps


def simpson(f, a, b, n=100):
    h = (b - a) / n
    inner = sum((4 if i % 2 else 2) * f(a + i * h) for i in range(1, n))
    return h / 3 * (f(a) + inner + f(b))


def euler(slope, y, t_end, n):
    dt = t_end / n
    t = 0.0
    for _ in range(n):
        y += dt * slope(t, y)
        t += dt
    return y


root, steps = bisect(lambda x: x ** 2 - 2, 0, 2)
print(f"{root:.8f}", steps)
print(round(simpson(math.sin, 0, math.pi), 6), round(simpson(lambda x: x ** 3, 0, 2), 10))
for n in (10, 100, 1000):
    y = euler(lambda t, y: -y, 1.0, 1.0, n)
    print("n=%-5d y=%.6f error=%.1e" % (n, y, abs(y - math.exp(-1))))
try:
    bisect(math.exp, 0, 1)
except AssertionError as e:
    print(e)
