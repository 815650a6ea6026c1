"""Pursuit and evasion: the published files rebuilt, games by hand, what is seen and when."""

from __future__ import annotations

import re

import pytest

import fogbound as fb
from fogbound import forms
from fogbound.core import FileError, Observation, SpecError
from fogbound.forms.player_view import NOT_ASKED, OVER, legal_by_state
from fogbound.games import make
from fogbound.games.pursuit import CAUGHT, EVADER, LETTERS, PURSUERS
from fogbound.testing import check_game
from tests import shared

FOLDER = shared.MODELS / "osposg"
# columns: live states, sets of pursuers, steps that go on, captures; counted in peg03, peg04 and peg05
SIZES = {3: (140, 20, 1_936, 704), 4: (360, 36, 6_528, 1_564), 5: (728, 56, 15_540, 2_764)}


@pytest.mark.parametrize("spec", ["pursuit(columns=4)", "pursuit(columns=3, reveal=2)", "pursuit(rows=2, pursuers=3)"])
def test_contract(spec):
    assert all(finding.mark == "ok" for finding in check_game(make(spec)))


@pytest.mark.parametrize("columns", SIZES)
def test_sizes(columns):
    table = forms.table(make(f"pursuit(columns={columns})"))
    caught = table.states.index(CAUGHT)
    ends = int((table.next == caught).sum())
    live = [state for state in table.states if state != CAUGHT]
    found = (len(live), len({state[0] for state in live}), len(table.out) - 2 - ends, ends)
    assert found == SIZES[columns]
    assert {tuple(pay) for pay in table.reward} == {(0, 0), (95, -95)}


def cells(label):
    """The places in a name of the published files, `column:row`, as ours."""
    return [f"{LETTERS[int(row)]}{int(column) + 1}" for column, row in re.findall(r"(\d+):(\d+)", label)]


def published(path):
    """(state, pursuers' action, evader's action) -> (next state or None, pay), all in our names."""
    lines = path.read_text().splitlines()
    counts, at = [int(word) for word in lines[0].split()[:7]], 1
    blocks = []
    for size in (*(counts[k] for k in (0, 2, 3, 4, 0, 1, 5, 6)), 1):
        blocks.append([line.split() for line in lines[at : at + size]])
        at += size
    states, ours, theirs, _, _, _, steps, pay, _ = blocks
    places = [cells(label) for label, _ in states]
    paid = {tuple(map(int, row[:3])): float(row[3]) for row in pay}
    found = {}
    for row in steps:
        s, a, b, _, to = map(int, row[:5])
        if not places[s] or places[s][-1] in places[s][:-1]:
            continue  # the end, and states where the evader is caught to begin with, which no play reaches
        moves = cells(ours[a][0])
        joint = tuple(sorted(f"{one}-{other}" for one, other in zip(moves[::2], moves[1::2])))
        evader, ends = places[s][-1], cells(theirs[b][0])
        goal = ends[1] if ends[0] == evader else ends[0]
        after = (frozenset(places[to][:-1]), places[to][-1]) if places[to] else None
        found[frozenset(places[s][:-1]), evader, joint, f"{evader}-{goal}"] = (after, paid[s, a, b])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("columns", SIZES)
def test_the_published_files_rebuilt(columns):
    path = FOLDER / f"peg0{columns}.osposg"
    if not path.is_file():
        pytest.skip(f"no published model at {path}")
    game, found = make(f"pursuit(columns={columns})"), {}

    def named(state):
        return frozenset(game.names[cell] for cell in state[0]), game.names[state[1]]

    for state in forms.table(game).states:
        if state == CAUGHT:
            continue
        for ours in game.actions(state, PURSUERS):
            for theirs in game.actions(state, EVADER):
                ((outcome, _),) = game.step(state, (ours, theirs)).pairs
                after = None if outcome.state == CAUGHT else named(outcome.state)
                found[(*named(state), ours, theirs)] = (after, (outcome.rewards or (0,))[0])
    assert found == published(path)
    assert game.discount == float(path.read_text().split()[7])


