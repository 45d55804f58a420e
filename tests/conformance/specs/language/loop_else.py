# while/else and for/else.
def smallest_factor(n):
    k = 2
    while k * k <= n:
        if n % k == 0:
            break
        k += 1
    else:
        return n
    return k


for n in (2, 15, 49, 97, 1001):
    print(n, smallest_factor(n), "prime" if smallest_factor(n) == n else "composite")

primes = []
for n in range(2, 40):
    for p in primes:
        if n % p == 0:
            break
    else:
        primes.append(n)
print(primes, sum(primes), len(primes))
i = 5
while i:
    i -= 1
    if i == 2:
        pass
else:
    print("counted down to", i)
