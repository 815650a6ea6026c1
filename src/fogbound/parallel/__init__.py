"""One ordered map over engines: here, or in processes."""

from fogbound.parallel.engine import Engine, Here, here, rng_of
from fogbound.parallel.pool import Processes, processes

__all__ = ["Engine", "Here", "Processes", "here", "processes", "rng_of"]
