# Functions that make functions.
def make_counter(start=0, step=1):
    count = start

    def tick():
        nonlocal count
        count += step
        return count

    def reset():
        nonlocal count
        count = start

    return tick, reset


tick, reset = make_counter(10, 5)
print(tick(), tick(), tick())
reset()
print(tick())
other, _ = make_counter()
print(other(), tick())

late = [lambda: i for i in range(3)]
early = [lambda i=i: i for i in range(3)]
print([f() for f in late], [f() for f in early])


def compose(*fs):
    def composed(x):
        for f in reversed(fs):
            x = f(x)
        return x
    return composed


inc, double = lambda x: x + 1, lambda x: 2 * x
print(compose(inc, double)(5), compose(double, inc)(5), compose()(5))
