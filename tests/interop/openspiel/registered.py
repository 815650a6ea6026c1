"""OpenSpiel's registered games, one random game each by Fogbound's rules."""

from __future__ import annotations

import random
import warnings

import fogbound as fb
from fogbound.core.errors import FogboundError, one_line
from fogbound.core.simulator import RuleSimulator

GIVEN = {  # parameters for those that need some
    "add_noise": "add_noise(epsilon=1.0,seed=1,game=kuhn_poker())",
    "cached_tree": "cached_tree(game=kuhn_poker())",
    "misere": "misere(game=tic_tac_toe())",
    "normal_form_extensive_game": "normal_form_extensive_game(game=kuhn_poker())",
    "repeated_game": "repeated_game(stage_game=matrix_pd(),num_repetitions=4)",
    "restricted_nash_response": "restricted_nash_response(game=kuhn_poker())",
    "start_at": "start_at(history=0;1,game=kuhn_poker())",
    "turn_based_simultaneous_game": "turn_based_simultaneous_game(game=goofspiel(num_cards=3))",
    "zerosum": "zerosum(game=matrix_pd())",
}
MOST_STEPS = 5_000
LIMIT = 2_000  # histories that are looked at first: here games are only to be played


def play(name: str, seed: int = 0) -> tuple[int, tuple[float, ...], tuple[float, ...]]:
    """One random game: its steps, what Fogbound paid on the way, and OpenSpiel's returns at the end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        game = fb.game(f'openspiel("{name}", limit={LIMIT})')
    rules, rng = RuleSimulator(game), random.Random(seed)
    outcome = rules.opening().sample(rng)
    total = list(rules.paid(outcome))
    for steps in range(MOST_STEPS):
        actors = game.actors(outcome.state)
        if not actors:
            return steps, tuple(total), tuple(game.spiel_state(outcome.state).returns())
        joint = tuple(rng.choice(offered) for offered in rules.legal(outcome.state, actors))
        outcome = rules.drawn(outcome.state, joint, rng)
        total = [have + more for have, more in zip(total, rules.paid(outcome))]
    raise AssertionError(f"{name}: not over after {MOST_STEPS} steps")


def names() -> list[str]:
    """OpenSpiel's own games; those that somebody's import has registered besides are left out."""
    import pyspiel

    others = ("chat_game", "fogbound")
    return [name for name in pyspiel.registered_names() if not name.startswith("python_") and name not in others]


def count(listed: list[str]) -> tuple[dict[str, int], dict[str, str]]:
    """Steps of the games that play and were paid OpenSpiel's returns, and why the others do not, by name."""
    plays, fails = {}, {}
    for name in listed:
        try:
            steps, paid, returns = play(name)
        except FogboundError as error:
            fails[name] = one_line(str(error), 200)
            continue
        assert all(abs(ours - theirs) < 1e-9 for ours, theirs in zip(paid, returns, strict=True)), name
        plays[name] = steps
    return plays, fails
