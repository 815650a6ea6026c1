"""Compiled episodes beside plain ones: with the same numbers drawn, the same games."""

from __future__ import annotations

from types import SimpleNamespace as Bag

import numpy as np
import pytest

import fogbound as fb
from fogbound.arena.episode import Episode
from fogbound.evaluation.episodes import CUT, OVER, play_episodes, played, vector_player
from fogbound.evaluation.episodes.kernels.best_vector import best_vector
from fogbound.evaluation.episodes.played import streams
from fogbound.policies import Uniform, uniform_mixture
from fogbound.policies.alpha_entries import AlphaEntries

WORD = (1 << 64) - 1


class SplitMix:
    """Steele, Lea and Flood's generator, in plain Python."""

    def __init__(self, state):
        self.state = int(state) & WORD

    def random(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & WORD
        word = self.state
        word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & WORD
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & WORD
        return ((word ^ (word >> 31)) >> 11) * 2.0**-53


def plain(game, policies, games, seed, most_steps):
    """What each game pays, played by the rules, one after the other."""
    found = []
    for state in streams(seed, 0, games):
        episode = Episode(game, policies, SplitMix(state))
        for _ in episode.steps(most_steps):
            pass
        found.append((episode.returns, episode.ended, episode.lost))
    return found


def same(form, policies, games=60, seed=5, most_steps=40):
    fast = play_episodes(form, policies, games, seed, most_steps)
    slow = plain(form.as_game(), policies, games, seed, most_steps)
    for k, (returns, ended, _) in enumerate(slow):
        assert fast.paid[k].tolist() == pytest.approx(returns, abs=1e-9), (k, ended)
    return fast, slow


@pytest.mark.parametrize("seed", range(12))
def test_games_of_several_players(seed):
    game = fb.game(
        f"random(seed={seed}, depth=4, seats={1 + seed % 3}, loops={'true' if seed % 2 else 'false'}, discount=0.9)"
    )
    table = fb.forms.table(game)
    fast, slow = same(table, [Uniform()] * len(game.players))
    assert all(code == OVER for code, (_, ended, _) in zip(fast.ended.tolist(), slow) if ended == "over")


@pytest.mark.parametrize("solver", ["sequence-lp", "cfr-plus"])
def test_tables_of_strategies(solver):
    table = fb.forms.table(fb.game("card-poker(ranks=3)"))
    answer = fb.solve("card-poker(ranks=3)", solver, iterations=50)
    same(table, [answer.policy(0), answer.policy(1)])
    mixed = uniform_mixture([answer.policy(0), Uniform()])
    same(table, [mixed, answer.policy(1)])


def test_markov_policies():
    game = fb.game("random-markov(seed=1)")
    answer = fb.solve(game)
    same(fb.forms.table(game), [answer.policy(0), answer.policy(1)], games=20, most_steps=30)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("solver", ["sarsop", "sarsop(policy=vectors)"])
@pytest.mark.parametrize("game", ["tiger", "rock-sample(size=2, rocks=1)"])
def test_controllers_and_vectors(game, solver):
    form = fb.forms.pomdp(fb.game(game))
    answer = fb.solve(game, solver)
    fast = play_episodes(form, [answer.policy()], 60, 5, 40)
    model = fb.forms.ModelGame(form)
    slow = plain(model, [answer.policy()], 60, 5, 40)
    assert [paid[0] for paid in fast.paid.tolist()] == pytest.approx([returns[0] for returns, _, _ in slow], abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_vectors_against_others_with_turns_to_wait(seed):
    """The player may be asked or not, and only the question tells: vectors are followed as their policy does."""
    game = fb.game(f"random(seed={seed}, depth=4, seats=2)")
    form = fb.forms.pomdp(game, 0, {1: Uniform()})
    answer = fb.solve(form, "sarsop(policy=vectors)")
    played = play_episodes(form, [answer.policy()], 4_000, seed, 50)
    exact = fb.evaluation.value(game, [answer.policy(), Uniform()])[0]
    error = played.paid[:, 0].std() / np.sqrt(4_000)
    assert abs(played.paid[:, 0].mean() - exact) <= 5 * error + 1e-9


def test_who_is_lost_is_counted():
    poker = fb.game("card-poker(ranks=3)")
    meek = {card: {"check": 1} for card in "123"} | {f"{card} · check → bet": {"fold": 1} for card in "123"}
    reply = fb.solve(poker, "belief-mdp", player="dealer", against=meek)  # which never saw a bet
    fast, slow = same(fb.forms.table(poker), [Uniform(), reply.policy("dealer")], games=200)
    assert fast.lost.tolist() == [lost for _, _, lost in slow]
    assert fast.lost.any()


def test_a_game_that_goes_on_is_cut_or_fades():
    form = fb.forms.pomdp(fb.game("tiger"))
    assert (play_episodes(form, [Uniform()], 10, 0, 7).ended == CUT).all()
    assert play_episodes(form, [Uniform()], 10, 0, 10_000).steps.max() < 600


def test_an_end_that_a_file_cannot_name_is_one():
    """A state that leads nowhere and pays nothing is left alone: nothing more is drawn there."""
    columns = np.array([0, 1]), np.array([0, 0]), np.array([1, 1]), np.array([0, 0]), np.ones(2)
    form = fb.forms.pomdp_from_arrays(
        "once", 0.9, ["on", "off"], ["go"], ["-"], np.array([1.0, 0]), columns, np.array([[1.0], [0]])
    )
    played = play_episodes(form, [Uniform()], 5, 0, 100)
    assert played.steps.tolist() == [1] * 5
    assert played.paid[:, 0].tolist() == [1.0] * 5


def test_games_do_not_depend_on_how_many_there_are():
    form = fb.forms.table(fb.game("leduc"))
    few, many = (play_episodes(form, [Uniform()] * 2, games, 3, 100) for games in (50, 5_000))
    assert few.paid.tolist() == many.paid[:50].tolist()


def test_vectors_that_start_with_nothing_legal_are_refused():
    game = fb.game("card-poker(ranks=3)")
    form = fb.forms.pomdp(game, 0, {1: Uniform()})
    policy = fb.policies.AlphaVectors(form, np.zeros((1, form.size)), np.array([form.actions.index("fold")]))
    with pytest.raises(fb.FogboundError, match="no vector starts with an action that is legal"):
        play_episodes(form, [policy], 5, 0, 50)


@pytest.mark.parametrize("game", ["tiger", "rock-sample(size=2, rocks=2)", "rock-sample(size=3, rocks=2)"])
def test_vectors_play_the_same_whatever_is_known_and_however_many_play(game, monkeypatch):
    """Beliefs that were met, room for them and threads save time; they change no bit of a game."""
    form = fb.forms.pomdp(fb.game(game))
    vectors = fb.solve(game, "sarsop(policy=vectors)", iterations=20, certify=False).policy()

    def play(cores, nodes, cells):
        monkeypatch.setattr(played, "_cores", lambda: cores)
        for name, room in {"FEW": nodes, "MOST": nodes, "CELLS_FEW": cells, "CELLS_MOST": cells}.items():
            monkeypatch.setattr(vector_player, name, room)
        return play_episodes(form, [vectors], 400, 5, 30)

    alone = play(1, 1 << 12, 1 << 16)
    slow = plain(fb.forms.ModelGame(form), [vectors], 60, 5, 30)
    assert alone.paid[:60, 0].tolist() == pytest.approx([returns[0] for returns, _, _ in slow], abs=1e-9)
    for cores, nodes, cells in [(3, 1 << 12, 1 << 16), (1, 4, 16), (2, 16, 64), (1, 2, 1)]:
        assert play(cores, nodes, cells).paid.tobytes() == alone.paid.tobytes(), (cores, nodes, cells)


@pytest.mark.parametrize("seed", range(20))
def test_the_best_of_many_vectors_is_the_one_that_looking_at_all_finds(seed):
    """Of vectors for different states, with ties and illegal actions: the first of the best, as in plain play."""
    rng = np.random.default_rng(seed)
    form = fb.forms.pomdp(fb.game("tiger"))
    many, size, actions = int(rng.integers(1, 700)), 12, len(form.actions)
    values = rng.normal(size=(many, size)).round(int(rng.integers(0, 3)))  # rounded: many are equally good
    values[rng.random(many) < 0.3, : size // 2] = -np.inf
    starts = rng.integers(0, actions, many)
    tiles = vector_player.vector_tiles(form, Bag(pomdp=form, entries=AlphaEntries.of(values), actions=starts))
    room = vector_player.search_room(size)
    for _ in range(100):
        states = rng.permutation(size)[: rng.integers(1, size + 1)].astype(np.int64)
        weights = rng.integers(0, 3, len(states)) / 4.0  # sums of quarters are exact in any order
        offered = rng.random(actions) < 0.7
        tiles.offered[0] = offered
        likely = weights > 0
        worth = (values[:, states[likely]] * weights[likely]).sum(axis=1)
        legal = np.flatnonzero(offered[starts])
        expected = legal[worth[legal].argmax()] if len(legal) else -1
        assert best_vector(tiles, room, states, weights, np.int64(0), np.int64(len(states)), np.int64(0)) == expected
