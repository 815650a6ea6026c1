"""One-sided games in the text format `.osposg` of the published solvers of Horak, Bosansky and others.

Words in lines, numbers from 0: a header of counts and the discount; the states with their partitions; the names of
player 1's actions (who is blind), player 2's actions and the observations; what player 2 may do in each state and
player 1 in each partition; transitions; rewards, of which those that are 0 may be left out; and the partition in
which play begins, with the probabilities of its states.
"""
