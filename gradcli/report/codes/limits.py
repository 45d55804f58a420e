"""The codes of limits: what a spec may not use more of."""

from __future__ import annotations

from .entry import Code

CODES = {
    "E401": Code(
        title="the time limit",
        meaning="""\
The program ran for longer than it may: 10 seconds on the processor unless told
otherwise, since a spec may come from a stranger. The place shown is where it
was stopped, which is not always where the time went. A program that hardly gets
the processor is stopped in the end, too, and a note says so.""",
        wrong="""\
gradcli run 'while True: pass' --timeout 1""",
        right="""\
gradcli run 'for i in range(1000): pass' --timeout 1""",
        advice="""\
Does every loop end? If the program is meant to take longer, `--timeout 60`
allows it a minute, and `--limits relaxed` raises all limits at once.""",
    ),
    "E402": Code(
        title="the memory limit",
        meaning="""\
The program needs more memory than it may have: 512 MB unless told otherwise.
Tensors count as long as something refers to them: a name, a list, or a graph
that was recorded and not yet freed.""",
        wrong="""\
import torch
kept = [torch.ones(10_000_000) for i in range(20)]
print(sum(x.sum() for x in kept))""",
        right="""\
import torch
total = 0.0
for i in range(20):
    total += torch.ones(10_000_000).sum()
print(total)""",
        advice="""\
Keep numbers and not the tensors they came from (`loss.item()`, or
`loss.detach()`), and compute inside `torch.no_grad()` what needs no gradient.
`--max-memory` or `--limits relaxed` allows more.""",
    ),
    "E403": Code(
        title="the step limit",
        meaning="""\
A step is one visit to one part of the program: a name, an operation, a call.
The program made more of them than it may, whether or not it was quick.""",
        wrong="""\
gradcli run 'for i in range(1000): i * i' --max-steps 1000""",
        right="""\
gradcli run '(arange(1000)**2).sum()' --max-steps 1000""",
        advice="""\
Does every loop end? Operations on whole tensors take one step where a loop
takes many. `--max-steps` or `--limits relaxed` allows more.""",
    ),
    "E404": Code(
        title="an integer that is too large",
        meaning="""\
Integers of a spec have up to 4,300 digits, which is what Python writes out,
and those that tensors and arrays are made of or computed with have 64 bits.
Python's own have no end, and a short line can make one that fills the memory,
so the size is checked before the operation.""",
        wrong="""\
import torch
print(torch.tensor(2 ** 64))""",
        right="""\
import torch
print(torch.tensor(2.0 ** 64))""",
        advice="""\
Make one operand a float, or use a tensor: floats reach to about 1e308.""",
    ),
    "E405": Code(
        title="a string or sequence that is too long",
        meaning="""\
Strings, lists, tuples, dicts and sets of a spec may have 100,000 characters or
items. The size is checked before they are made.""",
        wrong="""\
zeros = [0.0] * 1_000_000
print(len(zeros))""",
        right="""\
import torch
zeros = torch.zeros(1_000_000)
print(len(zeros))""",
        advice="""\
Use a tensor for many numbers. `--limits relaxed` allows longer sequences.""",
    ),
    "E406": Code(
        title="calls nested too deeply",
        meaning="""\
Functions called one another, or themselves, more deeply than the limit. Mostly
a recursion does not end, as when `forward` calls the module itself.""",
        wrong="""\
def factorial(n):
    return n * factorial(n - 1)

print(factorial(5))""",
        right="""\
def factorial(n):
    return 1 if n == 0 else n * factorial(n - 1)

print(factorial(5))""",
        advice="""\
Check that each call comes nearer to a case that returns without calling again.
A loop has no such limit. `--limits relaxed` allows deeper calls.""",
    ),
    "E407": Code(
        title="a source that is too large",
        meaning="""\
The text of a spec may have 262,144 bytes. What is larger is mostly data written
as a program, or another file than was meant; it is not read to its end.""",
        wrong="",
        right="",
        advice="""\
Put data into a .npy or .csv file and give it as an input: `x=@data.npy`.
`--limits relaxed` allows larger texts.""",
    ),
    "E408": Code(
        title="an operation that is too large",
        meaning="""\
The result of one operation, or what has to be computed on the way to it, would
be larger than the limit, or would take too long. The sizes are known before
anything is computed, so nothing was. Broadcasting is the usual cause: a column
and a row, each small, make a large matrix.""",
        wrong="""\
import torch
column = torch.ones(100_000, 1)
row = torch.ones(1, 100_000)
print((column + row).sum())""",
        right="""\
import torch
column = torch.ones(100_000, 1)
row = torch.ones(1, 100_000)
print(column.sum() * row.numel() + row.sum() * column.numel())""",
        advice="""\
Check the shapes of the operands at the place shown. `--max-elements` or
`--limits relaxed` allows more.""",
    ),
    "E409": Code(
        title="a value too large to show or compare",
        meaning="""\
A list or dict that holds the same part many times over, or holds itself, can
be small in memory and endless when it is written out or compared item by item.""",
        wrong="""\
pair = [0, 1]
for i in range(64):
    pair = [pair, pair]
print(pair)""",
        right="""\
pair = [0, 1]
for i in range(64):
    pair = [pair, pair]
print(len(pair))""",
        advice="""\
Look at a part of the value, and copy a list before it is put into itself.""",
    ),
    "E410": Code(
        title="too much output",
        meaning="""\
A program may print 10 million characters, or 200 million with
`--limits relaxed`. What is printed goes to a terminal, a log or a file, and an
endless loop with a `print` in it would fill any of them.""",
        wrong="""\
for step in range(100_000):
    print(step, "." * 1000)""",
        right="""\
for step in range(0, 100_000, 1000):
    print(step)""",
        advice="""\
Print less: every hundredth step, or a summary at the end. `--max-output MB` or
`--limits relaxed` allows more.""",
    ),
    "E411": Code(
        title="the process of the program was ended",
        meaning="""\
A program runs in a process of its own. That process ended before the program
did, and not by one of gradcli's limits: the system ended it, which happens
where memory is short (SIGKILL), or it crashed (SIGSEGV). The other specs of the
same command are not touched by it.""",
        wrong="",
        right="",
        advice="""\
If it was SIGKILL, give the machine more memory or the program less:
`--max-memory` sets how much it may have. A crash is a bug: please report the
program that did it. SECURITY.md says where, if it came from a stranger.""",
    ),
}
