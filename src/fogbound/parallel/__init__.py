"""One ordered map over engines: here, in processes, or on a Ray cluster."""

from typing import TYPE_CHECKING

from fogbound.core.lazy import lazy

if TYPE_CHECKING:
    from fogbound.parallel.engine import Done, Engine, Here, LostJob, here, rng_of
    from fogbound.parallel.pool import Processes, processes
    from fogbound.parallel.ray_cluster import RayCluster, ray

__all__ = ["Done", "Engine", "Here", "LostJob", "Processes", "RayCluster", "here", "processes", "ray", "rng_of"]

lazy(__name__)
