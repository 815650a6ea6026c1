"""Scotland Yard: sizes known from document 002, games by hand, who sees what, maps from files, parity."""

from __future__ import annotations

import math
import warnings
from itertools import combinations
from math import comb
from xml.etree import ElementTree

import pytest

from fogbound import forms
from fogbound.core import FileError, Observation, SpecError
from fogbound.forms.player_view import NOT_ASKED, OVER, legal_by_state
from fogbound.games import make
from fogbound.games.scenes.graph import PIECE
from fogbound.games.scotland_yard.game import CAUGHT, COPS, THIEF
from fogbound.games.scotland_yard.maps import read_town, rings
from fogbound.games.scotland_yard.town import TRANSPORTS
from fogbound.testing import check_game

SIZES = {12: (660, 733, 25_426), 18: (12_240, 11_924, 452_868), 24: (42_504, 34_423, 1_911_514)}
EXAMPLE = """# number of nodes
5
# taxi edges (undirected graph)
0 1, 0 2, 1 3, 1 4, 2 3, 3 4
# bus edges
0 4

# underground edges
2 4
# number of agents of P1 (cops)
2
# initial locations of agents (first cops)
2 4 1
# discount factor
0.9500
"""  # document 002, section 3.2.1


@pytest.fixture
def example(tmp_path):
    path = tmp_path / "example.txt"
    path.write_text(EXAMPLE)
    return path


def parts(game):
    """States, joint moves of the cops and (state, cops' move, thief's move) by counting, without playing."""
    place, moves, triples = game.town, 0, 0
    for cops in combinations(range(place.nodes), len(game.cops)):
        rounds = len(game.actions((cops, -1), COPS))
        ways = sum(len(game.actions((cops, node), THIEF)) for node in range(place.nodes) if node not in cops)
        moves, triples = moves + rounds, triples + rounds * ways
    return comb(place.nodes, len(game.cops)) * (place.nodes - len(game.cops)), moves, triples


@pytest.mark.parametrize("name", SIZES)
def test_sizes_of_the_named_maps(name):
    assert parts(make(f"scotland-yard(map={name})")) == SIZES[name]


@pytest.mark.parametrize("name", [12, 18])
def test_every_state_is_reached(name):
    game = make(f"scotland-yard(map={name})")
    table = forms.table(game)
    assert (table.size, len(table.out) - 2) == (SIZES[name][0] + 1, SIZES[name][2])  # and the end
    assert not table.reward.sum(axis=1).any()
    assert set(table.reward[:, 0]) == {0, 100}


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["map=12, transport_seen=false", "map=12, cops=[5], thief=0, capture=1, discount=0.5"])
def test_contract(spec):
    assert all(finding.mark == "ok" for finding in check_game(make(f"scotland-yard({spec})")))


@pytest.mark.parametrize("seen", ["true", "false"])
def test_the_thief_knows_the_state_and_the_cops_their_menu(example, seen):
    table = forms.table(make(f"scotland-yard(map='{example}', transport_seen={seen})"))
    assert {len(states) for states in forms.knowledge(table, THIEF).sets} == {1}
    known = forms.knowledge(table, COPS)  # would raise where menus differ
    assert known.complete
    assert max(map(len, known.sets)) == 3
    for states in known.sets:
        assert len({*legal_by_state(table, COPS)[list(states)].tolist()} - {NOT_ASKED, OVER}) <= 1
        assert len({table.states[state][0] for state in states}) == 1


def test_a_game_by_hand():
    game = make("scotland-yard(map=18)")
    ((start, _),) = game.start().pairs
    assert start.state == ((0, 6, 12), 3)
    assert game.actions(start.state, THIEF) == ("bus 2", "bus 4")
    assert (5, 7, 17) in game.actions(start.state, COPS)
    ((outcome, p),) = game.step(start.state, ((5, 7, 13), "bus 4")).pairs
    assert (outcome.state, outcome.rewards, p) == (((5, 7, 13), 4), (), 1)
    assert [outcome.observation(player) for player in (COPS, THIEF)] == [
        Observation("bus", None),
        Observation("bus", (5, 7, 13)),
    ]
    passed = game.step(outcome.state, ((4, 6, 12), "bus 5"))  # on the edge between 4 and 5
    assert passed.pairs[0][0].state == ((4, 6, 12), 5)
    ((fled, _),) = game.step(outcome.state, ((0, 6, 12), "underground 11")).pairs
    assert (fled.state, fled.public) == (((0, 6, 12), 11), "underground")
    ((missed, _),) = game.step(fled.state, ((1, 11, 13), "bus 6")).pairs  # the thief has left 11
    assert missed.state == ((1, 11, 13), 6)


