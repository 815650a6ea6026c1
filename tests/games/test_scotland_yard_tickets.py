"""Scotland Yard with the cops' tickets counted: rules and values by hand, two ways to solve, sizes, who can meet."""

from __future__ import annotations

import warnings
from random import Random

import pytest

from fogbound import files, forms
from fogbound.cli.main import main
from fogbound.core import FormError, Observation, SpecError
from fogbound.forms.player_view import NOT_ASKED, OVER, legal_by_state
from fogbound.games import make
from fogbound.games.scotland_yard.game import CAUGHT, COPS, ESCAPED, THIEF
from fogbound.games.scotland_yard.maps import read_town
from fogbound.games.scotland_yard.town import rounds
from fogbound.solvers import make as make_solver
from fogbound.solvers.one_sided.bounds import OneSidedBounds
from fogbound.solvers.one_sided.heuristic_search import TrialSearch
from fogbound.testing import check_game
from fogbound_papers.d002.sizes import TICKETS, map_of, with_tickets
from tests.run import solve

SQUARE = "4\n0 1, 1 2\n2 3, 3 0\n-\n1\n0 2\n0.9"  # two sides by taxi, two by bus; the cop opposite to the thief
TRIANGLE = "3\n0 1, 1 2, 2 0\n-\n-\n1\n0 1\n0.9"
DEAD_END = "5\n0 4, 0 1\n2 3\n-\n2\n0 2 4\n0.9"  # the thief in 4 can only go to 0
TOWN = "5\n0 1, 0 2, 1 3, 1 4, 2 3, 3 4\n0 4\n2 4\n2\n2 4 1\n0.95"  # document 002, section 3.2.1


@pytest.fixture
def hunt(tmp_path):
    def on(text, parameters):
        path = tmp_path / "map.txt"
        path.write_text(text)
        return make(f"scotland-yard(map='{path}', {parameters})")

    return on


def bounds(form, gap=1e-6):
    known = OneSidedBounds(form)
    for _ in range(200):
        if known.interval()[1] - known.interval()[0] <= gap:
            break
        TrialSearch(known).explore(gap)
    return known.interval()


def value(game):
    """What the one-sided search says, and the linear program over all that both can know says the same."""
    lower, upper = bounds(forms.one_sided(game))
    exact = solve(make_solver("sequence-lp"), forms.sequence(game), certified=False).value
    assert lower - 1e-6 <= exact <= upper + 1e-6
    assert upper - lower < 1e-4
    return exact


@pytest.mark.parametrize(
    ("town", "parameters", "worth"),
    [
        (SQUARE, "tickets=[1, 1, 0]", 50),  # a guess; then the one ticket left is for the other transport
        (SQUARE, "tickets=[2, 0, 0]", 45),  # the first ride is known, the second a guess
        (SQUARE, "tickets=[2, 1, 0]", 10_000 / (200 - 45)),  # to miss by taxi leaves a guess, to miss by bus nothing
        (SQUARE, "tickets=[2, 1, 0], discount=1", 10_000 / (200 - 50)),
        (SQUARE.replace("1 2\n2 3, 3 0", "1 2, 2 3, 3 0\n-"), "tickets=[3, 0, 0]", 50 * (1 + 0.45 + 0.45**2)),
        (SQUARE.replace("1 2\n2 3, 3 0", "1 2, 2 3, 3 0\n-"), "tickets=[4, 0, 0], discount=1", 100 * (1 - 0.5**4)),
        (TRIANGLE, "tickets=[3, 0, 0]", 0),  # he goes where the cop comes from
        (DEAD_END, "tickets=[0, 1, 0]", 100),  # he must go to a cop who cannot move, while another can
    ],
)
def test_values_by_hand(hunt, town, parameters, worth):
    assert value(hunt(town, parameters)) == pytest.approx(worth, abs=1e-4)


@pytest.mark.parametrize(
    "parameters",
    [
        "tickets=[2, 1, 1]",
        "tickets=[2, 1, 1], discount=1",
        "tickets=[2, 1, 1], transport_seen=false",
        "tickets=[3, 1, 1], cops=[0], thief=3",
        "tickets=[1, 2, 2], cops=[0, 3], thief=2, capture=7, discount=0.5",
    ],
)
def test_two_ways_to_solve_agree(hunt, parameters):
    game = hunt(TOWN, parameters)
    assert 0 < value(game) < game.capture


