"""Reading a command line by what a command declares, and what is said of one that is not understood."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from gradcli.cli.commands import gradcli
from gradcli.cli.parsing.command import Command, Context, Given, argument, command, option, pass_given, switch
from gradcli.cli.parsing.types import DTYPE, SECONDS, SEED, TEXT, Choice
from gradcli.errors import GradcliError
from gradcli.report.diagnostic import render

from ..invoke import environment


@command("run", dash="a SPEC that begins with '-' goes behind -e")
@argument("words", ("SPEC", "A spec."), ("NAME=VALUE ...", "Inputs."), type=TEXT, nargs=-1)
@option("-e", "--expression", metavar="TEXT", help="The text.")
@option("-i", "--input", metavar="NAME=VALUE", multiple=True, help="An input.")
@option("--seed", metavar="N", type=SEED, help="A seed.")
@option("--timeout", metavar="SECONDS", type=SECONDS, help="A time.")
@option("--dtype", type=DTYPE, help="A dtype.")
@option("-v", "--verbose", count=True, help="A count.")
@switch("-x", "--echo", help="A switch.")
@pass_given
def everything(given: Given) -> None:
    SEEN.append(given)


@command("run")
@argument("words", ("SPEC", "A spec."), type=TEXT, nargs=-1, hands_on=True)
@option("-e", "--expression", metavar="TEXT", multiple=True, help="The text.")
@option("-f", "--file", metavar="PATH", multiple=True, help="The path.")
@pass_given
def handing(given: Given) -> None:
    SEEN.append(given)


@command("shells")
@argument("shell", ("SHELL", "A shell."), type=Choice(["bash", "zsh"]), required=True)
def shells(shell: str, color: str | None) -> None:
    raise NotImplementedError


SEEN: list[Given] = []


def read(*words: str, command: Command = everything) -> Given:
    with Context(gradcli, info_name="gradcli") as top, command.make_context("run", list(words), parent=top) as ctx:
        command.invoke(ctx)
    return SEEN.pop()


def said(*words: str, command: Command = everything) -> str:
    with pytest.raises(GradcliError) as caught:
        read(*words, command=command)
    assert caught.value.exit_code == 2
    assert caught.value.code == "E504"
    return render(caught.value)


def test_options_stand_anywhere() -> None:
    given = read("--seed", "3", "x*y", "--echo", "x=2", "--dtype=float32", "y=3")
    assert given.arguments == ["x*y", "x=2", "y=3"]
    assert given.options == {"seed": 3, "echo": True, "dtype": "float32"}


@pytest.mark.parametrize(
    "words", [("-e", "-x"), ("-e-x",), ("--expression", "-x"), ("--expression=-x",), ("-e", "x", "-e", "-x")]
)
def test_a_value_may_begin_with_a_dash_and_the_last_one_counts(words: tuple[str, ...]) -> None:
    assert read(*words).get("expression") == "-x"


def test_what_may_be_repeated_is_listed() -> None:
    assert read("-i", "x=1", "-iy=2", "--input=z=3").get("input") == ["x=1", "y=2", "z=3"]


def test_two_dashes_end_the_options() -> None:
    assert read("--echo", "--", "-x", "--echo", "--").arguments == ["-x", "--echo", "--"]


@pytest.mark.parametrize(
    ("words", "arguments", "args"),
    [
        (("f.py", "x=2", "--", "--lr", "x=3", "--"), ["f.py", "x=2"], ["--lr", "x=3", "--"]),
        (("-f", "f.py", "--", "a"), [], ["a"]),
        (("--", "-x", "x=2"), ["-x", "x=2"], None),
        (("--", "-x", "--", "a"), ["-x"], ["a"]),
        (("-e", "--", "x=2", "--", "y"), ["x=2"], ["y"]),
        (("f.py", "--"), ["f.py"], []),
    ],
)
def test_what_stands_behind_the_spec_and_two_dashes_is_the_programs(
    words: tuple[str, ...], arguments: list[str], args: list[str] | None
) -> None:
    given = read(*words, command=handing)
    assert (given.arguments, given.get("args"), [word for _, word in given.placed("words")]) == (
        arguments, args, arguments,
    )  # fmt: skip


def test_a_dash_alone_is_an_argument() -> None:
    assert read("-").arguments == ["-"]


@pytest.mark.parametrize("words", [("x", "-h", "--nonsense"), ("--help",), ("--seed", "none", "-h"), ("-xh",)])
def test_help_ends_the_reading(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(click.exceptions.Exit) as caught:
        read(*words)
    assert caught.value.exit_code == 0
    assert "gradcli run [OPTIONS] [SPEC] [NAME=VALUE ...]\n" in capsys.readouterr().out


def test_short_options_are_bundled() -> None:
    assert read("-xvvei*j", "y").options == {"echo": True, "verbose": 2, "expression": "i*j"}
    assert read("-v").options == {"verbose": 1}


def test_what_was_not_given_is_not_there() -> None:
    assert read().options == {}
    assert read("--seed", "0", "-e", "").options == {"seed": 0, "expression": ""}


@pytest.mark.parametrize(("text", "value"), [("0.5", 0.5), ("1e3", 1000.0), ("2", 2.0)])
def test_seconds(text: str, value: float) -> None:
    assert read("--timeout", text).get("timeout") == value


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "1e99", "two", "", "٣"])
def test_what_are_no_seconds(text: str) -> None:
    assert "--timeout takes a number of seconds above 0, not" in said("--timeout", text)


@pytest.mark.parametrize("text", ["-1", "1.5", "1_000", "٣", "²", "", "18446744073709551616", "9" * 5000])
def test_what_is_no_seed(text: str) -> None:
    assert "--seed takes a whole number from 0 to 18,446,744,073,709,551,615, not" in said("--seed", text)


def test_the_largest_seed() -> None:
    assert read("--seed", "18446744073709551615").get("seed") == 2**64 - 1


@pytest.mark.parametrize(
    ("words", "diagnostic"),
    [
        (
            ("--sed", "3", "x * y"),
            """\
