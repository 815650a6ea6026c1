"""Files: what Fogbound writes and reads. All are written whole or not at all and read with suspicion."""

from fogbound.files.models import (
    MODELS,
    ONE_SIDED,
    VECTORS,
    read_model,
    read_one_sided,
    read_vectors,
    write_model,
    write_one_sided,
    write_vectors,
)
from fogbound.files.solution import load, policies_digest, save

__all__ = [
    "MODELS",
    "ONE_SIDED",
    "VECTORS",
    "load",
    "policies_digest",
    "read_model",
    "read_one_sided",
    "read_vectors",
    "save",
    "write_model",
    "write_one_sided",
    "write_vectors",
]