def test_meeting_in_a_node_is_a_capture_and_the_end():
    game = make("scotland-yard(map=12, capture=7)")
    ((outcome, _),) = game.step(((0, 3), 9), ((2, 11), "bus 11")).pairs
    assert (outcome.state, outcome.rewards, outcome.public) == (CAUGHT, (7, -7), "caught")
    assert game.actors(CAUGHT) == ()
    assert "caught" in game.board(CAUGHT).text()


def test_cops_to_whom_no_transport_is_shown_see_nothing():
    game = make("scotland-yard(map=18, transport_seen=false)")
    ((outcome, _),) = game.step(((0, 6, 12), 3), ((1, 7, 13), "bus 4")).pairs
    assert (outcome.observation(COPS), outcome.observation(THIEF)) == (
        Observation(None, None),
        Observation(None, (1, 7, 13)),
    )


def test_two_edges_between_two_nodes_are_two_ways_for_the_thief_and_one_for_the_cops():
    both = read_town("3\n0 1, 1 2, 0 2\n0 1\n-\n1\n2 0\n0.9", "here")
    assert both.ways[0] == ("taxi 1", "taxi 2", "bus 1")
    assert both.neighbours[0] == (1, 2)


def test_who_cannot_move_stays_and_as_many_move_as_can():
    line = read_town("4\n0 1, 1 2\n-\n-\n2\n0 2 3\n0.9", "here")  # node 3 has no edge
    assert line.rounds((0, 2)) == ((0, 1), (1, 2))  # both lead to 1 only
    assert line.rounds((0, 1)) == ((0, 1), (1, 2))  # both move: 0 to 1, 1 to 0 or 2
    assert line.rounds((1, 3)) == ((0, 3), (2, 3))
    assert line.ways[3] == ("stay 3",)


def test_boards():
    game = make("scotland-yard(map=12)")
    cops, thief, everything = (
        [[t.text for t in row] for row in game.board(((0, 3), 9), player).rows] for player in (0, 1, None)
    )
    assert cops == [["C0", "1", "2", "C3"], ["4", "5", "6", "7"], ["8", "9", "10", "11"]]
    assert thief == everything == [*cops[:2], ["8", "T9", "10", "11"]]
    assert [len(row) for row in make("scotland-yard").board(((0, 6, 12), 3)).rows] == [6, 6, 6]
    assert game.describe((1, 7)) == "go to 1 7"
    assert game.describe("bus 4") == "bus to 4"


def test_a_map_from_a_file(example):
    game = make(f"scotland-yard(map='{example}')")
    assert (game.cops, game.thief, game.discount) == ((2, 4), 1, 0.95)
    assert game.town.ways[4] == ("taxi 1", "taxi 3", "bus 0", "underground 2")
    assert make(str(game)) == game
    assert all(finding.mark == "ok" for finding in check_game(game))
    moved = make(f"scotland-yard(map='{example}', cops=[3, 0], thief=2, discount=0.5)")
    assert (moved.cops, moved.thief, moved.discount) == ((0, 3), 2, 0.5)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("5\n#", "five\n#", 2, "found 'five', expected a number from 2 to 200"),
        ("1 4, 2 3", "1 4; 2 3", 4, "expected edges such as '0 1, 0 2'"),
        ("1 4, 2 3", "1 4, 2 5", 4, "of two nodes from 0 to 4"),
        ("1 4, 2 3", "1 4, 4 1", 4, "each once"),
        ("1 4, 2 3", "1 4, 2 2", 4, "each once, of two nodes"),
        ("1 4, 2 3", "1 4, 2", 4, "of two nodes"),
        ("0 4\n", "", 14, "found 'the end', expected the discount"),
        ("\n2\n", "\n5\n", 11, "found '5', expected a number from 1 to 4"),
        ("2 4 1\n", "2 4\n", 13, "expected 3 different nodes from 0 to 4, the thief's last"),
        ("2 4 1\n", "2 4 4\n", 13, "expected 3 different nodes from 0 to 4"),
        ("0.9500", "1", 15, "expected a discount above 0 and below 1"),
        ("0.9500", "much", 15, "found 'much', expected a discount"),
        ("0.9500\n", "", 14, "found 'the end', expected the discount"),
        ("0.9500\n", "0.95\n7\n", 16, "found '7', expected the end"),
    ],
)
def test_faults_in_files(example, old, new, line, words):
    assert old in EXAMPLE
    example.write_text(EXAMPLE.replace(old, new, 1))
    with pytest.raises(FileError) as caught:
        make(f"scotland-yard(map='{example}')")
    text = str(caught.value)
    assert text.startswith(f"{example}:{line}: ")
    assert words in text
    assert "\n" not in text