<command line>:1:13: error[E504]: gradcli run has no option '--sed'
  |
1 | gradcli run --sed 3 'x * y'
  |             ^^^^^
  = help: did you mean --seed?""",
        ),
        (
            ("-x**2",),
            """\
<command line>:1:13: error[E504]: gradcli run has no option '-x**2'
  |
1 | gradcli run '-x**2'
  |             ^^^^^^^
  = help: a SPEC that begins with '-' goes behind -e""",
        ),
        (
            ("x", "--dtype", "float46"),
            """\
<command line>:1:23: error[E504]: --dtype takes float32 or float64, not 'float46'
  |
1 | gradcli run x --dtype float46
  |                       ^^^^^^^
  = help: did you mean float64?""",
        ),
        (
            ("x", "--echo=yes"),
            """\
<command line>:1:15: error[E504]: --echo takes no value
  |
1 | gradcli run x --echo=yes
  |               ^^^^^^^^^^
  = help: write --echo alone""",
        ),
        (
            ("x", "--seed"),
            """\
<command line>:1:22: error[E504]: --seed needs a value: --seed N
  |
1 | gradcli run x --seed
  |                      ^
  = help: A seed.""",
        ),
    ],
)
def test_what_is_said_of_a_wrong_option(words: tuple[str, ...], diagnostic: str) -> None:
    assert said(*words) == diagnostic


def test_options_have_no_abbreviations() -> None:
    assert "gradcli run has no option '--see'" in said("--see", "3")
    assert "gradcli run has no option '--exp'" in said("--exp=x")


def test_what_is_said_of_wrong_arguments() -> None:
    assert "gradcli run needs SHELL: bash or zsh" in said(command=shells)
    assert "SHELL is bash or zsh, not 'bsh'" in said("bsh", command=shells)
    assert "help: did you mean bash?" in said("bsh", command=shells)
    assert "gradcli run takes only SHELL" in said("bash", "zsh", command=shells)


def test_a_word_of_several_lines_is_pointed_at() -> None:
    assert said("a\nb\nc", "--bogus") == (
        "<command line>:3:4: error[E504]: gradcli run has no option '--bogus'\n"
        "  |\n"
        "3 | c' --bogus\n"
        "  |    ^^^^^^^\n"
        "  = help: `gradcli run --help` lists the options"
    )


# -- in other programs -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--version"], 0), ([], 2), (["rnu"], 2), (["run", "--sed"], 2), (["run", "1 +"], 2),
        (["run", "assert False"], 1),
    ],
)  # fmt: skip
def test_the_group_is_a_command_of_click(words: list[str], code: int) -> None:
    done = CliRunner().invoke(gradcli, words)
    assert done.exit_code == code
    assert isinstance(done.exception, SystemExit) or code == 0


def test_another_program_has_it_among_its_commands() -> None:
    other = click.Group("tool", commands=[gradcli])
    done = CliRunner().invoke(other, ["gradcli", "run", "--sed", "3"])
    assert done.exit_code == 2
    assert "<command line>:1:18: error[E504]: tool gradcli run has no option '--sed'" in done.output
    assert CliRunner().invoke(other, ["gradcli", "run", "assert 1 == 2"]).exit_code == 1
    assert CliRunner().invoke(other, ["gradcli", "explain", "E201"]).output.startswith("E201: ")


def test_a_command_is_called_from_python() -> None:
    code = "import sys\nfrom tests.cli.parsing.test_parsing import called\ncalled()"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=False
    )
    assert done.stdout == "tensor(8., grad_fn=<MulBackward0>)\n"


def called() -> None:
    """Call a command as Python does."""
    run = gradcli.get_command(Context(gradcli), "run")
    assert run is not None
    Context(run, info_name="run").invoke(run, words=("x * 2",), input=("x=4",))


@pytest.mark.parametrize(
    "start", ["import gradcli\ngradcli.main()", "from gradcli.cli.commands import gradcli\ngradcli()"]
)
def test_every_way_in_is_one(start: str) -> None:
    words = [sys.executable, "-c", start, "run", "--sed"]
    done = subprocess.run(words, capture_output=True, text=True, env=environment(), check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("<command line>:1:13: error[E504]: gradcli run has no option '--sed'\n")
