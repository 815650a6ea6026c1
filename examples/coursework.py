"""Coursework: Kuhn poker, from its rules to a strategy that nobody can beat, and to what beats a beginner."""

import fogbound as fb

poker = fb.game("card-poker(ranks=3)")
print(poker.players, fb.forms.tree(poker))

nash = fb.solve(poker, "sequence-lp")  # exact, by one linear program
learnt = fb.solve(poker, "cfr-plus", iterations=1_000)  # the same, learnt by playing against itself
print(nash, learnt, sep="\n")
assert abs(nash.value + 1 / 18) < 1e-9
assert abs(learnt.value - nash.value) <= learnt.gap
assert nash.verify()  # an independent checker, in exact arithmetic
print("how far from safe:", fb.evaluation.exploitability(poker, learnt).nash_conv)

beginner = fb.policy("uniform", poker, player="dealer")
reply = fb.solve(poker, "belief-mdp", player="gambler", against=beginner)
safe = fb.evaluation.value(poker, [nash.policy("gambler"), beginner])[0]
print(f"against a beginner: {reply.value:+.4f}; an equilibrium earns {safe:+.4f}")
assert reply.value > safe

result = fb.match(poker, reply.policy(), beginner, games=500, seed=1)
print("a match:", result.players[0].score, "in", result.players[0].score_interval)
