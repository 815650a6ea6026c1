"""POMDPs in the text format of Cassandra's pomdp-solve, `.pomdp`: what most published models come in.

The grammar is that of http://www.pomdp.org/code/pomdp-file-grammar.html, with what is seen in the wild: one
reward may stand for a whole row or matrix of them. A reward that depends on what comes next becomes its
expectation, which is all that a plan can depend on.
"""
