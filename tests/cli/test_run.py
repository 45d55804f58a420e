"""``gradcli run``: what a program prints, and what a command line means."""

from __future__ import annotations

import gc
import io
import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from gradcli.cli import commands

from .invoke import COMMAND, environment, gradcli

NET = """\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (x * x).sum()
loss.backward()
print(loss)
print(x.grad)
def square(t):
    return (t * t).sum()
loss
"""


@pytest.fixture
def net(tmp_path: Path) -> str:
    path = tmp_path / "net.py"
    path.write_text(NET)
    return str(path)


PRINTED = "tensor(5., grad_fn=<SumBackward0>)\ntensor([2., 4.])\n"


def test_a_file_prints_what_it_prints(net: str) -> None:
    done = gradcli("run", net)
    assert (done.returncode, done.stdout, done.stderr) == (0, PRINTED, "")


def test_the_first_tensor_without_numbers_may_be_an_argument(tmp_path: Path) -> None:
    path = tmp_path / "shapes.py"
    path.write_text('import torch\nprint(torch.cumsum(torch.empty(2, 3, device="meta"), 0).shape)\n')
    done = gradcli("run", str(path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "torch.Size([2, 3])\n", "")


def test_echo_prints_the_last_expression_of_a_file_too(net: str) -> None:
    assert gradcli("run", net, "--echo").stdout == PRINTED + "tensor(5., grad_fn=<SumBackward0>)\n"


def test_standard_input() -> None:
    done = gradcli("run", "-", input=NET)
    assert (done.returncode, done.stdout, done.stderr) == (0, PRINTED, "")


def test_an_expression_prints_its_value() -> None:
    assert gradcli("run", "1 + 1").stdout == "2\n"
    assert gradcli("run", "y = 2; y * x", "x=3").stdout == "tensor(6., grad_fn=<MulBackward0>)\n"


@pytest.mark.parametrize(
    "words",
    [
        ["x*y", "x=2", "y=3"],
        ["-i", "x=2", "x*y", "-i", "y=3"],
        ["x=2", "-e", "x*y", "--input=y=3"],
        ["-ex*y", "x=2", "y=3"],
        ["--", "x*y", "x=2", "y=3"],
    ],
)
def test_inputs_stand_where_they_like(words: list[str]) -> None:
    assert gradcli("run", *words).stdout == "tensor(6., grad_fn=<MulBackward0>)\n"


def test_what_begins_with_a_dash() -> None:
    assert gradcli("run", "-e", "-x**2", "x=3").stdout == "tensor(-9., grad_fn=<NegBackward0>)\n"
    assert gradcli("run", "--", "-x**2", "x=3").stdout == "tensor(-9., grad_fn=<NegBackward0>)\n"


@pytest.mark.parametrize("name", ["-net.py", "a\nb.py", "a::b.py", "x*y"])
def test_files_with_odd_names(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(NET)
    assert gradcli("run", "--", name, cwd=tmp_path).stdout == PRINTED
    assert gradcli("run", "-f", name, cwd=tmp_path).stdout == PRINTED


def test_an_expression_that_is_a_file_too(tmp_path: Path) -> None:
    (tmp_path / "x*y").write_text(NET)
    assert gradcli("run", "-e", "x*y", "x=2", "y=3", cwd=tmp_path).stdout == "tensor(6., grad_fn=<MulBackward0>)\n"


def test_constants_seeds_and_dtypes() -> None:
    assert gradcli("run", "x*x", "x=[3.0]", "--no-grad", "x").stdout == "tensor([9.])\n"
    one, two = (gradcli("run", "randn(3)", "--seed", seed).stdout for seed in ("1", "2"))
    assert one != two
    assert gradcli("run", "randn(3)", "--seed=1").stdout == one
    assert gradcli("run", "x.dtype", "x=3").stdout == "torch.float64\n"
    assert gradcli("run", "x.dtype", "x=3", "--dtype=float32").stdout == "torch.float32\n"


def test_a_directory_that_is_gone(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f'cd "{gone}" && rmdir "{gone}" && {" ".join(COMMAND)} run "1+1"'
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, env=environment(), check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "2\n", "")


# -- exit codes --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["assert 1 == 2"], 1, "<expression>:1:8: error[E303]: "),
        (["1 +"], 2, "error[E101]: "),
        (["1/0"], 2, "<expression>:1:2: error[E301]: ZeroDivisionError: division by zero\n"),
        (["raise ValueError('no')"], 2, "error[E302]: ValueError: no\n"),
        (["nothing"], 2, "<expression>:1:1: error[E202]: "),
        (["no/such.py"], 2, "error[E501]: no such file: 'no/such.py'\n"),
        (["-e"], 2, "error[E504]: -e needs a value: -e TEXT\n"),
        ([], 2, "<command line>:1:13: error[E504]: there is no SPEC\n"),
        (["while True: pass", "--timeout", "0.6"], 2, "error[E401]: "),
        (["while True: pass", "--max-steps", "1000"], 2, "error[E403]: "),
        (["1" + "+1" * 1000, "--max-source", "1"], 2, "error[E407]: "),
        (["zeros(200000)", "--max-elements", "100000"], 2, "error[E408]: "),
        (["x", "x=2", "x=3"], 2, "error[E503]: input 'x' is given twice\n"),
    ],
)
def test_exit_codes(words: list[str], code: int, said: str) -> None:
    done = gradcli("run", *words)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "diagnostic"),
    [
        (
            ["x", "*", "y", "x=2"],
            """\
<command line>:1:15: error[E504]: '*' is neither an option nor an input NAME=VALUE
  |
1 | gradcli run x '*' y x=2
  |               ^^^
  = help: a SPEC with blanks is one argument: put it in quotes
""",
        ),
        (
            ["x=2", "x*x"],
            """\
<command line>:1:17: error[E504]: 'x*x' is neither an option nor an input NAME=VALUE
  |
1 | gradcli run x=2 'x*x'
  |                 ^^^^^
  = help: the SPEC comes before its inputs
""",
        ),
        (
            ["-e", "x", "y"],
            """\
<command line>:1:18: error[E504]: 'y' is neither an option nor an input NAME=VALUE
  |
1 | gradcli run -e x y
  |                  ^
  = help: -e gave the SPEC
""",
        ),
        (
            ["-e", "x", "-f", "y"],
            """\
<command line>:1:21: error[E504]: there is one SPEC, and another was given before
  |
1 | gradcli run -e x -f y
  |                     ^
""",
        ),
        (
            ["-x**2", "x=3"],
            """\
<command line>:1:13: error[E504]: gradcli run has no option '-x**2'
  |
1 | gradcli run '-x**2' x=3
  |             ^^^^^^^
  = help: a SPEC that begins with '-' goes behind -e (an expression) or -f (a file)
""",
        ),
    ],
)
def test_what_is_said_of_a_wrong_command_line(words: list[str], diagnostic: str) -> None:
    done = gradcli("run", *words)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", diagnostic)


