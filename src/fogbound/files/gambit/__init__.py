"""Gambit's files: `.efg`, a game tree with information sets, and `.nfg`, a table of payoffs (Gambit's own manual).

Numbers are read as fractions and kept so until a form is made of them. What is read is an `ExtensiveFile` or a
`StrategicFile`; `game.py` makes a game of a tree whose times can be aligned, `tree.py` its tree form in any case.
"""

from fogbound.files.gambit.efg_reader import read_efg
from fogbound.files.gambit.efg_writer import write_efg
from fogbound.files.gambit.nfg import read_nfg, write_nfg

__all__ = ["read_efg", "read_nfg", "write_efg", "write_nfg"]
