"""`fogbound`: parse the words, run the command, turn every known error into one line and exit code 2."""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from fogbound._version import __version__
from fogbound.cli.console import Explained, HelpFormatter, Parser, began, open_closed_streams, say, typed, whisper
from fogbound.core.errors import FogboundError, Stopped, no_exit, one_line, raised

COMMANDS = {
    "games": "the games there are, with their parameters",
    "solvers": "the solvers there are, with what they find and their parameters",
    "check": "hold a game against its contract; list its forms and their sizes",
    "solve": "solve a game: an equilibrium, or the best reply to given opponents",
    "equilibria": "list every equilibrium of a small game, with components, labels and beliefs",
    "dominance": "take dominated strategies away, round by round, with what dominates them",
    "show": "look at a game or a saved solution, as text or as a picture",
    "convert": "write a game, a model file or a value function in another format",
    "play": "play a game in the terminal against a policy",
    "evaluate": "what policies earn and what deviating would bring: exactly, by episodes, or at least",
    "match": "let policies play many games against each other",
    "tournament": "find out who plays better: the same deals in each other's seats",
    "sweep": "games by solvers by seeds: which closes the gap fastest, as a page of curves",
    "merge": "put the journals of the shares of a sweep or a tournament together",
    "infer": "find out which level of reasoning an opponent plays, from logs of its games",
    "verify": "check a saved solution's certificate, independently and exactly",
    "reproduce": "every claim of a document: published, ours, verdict",
    "serve": "play, solve and look in a browser, on this machine",
    "completion": "print what lets a shell complete these words",
    "demo": "the documents' questions answered, with the published figures beside ours",
}
CANNOT_WRITE = 74
STOPPED = {"interrupted": 130, "terminated": 143}
LESSON = """\
Fogbound solves and plays games whose players cannot see
everything. Try these, in this order:

  fogbound games                          what there is
  fogbound play kuhn                      a hand of poker
  fogbound solve kuhn -o nash.npz         what is safe?
  fogbound show nash.npz                  how to play it
  fogbound verify kuhn nash.npz           is that so?
  fogbound play kuhn --against nash.npz   can you win?
  fogbound solve tiger                    played alone
  fogbound solvers                        other ways

A game of your own is a class in a file: my_game.py:MyGame.
All commands: fogbound --help. Of one: fogbound solve -h"""
EPILOGUE = """\
A GAME is a spec such as "po-nim(n=3)" or "horizon(game=tiger, steps=3)", in short po-nim:n=3 and
"horizon(tiger, 3)", or a class in your own file: my_game.py:MyGame. A POLICY is uniform, a solver's
spec, a saved solution (.npz), a bot of your own (bot.py:Bot) or of OpenSpiel's ("openspiel-bot(mcts)"),
or a strategy that is written down (.csv, .json; fogbound show x.npz --format csv).

  fogbound solve "card-poker(ranks=8)" --with sequence-lp -o nash.npz   what is safe against anyone?
  fogbound solve "card-poker(ranks=8)" --with belief-mdp --player 0 --against nash.npz   what beats this opponent?
  fogbound solve tiger --with belief-mdp --gap 1e-3                     one player against chance
  fogbound verify "card-poker(ranks=8)" nash.npz                        can I trust it?
  fogbound play "card-poker(ranks=8)" --against nash.npz                play against it

--debug, anywhere, shows the whole traceback of an error.

Answers go to standard output, progress to standard error. Exit codes: 0 done, 1 refuted, 2 bad input or a file
that cannot be read or written, 130 interrupted (the best answer so far is printed and saved)."""


def parser() -> argparse.ArgumentParser:
    """The top level: one line a command; each command's own file knows its flags."""
    top = Parser(
        prog="fogbound",
        description="Solve and play games whose players cannot see everything.",
        epilog=EPILOGUE,
        formatter_class=HelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"fogbound {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, words in COMMANDS.items():
        commands.add_parser(name, help=words, add_help=False)
    return top


def main(argv: list[str] | None = None) -> int:
    """Run one command; the exit code."""
    open_closed_streams()
    began.set(time.monotonic())
    words = list(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in words or bool(os.environ.get("FOGBOUND_DEBUG"))
    words = [word for word in words if word != "--debug"]
    warnings.showwarning = _warn
    try:
        with _terminated():
            if not words:
                say(LESSON)
                return 0
            if words[0] not in COMMANDS:
                parser().parse_args(words)  # --help, --version, or a complaint
            command = importlib.import_module(f"fogbound.cli.{words[0]}")
            with no_exit():
                return int(command.main(words[1:]))
    except Explained:  # --help, --version
        raise SystemExit(0) from None
    except FogboundError as error:
        if debug:
            _trace()
        whisper(f"fogbound: {one_line(typed(str(error)), 600)}")
        return STOPPED.get(error.reason, 2) if isinstance(error, Stopped) else 2
    except MemoryError:
        lower = typed(" or a lower limit=") if Parser.in_use and "--limit" in Parser.in_use.flags else ""
        whisper(f"fogbound: out of memory; try a smaller game{lower}")
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt as left:
        return _left(left)
    except OSError as error:
        whisper(f"fogbound: {one_line(str(error), 300)}")
        return CANNOT_WRITE
    except Exception as error:  # a game's own code may raise anything: one line, and the rest for those who ask
        if isinstance(error.__cause__, KeyboardInterrupt):  # Python wraps one that comes while a class is being made
            return _left(error.__cause__)
        if debug:
            _trace()
        whisper(f"fogbound: {one_line(raised(error), 400)}{'' if debug else ' (--debug shows the whole traceback)'}")
        return 2


def _trace() -> None:
    """The whole traceback, for those who asked for it."""
    import traceback

    traceback.print_exc()


def _left(interrupt: KeyboardInterrupt) -> int:
    """Say that somebody did not want to wait; the exit code."""
    reason = str(interrupt) if str(interrupt) in STOPPED else "interrupted"
    whisper(f"fogbound: {reason} before there was an answer")
    return STOPPED[reason]


@contextmanager
def _terminated() -> Iterator[None]:
    """SIGTERM is as polite as Ctrl-C: what is open is closed, and a line is said."""

    def leave(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt("terminated")

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    """A warning as one line on standard error, like everything else that is not the answer."""
    whisper(f"fogbound: {one_line(str(message), 600)}")


if __name__ == "__main__":
    sys.exit(main())
