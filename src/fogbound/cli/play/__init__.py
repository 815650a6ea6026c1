"""`fogbound play`: a game in the terminal, seeing only what your player sees."""

from fogbound.cli.play.command import main

__all__ = ["main"]
