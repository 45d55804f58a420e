"""Reading a command line by what a command declares, and what is said of one that is not understood."""

from __future__ import annotations

import pytest

from gradcli.cli.options import SECONDS, Argument, Command, CommandLine, Given, Option, parse, whole
from gradcli.errors import GradcliError
from gradcli.report.diagnostic import render

COMMAND = Command(
    lambda given: 0,
    examples=(),
    arguments=(Argument("SPEC", help="A spec."), Argument("NAME=VALUE ...", help="Inputs.")),
    options=(
        Option("-e", "--expression", metavar="TEXT", help="The text."),
        Option("-i", "--input", metavar="NAME=VALUE", many=True, help="An input."),
        Option("--seed", metavar="N", kind=whole(0, 2**64 - 1), help="A seed."),
        Option("--timeout", metavar="SECONDS", kind=SECONDS, help="A time."),
        Option("--dtype", choices=("float32", "float64"), help="A dtype."),
        Option("--echo", help="A switch."),
    ),
    dash="a SPEC that begins with '-' goes behind -e",
)
SHELL = Command(
    lambda given: 0,
    examples=(),
    arguments=(Argument("SHELL", help="A shell.", required=True, choices=("bash", "zsh")),),
)


def read(*words: str, command: Command = COMMAND) -> Given:
    return parse("run", command, CommandLine(["run", *words]))


def said(*words: str, command: Command = COMMAND) -> str:
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


def test_a_dash_alone_is_an_argument() -> None:
    assert read("-").arguments == ["-"]


def test_help_ends_the_reading() -> None:
    assert read("x", "-h", "--nonsense").get("help")
    assert read("--help").get("help")


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
    assert "gradcli run has no option '-help'" in said("-help")


def test_what_is_said_of_wrong_arguments() -> None:
    assert "gradcli run needs SHELL: bash or zsh" in said(command=SHELL)
    assert "SHELL is bash or zsh, not 'bsh'" in said("bsh", command=SHELL)
    assert "help: did you mean bash?" in said("bsh", command=SHELL)
    assert "gradcli run takes only SHELL" in said("bash", "zsh", command=SHELL)


def test_a_word_of_several_lines_is_pointed_at() -> None:
    assert said("a\nb\nc", "--bogus") == (
        "<command line>:3:4: error[E504]: gradcli run has no option '--bogus'\n"
        "  |\n"
        "3 | c' --bogus\n"
        "  |    ^^^^^^^\n"
        "  = help: a SPEC that begins with '-' goes behind -e"
    )
