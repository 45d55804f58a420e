"""Where ``gradcli`` and ``python -m gradcli`` start."""

import sys


def main() -> None:
    """Do what the command line asks for, and leave with the exit code."""
    try:
        from .cli.process import leave, note_interruptions, run

        note_interruptions()
        leave(run(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
