"""The codes of what can be wrong with the text of a spec and the names in it."""

from __future__ import annotations

from .entry import Code

CODES = {
    "E101": Code(
        title="invalid syntax",
        meaning="""\
The text is not Python: the parser stopped at the place shown. The cause is
often a little before that place, for instance a bracket or a quote that was
never closed.""",
        wrong="""\
x = 2.0
print x""",
        right="""\
x = 2.0
print(x)""",
        advice="""\
Text copied from a web page or a notebook may bring typographic quotes, spaces
that are no spaces, line numbers, `>>>` prompts or `%` commands: take them out.""",
    ),
    "E102": Code(
        title="Python that is not in the language of specs",
        meaning="""\
The text is valid Python, but uses a construct that gradcli does not read. A
spec is interpreted, never executed, and only what PyTorch programs commonly
use is in the language:

    assignments, also augmented, of tuples, attributes, items and slices
    arithmetic, comparisons, `and`, `or`, `not`, `a if c else b`
    numbers, strings, f-strings, lists, tuples, dicts, sets, comprehensions
    if, for, while, break, continue, pass, del, assert, global, nonlocal
    def with defaults, keywords, *args and **kwargs; lambda; return; yield
    (alone or right of `=`)
    classes: plain ones, nn.Module, autograd.Function; static methods,
    properties
    with torch.no_grad() and its like, also as decorators
    try, except, else, finally, raise
    import of torch, its parts, math, random, a small numpy and others

Async, match, `:=`, type aliases and metaclasses are not in it.""",
        wrong="""\
x = 8.0
while (x := x / 2) >= 1:
    print(x)""",
        right="""\
x = 8.0 / 2
while x >= 1:
    print(x)
    x = x / 2""",
        advice="""\
Say the same with the constructs above; a `:=` becomes an assignment before, a
`match` becomes `if` and `elif`.""",
    ),
    "E103": Code(
        title="nothing to run",
        meaning="""\
The spec is empty, or has only blanks and comments. A run of nothing would
succeed without having shown anything, so it is an error.""",
        wrong="""\
# x = torch.ones(3)""",
        right="""\
import torch
x = torch.ones(3)
print(x)""",
        advice="""\
Check that the right file was named, and that it was saved. With `-` as the
spec, check that the command before the pipe wrote something.""",
    ),
    "E104": Code(
        title="text that cannot be read",
        meaning="""\
A spec is text in UTF-8. This one has bytes that are not UTF-8, a NUL
character, half of a surrogate pair, or a comment that claims another encoding.
The place shown is that of the first such character.""",
        wrong="",
        right="",
        advice="""\
Save the file as UTF-8. If it is no text at all (an archive, an image, a
compiled file), another file was meant.""",
    ),
    "E105": Code(
        title="nested too deeply, or too many parts",
        meaning="""\
Brackets, operators, blocks or calls are nested more deeply than any program
that people write, or the program has more parts than the limit allows. Such
texts can exhaust the memory of whoever reads them, so they are refused before
they run.""",
        wrong="",
        right="",
        advice="""\
Give names to inner expressions, write long chains as loops, and long lists of
numbers as an input (`x=@data.npy`). `--limits relaxed` allows more.""",
    ),
    "E201": Code(
        title="the namespace has no such name",
        meaning="""\
torch, torch.nn, torch.nn.functional, math and their like offer the names that
`gradcli ops` lists. This one is not among them: it may be misspelt, may belong
to another namespace, or may be something that PyTorch has and gradcli does not
offer.""",
        wrong="""\
import torch
print(torch.softmx(torch.zeros(3), dim=0))""",
        right="""\
import torch
print(torch.softmax(torch.zeros(3), dim=0))""",
        advice="""\
`gradcli ops 'soft*'` lists the names that begin so. Names that reach files,
the network or Python itself are never offered.""",
    ),
    "E202": Code(
        title="a name without a value",
        meaning="""\
The name was never assigned, is misspelt, or is assigned only later. In a spec
given on the command line a name without a value is an input, and each input
needs one. Letters of different alphabets can look alike: a Cyrillic or Greek
letter is another name than the Latin one.""",
        wrong="""\
gradcli run 'x * y' x=2""",
        right="""\
gradcli run 'x * y' x=2 y=3""",
        advice="""\
Give the input a value after the spec: a number, a list such as '[1, 2]', a
constructor such as 'randn(3)', or a file such as @data.npy. In a program,
assign the name before it is used.""",
    ),
    "E203": Code(
        title="no such attribute",
        meaning="""\
The value has no attribute or method of that name, or has one under PyTorch
that gradcli does not offer. Attributes are looked up in tables by the type of
the value; names that lead into Python itself, such as __class__, are in none
of them.""",
        wrong="""\
import torch
x = torch.ones(2, 3)
print(x.reshap(6))""",
        right="""\
import torch
x = torch.ones(2, 3)
print(x.reshape(6))""",
        advice="""\
`gradcli ops` lists the methods of tensors. If the value is not of the type you
expect, print it, or its type, a line before.""",
    ),
    "E204": Code(
        title="an import that is not allowed",
        meaning="""\
Nothing is ever imported into a spec: an import only gives names to what
gradcli offers itself. Those are torch and its parts (torch.nn,
torch.nn.functional, torch.optim, torch.autograd ...), a few of Python's own
(math, random, re, argparse, os ...), a small numpy, and the program's own
Python files in its folder. Anything else is refused.""",
        wrong="""\
import socket
print(socket.gethostname())""",
        right="""\
import math
print(math.pi)""",
        advice="""\
Leave the import out if the program does not need it. For numbers from a file,
declare an input and give it on the command line: `data=@numbers.csv`.""",
    ),
    "E205": Code(
        title="something that cannot be assigned or defined",
        meaning="""\
Namespaces and values that belong to gradcli keep their attributes: a spec may
set attributes of its own objects, of its modules, and those of tensors that
PyTorch lets one set (grad, data, requires_grad). A class may define __init__,
__call__, __repr__, __len__, __getitem__ and the like, but no special method
that Python calls behind the program's back, such as __buffer__; __del__ is for
objects that are no layers, tensors or exceptions.""",
        wrong="""\
import torch
torch.relu = torch.sigmoid
print(torch.relu(torch.zeros(2)))""",
        right="""\
import torch
activation = torch.sigmoid
print(activation(torch.zeros(2)))""",
        advice="""\
Keep the value under a name of your own. In place of a special method write a
method with an ordinary name.""",
    ),
}
