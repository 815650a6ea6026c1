"""Every registered game keeps its contract and plays as it always has."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from fogbound.core.game import AnyGame
from fogbound.games import GAMES, make
from fogbound.testing import check_game
from fogbound.transforms.horizon import Horizon
from fogbound.transforms.subgame import StartAt
from fogbound.transforms.team import Team
from fogbound.transforms.turn_based import TurnBased

GOLDEN = Path(__file__).parent / "golden"
MORE = [
    "rock-paper-scissors(biased=true)",
    "card-poker(ranks=3)",
    "liars-dice(sides=3)",
    "liars-dice(sides=2, dice=2, seats=3)",
    "kuhn(seats=4)",
    "bandit(arms=3, levels=2, pulls=3)",
    "goofspiel(cards=3)",
    "po-nim(n=4)",
    "tiger(resets=false)",
    "rock-sample(size=3, rocks=2)",
    "pocman(maze=ring)",
    "tag(errata=false)",
]


LONG = {"phantom-tic-tac-toe", "pocman", "scotland-yard", "tag", "tag(errata=false)"}  # seconds each
SPECS = [spec for spec in (*GAMES, *MORE) if spec not in LONG]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("spec", [*SPECS, *(pytest.param(spec, marks=pytest.mark.slow) for spec in sorted(LONG))])
def test_contract(spec):
    findings = check_game(make(spec))
    assert all(f.mark != "warning" for f in findings) or spec == "random"


@pytest.mark.parametrize("name", list(GAMES))
def test_record(name):
    """Every game has a title for people, which tells it apart from others, and values of its own."""
    game = make(name)
    assert game.title
    assert game.title != str(game)
    assert sum(make(other).title == game.title for other in GAMES) == 1
    assert {known.game.partition("(")[0] for known in game.record.known} <= {name}
    for known in game.record.known:
        assert make(known.game).title


TRANSFORMED = [
    Horizon(make("tiger"), 3),
    Horizon(make("po-nim"), 5),
    TurnBased(make("rock-paper-scissors")),
    TurnBased(make("goofspiel(cards=3)")),
    StartAt(make("tic-tac-toe"), next(iter(make("tic-tac-toe").start()))[0].state),
    Team(make("king-ace"), (0, 1)),
    Team(make("random(seats=3)"), (0, 2)),
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("game", TRANSFORMED, ids=str)
def test_transformed_games_keep_the_contract(game):
    if "random" not in str(game):
        check_game(game)
    assert game.players


def playthrough(game: AnyGame, seed: int, most: int = 12) -> str:
    """One random game in words: states, what may be done, what is done, seen and paid."""
    rng = random.Random(seed)
    outcome = game.start().sample(rng)
    lines = [f"game {game}", f"players {', '.join(game.players)}", f"discount {game.discount:g}"]
    joint = None
    for step in range(most + 1):
        lines.append(f"\n{step}. {joint!r}" if joint is not None else "\n0. start")
        lines.append(f"state {outcome.state!r}")
        if outcome.rewards:
            lines.append(f"pay {tuple(round(r, 12) for r in outcome.rewards)}")
        lines += [f"{name} sees {tuple(outcome.observation(i))!r}" for i, name in enumerate(game.players)]
        board = game.board(outcome.state, 0)
        if board:
            lines.append("\n".join("| " + line for line in board.text().splitlines()))
        state = outcome.state
        actors = game.actors(state)
        if not actors or step == most:
            break
        joint = ()
        for i in actors:
            legal = tuple(game.actions(state, i))
            lines.append(f"{game.players[i]} may {', '.join(map(game.describe, legal))}")
            joint += (rng.choice(legal),)
        outcome = game.step(state, joint).sample(rng)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", list(GAMES))
def test_golden_playthrough(name, request):
    """To accept a deliberate change of rules: delete the file and run this test once; it writes a new one."""
    path = GOLDEN / f"{name}.txt"
    text = "\n".join(playthrough(make(name), seed) for seed in (1, 2))
    if not path.exists():
        path.write_text(text)
        pytest.fail(f"{path.name} was missing and has been written: look at it, then run again")
    assert path.read_text() == text
