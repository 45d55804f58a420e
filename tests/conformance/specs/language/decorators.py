# Decorators of one's own, plain and with arguments.
calls = []


def logged(f):
    def wrapper(*args, **kwargs):
        calls.append(f.__name__)
        result = f(*args, **kwargs)
        print(f"{f.__name__}{args} -> {result}")
        return result
    return wrapper


def repeat(times):
    def decorate(f):
        def wrapper(*args):
            return [f(*args) for _ in range(times)]
        return wrapper
    return decorate


def memoize(f):
    cache = {}

    def wrapper(n):
        if n not in cache:
            cache[n] = f(n)
        return cache[n]
    return wrapper


@logged
def add(x, y=10):
    return x + y


@repeat(3)
@logged
def hello(name):
    return "hello " + name


@memoize
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


add(1)
add(1, y=2)
print(hello("you"))
print(fib(70), calls)
