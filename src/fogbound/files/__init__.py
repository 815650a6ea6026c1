"""Files: what Fogbound writes and reads. All are written whole or not at all and read with suspicion."""

from fogbound.files.solution import load, save

__all__ = ["load", "save"]
