"""Tournaments: every deal under every seating, the same whoever computes and however often one goes on."""

from __future__ import annotations

import json
import signal
import sys
import types
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
import pytest

import fogbound as fb
from fogbound.arena import SplitStreams, play
from fogbound.cli.main import main
from fogbound.core import Dist, Game, Outcome
from fogbound.core.errors import FileError, FogboundError, SpecError
from fogbound.experiments.tournaments.journal import block_row, row_block, tournament_journal
from fogbound.experiments.tournaments.run import Stop, run_tournament
from fogbound.experiments.tournaments.strength import seatings
from fogbound.policies import Uniform

UNIFORM = [lambda seat: Uniform()] * 2


@dataclass(frozen=True)
class Coin(Game[str, str]):
    """Who calls the coin right wins; all call at once. `seats` players."""

    seats: int = 2

    @property
    def players(self):
        return tuple(f"seat-{i}" for i in range(self.seats))

    def start(self):
        return Dist.sure(Outcome("open"))

    def actors(self, state):
        return () if state == "over" else tuple(range(self.seats))

    def actions(self, state, player):
        return ("heads", "tails")

    def step(self, state, joint):
        paid = [tuple(float(call == coin) for call in joint) for coin in ("heads", "tails")]
        return Dist.uniform(Outcome("over", rewards) for rewards in paid)


class Calls:
    """Calls the same side with some probability."""

    def __init__(self, heads):
        self.heads = heads

    def begin(self, observation):
        return None

    def update(self, memory, action, observation):
        return None

    def act(self, memory, actions):
        return Dist.of({"heads": self.heads, "tails": 1 - self.heads})


class Crash(Calls):
    """Is interrupted after so many moves."""

    def __init__(self, moves, error):
        super().__init__(0.5)
        self.left, self.error = moves, error

    def act(self, memory, actions):
        self.left -= 1
        if self.left < 0:
            raise self.error
        return super().act(memory, actions)


def sampled(field, names=("one", "two"), game=None, **more):
    return run_tournament(game or fb.game("leduc"), field, names, exact=False, **more)


def test_chance_and_seats_draw_apart():
    """The deal stays when the policies change, and a seat's draws when the other's do."""
    game = fb.game("leduc")
    for deal in range(5):
        first, second = (
            next(iter(fb.arena.Episode(game, [Uniform(), other], SplitStreams(1, deal)).steps())).outcome
            for other in (Uniform(), Calls(1.0))
        )
        assert first == second
    streams = SplitStreams(3, 0)
    assert streams.seat(0).random() != streams.seat(1).random() != streams.chance(0).random()
    assert play(game, [Uniform()] * 2, SplitStreams(3, 0)) == play(game, [Uniform()] * 2, SplitStreams(3, 0))


def test_equals_are_even_in_every_block():
    """Duplicate deals: the same policy under two names has nothing left to luck but the score's level."""
    found = sampled(UNIFORM, stop=Stop(30))
    assert [one.wins for one in found.entrants] == [0.5, 0.5]
    assert [one.score for one in found.entrants] == [0.0, 0.0]
    assert found.pairs[0].winner is None
    assert found.entrants[0].strength == pytest.approx(0, abs=1e-9)


def test_duplicate_deals_narrow_the_difference():
    """The difference of two policies that are nearly alike varies less over duplicate blocks than over fresh games."""
    game = fb.game("leduc")
    nash = fb.solve(game, "cfr-plus", iterations=50, gap=0).profile
    near = {i: fb.policies.Trembling(nash[i], 0.05) for i in nash}
    found = sampled([lambda seat: nash[seat], lambda seat: near[seat]], stop=Stop(200))
    low, high = found.entrants[0].score_interval  # half the difference, in each block
    alone = found.rows[0].match.players[0].score_interval
    assert high - low < 0.8 * (alone[1] - alone[0]) / np.sqrt(2)  # of as many games with deals of their own


