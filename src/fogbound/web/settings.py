"""What whoever starts the server decides; no request changes any of it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def home() -> Path:
    """Where runs and games are kept unless told: FOGBOUND_HOME, else a folder of the user's."""
    given = os.environ.get("FOGBOUND_HOME")
    return Path(given) if given else Path.home() / ".local" / "share" / "fogbound"


@dataclass(frozen=True)
class Settings:
    """What the server may do, and where it keeps things.

    Parameters
    ----------
    folder
        Where runs and games are kept.
    own
        Games of one's own, by the name that requests use: the only code that is not Fogbound's and may run.
    hosts
        The names that the server answers to.
    token
        What a visitor must bring once, where the server listens to other machines; empty on this machine alone.
    workers
        How many runs may compute at once.
    """

    folder: Path = field(default_factory=home)
    own: dict[str, str] = field(default_factory=dict)
    hosts: tuple[str, ...] = LOOPBACK
    token: str = ""
    workers: int = max(1, (os.cpu_count() or 2) - 1)