def test_fewer_tickets_are_worth_no_more_and_none_at_all_is_over_at_once(hunt):
    worth = [value(hunt(TOWN, f"tickets=[{taxis}, 1, 0]")) for taxis in range(4)]
    assert worth == sorted(worth)
    assert worth[0] < worth[-1]
    with pytest.warns(UserWarning, match="no cop from .* is ever where the thief"):
        none = hunt(TOWN, "tickets=[0, 0, 0]")
    assert [outcome.state for outcome, _ in none.start().pairs] == [ESCAPED]
    with pytest.raises(FormError, match="over before the first step, with value 0"):
        forms.one_sided(none)


def test_a_game_by_hand(hunt):
    game = hunt(TOWN, "tickets=[1, 1, 0]")
    ((start, _),) = game.start().pairs
    assert start.state == ((2, 4), 1, ((1, 1, 0), (1, 1, 0)))
    assert game.actions(start.state, COPS) == (
        ("taxi 0", "taxi 1"),
        ("taxi 0", "taxi 3"),
        ("taxi 3", "bus 0"),
        ("taxi 3", "taxi 1"),
    )
    assert game.actions(start.state, THIEF) == ("taxi 0", "taxi 3", "taxi 4")
    ((outcome, _),) = game.step(start.state, (("taxi 3", "bus 0"), "taxi 4")).pairs
    assert outcome.state == ((0, 3), 4, ((1, 0, 0), (0, 1, 0)))  # in the order of the nodes, tickets with their cop
    assert outcome.observation(COPS) == Observation("taxi", None)
    assert outcome.observation(THIEF) == Observation("taxi", ((0, 3), ((1, 0, 0), (0, 1, 0))))
    moves = game.actions(outcome.state, COPS)
    assert moves == (("taxi 1", "stay 3"), ("taxi 2", "stay 3"))  # from 3 no bus goes
    ((caught, _),) = game.step(outcome.state, (moves[0], "taxi 3")).pairs
    assert (caught.state, caught.rewards) == (CAUGHT, (100, -100))
    ((fled, _),) = game.step(outcome.state, (moves[0], "bus 0")).pairs
    assert (fled.state, fled.rewards, fled.public) == (ESCAPED, (), "escaped")  # the bus ticket left is of no use
    assert game.actors(ESCAPED) == game.actors(CAUGHT) == ()


def test_cops_are_interchangeable_with_their_tickets():
    ring = read_town(SQUARE.replace("1 2\n2 3, 3 0", "1 2, 2 3, 3 0\n-"), "here")
    assert rounds(ring, ((0, 2), ((1, 0, 0), (1, 0, 0)))) == {("taxi 1", "taxi 3"): ((1, 3), ((0, 0, 0), (0, 0, 0)))}
    assert set(rounds(ring, ((0, 2), ((1, 0, 0), (2, 0, 0)))).values()) == {
        ((1, 3), ((0, 0, 0), (1, 0, 0))),
        ((1, 3), ((1, 0, 0), (0, 0, 0))),
    }
    assert rounds(ring, ((0, 2), ((0, 5, 5), (0, 0, 0)))) == {}
    assert rounds(ring, ((0, 1), ((0, 0, 0), (1, 0, 0)))) == {("stay 0", "taxi 2"): ((0, 2), ((0, 0, 0), (0, 0, 0)))}


def test_the_game_ends_by_itself_and_both_know_what_they_must(hunt):
    game = hunt(TOWN, "tickets=[2, 1, 1], discount=1")
    assert all(finding.mark == "ok" for finding in check_game(game))
    table = forms.table(game)
    assert all(state[0] == tuple(sorted(state[0])) for state in table.states)
    assert {len(states) for states in forms.knowledge(table, THIEF).sets} == {1}
    for states in forms.knowledge(table, COPS).sets:
        assert len({*legal_by_state(table, COPS)[list(states)].tolist()} - {NOT_ASKED, OVER}) <= 1
        assert len({(table.states[state][0], *table.states[state][2:]) for state in states}) == 1
    assert max(map(len, forms.knowledge(table, COPS).sets)) > 1


@pytest.mark.slow
def test_the_document_s_example_of_size():
    """Section 3.1.2: a 3 x 4 grid, two cops with 7 tickets, roughly 600,000 states and 15 million transitions."""
    assert with_tickets(map_of(12), TICKETS) == (594_000, 15_079_146)
    table = forms.table(make("scotland-yard(map=12, tickets=[4, 2, 1])"))
    assert (table.size - 2, len(table.out) - 2) == (34_287, 650_058)  # what can be reached, without the two ends


