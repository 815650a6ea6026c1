"""Who am I playing? The level of an opponent, or the spread of levels over a population, from logs of games.

Levels of reasoning make definite players: each level of a player is one policy. So a log of games has a likelihood
under every level, and Bayes' rule does the rest. Only behaviour can be told apart: levels that play alike are one
class. Begin with `opponent.candidates`, then `opponent.posterior` for one opponent, `opponent.LogEvidence` and
`population.population` for many.
"""
