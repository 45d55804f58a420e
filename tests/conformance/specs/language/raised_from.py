"""Exceptions raised from others, and while others are dealt with."""


class E(Exception):
    pass


try:
    try:
        1 / 0
    except ZeroDivisionError as e:
        raise E("a") from e
except E as e:
    print(repr(e.__cause__), repr(e.__context__))
try:
    try:
        int("x")
    except ValueError:
        raise E("b")
except E as e:
    print(e.__cause__, repr(e.__context__))
try:
    raise E("c") from KeyError
except E as e:
    print(repr(e.__cause__))
try:
    raise E("d") from None
except E as e:
    print(e.__cause__)
try:
    raise E("d") from 3
except TypeError as e:
    print(e)
