"""OpenSpiel, both ways: its games as ours and ours as its, with policies and bots. See docs/openspiel.md.

What needs OpenSpiel's own classes is imported when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fogbound.core.lazy import lazy

if TYPE_CHECKING:
    from fogbound.interop.openspiel.exported import passage_to, to_openspiel
    from fogbound.interop.openspiel.game import OpenSpielGame, from_openspiel
    from fogbound.interop.openspiel.imported import OpenSpielPlayer, passage, seats
    from fogbound.interop.openspiel.in_python import FogboundGame, PlayerInPython, python_game
    from fogbound.interop.openspiel.information_sets import Passage
    from fogbound.interop.openspiel.spiel_policy import ReplayingPolicy

lazy(__name__)
