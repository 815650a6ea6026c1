"""Files: what Fogbound writes and reads. All are written whole or not at all and read with suspicion."""

from typing import TYPE_CHECKING

from fogbound.core.lazy import lazy

if TYPE_CHECKING:
    from fogbound.files.models import (
        GAMBIT,
        JOINT,
        MODELS,
        ONE_SIDED,
        VECTORS,
        read_model,
        read_one_sided,
        read_table,
        read_vectors,
        write_model,
        write_one_sided,
        write_table,
        write_vectors,
    )
    from fogbound.files.solution import load_solution as load
    from fogbound.files.solution import save_solution as save
    from fogbound.files.stored_policies import policies_digest

__all__ = [
    "GAMBIT",
    "JOINT",
    "MODELS",
    "ONE_SIDED",
    "VECTORS",
    "load",
    "policies_digest",
    "read_model",
    "read_one_sided",
    "read_table",
    "read_vectors",
    "save",
    "write_model",
    "write_one_sided",
    "write_table",
    "write_vectors",
]

lazy(__name__)