@pytest.mark.slow
def test_exact_outcomes_are_what_games_estimate():
    game = fb.game("card-poker(ranks=3)")
    nash = fb.solve(game, "sequence-lp").profile
    field = [lambda seat: nash[seat], lambda seat: Uniform()]
    known, played = run_tournament(game, field, ["nash", "any"]), sampled(field, game=game, stop=Stop(2000))
    assert known.exact
    assert (known.deals, known.stopped) == (0, "exact")
    for one, other in zip(known.entrants, played.entrants):
        low, high = other.score_interval
        assert low - (high - low) / 2 <= one.score <= high + (high - low) / 2
    for row, other in zip(known.rows, played.rows):
        for sure, seat in zip(row.match.players, other.match.players):
            low, high = seat.wins_interval
            assert low - 0.02 <= sure.wins <= high + 0.02
    assert sum(one.score for one in known.entrants) == pytest.approx(0)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [2, 3])
def test_the_result_does_not_depend_on_the_workers(workers):
    field = [lambda seat: Uniform(), lambda seat: Calls(0.3)]
    game = Coin(3)
    alone, many = (sampled(field, game=game, stop=Stop(70), workers=w, seed=4) for w in (1, workers))
    assert alone == many
    alone, many = (sampled(field, game=game, stop=Stop(70, decided="wins"), workers=w, seed=4) for w in (1, workers))
    assert alone == many


def test_seatings_of_three():
    """As many as seats: every order (Table 4.3). Fewer: with themselves as well (Table 4.2)."""
    field = [lambda seat, p=p: Calls(p) for p in (0.1, 0.5, 0.9)]
    found = sampled(field, "abc", game=Coin(3), stop=Stop(20))
    assert [row.seating for row in found.rows] == list(seatings(3, 3))
    assert [one.policy for one in found.rows[1].match.players] == ["a", "c", "b"]
    assert all(row.match.games == 20 for row in found.rows)
    for row in found.rows:
        assert sum(one.wins for one in row.match.players) == pytest.approx(1)
    few = sampled(field[:2], "ab", game=Coin(3), stop=Stop(5))
    assert len(few.rows) == 8
    assert few.rows[0].seating == (0, 0, 0)
    given = sampled(field, "abc", game=Coin(3), stop=Stop(5), rule="given")
    assert [row.seating for row in given.rows] == [(0, 1, 2)]
    assert "not balanced" in given.why_no_strength


def test_both_tie_rules():
    """Three who always tie: shared evenly, or all to the first seat; over all seatings nobody gains by it."""
    field = [lambda seat: Calls(1.0)] * 3
    shared, first = (run_tournament(Coin(3), field, "abc", ties=ties) for ties in ("split", "first"))
    assert [seat.wins for seat in shared.rows[0].match.players] == pytest.approx([1 / 3] * 3)
    assert [seat.wins for seat in first.rows[0].match.players] == pytest.approx([1, 0, 0])
    assert [one.wins for one in first.entrants] == pytest.approx([1 / 3] * 3)
    played = sampled(field, "abc", game=Coin(3), ties="first", stop=Stop(3))
    assert [seat.wins for seat in played.rows[0].match.players] == [1, 0, 0]


def test_a_journal_goes_on_to_the_same_result(tmp_path):
    path = tmp_path / "played.jsonl"
    whole = sampled(UNIFORM, stop=Stop(12))
    sampled(UNIFORM, stop=Stop(5), resume=path)
    assert sampled(UNIFORM, stop=Stop(12), resume=path) == whole
    assert sampled(UNIFORM, stop=Stop(12), resume=path) == whole  # nothing left to play
    assert sampled(UNIFORM, stop=Stop(7), resume=path) == sampled(UNIFORM, stop=Stop(7))
    split = sampled(UNIFORM, stop=Stop(12), resume=path, ties="first")
    assert split == sampled(UNIFORM, stop=Stop(12), ties="first")  # games are kept as they fell


@pytest.mark.parametrize("error", [KeyboardInterrupt(), KeyboardInterrupt("terminated")])
def test_ctrl_c_returns_what_there_is(tmp_path, error):
    path = tmp_path / "played.jsonl"
    field = [lambda seat: crash, lambda seat: Calls(0.5)]
    crash = Crash(7, error)
    found = sampled(field, game=Coin(), stop=Stop(50), resume=path)
    assert (found.deals, found.stopped) == (3, str(error) or "interrupted")
    crash.left = 10**9
    on = sampled(field, game=Coin(), stop=Stop(10), resume=path)
    assert on == sampled(field, game=Coin(), stop=Stop(10))
    crash.left = 0
    with pytest.raises(KeyboardInterrupt):
        sampled(field, game=Coin(), stop=Stop(10))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_real_interrupt_between_processes(workers, tmp_path):
    """The signal comes once the first deal is in: the result holds what was played, and the journal goes on from it."""
    path = tmp_path / "played.jsonl"

    def press(done):
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs in the background ignores it
    try:
        found = sampled(UNIFORM, stop=Stop(200), workers=workers, resume=path, watch=press)
    finally:
        signal.signal(signal.SIGINT, before)
    assert found.stopped == "interrupted"
    assert found.deals == 1
    assert sampled(UNIFORM, stop=Stop(30), workers=workers, resume=path) == sampled(UNIFORM, stop=Stop(30))


