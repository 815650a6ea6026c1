"""What whoever starts the server decides; no request changes any of it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from fogbound.web.processes.child import memory_for

WORKERS = max(1, (os.cpu_count() or 2) - 1)
FIRST = "card-poker"  # the game that Solve's form begins with, and that is looked at before anybody asks
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
    queue
        How many may wait.
    memory
        Bytes that a run may have.
    seconds
        How long a run may take that has no limit of its own.
    eager
        Whether what takes long to load is loaded before the first visitor asks for it.
    """

    folder: Path = field(default_factory=home)
    own: dict[str, str] = field(default_factory=dict)
    hosts: tuple[str, ...] = LOOPBACK
    token: str = ""
    workers: int = WORKERS
    queue: int = 4
    memory: int = memory_for(WORKERS)
    seconds: float = 24 * 3600.0
    eager: bool = False
