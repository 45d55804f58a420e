# Sets and tuples.
seen = set()
order = []
for n in [3, 1, 3, 2, 1]:
    if n in seen:
        continue
    seen.add(n)
    order.append(n)
print(order, sorted(seen), len(seen))
a, b = {1, 2, 3}, {3, 4}
print(sorted(a | b), a & b, sorted(a - b), sorted(a ^ b), a <= {1, 2, 3, 4}, a.isdisjoint({9}))
print(sorted(a.union(b)), a.intersection(b), sorted(a.difference(b)), {1} == {1, 1}, set() == set([]), set())
a.discard(99)
a.remove(1)
a.update([7, 8])
print(sorted(a))
t = (1, "two", 3.0, None, True)
print(t, t[1], t[-1], t[1:3], len(t), t + (4,), (0,) * 3, (5,), (), t.count(1), t.index("two"))
print((1, 2) < (1, 3), (1, 2) == (1, 2), tuple([1, 2]), tuple("ab"), 3.0 in t, isinstance(t, tuple))
points = {(0, 0): "origin", (1, 0): "east"}
print(points[1, 0], points.get((2, 2), "nowhere"))
try:
    t[0] = 5
except TypeError as e:
    print(e)