def test_time_is_a_limit():
    found = sampled(UNIFORM, stop=Stop(10_000, seconds=0.0))
    assert (found.deals, found.stopped) == (1, "seconds")


def test_an_error_keeps_the_games_before_it(tmp_path):
    path = tmp_path / "played.jsonl"
    crash = Crash(7, RuntimeError("no idea"))
    field = [lambda seat: crash, lambda seat: Calls(0.5)]
    with pytest.raises(fb.FogboundError, match="no idea"):
        sampled(field, game=Coin(), stop=Stop(50), resume=path)
    crash.left = 10**9
    assert sampled(field, game=Coin(), stop=Stop(5), resume=path) == sampled(field, game=Coin(), stop=Stop(5))


def about(**more):
    base = {"game": "g", "players": ["a", "b"], "entrants": ["x", "y"], "seatings": [[0, 1], [1, 0]], "seed": 0}
    base |= {"inputs": {"versions": {}}, "payoffs": [[-1, 1], [-1, 1]]}
    return {**base, **more}


def block():
    return [fb.arena.EpisodeResult((1.0, -1.0), 3, "over", (False, True))] * 2


def written(path, blocks):
    with tournament_journal(path, about()) as kept:
        kept.add({number: block_row(one) for number, one in enumerate(blocks)})


def read(path, **more):
    with tournament_journal(path, about(**more)) as kept:
        return [row_block(kept.rows[number]) for number in sorted(kept.rows)]


class Lossy:
    """Workers of whom the last is done first; when the first is done as well, all of them are lost."""

    sends = True

    def map(self, function, items, shared=None, done=None):
        for number in (len(items) - 1, 0):
            done(number, function(shared, items[number]))
        yield function(shared, items[0])
        raise FogboundError("the head of the cluster is lost")


def test_what_is_done_before_its_turn_is_kept_as_well(tmp_path):
    path, whole = tmp_path / "j.jsonl", tmp_path / "whole.jsonl"
    run = {"stop": Stop(100), "exact": False}
    with pytest.raises(FogboundError, match="head of the cluster"):
        run_tournament(Coin(), UNIFORM, ["a", "b"], engine=Lossy(), resume=path, **run)
    kept = [json.loads(line)["number"] for line in path.read_text().splitlines()[1:]]
    assert kept == [*range(25), *range(75, 100)]
    again = run_tournament(Coin(), UNIFORM, ["a", "b"], resume=path, **run)
    assert again == run_tournament(Coin(), UNIFORM, ["a", "b"], resume=whole, **run)
    assert path.read_bytes() == whole.read_bytes()


def test_where_the_end_depends_on_the_order_nothing_is_kept_before_its_turn(tmp_path):
    """An interrupted run that goes on must not have played deals that one without interruption never comes to."""
    path = tmp_path / "j.jsonl"
    with pytest.raises(FogboundError):
        run_tournament(
            Coin(),
            UNIFORM,
            ["a", "b"],
            engine=Lossy(),
            resume=path,
            stop=Stop(100, decided="wins"),
            exact=False,
        )
    assert [json.loads(line)["number"] for line in path.read_text().splitlines()[1:]] == [*range(25)]


def test_a_journal_of_another_tournament_is_refused(tmp_path):
    path = tmp_path / "j.jsonl"
    written(path, [block()])
    assert read(path) == [block()]
    for other in ({"seed": 1}, {"entrants": ["x", "z"]}, {"game": "h"}, {"seatings": [[0, 1]]}):
        with pytest.raises(FileError, match="of another tournament"):
            read(path, **other)