def test_a_game_by_hand():
    game = make("pursuit")
    ((start, _),) = game.start().pairs
    assert start.state == ((0, 3), 8, 0)
    assert game.actions(start.state, EVADER) == ("c3-c2", "c3-b3")[::-1]
    assert len(game.actions(start.state, PURSUERS)) == 2 * 3
    ((outcome, _),) = game.step(start.state, (("a1-a2", "b1-b2"), "c3-c2")).pairs
    assert outcome.state == ((1, 4), 7, 0)
    assert [outcome.observation(player) for player in (PURSUERS, EVADER)] == [
        Observation(None, None),
        Observation(None, "a1-a2 b1-b2"),
    ]
    for joint in [(("a2-a1", "b2-c2"), "c2-b2"), (("a2-b2", "b2-b1"), "c2-b2"), (("a2-b2", "b2-c2"), "c2-b2")]:
        ((caught, _),) = game.step(outcome.state, joint).pairs  # on an edge, in a cell, both at once
        assert (caught.state, caught.rewards, caught.public) == (CAUGHT, (95, -95), "caught")
    ((free, _),) = game.step(outcome.state, (("a2-b2", "b2-c2"), "c2-c1")).pairs
    assert (free.state, free.rewards) == (((4, 7), 6, 0), ())


def test_the_evader_is_shown_every_so_many_steps():
    game = make("pursuit(columns=6, reveal=4)")
    ((outcome, _),) = game.start().pairs
    shown = [outcome.public]
    moves = ["c6-c5", "c5-c6"]
    for step in range(8):
        pursuers = (("a1-a2", "b1-b2"), ("a2-a1", "b2-b1"))[step % 2]
        ((outcome, _),) = game.step(outcome.state, (pursuers, moves[step % 2])).pairs
        shown.append(outcome.observation(PURSUERS).public)
    assert shown == ["evader c6", None, None, None, "evader c6", None, None, None, "evader c6"]
    assert "shown in 4 steps" in game.board(outcome.state, PURSUERS).caption


@pytest.mark.parametrize("spec", ["pursuit", "pursuit(reveal=3)", "pursuit(rows=2, pursuers=3)"])
def test_the_evader_knows_the_state_and_the_pursuers_their_menu(spec):
    table = forms.table(make(spec))
    assert {len(states) for states in forms.knowledge(table, EVADER).sets} == {1}
    known = forms.knowledge(table, PURSUERS)
    assert known.complete
    assert max(map(len, known.sets)) > 1
    for states in known.sets:
        assert len({*legal_by_state(table, PURSUERS)[list(states)].tolist()} - {NOT_ASKED, OVER}) <= 1


def test_always_shown_means_always_known():
    table = forms.table(make("pursuit(reveal=1)"))
    assert {len(states) for states in forms.knowledge(table, PURSUERS).sets} == {1}


def test_pursuers_may_share_a_cell_and_are_interchangeable():
    game = make("pursuit(rows=2, columns=4, pursuers=3)")
    ((start, _),) = game.start().pairs
    assert start.state == ((0, 1, 4), 7, 0)  # down the first column, then the next
    ((outcome, _),) = game.step(start.state, (("a1-b1", "a2-a1", "b1-a1"), "b4-a4")).pairs
    assert outcome.state == ((0, 0, 4), 3, 0)
    offered = game.actions(outcome.state, PURSUERS)
    assert len(offered) == 3 * 2 == len(set(offered))  # the pair in a1: one of three ways to part, not four
    assert game.describe(("a1-a2", "b1-b2")) == "a1 to a2 and b1 to b2"


