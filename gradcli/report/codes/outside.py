"""The codes of what comes into a spec from outside, and of what goes out."""

from __future__ import annotations

from .entry import Code

CODES = {
    "E501": Code(
        title="no such file",
        meaning="""\
What looks like a path leads nowhere. A spec is taken for a path when it ends in
.py or names something that exists; otherwise it is an expression. Paths are
relative to the current directory.""",
        wrong="""\
gradcli run missing.py""",
        right="""\
gradcli run 'sin(x)' x=1""",
        advice="""\
Check the spelling and the directory. `-e` makes any text an expression, `-f`
makes any text a path.""",
    ),
    "E502": Code(
        title="a file that cannot be read",
        meaning="""\
The path exists, but is a directory, a pipe, a device or a file without
permission to read, or has not the contents that its name promises. Specs and
data are read from regular files only, so that reading always ends.""",
        wrong="""\
gradcli run -f /dev/zero""",
        right="""\
gradcli run 'sin(x)' x=1""",
        advice="""\
Name a regular file. To read from another program, pipe it and give `-` as the
spec.""",
    ),
    "E503": Code(
        title="an input that is not NAME=VALUE",
        meaning="""\
After the spec come its inputs. NAME is a name the spec uses, VALUE a number, a
nested list, a constructor such as randn(2, 3) or linspace(0, 1, 5), or a file
of numbers, @data.npy or @data.csv. VALUE is not a program: it cannot refer to
other names.""",
        wrong="""\
gradcli run 'x * 2' x=two""",
        right="""\
gradcli run 'x * 2' 'x=[1, 2]'""",
        advice="""\
Quote values with brackets or blanks, so that the shell passes them on as they
are.""",
    ),
    "E504": Code(
        title="a command line that cannot be understood",
        meaning="""\
A command, an option or the value of an option is not one that gradcli knows,
or something is missing or given twice. Nothing was run.""",
        wrong="""\
gradcli run 'randn(2)' --sed 3""",
        right="""\
gradcli run 'randn(2)' --seed 3""",
        advice="""\
`gradcli --help` lists the commands, `gradcli COMMAND --help` the options of
one. Options are never abbreviated.""",
    ),
    "E505": Code(
        title="a setting that is not valid",
        meaning="""\
Settings are read from [tool.gradcli] in pyproject.toml or from gradcli.toml,
nearest upwards, and from comments of a spec (`# gradcli: seed=3`). One of them
has a name that gradcli does not know, or a value it cannot take. A file of
settings may come with a stranger's change: it only tightens limits, names no
paths outside of its directory, and has at most 64 KiB.""",
        wrong="""\
[tool.gradcli]
sede = 3""",
        right="""\
[tool.gradcli]
seed = 3""",
        advice="""\
An unknown setting is an error and not a warning: ignored, it would make a check
pass that was never made. `gradcli check --trust-config`, GRADCLI_TRUST_CONFIG=1
or `gradcli_trust_config = true` in pytest's own settings lets a file that you
know loosen limits and lead elsewhere.""",
    ),
    "E506": Code(
        title="output that could not be written",
        meaning="""\
The result is there and could not be written: the disk is full, the place may
not be written to, or standard output is closed. The exit code is 3. Files are
written beside their place and moved there once whole, so that an older one is
still as it was.""",
        wrong="""\
gradcli run 'print(1)' > /dev/full""",
        right="""\
gradcli run 'print(1)' > result.txt""",
        advice="""\
Make room, or write somewhere else.""",
    ),
    "E507": Code(
        title="not in the graph",
        meaning="""\
A name that an option was given (`--focus`, `--invert`, `--why`) is that of no
node. A node has the name of the variable that it was assigned to, a parameter
its dotted name; any node can be named by its id, as `--format json` shows it,
or by its number in the drawing, as in '#12'.""",
        wrong="""\
gradcli trace 'x * y' x=2 y=3 --focus z""",
        right="""\
gradcli trace 'x * y' x=2 y=3 --focus y""",
        advice="""\
The help lists what there is to choose from. What a program computes and does
not use for the result is in the graph of another tensor: `--output NAME`
starts there.""",
    ),
    "E508": Code(
        title="a bug in gradcli",
        meaning="""\
gradcli itself failed at this spec. It says nothing about the spec, and the
other specs of the same check are not affected. The exit code is 3, unless a
gradient is wrong somewhere else.""",
        wrong="",
        right="",
        advice="""\
Please report it, with the command line, the spec, and what it shows when the
environment has GRADCLI_DEBUG=1.""",
    ),
}
