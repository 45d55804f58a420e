# Errors of Python itself, caught one by one.
class Thing:
    def __init__(self, x):
        self.x = x

    def method(self, y):
        return self.x + y


t = Thing(1)
attempts = [
    lambda: {"a": 1}["b"],
    lambda: [1, 2][5],
    lambda: (1, 2)[-3],
    lambda: "abc" + 1,
    lambda: 1 + "abc",
    lambda: [1] + (2,),
    lambda: None + 1,
    lambda: 1 < "a",
    lambda: len(5),
    lambda: int("3.5"),
    lambda: t.y,
    lambda: t.method(),
    lambda: t.method(1, 2),
    lambda: Thing(),
    lambda: t(),
    lambda: None.shape,
    lambda: "abc".foo(),
    lambda: max([]),
    lambda: sum(["a"]),
    lambda: {}.pop("k"),
    lambda: "a".index("b"),
]
for f in attempts:
    try:
        print("value", f())
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as e:
        print(f"{type(e).__name__}: {e}")
