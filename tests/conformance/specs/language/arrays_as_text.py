"""Arrays written as text and read again, and printed with other options for a while."""

import io

import numpy as np

a = np.arange(6.0).reshape(2, 3) / 3


def written(values, **options):
    stream = io.StringIO()
    np.savetxt(stream, values, **options)
    return stream.getvalue()


print(written(a, delimiter=","))
print(np.loadtxt(io.StringIO(written(a, delimiter=",")), delimiter=","))
text = written(a, fmt="%.3f", header="x y z\nmore", footer="end")
print(text)
print(np.loadtxt(io.StringIO(text)), np.loadtxt(io.StringIO(text), dtype=np.float32).dtype)
print(repr(written(np.array([1, 2, 3]), fmt="%d")), np.loadtxt(["1", "2"], dtype=int))
print(written(a, fmt=["%d", "%.1f", "%5.2f"], delimiter=";", newline="|\n", comments=""))
x, y, z = np.loadtxt(io.StringIO("1 2 3\n4 5 6"), unpack=True)
print(x, y, z)
print(np.loadtxt(io.StringIO("# c\n1,2\n\n3,4 # t\n"), delimiter=",", ndmin=2, usecols=(1,)))
print(np.loadtxt(["1 2", "3 4"], usecols=0), np.loadtxt(["7"]), np.loadtxt(["1 2"]), np.loadtxt(["1 2"], ndmin=2))
print(np.genfromtxt(io.StringIO("a,b\n1,2\n3,\nx,5"), delimiter=",", skip_header=1))
print(np.genfromtxt(["1,2", "3,4"], delimiter=",", usecols=[1], filling_values=0))
for lines in (["1 2", "3"], ["1 x"], ["1 2", "3 y"]):
    try:
        print(np.loadtxt(lines))
    except ValueError as e:
        print(e)
try:
    np.genfromtxt(["1 2", "3"])
except ValueError as e:
    print(e)
print(np.loadtxt(["h", "1 2", "3 4", "5 6"], skiprows=1, max_rows=2))
print(np.loadtxt(["1 M", "2 B"], converters={1: lambda s: {"M": 1.0, "B": 0.0}[s]}))
with np.printoptions(precision=2, suppress=True) as options:
    print(np.array([1.23456, 1e-9]), options["precision"])
    np.set_printoptions(precision=3)
    print(np.array([1.23456]))
print(np.array([1.23456, 1e-9]), np.get_printoptions()["precision"])
