"""`fogbound completion`: a script for the shell that completes commands, flags, games, solvers and files.

A command's flags are known when it reads its words, so each is asked for help, which nobody hears.
"""

from __future__ import annotations

import argparse
import importlib
import io
from contextlib import redirect_stdout, suppress
from typing import Any

from fogbound import api
from fogbound.cli.console import Explained, Parser, make_parser, say
from fogbound.core.errors import FogboundError

FILES = {"FILE", "IN", "OUT", "LOG", "MODEL", "PICTURE"}
FOLDERS = {"FOLDER", "DIR"}
NAMED = {"GAME": "games", "FILE|GAME": "games", "SOLVER": "solvers", "POLICY": "policies"}
EXAMPLES = """\
  fogbound completion bash > ~/.local/share/bash-completion/completions/fogbound
  fogbound completion zsh > ~/.zfunc/_fogbound      (with fpath+=~/.zfunc in .zshrc)
  fogbound completion tcsh > ~/.fogbound.tcsh       (with source ~/.fogbound.tcsh in .tcshrc)"""


def main(words: list[str]) -> int:
    parser = make_parser("completion", "Print what lets a shell complete Fogbound's words.", EXAMPLES)
    parser.add_argument("shell", choices=("bash", "zsh", "tcsh"))
    args = parser.parse_args(words)
    try:
        import shtab
    except ModuleNotFoundError as error:
        raise FogboundError(f"completion needs {error.name}: pip install 'fogbound[completion]'") from None
    script: str = shtab.complete(whole_parser(), shell=args.shell, preamble=_preamble())  # type: ignore[arg-type]
    say(script.rstrip("\n"))
    return 0


def whole_parser() -> argparse.ArgumentParser:
    """All commands with all their flags, and how what is named there is completed."""
    from fogbound.cli.main import COMMANDS

    top = argparse.ArgumentParser(prog="fogbound")
    top.add_argument("--version", action="store_true", help="show the version")
    commands = top.add_subparsers(metavar="COMMAND")
    for name, about in COMMANDS.items():
        command = commands.add_parser(name, parents=[_flags(name)], add_help=False, help=about)
        for action in command._actions:
            _complete(action)
    return top


def _flags(name: str) -> Parser:
    """The parser of a command."""
    command = importlib.import_module(f"fogbound.cli.{name}")
    with redirect_stdout(io.StringIO()), suppress(Explained):
        command.main(["--help"])
    if Parser.in_use is None:
        raise FogboundError(f"{name} reads no words")
    return Parser.in_use


def _complete(action: Any) -> None:
    """Say how the value of a flag, or a word in its place, is completed."""
    import shtab

    if action.metavar in NAMED:
        kind = NAMED[action.metavar]
        action.complete = {"bash": f"_fogbound_{kind}", "zsh": f"_fogbound_{kind}", "tcsh": "f"}
    elif action.metavar in FILES:
        action.complete = shtab.FILE
    elif action.metavar in FOLDERS:
        action.complete = shtab.DIRECTORY


def _preamble() -> dict[str, str]:
    """The functions of a shell that know names: files are welcome beside them."""
    games = " ".join(entry.name for entry in api.games())
    solvers = " ".join(entry.name for entry in api.solvers())
    known = {"games": games, "solvers": solvers, "policies": f"uniform {solvers}"}
    also = {kind: "" if kind == "solvers" else 'compgen -f -- "$1"; ' for kind in known}
    bash = [f'_fogbound_{kind}() {{ compgen -W "{names}" -- "$1"; {also[kind]}}}' for kind, names in known.items()]
    zsh = [
        f"_fogbound_{kind}() {{ compadd -- {names}{'' if kind == 'solvers' else '; _files'} }}"
        for kind, names in known.items()
    ]
    return {"bash": "\n".join(bash), "zsh": "\n".join(zsh)}
