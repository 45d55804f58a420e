# The % operator and str.format.
import torch

print("%d items cost %.2f each" % (3, 9.5))
print("%s|%10s|%-10s|%r" % ("a", "right", "left", "quoted"))
print("%5d|%-5d|%05d|%+d|%x|%o" % (42, 42, 42, 42, 255, 8))
print("%e %g %G %.3g %8.3f %%" % (12345.678, 0.00001234, 1e-10, 3.14159, 2.71828))
print("%s and %s" % ([1, 2], {"k": None}))
print("loss: %.3f" % torch.tensor(0.5), "one: %s" % 1)
print("%(lr)g for %(name)s" % {"lr": 0.001, "name": "sgd"})
print("{} {} {}".format(1, "two", [3]))
print("{0}-{1}-{0}".format("a", "b"), "{name}: {value:.2f}".format(name="x", value=1.005))
print("{:>6}|{:<6}|{:^6}|{:06.2f}|{:,}".format("r", "l", "c", 3.14159, 1000000))
print("Epoch [{}/{}], Step [{:>3d}], Loss: {:.4f}".format(1, 5, 20, 0.34567))
print("{{}} {!r:>5}".format("q"), format(3.14159, ".2f"), format(42, "05d"))
for template, values in [("%d", "x"), ("%d %d", (1,)), ("%s", (1, 2))]:
    try:
        print(template % values)
    except TypeError as e:
        print("TypeError:", e)
