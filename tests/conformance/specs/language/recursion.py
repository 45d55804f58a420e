# Functions that call themselves.
def fact(n):
    return 1 if n < 2 else n * fact(n - 1)


def fib(n, memo={}):
    if n in memo:
        return memo[n]
    memo[n] = n if n < 2 else fib(n - 1) + fib(n - 2)
    return memo[n]


def flatten(nested):
    flat = []
    for item in nested:
        if isinstance(item, (list, tuple)):
            flat.extend(flatten(item))
        else:
            flat.append(item)
    return flat


def hanoi(n, a, b, c):
    if n == 0:
        return 0
    return hanoi(n - 1, a, c, b) + 1 + hanoi(n - 1, c, b, a)


def permutations(items):
    if len(items) <= 1:
        return [items]
    return [[x] + rest for i, x in enumerate(items) for rest in permutations(items[:i] + items[i + 1:])]


def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    return False if n == 0 else even(n - 1)


print([fact(n) for n in range(8)], fact(15))
print(fib(60), flatten([1, [2, (3, [4])], []]), hanoi(6, "a", "b", "c"))
print(permutations([1, 2, 3]))
print(even(10), odd(7), even(3))