def test_what_was_printed_before_an_error_stands_before_it() -> None:
    done = gradcli("run", "print(1); print(2, end=''); 1/0")
    assert (done.returncode, done.stdout) == (2, "1\n2")


def test_a_program_is_given_the_words_behind_it(tmp_path: Path) -> None:
    text = "import argparse, torch\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float, required=True)\n"
    path = tmp_path / "train.py"
    text += "x = torch.ones(1, requires_grad=True)\n(x * p.parse_args().lr).backward()\nprint(x.grad)\n"
    path.write_text(text)
    assert gradcli("run", str(path), "--", "--lr", "0.5").stdout == "tensor([0.5000])\n"
    done = gradcli("check", str(path), "--format", "json", "--", "--lr", "0.5")
    again = json.loads(done.stdout)["results"][0]["reproduce"]
    assert (done.returncode, again.endswith("--wrt x -- --lr 0.5")) == (0, True)
    done = gradcli("run", str(path), "--", "-h")
    assert (done.returncode, done.stdout.partition("\n")[0]) == (0, "usage: train.py [-h] --lr LR")
    done = gradcli("run", str(path))
    assert done.returncode == 2
    assert "usage: train.py [-h] --lr LR\n" in done.stderr
    assert "train.py -- --lr 0.1" in done.stderr
    (tmp_path / "gradcli.toml").write_text('[[spec]]\npath = "train.py"\nargs = ["--lr", "0.25"]\n')
    assert gradcli("run", "train.py", cwd=tmp_path).stdout == "tensor([0.2500])\n"
    assert gradcli("check", cwd=tmp_path).returncode == 0