def test_boards():
    game = make("pursuit")
    pursuers, evader = ([[t.text for t in row] for row in game.board(((0, 3), 8, 0), player).rows] for player in (0, 1))
    assert pursuers == [["P", "", ""], ["P", "", ""], ["", "", ""]]
    assert evader == [["P", "", ""], ["P", "", ""], ["", "", "E"]]
    assert {t.tone for row in game.board(((0, 3), 8, 0), 0).rows for t in row} == {"mine", "fog"}


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("rows=0", "rows is 0, expected 1 to 10"),
        ("columns=11", "columns is 11, expected 1 to 10"),
        ("pursuers=9", "pursuers is 9, expected 1 to 8"),
        ("pursuers=0", "pursuers is 0, expected 1 to 8"),
        ("rows=1, columns=1, pursuers=1", "rows x columns is 1, expected at least 2 cells"),
        ("reveal=-1", "reveal is -1, expected a number of steps, or 0 for never"),
        ("capture=0", "capture is 0.0, expected a finite number above 0"),
        ("discount=1", "discount is 1.0, expected above 0 and below 1"),
    ],
)
def test_parameters_are_checked(spec, words):
    with pytest.raises(SpecError, match=words):
        make(f"pursuit({spec})")


RING = """\
# a ring with a spur
gate yard
yard tower
tower well
well gate   # closes it
tower crypt
pursuers: gate gate well
evader: crypt
"""


def test_a_graph_from_a_file(tmp_path):
    path = tmp_path / "ring.txt"
    path.write_text(RING)
    game = fb.game(f"pursuit(graph={path})")
    assert game.pursuers == 3
    assert game.moves[game.names.index("tower")] == ("tower-yard", "tower-well", "tower-crypt")
    (outcome, _), *more = game.start()
    assert not more
    assert outcome.state == ((0, 0, 3), 4, 0)
    assert outcome.public == "evader crypt"
    assert game.actions(outcome.state, 1) == ("crypt-tower",)
    assert "gate PP" in game.board(outcome.state).text()
    fb.testing.check_game(game)
    assert fb.game(str(game)).names == game.names


def test_a_grid_as_a_graph_is_the_grid(tmp_path):
    grid = fb.game("pursuit")
    edges = {tuple(sorted(move.split("-"))) for moves in grid.moves for move in moves}
    path = tmp_path / "grid.txt"
    path.write_text("\n".join([*(" ".join(edge) for edge in sorted(edges)), "pursuers: a1 b1", "evader: c3"]))
    graph = fb.game(f"pursuit(graph={path})")
    assert fb.forms.table(graph).size == fb.forms.table(grid).size


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("gate yard", "gate gate", r"ring.txt:2: found 'gate gate', expected two different places"),
        ("gate yard", "gate", r"ring.txt:2: found 'gate', expected two different places"),
        ("yard tower", "yard gate", r"ring.txt:3: found 'yard gate', expected every edge once"),
        ("evader: crypt", "evader: attic", r"ring.txt:8: found 'attic', expected 'evader:' and 1 place of an edge"),
        ("evader: crypt", "", r"ring.txt:8: found the end, expected 'evader:'"),
        ("evader: crypt", "evader: well", r"ring.txt:8: the evader starts where a pursuer does"),
        ("evader: crypt", "evader: crypt well", r"ring.txt:8: found 2 places, expected 'evader:' and 1 place"),
        ("pursuers: gate gate well", "pursuers:", r"ring.txt:7: found 0 places, expected 'pursuers:' and 1 to 4"),
    ],
)
def test_faults_of_a_graph_are_named(tmp_path, old, new, words):
    path = tmp_path / "ring.txt"
    path.write_text(RING.replace(old, new))
    with pytest.raises(FileError, match=words):
        fb.game(f"pursuit(graph={path})")


def test_what_a_graph_decides_is_left_out(tmp_path):
    path = tmp_path / "ring.txt"
    path.write_text(RING)
    with pytest.raises(SpecError, match=r"pursuit: columns is given with graph=.*: leave columns out"):
        fb.game(f"pursuit(columns=5, graph={path})")
    with pytest.raises(SpecError, match=r"pursuit: pursuers is given with graph=.*: leave pursuers out"):
        fb.game(f"pursuit(pursuers=4, graph={path})")
    with pytest.raises(FileError, match="nowhere"):
        fb.game("pursuit(graph=nowhere.txt)")