GAME = [[1.0, -1.0], 3, "over", [0, 1]]


@pytest.mark.parametrize(
    "games",
    [
        [GAME],
        [GAME, GAME, GAME],
        [GAME, None],
        [GAME, [[1e999, 0.0], 3, "over", [0, 0]]],
        [GAME, [[1e308, 0.0], 3, "over", [0, 0]]],
        [GAME, [[1.0, -1.5], 3, "over", [0, 0]]],
        [GAME, [[1.0], 3, "over", [0, 0]]],
        [GAME, [[1.0, True], 3, "over", [0, 0]]],
        [GAME, [[1.0, 0.0], -1, "over", [0, 0]]],
        [GAME, [[1.0, 0.0], 3.5, "over", [0, 0]]],
        [GAME, [[1.0, 0.0], 3, "never", [0, 0]]],
        [GAME, [[1.0, 0.0], 3, "over", [0, 2]]],
        [GAME, [[1.0, 0.0], 3, "over"]],
        "none",
    ],
)
def test_a_forged_journal_is_refused_in_a_line(tmp_path, games):
    path = tmp_path / "j.jsonl"
    written(path, [block()])
    said = json.dumps({"number": 1, "games": games}).replace("Infinity", "1e999")
    path.write_text(path.read_text() + said + "\n")
    with pytest.raises(FileError, match=r"j\.jsonl:3: ") as caught:
        read(path)
    assert "\n" not in str(caught.value)


def test_shards_merge_to_the_bytes_of_the_whole(tmp_path):
    whole, parts = tmp_path / "whole.jsonl", [tmp_path / f"{k}.jsonl" for k in (1, 2, 3)]
    run = {"games": 11, "exact": False, "seed": 3}
    result = fb.tournament("leduc", "uniform", "uniform", resume=whole, **run)
    shares = [
        fb.tournament("leduc", "uniform", "uniform", resume=parts[k], shard=f"{k + 1}/3", **run) for k in range(3)
    ]
    assert [one.deals for one in shares] == [4, 4, 3]
    told = fb.merge(*parts[::-1], into=tmp_path / "merged.jsonl")
    assert (told.kind, len(told.rows)) == ("tournament", 11)
    assert (tmp_path / "merged.jsonl").read_bytes() == whole.read_bytes()
    assert fb.tournament("leduc", "uniform", "uniform", resume=tmp_path / "merged.jsonl", **run) == result


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"shard": "2/2", "exact": False}, "needs resume="),
        ({"shard": "3/2", "resume": "x.jsonl", "exact": False}, "expected 1 to 2"),
        ({"shard": "half", "resume": "x.jsonl", "exact": False}, "expected k/n"),
        ({"shard": "1/2", "resume": "x.jsonl", "exact": False, "decided": "wins"}, "all deals in their order"),
        ({"shard": "1/2", "resume": "x.jsonl"}, "no game is played, so shard= has no effect"),
        ({"decided": "wins"}, "no game is played, so decided= has no effect"),
        ({"workers": 2}, r"no game is played, so an engine with several processes \(--workers\) has no effect"),
        ({"shard": "5/8", "resume": "x.jsonl", "exact": False}, "none of 4 deals"),
    ],
)
def test_what_cannot_be_shared_out(more, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SpecError, match=words):
        fb.tournament("king-ace", "uniform", "uniform", games=4, **more)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"ties": "lowest"}, "expected split or first"),
        ({"seatings": "some"}, "expected all or given"),
        ({"games": 0}, "at least 1"),
        ({"games": True}, "whole number"),
        ({"names": ["a"]}, "one for each"),
    ],
)
def test_bad_questions(more, words):
    with pytest.raises(SpecError, match=words):
        fb.tournament("leduc", "uniform", "uniform", **{"games": 2, "exact": False, **more})


def test_too_few_and_too_many():
    with pytest.raises(SpecError, match="at least 2"):
        fb.tournament("leduc", "uniform")
    with pytest.raises(SpecError, match="one for each seat"):
        fb.tournament("leduc", "uniform", "uniform", "uniform", seatings="given")
    with pytest.raises(SpecError, match="seatings of"):
        seatings(10, 6)
    with pytest.raises(SpecError, match="save the policy"):
        fb.tournament("leduc", Uniform(), "uniform", resume="x.jsonl", exact=False, games=1)


