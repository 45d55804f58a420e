import numbers

import torch

print(isinstance(3, numbers.Number), isinstance(3.0, numbers.Integral), isinstance(True, numbers.Real))
print(isinstance('a', numbers.Number))
