"""OpenSpiel, both ways: its games as ours, ours as its; policies and bots as well. See docs/openspiel.md."""

from fogbound.interop.openspiel.game import OpenSpielGame, from_openspiel

__all__ = ["OpenSpielGame", "from_openspiel"]
