"""Relations that must hold between the answers to altered problems, by the solver that they are about.

A relation takes a seed, draws a model, alters it, solves both and says whether the certified intervals agree with what
is known of the alteration. `make test` tries a few seeds of each, `make attack` many. Which hold for whom, and which do
not, stands in docs/trust.md.
"""

from tests.attack.related import beliefs, levels, one_sided
from tests.attack.related.relation import Relation

RELATIONS: dict[str, Relation] = beliefs.RELATIONS | one_sided.RELATIONS | levels.RELATIONS
