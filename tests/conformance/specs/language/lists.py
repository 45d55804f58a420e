# Methods and operators of lists.
a = [5, 2, 8]
a.append(1)
a.extend([7, 7])
a.insert(1, 100)
print(a, len(a), a.index(8), a.count(7), 100 in a, 3 not in a)
print(a.pop(), a.pop(0), a)
a.remove(100)
a.sort()
print(a, a[::-1], sorted(a, reverse=True), sorted(a, key=lambda v: (v % 3, v)))
a.reverse()
print(a, a[1:3], a[-2:], a[::2], a * 2, [1] + a)
a[0] = -1
a[1:3] = [9, 9, 9]
print(a)
del a[0]
print(a, min(a), max(a), sum(a))
a += (4, 5)
print(a, a == [9, 9, 9, 1, 4, 5], a < [10], a.copy() is a)
a.clear()
print(a, not a, [] == [], [1, 2] == (1, 2), list(range(5, 0, -2)))
nested = [[3, "c"], [1, "a"], [2, "b"]]
nested.sort(key=lambda pair: pair[1])
print(nested, [n for n, _ in nested], list(reversed(nested))[0])
for bad in (lambda: a[0], lambda: a.pop(), lambda: [1].remove(2), lambda: [1].index(5), lambda: [1] + 2):
    try:
        bad()
    except (IndexError, ValueError, TypeError) as e:
        print(type(e).__name__, e)
