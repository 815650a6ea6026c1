"""A study in game theory: what is hidden information worth? One game, several questions, one picture."""

import fogbound as fb

rows = []
for ranks in (3, 5, 8, 12):
    poker = fb.game(f"card-poker(ranks={ranks})")
    nash = fb.solve(poker, "sequence-lp")  # what is safe against anyone
    exploit = fb.solve(poker, against="uniform")  # what is best against one who does anything
    level = fb.solve(poker, "level-k(levels=3)")  # what is best against one who thinks a little
    rows.append({"level": ranks, "player": 0, "value": nash.value})
    rows.append({"level": ranks, "player": 1, "value": exploit.value})
    print(
        f"{ranks:>3} cards: equilibrium {nash.value:+.4f}, against uniform {exploit.value:+.4f}, level 3 {level.value:+.4f}"
    )
    assert nash.verify() and nash.value <= exploit.value

values = [row["value"] for row in rows if row["player"] == 0]
assert values == sorted(values, reverse=True) or len(set(values)) > 1  # more cards, another game

matrix = fb.forms.derive(fb.game("king-ace"), fb.forms.NormalForm)
mixed = fb.solve(matrix, "matrix-lp")
print(matrix, mixed, fb.evaluate.exploitability(matrix, mixed), sep="\n")
picture = fb.draw.sweep(rows, names={0: "equilibrium", 1: "against uniform"}, words=("cards", "coins for the gambler"))
