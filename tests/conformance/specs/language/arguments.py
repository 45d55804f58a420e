# Positional, keyword, default, star and keyword-only arguments.
def show(a, b=2, *args, c, d="d", **kwargs):
    print(a, b, args, c, d, dict(sorted(kwargs.items())))


show(1, c=3)
show(1, 5, 6, 7, c="see", z=26, y=25)
show(*[1, 2, 3], **{"c": 4, "e": 5})
show(b=1, a=2, c=0, d=None)
show(*(0,), *range(2), c=-1, **{}, **{"q": 1})


def positional(x, y, /, z):
    return x, y, z


print(positional(1, 2, z=3), (lambda *a, **k: (a, k))(1, 2, three=3))
attempts = [
    lambda: show(),
    lambda: show(1, c=1, a=2),
    lambda: positional(1, 2),
    lambda: positional(1, y=2, z=3),
    lambda: make(1),
]
for call in attempts:
    try:
        call()
    except TypeError as e:
        print("TypeError:", e)
    except NameError as e:
        print("NameError:", e)
