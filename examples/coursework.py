"""Coursework: Kuhn poker, from its rules to a strategy that nobody can beat, and to what beats a beginner."""

import fogbound as fb

poker = fb.game("card-poker(ranks=3)")
print(poker.players, fb.forms.tree(poker))

nash = fb.solve(poker, "sequence-lp")  # exact, by one linear program
learnt = fb.solve(poker, "cfr-plus", iterations=1_000)  # the same, learnt by playing against itself
print(nash, learnt, sep="\n")
assert abs(nash.value + 1 / 18) < 1e-9
assert abs(learnt.value - nash.value) <= learnt.gap

print(fb.evaluate.exploitability(poker, learnt).nash_conv)  # how far from safe?
assert nash.verify()  # an independent checker, in exact arithmetic

beginner = fb.policy("uniform", poker, player="dealer")
reply = fb.solve(poker, "belief-mdp", player="gambler", against=beginner)
print(
    f"against a beginner: {reply.value:+.4f}, an equilibrium only {fb.evaluate.value(poker, [nash.policy(0), beginner])[0]:+.4f}"
)
assert reply.value > nash.value

print(fb.match(poker, reply.policy("gambler"), beginner, games=500, seed=1))
