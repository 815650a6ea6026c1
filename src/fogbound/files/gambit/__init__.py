"""Gambit's files: `.efg`, a game tree with information sets, and `.nfg`, a table of payoffs (Gambit's own manual).

Numbers are read as fractions and kept so until a form is made of them. What is read is an `ExtensiveFile` or a
`StrategicFile`; `open_gambit` makes a game of it where it can be played, and its tree form where it can only be solved.
"""

from fogbound.files.gambit.efg_reader import read_efg
from fogbound.files.gambit.efg_writer import write_efg
from fogbound.files.gambit.nfg import read_nfg, write_nfg
from fogbound.files.gambit.of_forms import extensive_of, strategic_of
from fogbound.files.gambit.opened import open_gambit, structure

__all__ = [
    "extensive_of",
    "open_gambit",
    "read_efg",
    "read_nfg",
    "strategic_of",
    "structure",
    "write_efg",
    "write_nfg",
]
