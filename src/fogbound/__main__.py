"""The command line's front step, for `fogbound` and `python -m fogbound`: Ctrl-C is answered from first to last."""

from __future__ import annotations

import gc
import signal
import sys


def main(argv: list[str] | None = None) -> int:
    """Run one command; the exit code. It is the last thing that a process does.

    What it needs is imported here, so that an interrupt meanwhile is told too; one that comes after the answer, while
    Python takes leave, changes nothing any more.
    """
    try:
        from fogbound.cli.main import main as command

        return command(argv)
    except KeyboardInterrupt:
        sys.stderr.write("fogbound: interrupted before there was an answer\n")
        return 130
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        gc.freeze()  # nothing is looked through once more for what might be freed: that took a quarter of a second


if __name__ == "__main__":
    sys.exit(main())