def test_a_file_that_changed_is_another_entrant(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fb.solve("king-ace", "sequence-lp").save("nash.npz")
    run = {"games": 3, "exact": False, "resume": "played.jsonl"}
    fb.tournament("king-ace", "nash.npz", "uniform", **run)
    fb.solve("king-ace", "cfr-plus", iterations=2, gap=0).save("nash.npz")
    with pytest.raises(FileError, match="of another tournament"):
        fb.tournament("king-ace", "nash.npz", "uniform", **run)


@pytest.mark.slow
def test_command(capsys, tmp_path):
    words = ["tournament", "king-up", "uniform", "uniform", "--games", "4", "--seed", "2"]
    assert main([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["games"], told["exact"], len(told["rows"])) == (4, False, 8)
    assert sum(one["wins"] for one in told["rows"][0]["players"]) == pytest.approx(1)
    assert main([*words, "--resume", str(tmp_path / "k.jsonl"), "--ties", "first"]) == 0
    text = capsys.readouterr().out
    assert "(uniform #1, uniform #1, uniform #2)" in text
    assert "first wins" in text
    assert "4 deals, 32 games" in text
    assert main(["tournament", "card-poker(ranks=3)", "uniform", "sequence-lp"]) == 0
    assert "Exact, a tie is shared" in capsys.readouterr().out
    assert main(["tournament", "tic-tac-toe", "alpha-beta", "uniform", "--decided", "wins"]) == 0
    assert "Stopped because every pair is decided" in capsys.readouterr().out
    assert main(["tournament", "king-up", "uniform", "--games", "2"]) == 2
    assert "at least 2" in capsys.readouterr().err


def test_a_terminal_shows_one_thing_at_a_time(capsys, monkeypatch):
    """Bounds while policies are made, then a bar of deals: two live displays at once are refused by some versions."""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    live = []
    monkeypatch.setattr("fogbound.cli.tournament.following", showing(live, "policies"))
    monkeypatch.setattr("fogbound.cli.tournament.counting", showing(live, "deals"))
    assert main(["tournament", "king-up", "uniform", "uniform", "--games", "3"]) == 0
    assert live == ["+policies", "-policies", "+deals", "-deals"]


def showing(live, name):
    """Stands for a display: notes when it comes and goes; can be told of deals, and followed."""

    @contextmanager
    def shown(title, *_):
        live.append(f"+{name}")
        yield display(title)
        live.append(f"-{name}")

    return shown


def display(title):
    """A function of deals with what the command line asks of a display of bounds."""

    def told(done):
        return None

    told.title, told.watch, told.tell = title, None, None
    return told


def test_scores_decide_where_wins_do_not():
    """In poker the equilibrium wins as many hands as random play, and far more money."""
    game = fb.game("leduc")
    nash = fb.solve(game, "cfr-plus", iterations=200, gap=0).profile
    field = [lambda seat: nash[seat], lambda seat: Uniform()]
    found = sampled(field, stop=Stop(600, decided="score"))
    assert (found.stopped, found.pairs[0].scorer) == ("decided", 0)
    assert found.pairs[0].winner is None
    with pytest.raises(SpecError, match="wins or score"):
        sampled(field, stop=Stop(decided="money"))


def test_results_tell_themselves():
    found = sampled(UNIFORM, stop=Stop(2))
    assert "2 deals in 2 seatings" in repr(found)
    assert "<table>" in found._repr_html_()
    assert "exact" in repr(replace(found, stopped="exact"))


def test_a_tournament_is_a_table_with_a_row_for_each_entrant(monkeypatch):
    found = fb.tournament("king-ace", "uniform", "sequence-lp")
    rows = found.records()
    assert [row["name"] for row in rows] == list(found.names)
    assert list(rows[0]) == [
        "name",
        *(f"{figure}{end}" for figure in ("wins", "score", "strength") for end in ("", "_low", "_high")),
    ]
    assert rows[1]["score"] == found.entrants[1].score
    assert (rows[1]["score_low"], rows[1]["score_high"]) == found.entrants[1].score_interval
    monkeypatch.setitem(
        sys.modules, "pandas", types.SimpleNamespace(DataFrame=lambda rows, columns: (len(rows), columns))
    )
    assert found.to_pandas() == (2, None)
