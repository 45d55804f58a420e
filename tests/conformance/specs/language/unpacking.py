# Assigning to several names at once.
a, b = 1, 2
a, b = b, a
print(a, b)
first, *middle, last = range(6)
print(first, middle, last)
*init, tail = "abc"
print(init, tail)
(x, y), z = [1, 2], 3
print(x, y, z)
[p, [q, r]] = (4, (5, 6))
print(p, q, r)
i = j = k = 7
print(i + j + k)
head, *rest = [1]
print(head, rest)
pairs = {"one": 1, "two": 2}
for n, (key, value) in enumerate(pairs.items(), start=1):
    print(n, key, value)
print([*range(3), *"ab"], (*[1], 2), {**pairs, "three": 3}, {*[1, 1, 2]} == {1, 2})
for bad in ([1], [1, 2, 3]):
    try:
        u, v = bad
    except ValueError as e:
        print("ValueError:", e)
try:
    u, v = 5
except TypeError as e:
    print("TypeError:", e)
m = [0, 0]
m[0], m[1] = 3, 4
print(m)
