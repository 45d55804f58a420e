# Truth, short circuits, identity, chained comparison.
def say(value, result):
    print(value, end=" ")
    return result


print(say("a", False) and say("b", True))
print(say("a", True) or say("b", False))
print(not (say("c", 0) or say("d", "")))
print(0 or [] or "last", 1 and "two" and 3, None or "default", "" and "never")
x = 5
print(1 < x < 10, 1 < x > 3, 10 > x >= 5 != 4, x == 5 == 5.0, not x == 5, x != 5 or x < 0)
print(None is None, [] is [], x is not None, "a" in "cat", 1 not in [2, 3], "k" in {"k": 1})
print("big" if x > 100 else "medium" if x > 3 else "small")
value = None
label = value if value is not None else "unset"
print(label, bool(None), bool(0.0), bool(" "), bool((0,)), True + True, True == 1, False < True)
print([] or None, {} and 1, (1 if [] else 2), (lambda: 0)() or "zero")
print(1 < say("once", 2) < 3)