def test_files_that_are_none(tmp_path):
    with pytest.raises(FileError, match="nowhere: cannot be read: there is no such file; expected a map"):
        make("scotland-yard(map=nowhere)")
    odd = tmp_path / "odd"
    odd.write_bytes(b"\xff\xfe")
    with pytest.raises(FileError, match="odd: cannot be read: not a text"):
        make(f"scotland-yard(map='{odd}')")
    odd.write_bytes(b" " * 200_000)
    with pytest.raises(FileError, match="odd:1: found more than 100,000 bytes"):
        make(f"scotland-yard(map='{odd}')")
    odd.write_bytes(b"")
    with pytest.raises(FileError, match="odd:1: found 'the end', expected the number of nodes"):
        make(f"scotland-yard(map='{odd}')")


@pytest.mark.filterwarnings("ignore:scotland-yard")
@pytest.mark.parametrize("nodes", [12, 18, 24, 60])
def test_random_maps(nodes):
    drawn = [rings(nodes, seed) for seed in range(10)]
    assert len(set(drawn)) == 10
    for town in drawn:
        around, under = town.edges[0] + town.edges[1], town.edges[2]
        assert (len(around), len(under)) == (nodes, 3 * (nodes // 6) - 4)
        assert all(one // 6 != other // 6 for one, other in under)
        assert all(one // 6 == other // 6 for one, other in around)
        reached, fresh = {0}, [0]
        while fresh:
            found = set(town.neighbours[fresh.pop()]) - reached
            reached, fresh = reached | found, fresh + list(found)
        assert len(reached) == nodes
    game = make(f"scotland-yard(map=random, nodes={nodes}, seed=4)")
    assert make(str(game)) == game
    assert game.town == drawn[4]


def test_parity_is_warned_of_and_is_right():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in SIZES:
            make(f"scotland-yard(map={name})")
    possible = {}
    for seed in range(12):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            game = make(f"scotland-yard(map=random, nodes=12, seed={seed})")
        assert len(told) <= 1
        assert all("cannot be caught" in str(w.message) and "\n" not in str(w.message) for w in told)
        possible[seed] = not told
        table = forms.table(game)
        assert (CAUGHT in table.states) == possible[seed]
    assert len(set(possible.values())) == 2


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("cops=[0, 0, 1]", r"cops is \(0, 0, 1\), expected a list of different nodes from 0 to 17"),
        ("cops=[0, 18]", "cops is"),
        ("cops=[0.0, 1]", "cops is"),
        ("thief=0", "thief is 0, expected a node from 0 to 17 without a cop"),
        ("thief=18", "thief is 18"),
        ("capture=0", "capture is 0.0, expected a finite number above 0"),
        ("discount=1", "discount is 1.0, expected above 0 and below 1"),
        ("discount=-1", "discount is -1.0"),
        ("nodes=12", "nodes and seed are given with map=18, expected them with map=random only"),
        ("map=random, nodes=13", "nodes is 13 and seed 0, expected a multiple of 6"),
        ("map=random, nodes=6", "nodes is 6"),
        ("map=random, seed=-1", "seed -1"),
    ],
)
def test_parameters_are_checked(spec, words):
    with pytest.raises(SpecError, match=words):
        make(f"scotland-yard({spec})")


@pytest.mark.parametrize(
    "spec", ["scotland-yard(map=12)", "scotland-yard", "scotland-yard(map=24)", "scotland-yard(map=random, nodes=36)"]
)
def test_the_map_has_every_edge_and_no_node_on_another(spec):
    game = make(spec)
    state = next(iter(game.start()))[0].state
    root = ElementTree.fromstring(game.draw(state).svg)
    lines = [e for e in root if e.tag.endswith("path")]
    assert len(lines) == sum(len({frozenset(edge) for edge in edges}) for edges in game.town.edges) + len(TRANSPORTS)
    spots = [(float(e.get("cx")), float(e.get("cy"))) for e in root if e.tag.endswith("circle")]
    assert len(spots) == game.town.nodes
    assert min(math.dist(a, b) for a, b in combinations(spots, 2)) > 2 * PIECE
    assert float(root.get("width")) >= max(x for x, _ in spots) + PIECE
    assert float(root.get("height")) >= max(y for _, y in spots) + PIECE


def test_the_map_does_not_show_the_cops_where_the_thief_is():
    game = make("scotland-yard")
    cops, thief = next(iter(game.start()))[0].state
    elsewhere = next(node for node in range(game.town.nodes) if node not in (*cops, thief))
    assert game.draw((cops, thief), 0) == game.draw((cops, elsewhere), 0)
    assert game.draw((cops, thief), 1) != game.draw((cops, elsewhere), 1)
    assert f">T{thief}<" in game.draw((cops, thief)).svg
