# Arithmetic of Python's own numbers.
import math

print(7 / 2, 7 // 2, -7 // 2, 7 % 3, -7 % 3, 7 % -3, 2 ** 10, 2 ** -1, 7.5 // 2, -7.5 % 2)
print(1 + 1.0, 3 * True, 10 - 2.5, 1_000_000, 0xff, 0b101, 0o17, 1e3, .5, 5.)
print(round(2.5), round(3.5), round(2.675, 2), round(-1.5), round(1234.567, -2), round(7))
print(abs(-3), abs(-3.5), min(3, 1, 2), max([1.5, 0.5]), sum([0.1] * 10))
print(int(3.9), int(-3.9), int("42"), float("1e-3"), float(3), bool(0), bool("0"), bool([]), int(True))
print(1 < 2 < 3, 1 < 3 < 2, 1 == 1.0, None is not False, not 1, 3 & 6, 3 | 6, 3 ^ 6, ~3, 1 << 4, 256 >> 2)
print(0.1 + 0.2, 0.1 + 0.2 == 0.3, abs(0.1 + 0.2 - 0.3) < 1e-9, 1e16 + 1, 5e-324, 1.7976931348623157e308 * 10)
print(math.sqrt(2), math.exp(1), math.log(10), math.log(8, 2), math.log10(1000), math.log2(8), math.pi, math.e)
print(math.sin(0.5), math.cos(0.5), math.tanh(1.0), math.floor(-1.5))
print(math.ceil(1.2), math.isnan(float("nan")), math.inf)
print(math.gcd(12, 18), math.factorial(10), math.hypot(3, 4), math.isclose(1.0, 1.0 + 1e-12), math.pow(2, 0.5))
x = 10
x += 5; x -= 3; x *= 2; x /= 4; x **= 2; x //= 5; x %= 4
print(x)
n = 6
n |= 1
n &= 5
n ^= 2
n <<= 3
n >>= 1
print(n)
wrong = [lambda: 1 / 0, lambda: 1 // 0, lambda: 5 % 0, lambda: 1.0 / 0, lambda: math.sqrt(-1), lambda: int("x")]
for bad in wrong:
    try:
        bad()
    except (ZeroDivisionError, ValueError) as e:
        print(type(e).__name__ + ":", e)