def test_a_program_opens_copies_of_the_files_that_it_is_lent(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "names.txt").write_bytes(b"emma\r\nava\r\n")
    np.save(tmp_path / "a.npy", np.arange(3.0))
    text = (
        "import os, numpy as np, torch\nw = open('names.txt').read().splitlines()\n"
        "open('data/names.txt', 'w').write('')\n"
        "x = torch.tensor(np.load('a.npy'), requires_grad=True)\n(x * len(w)).sum().backward()\n"
        "print(w, open('names.txt', 'rb').read(), sorted(os.listdir('.')), x.grad)\n"
    )
    (tmp_path / "read.py").write_text(text)
    lent = "--lend", "data/names.txt", "--lend", "a.npy"
    done = gradcli("run", "read.py", *lent, cwd=tmp_path)
    there = "['a.npy', 'data', 'names.txt']"
    expected = f"['emma', 'ava'] b'emma\\r\\nava\\r\\n' {there} tensor([2., 2., 2.], dtype=torch.float64)\n"
    assert (done.returncode, done.stdout) == (0, expected)
    assert (tmp_path / "data" / "names.txt").read_bytes() == b"emma\r\nava\r\n"
    done = gradcli("check", "read.py", *lent, "--format", "json", cwd=tmp_path)
    assert done.returncode == 0
    assert "read.py --lend data/names.txt --lend a.npy" in done.stdout
    done = gradcli("run", "read.py", cwd=tmp_path)
    assert done.returncode == 2
    assert "  = help: `--lend names.txt` gives the program a copy of a file\n" in done.stderr
    for path, said in ("no.txt", "no such file: 'no.txt'"), (".", "'.' is not a regular file but a directory"):
        done = gradcli("run", "read.py", "--lend", path, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert said in done.stderr


def test_a_program_reads_the_standard_input_and_each_run_the_same(tmp_path: Path) -> None:
    (tmp_path / "chat.py").write_text(
        "import io, sys, torch\nw = torch.ones(int(input('How many? ')), requires_grad=True)\n"
        "(w * w).sum().backward()\n"
        "print(w.grad, [input()], repr(sys.stdin.read(4)), list(sys.stdin))\nsys.stdin = io.StringIO('a\\n')\n"
        "print(input(), sys.stdin is sys.__stdin__)\n"
    )
    lines = "3\r\n\nlines of\nseveral\nwords"
    done = gradcli("run", "chat.py", cwd=tmp_path, input=lines)
    answers = "How many? tensor([2., 2., 2.]) [''] 'line' ['s of\\n', 'several\\n', 'words']\na False\n"
    assert (done.returncode, done.stdout) == (0, answers)
    # A check runs it many times.
    assert gradcli("check", "chat.py", cwd=tmp_path, input=lines).returncode == 0
    done = gradcli("run", "chat.py", cwd=tmp_path, input="1\n")
    assert done.returncode == 2
    assert "EOFError: EOF when reading a line" in done.stderr
    way = "  = help: give the program its lines on the standard input: `gradcli run chat.py < lines.txt`\n"
    assert way in done.stderr


STDERR = """\
import logging, sys, unittest, warnings
print("printed")
print("an error", file=sys.stderr)
logging.warning("%s of the log", 3)
warnings.warn("of the program")
class T(unittest.TestCase):
    def test_a(self):
        self.assertEqual(1, 2)
print("open", end=" ")
unittest.main(exit=False)
print("end")
"""


def test_what_a_program_writes_to_stderr_stands_among_what_it_prints(tmp_path: Path) -> None:
    path = tmp_path / "told.py"
    path.write_text(STDERR)
    out, err = subprocess.PIPE, subprocess.STDOUT
    done = subprocess.run([*COMMAND, "run", str(path)], stdout=out, stderr=err, text=True, env=environment())
    text = re.sub(r"in \d\.\d+s", "in 0 s", done.stdout).replace(str(path), "told.py")
    assert (done.returncode, text) == (0, f"""\
printed
an error
WARNING:root:3 of the log
told.py:5:1: warning: UserWarning: of the program
open F
{"=" * 70}
FAIL: test_a (__main__.T.test_a)
{"-" * 70}
Traceback (most recent call last):
  File "told.py", line 8, in test_a
    self.assertEqual(1, 2)
AssertionError: 1 != 2

{"-" * 70}
Ran 1 test in 0 s

FAILED (failures=1)
end
""")  # fmt: skip


def test_an_endless_print_ends_with_what_fits(tmp_path: Path) -> None:
    path = tmp_path / "endless.py"
    path.write_text("while True:\n    print('.' * 99_999)\n")
    done = gradcli("run", str(path), "--max-output", "1")
    assert (done.returncode, done.stdout) == (2, ("." * 99_999 + "\n") * 10)
    assert "endless.py:2:5: error[E410]: the program prints more than 1,000,000 characters\n" in done.stderr


def test_what_was_printed_before_the_time_is_up_is_not_lost() -> None:
    done = gradcli("run", "print(1); print(2, end='')\nwhile True: pass", "--timeout", "1")
    assert (done.returncode, done.stdout) == (2, "1\n2")


# -- anything at all ---------------------------------------------------------------------------

KNOWN = """
run ops explain completion -h --help -V --version -- - -e -f -i --seed --dtype --limits --no-grad --timeout --max-steps
--echo --color --format x=2 y=[1,2] x*y sin(x) 1+1 E201 relu soft* bash float32 strict json never 0.5 3 -1 = x= =x
--seed= -e= --=
"""
WORDS = st.one_of(
    st.sampled_from(KNOWN.split()),
    st.text(max_size=8).filter(lambda text: "\0" not in text),
)


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"1 + 1")))
    monkeypatch.setitem(os.environ, "OPENBLAS_THREAD_TIMEOUT", "4")
    yield
    gc.enable()


@pytest.mark.usefixtures("quiet")
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.lists(WORDS, max_size=6))
def test_no_command_line_is_a_bug(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    if "run" in words[:1] and "--timeout" not in words:
        words = [*words[:1], "--timeout", "0.5", *words[1:]]
    code = commands.run(words)
    said = capsys.readouterr().err
    assert code in (0, 2)
    assert "Traceback" not in said
    assert "bug" not in said
    assert (code == 0) == (said == "") or not words


def test_nothing_of_a_program_is_called_to_count_its_rounds() -> None:
    program = (
        "class Loud:\n    def __len__(self):\n        print('asked')\n        return 2\n"
        "    def __iter__(self):\n        return iter([1, 2])\n"
        "for x in Loud():\n    print(x)\nfor i, x in enumerate(Loud()):\n    print(i, x)\n"
    )
    assert gradcli("run", "--progress", program).stdout == "1\n2\n0 1\n1 2\n"
