"""A study in game theory: what is the value of knowing one's opponent? One game of several sizes, three questions."""

import fogbound as fb

rows = []
for ranks in (3, 5, 8, 12):
    poker = fb.game(f"card-poker(ranks={ranks})")
    answers = {
        "safe against anyone": fb.solve(poker, "sequence-lp"),
        "against one who does anything": fb.solve(poker, against="uniform"),
        "against one who thinks a little": fb.solve(poker, "level-k(levels=2)"),
    }
    print(f"{ranks:>3} cards:", ", ".join(f"{name} {answer.value:+.4f}" for name, answer in answers.items()))
    assert all(answer.certified == "both" for answer in answers.values())
    values = [answer.value for answer in answers.values()]
    assert values[0] == min(values)  # whoever knows more about the others earns no less
    rows += [{"cards": ranks, "question": name, "value": answer.value} for name, answer in answers.items()]

picture = fb.draw.sweep(rows, x="cards", by="question", words=("cards", "coins for the gambler"))
picture.save("cards.svg")  # in a notebook, `picture` shows itself

matrix = fb.forms.derive(fb.game("king-ace"), fb.forms.NormalForm)
mixed = fb.solve(matrix, "matrix-lp")
print(matrix, mixed, fb.evaluation.exploitability(matrix, mixed), sep="\n")
