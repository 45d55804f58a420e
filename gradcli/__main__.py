"""Where ``gradcli`` and ``python -m gradcli`` start."""

import sys


def main() -> None:
    """Do what the command line asks for, and leave with the exit code."""
    from .cli.process import leave, run

    leave(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
