"""Gambit's files: `.efg`, a game tree with information sets, and `.nfg`, a table of payoffs (Gambit's own manual).

Numbers are read as fractions and kept so until a form is made of them. What is read is an `ExtensiveFile` or a
`StrategicFile`; `open_gambit` makes a game of it where it can be played, and its tree form where it can only be solved.
"""

from typing import TYPE_CHECKING

from fogbound.core.lazy import lazy

if TYPE_CHECKING:
    from fogbound.files.gambit.efg_reader import read_efg
    from fogbound.files.gambit.efg_writer import efg_text, write_efg
    from fogbound.files.gambit.folding import moves_apart, paid_at_ends
    from fogbound.files.gambit.labels import ascii_table, ascii_tree
    from fogbound.files.gambit.nfg import nfg_text, read_nfg, write_nfg
    from fogbound.files.gambit.of_forms import extensive_of, strategic_of
    from fogbound.files.gambit.opened import open_gambit, structure

__all__ = [
    "ascii_table",
    "ascii_tree",
    "efg_text",
    "extensive_of",
    "moves_apart",
    "nfg_text",
    "open_gambit",
    "paid_at_ends",
    "read_efg",
    "read_nfg",
    "strategic_of",
    "structure",
    "write_efg",
    "write_nfg",
]

lazy(__name__)
