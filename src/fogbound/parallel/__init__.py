"""One ordered map over engines: here, in processes, or on a Ray cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fogbound.core.lazy import lazy
from fogbound.core.registry import Registry

if TYPE_CHECKING:
    from fogbound.parallel.engine import Done, Engine, Here, LostJob, Processes, here, processes, rng_of
    from fogbound.parallel.ray_cluster import RayCluster, ray

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

ENGINES: Registry[Engine] = Registry("engine", {}, group="fogbound.engines")  # those of installed packages

lazy(__name__)
