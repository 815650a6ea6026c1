"""The command line's front step, for `fogbound` and `python -m fogbound`: Ctrl-C is answered from its first line on."""

from __future__ import annotations

import sys


def main(argv: list[str] | None = None) -> int:
    """Run one command; the exit code. What it needs is imported here, so that an interrupt meanwhile is told too."""
    try:
        from fogbound.cli.main import main as command

        return command(argv)
    except KeyboardInterrupt:
        sys.stderr.write("fogbound: interrupted before there was an answer\n")
        return 130


if __name__ == "__main__":
    sys.exit(main())
