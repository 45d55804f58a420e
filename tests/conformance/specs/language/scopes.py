# global, nonlocal, shadowing, and names that are not there yet.
total = 0
name = "module"


def add(n):
    global total
    total += n


def shadow():
    name = "function"

    def inner():
        name = "inner"
        return name

    return inner() + "/" + name


def broken():
    print(total)
    total = 1


for n in range(4):
    add(n)
print(total, shadow(), name)
try:
    broken()
except UnboundLocalError as e:
    print("UnboundLocalError:", e)
try:
    print(undefined_name)
except NameError as e:
    print("NameError:", e)
del name
try:
    name
except NameError as e:
    print(e)
for i in range(3):
    last = i
print(i, last)
