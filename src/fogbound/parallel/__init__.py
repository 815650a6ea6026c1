"""One ordered map over engines: here, in processes, or on a Ray cluster."""

from fogbound.core.registry import Registry
from fogbound.parallel.engine import Done, Engine, Here, LostJob, here, rng_of
from fogbound.parallel.pool import Processes, processes
from fogbound.parallel.ray_cluster import RayCluster, ray

ENGINES: Registry[Engine] = Registry("engine", {}, group="fogbound.engines")  # those of installed packages

__all__ = [
    "ENGINES",
    "Done",
    "Engine",
    "Here",
    "LostJob",
    "Processes",
    "RayCluster",
    "here",
    "processes",
    "ray",
    "rng_of",
]
