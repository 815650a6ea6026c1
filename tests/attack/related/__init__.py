"""Relations that must hold between the answers to altered problems, by the solver that they are about.

A relation takes a seed, draws a model, alters it, solves both and says whether the certified intervals agree with what
is known of the alteration. `make test` tries a few seeds of each, `make attack` many. Which hold for whom, and which do
not, stands in docs/trust.md.
"""

from tests.attack.related import beliefs, lengths, levels, one_sided
from tests.attack.related.relation import Relation

LENGTHS: dict[str, Relation] = lengths.LENGTHS  # games of variable length, by family of solvers
RELATIONS: dict[str, Relation] = beliefs.RELATIONS | one_sided.RELATIONS | levels.RELATIONS
