import random

rng = random.Random(7)
print(
    rng.random(),
    rng.randint(0, 9),
    rng.gauss(0, 1),
    rng.choices([1, 2, 3], k=4),
    rng.choices("ab", weights=[1, 9], k=3),
)
random.seed("hello")
print(
    random.random(),
    random.randrange(10),
    random.randrange(0, 10, 3),
    random.expovariate(1.5),
    random.normalvariate(0, 1),
    random.getrandbits(8),
    random.triangular(0, 1, 0.5),
)
x = list(range(6))
random.shuffle(x)
print(x, random.sample("abcdef", 2), random.choice((1, 2)))
try:
    random.choice([])
except IndexError as e:
    print(e)
try:
    random.randint(3, 1)
except ValueError as e:
    print(e)
try:
    random.sample([1], 2)
except ValueError as e:
    print(e)
random.seed(1.5)
print(random.random())
