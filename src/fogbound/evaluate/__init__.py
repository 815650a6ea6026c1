"""Exact answers about given policies: what a profile is worth, what beats it, how far it is from safe."""

from fogbound.evaluate.behaviour import behaviour, behaviours
from fogbound.evaluate.chain import Chain, chain, value
from fogbound.evaluate.dominance import Elimination, iterated_dominance, pure_equilibria
from fogbound.evaluate.exploitability import Exploitability, exploitability
from fogbound.evaluate.occupancy import Occupancy, occupancy
from fogbound.evaluate.particles import Particles
from fogbound.evaluate.response import Reply, best_response, expected
from fogbound.evaluate.simulate import Estimate, simulate
from fogbound.evaluate.tracking import track

__all__ = [
    "Chain",
    "Elimination",
    "Estimate",
    "Exploitability",
    "Occupancy",
    "Particles",
    "Reply",
    "behaviour",
    "behaviours",
    "best_response",
    "chain",
    "expected",
    "exploitability",
    "iterated_dominance",
    "occupancy",
    "pure_equilibria",
    "simulate",
    "track",
    "value",
]