def drawn(random):
    """A small connected town, one or two cops with few tickets."""
    nodes = random.randrange(4, 7)
    edges = {(random.randrange(at), at) for at in range(1, nodes)}
    edges |= {tuple(sorted(random.sample(range(nodes), 2))) for _ in range(random.randrange(2))}
    kinds = [[edge for edge in sorted(edges) if (edge[0] + edge[1]) % 2 == kind] for kind in (0, 1)]
    lines = [", ".join(f"{one} {other}" for one, other in kind) or "-" for kind in kinds]
    cops = random.randrange(1, 3)
    places = " ".join(map(str, random.sample(range(nodes), cops + 1)))
    return (
        "\n".join([str(nodes), *lines, "-", str(cops), places, "0.95"]),
        random.randrange(4),
        random.randrange(3),
        cops,
    )


def test_who_cannot_be_caught_is_warned_of(hunt):
    random, met = Random(5), []
    for _ in range(150):
        text, taxis, buses, cops = drawn(random)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            game = hunt(text, f"tickets=[{taxis}, {buses}, 0]")
        assert all("he cannot be caught" in str(w.message) and "\n" not in str(w.message) for w in told)
        possible = CAUGHT in forms.table(game).states
        met.append((possible, not told, cops))
    assert {(True, True, cops) for cops in (1, 2)} | {(False, False, cops) for cops in (1, 2)} <= set(met)
    odd = [one for one in met if one[0] != one[1]]
    assert set(odd) <= {(True, False, 2)}  # two cops were in each other's way, which the warning excepts
    assert len(odd) <= 3


def test_a_cop_who_stops_changes_the_parity(hunt):
    """The cop in 3 has no bus; the one in 0 goes on by bus, so the thief in 4 must step to 3 or 5."""
    line = "6\n3 4, 4 5\n0 1, 1 2\n-\n2\n0 3 4\n0.95"
    with pytest.warns(UserWarning, match="no walk of an even number"):
        hunt(line.replace("0 1, 1 2", "0 1"), "cops=[3]")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        game = hunt(line, "tickets=[0, 2, 0]")
    assert CAUGHT in forms.table(game).states
    assert value(game) == pytest.approx(0, abs=1e-6)  # he can, but need not: 5 is free, and then it is over
    assert value(hunt(line.replace("4\n0.95", "5\n0.95"), "tickets=[1, 2, 0]")) > 0


@pytest.mark.parametrize("spec", ["map=12, tickets=[1, 1, 1]", "map=12"])
def test_what_is_converted_is_worth_the_same(tmp_path, spec):
    game, target = f"scotland-yard({spec})", tmp_path / "hunt.osposg"
    assert main(["convert", game, str(target)]) == 0
    known = [OneSidedBounds(form) for form in (forms.one_sided(make(game)), files.read_one_sided(target))]
    for each in known:
        for _ in range(10):
            TrialSearch(each).explore(1.0)
    (lower, upper), (again, above) = (each.interval() for each in known)
    assert max(lower, again) <= min(upper, above) + 1e-6
    assert (again, above) == pytest.approx((lower, upper), abs=0.5)


def test_boards_and_words(hunt):
    game = hunt(TOWN, "tickets=[1, 1, 0]")
    ((start, _),) = game.start().pairs
    text = game.board(start.state, COPS).text()
    assert "T1" not in text
    assert text.endswith("tickets of C2: 1 taxi, 1 bus, 0 underground\ntickets of C4: 1 taxi, 1 bus, 0 underground")
    assert "T1" in game.board(start.state, THIEF).text()
    assert game.board(ESCAPED).text() == "The thief has escaped."
    assert game.describe(("taxi 3", "stay 4")) == "taxi to 3 and stay in 4"
    assert make(str(game)) == game


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("tickets=[1, 2]", r"tickets is \(1, 2\), expected how many each cop has for taxi, bus, underground"),
        ("tickets=[1, 2, -1]", "tickets is"),
        ("tickets=[1, 2, 1.0]", "tickets is"),
        ("tickets=true", "'tickets' is True"),
        ("tickets=[1, 1, 1], discount=1.5", "discount is 1.5, expected above 0 and at most 1"),
        ("discount=1", "discount is 1.0, expected above 0 and below 1"),
    ],
)
def test_parameters_are_checked(spec, words):
    with pytest.raises(SpecError, match=words):
        make(f"scotland-yard({spec})")
