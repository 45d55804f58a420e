"""Buffers of bytes, and the names of a function by vars() and dir()."""

import io

import numpy as np

b = io.BytesIO()
np.save(b, np.ones(2))
b.seek(0)
print(np.load(b))
b = io.BytesIO(b"abc")
print(b.read(1), b.getvalue(), b.read())
b = io.BytesIO()
print(b.write(b"12"), b.seek(0), b.read(), b.tell())
try:
    b.write("a")
except TypeError as e:
    print(e)


def f(a, b=2):
    c = 3
    return vars(), dir()


print(f(1))
