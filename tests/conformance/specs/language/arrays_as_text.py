"""Arrays written as text and read again, from files of the program, streams and lists of lines."""

import io
import numpy as np
a = np.arange(6.).reshape(2, 3) / 3
np.savetxt('a.csv', a, delimiter=',')
print(open('a.csv').read())
print(np.loadtxt('a.csv', delimiter=','))
np.savetxt('b.txt', a, fmt='%.3f', header='x y z\nmore', footer='end')
print(open('b.txt').read())
print(np.loadtxt('b.txt'), np.loadtxt('b.txt', dtype=np.float32).dtype)
np.savetxt('c.txt', np.array([1, 2, 3]), fmt='%d')
print(repr(open('c.txt').read()), np.loadtxt('c.txt', dtype=int))
np.savetxt('d.txt', a, fmt=['%d', '%.1f', '%5.2f'], delimiter=';', newline='|\n', comments='')
print(open('d.txt').read())
x, y, z = np.loadtxt(io.StringIO("1 2 3\n4 5 6"), unpack=True)
print(x, y, z)
print(np.loadtxt(io.StringIO("# c\n1,2\n\n3,4 # t\n"), delimiter=',', ndmin=2, usecols=(1,)))
print(np.loadtxt(["1 2", "3 4"], usecols=0), np.loadtxt(["7"]), np.loadtxt(["1 2"]).shape, np.loadtxt(["1 2"], ndmin=2).shape)
print(np.genfromtxt(io.StringIO("a,b\n1,2\n3,\nx,5"), delimiter=',', skip_header=1))
print(np.genfromtxt(["1,2", "3,4"], delimiter=',', usecols=[1], filling_values=0))
for bad in (["1 2", "3"], ["1 x"], ["1 2", "3 y"]):
    try: print(np.loadtxt(bad))
    except ValueError as e: print(e)
try: np.genfromtxt(["1 2", "3"])
except ValueError as e: print(e)
print(np.loadtxt(["h", "1 2", "3 4", "5 6"], skiprows=1, max_rows=2))
print(np.loadtxt(["1 M", "2 B"], converters={1: lambda s: {'M': 1.0, 'B': 0.0}[s]}))
s = io.StringIO(); np.savetxt(s, a[:1], fmt="%.1f"); print(s.getvalue())
try: np.loadtxt('nofile.txt')
except (OSError, FileNotFoundError) as e: print(type(e).__name__)
