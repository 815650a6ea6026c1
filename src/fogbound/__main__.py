"""Entry point of the command line, for `fogbound` and `python -m fogbound`: it answers Ctrl-C from first to last.

Everything is imported inside `main`, the standard library too: an interrupt before that is a traceback of Python's.
"""

import sys

MESSAGE = "fogbound: interrupted before there was an answer\n"


def run_command(argv: list[str] | None = None) -> int:
    """Run one command; the exit code. It is the last thing that a process does.

    An interrupt during the imports ends the process at once: raised as an exception there, it may be wrapped in another
    exception or lost in a callback of the import system. An interrupt after the answer, while Python shuts down, has no
    effect.
    """
    try:
        import gc
        import signal

        gc.set_threshold(50_000)  # a start allocates what stays, and collections of garbage took a tenth of it
        before = signal.getsignal(signal.SIGINT)
        if before is signal.default_int_handler:  # not where a caller ignores or handles it
            signal.signal(signal.SIGINT, _leave)
        from fogbound.cli.main import main as command

        signal.signal(signal.SIGINT, before)
        try:
            return command(argv)
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            gc.freeze()  # the last collection of garbage is skipped: it took a quarter of a second
    except KeyboardInterrupt:
        if sys.stderr is not None:
            sys.stderr.write(MESSAGE)
        return 130


def _leave(_number: int, _frame: object) -> None:
    """End the process with the message, without unwinding the imports."""
    import os

    try:
        os.write(2, MESSAGE.encode())
    finally:
        os._exit(130)


main = run_command  # the name that installed scripts call

if __name__ == "__main__":
    sys.exit(main())
