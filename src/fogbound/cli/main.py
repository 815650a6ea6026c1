"""`fogbound`: parse the words, run the command, turn every known error into one line and exit code 2."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import warnings

from fogbound import __version__
from fogbound.core.errors import FogboundError, one_line

COMMANDS = {
    "games": "the games there are, with their parameters",
    "solvers": "the solvers there are, with what they find and their parameters",
    "check": "hold a game against its contract; list its forms and their sizes",
    "solve": "solve a game: an equilibrium, or the best reply to given opponents",
    "show": "look at a game or a saved solution, as text or as a picture",
    "play": "play a game in the terminal against a policy",
    "match": "let policies play many games against each other",
    "verify": "check a saved solution's certificate, independently and exactly",
    "demo": "the documents' questions answered, with the published figures beside ours",
}
EPILOGUE = """\
A GAME is a spec such as "po-nim(n=3)", "card-poker(ranks=8)" or "horizon(game=tiger, steps=3)",
or a class in your own file: my_game.py:MyGame. A POLICY is uniform, a solver's spec, or a saved solution.

  fogbound solve "card-poker(ranks=8)" --with sequence-lp -o nash.npz   what is safe against anyone?
  fogbound solve "card-poker(ranks=8)" --with belief-mdp --player 0 --against nash.npz   what beats this opponent?
  fogbound solve tiger --with belief-mdp --gap 1e-3                     one player against chance
  fogbound verify "card-poker(ranks=8)" nash.npz                        can I trust it?
  fogbound play "card-poker(ranks=8)" --against nash.npz                play against it

Answers go to standard output, progress to standard error. Exit codes: 0 done, 1 refuted, 2 bad input,
130 interrupted (the best answer so far is printed and saved)."""


def parser() -> argparse.ArgumentParser:
    """The top level: one line a command; each command's own file knows its flags."""
    top = argparse.ArgumentParser(
        prog="fogbound",
        description="Solve and play games whose players cannot see everything.",
        epilog=EPILOGUE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"fogbound {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, words in COMMANDS.items():
        commands.add_parser(name, help=words, add_help=False)
    return top


def main(argv: list[str] | None = None) -> int:
    """Run one command; the exit code."""
    words = sys.argv[1:] if argv is None else argv
    known, rest = parser().parse_known_args(words[:1] if words and words[0] in COMMANDS else words)
    rest = [*rest, *words[1:]]
    warnings.showwarning = _warn
    command = importlib.import_module(f"fogbound.cli.{known.command}")
    try:
        return int(command.main(rest))
    except FogboundError as error:
        print(f"fogbound: {one_line(str(error), 600)}", file=sys.stderr)  # noqa: T201
        return 2
    except MemoryError:
        print("fogbound: out of memory; try a smaller game or a lower limit", file=sys.stderr)  # noqa: T201
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    """A warning as one line on standard error, like everything else that is not the answer."""
    print(f"fogbound: {one_line(str(message), 600)}", file=sys.stderr)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
