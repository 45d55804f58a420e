# Counters, caches and the longest chain.
cache = {1: 0}


def length(n):
    path = []
    while n not in cache:
        path.append(n)
        n = n // 2 if n % 2 == 0 else 3 * n + 1
    base = cache[n]
    for i, m in enumerate(reversed(path), start=1):
        cache[m] = base + i
    return cache[path[0]] if path else base


best = max(range(1, 1000), key=length)
print(best, length(best), len(cache))
histogram = {}
for n in range(1, 50):
    histogram[length(n) // 10] = histogram.get(length(n) // 10, 0) + 1
for bucket in sorted(histogram):
    print(f"{bucket * 10:>3}-{bucket * 10 + 9:<3} {'#' * histogram[bucket]}")
