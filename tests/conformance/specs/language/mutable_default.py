# The default that remembers, and the one that does not.
def remember(item, seen=[]):
    seen.append(item)
    return seen


def fresh(item, seen=None):
    if seen is None:
        seen = []
    seen.append(item)
    return seen


print(remember(1), remember(2))
print(fresh(1), fresh(2), fresh(3, [0]))
a = b = [1, 2]
b.append(3)
c = a[:]
c.append(4)
print(a, b, c, a is b, a is c)
grid = [[0] * 3] * 2
grid[0][0] = 1
print(grid)
grid = [[0] * 3 for _ in range(2)]
grid[0][0] = 1
print(grid)
