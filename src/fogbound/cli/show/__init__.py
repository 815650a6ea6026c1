"""`fogbound show`: a game or a saved solution, as text or as a picture."""

from fogbound.cli.show.command import main

__all__ = ["main"]
