import math
import traceback
from itertools import combinations_with_replacement, compress, count, dropwhile, filterfalse, islice, starmap, takewhile

import torch

print(list(takewhile(lambda x: x < 3, count())), list(dropwhile(lambda x: x < 3, range(5))))
print(list(filterfalse(lambda x: x % 2, range(5))), list(filterfalse(None, [0, 1, ""])))
print(list(starmap(pow, [(2, 3), (3, 2)])), list(starmap(lambda a, b: a - b, zip([3, 4], [1, 1]))))
print(list(compress("abc", [1, 0, 1])), list(combinations_with_replacement("ab", 2)), math.cbrt(27.0))
print(list(islice(starmap(lambda a: a * 2, ([i] for i in count())), 3)))
try:
    torch.ones(2) + torch.ones(3)
except RuntimeError:
    traceback.print_exc()
    print("went on")
