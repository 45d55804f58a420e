"""Where ``gradcli`` and ``python -m gradcli`` start."""

import sys


def main() -> None:
    """Do what the command line asks for, and leave with the exit code."""
    try:
        from .cli.process import leave, note_interruptions, run

        note_interruptions()
        leave(run(sys.argv[1:], _answer))
    except KeyboardInterrupt:
        sys.exit(130)


def _answer(words: list[str]) -> int:
    """Read click and the commands where every accident has its exit code."""
    from .cli.commands import answer

    return answer(words)


if __name__ == "__main__":
    main()
