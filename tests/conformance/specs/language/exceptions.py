# try, except, else, finally, raise.
def divide(a, b):
    try:
        result = a / b
    except ZeroDivisionError as e:
        print("  caught:", e)
        return None
    except TypeError:
        print("  wrong types")
        raise
    else:
        print("  fine")
        return result
    finally:
        print("  finally")


print(divide(6, 3))
print(divide(1, 0))
try:
    divide("1", 2)
except Exception as e:
    print(type(e).__name__, "-", e)


def order():
    for i in range(3):
        try:
            if i == 1:
                continue
            if i == 2:
                return "returned"
            print("body", i)
        finally:
            print("cleanup", i)


print(order())
try:
    try:
        raise ValueError("inner", 42)
    except ValueError as e:
        print(e.args, e)
        raise RuntimeError("outer") from e
except RuntimeError as e:
    print(e, isinstance(e, Exception))
try:
    raise KeyError("key")
except (IndexError, KeyError) as e:
    print(repr(e), str(e))
try:
    raise NotImplementedError
except NotImplementedError as e:
    print(repr(e), str(e) == "")
