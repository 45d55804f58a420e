"""The codes of what can go wrong while a spec runs."""

from __future__ import annotations

from .entry import Code

CODES = {
    "E301": Code(
        title="an operation failed",
        meaning="""\
An operation was given shapes, types or values it cannot take, or cannot be
done at this point of the program. The words are PyTorch's own: the same
program says the same under PyTorch, and what is written about the message
there holds here too.""",
        wrong="""\
import torch
a = torch.ones(2, 3)
b = torch.ones(2, 4)
print(a + b)""",
        right="""\
import torch
a = torch.ones(2, 3)
b = torch.ones(2, 1)
print(a + b)""",
        advice="""\
Print the shapes just before the place shown. A program may catch the error
with `try` and `except RuntimeError`, as under PyTorch.""",
    ),
    "E302": Code(
        title="the program raised an exception and did not catch it",
        meaning="""\
A `raise` in the program, or an ordinary mistake that Python reports by an
exception (an index out of range, a missing key, a division by zero), ended it.
The message begins with the class of the exception.""",
        wrong="""\
losses = [0.5, 0.25]
print(losses[2])""",
        right="""\
losses = [0.5, 0.25]
try:
    print(losses[2])
except IndexError:
    print(losses[-1])""",
        advice="""\
Repair the line shown, or catch the exception. Under Python the same program
ends with the same exception.""",
    ),
    "E303": Code(
        title="an assert does not hold",
        meaning="""\
The program ran, and a condition that it states itself is false there. For a
comparison both values are shown. This is a verdict about the program and not
a failure to run it: the exit code is 1, where it is 2 for other errors.""",
        wrong="""\
import torch
x = torch.tensor(3.0, requires_grad=True)
(x * x).backward()
assert x.grad == 3""",
        right="""\
import torch
x = torch.tensor(3.0, requires_grad=True)
(x * x).backward()
assert x.grad == 6""",
        advice="""\
Results of floating-point arithmetic are rarely equal to the last digit:
compare them with torch.allclose.""",
    ),
    "E304": Code(
        title="something that gradcli does not support",
        meaning="""\
PyTorch has it and gradcli does not: an argument, a mode or a kind of number,
named in the message. The program is not wrong; it cannot be run here.""",
        wrong="""\
import torch.nn as nn
rnn = nn.LSTM(3, 4, proj_size=2)""",
        right="""\
import torch.nn as nn
rnn = nn.LSTM(3, 4)
projection = nn.Linear(4, 2)""",
        advice="""\
`gradcli ops NAME` shows what an operation takes. Often the same can be
composed of operations that are there.""",
    ),
}
