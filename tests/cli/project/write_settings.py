"""The chapter of the settings as it should be: ``python -m tests.cli.project.write_settings`` writes it anew."""

from __future__ import annotations

from pathlib import Path

import click

import gradcli.docs
from gradcli.cli.check import check
from gradcli.cli.parsing.command import Option
from gradcli.cli.project import setting_values

PAGE = Path(gradcli.docs.__file__).parent / "settings.md"

HEAD = """\
# Settings

In `[tool.gradcli]` of `pyproject.toml`, or without a table in a `gradcli.toml`: the nearest at or above the current
directory, or the file that `--config` names. A flag counts before a comment in the spec, that before the environment,
that before these. Each has the meaning of the option of its name.

| setting | takes | meaning |
|---|---|---|
"""

TAIL = """
Those with a * may differ between files, in a table for a pattern of their paths:

```toml
[tool.gradcli.per-file."specs/slow_*.py"]
timeout = 5
```

A spec with its inputs and claims, so that `gradcli check` needs none on the command line ([more](check.md)); `trace`,
`export-dot` and `run` of the same FILE or `FILE::NAME` take its inputs, too, and of several tables the first. `path` is
a file below that of the settings, or `FILE::NAME`, and settings with a * may stand here, too:

```toml
[[tool.gradcli.spec]]
path = "losses.py"
target = "loss"
inputs = {w = "[1, 2]", X = "randn(4, 2)", y = "[0, 1, 0, 1]"}
no-grad = ["X", "y"]
claims = {w = "X.T @ (X @ w - y) / 4"}
order = 1
```

`claim-from = "dloss"`, a function of the file, takes the place of `claims`, and `args = ["--lr", "0.1"]` are the words
that a program finds in `sys.argv`. Inputs and claims of the command line and
of comments in the spec count before these. A file of which tables name something is checked as they say, wherever it is
named.

Functions of your own code, which only `gradcli check --python` imports and checks ([how](python.md)):

```toml
[[tool.gradcli.python]]
target = "mypkg.loss:loss"
derivative = "mypkg.loss:dloss"
kind = "grad"
train = false
inputs = {x = "randn(3)", y = "[0, 1, 0]"}
no-grad = ["y"]
```

Each but `paths`, `exclude` and `baseline` is a variable of the environment, too: `GRADCLI_MAX_MEMORY=256`,
`GRADCLI_ALLOW=kink,edge`. Unless `--trust-config` is given, or GRADCLI_TRUST_CONFIG=1, a file only tightens limits,
names nothing outside of its directory, and has at most 64 KiB; a setting that does not exist is an error.
"""

# Of those that are no options.
ALONE = {
    "paths": ("a list of files, directories and patterns", "What is checked where no SPEC is named."),
    "exclude": ("a list of patterns", "Names or paths that are left out of directories."),
}


def page() -> str:
    """The chapter."""
    options = {param.opts[-1].removeprefix("--"): param for param in check.params if isinstance(param, Option)}
    rows = []
    for name in ("paths", "exclude", *(key for key in setting_values.PROJECT if key not in ALONE)):
        takes, meaning = ALONE[name] if name in ALONE else (_takes(options[name]), options[name].help or "")
        star = " *" if name in setting_values.SINGLE else ""
        rows.append(f"| `{name}`{star} | {takes} | {meaning} |\n".replace("|i", "\\|i"))
    return HEAD + "".join(rows) + TAIL


def _takes(option: Option) -> str:
    """The values of an option, in words."""
    if option.is_flag:
        return "true or false"
    if isinstance(option.type, click.Choice):
        words = " or ".join(f'"{choice}"' for choice in option.type.choices)
    else:
        words = getattr(option.type, "words", "a text")
    return f"a list of texts: {words}" if option.multiple else words


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
