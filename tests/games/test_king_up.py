"""King Up: the stages by hand, what is seen and scored, document 004's settings and positions, exact figures."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache
from itertools import combinations, product
from math import factorial, prod
from statistics import fmean

import pytest

import fogbound as fb
from fogbound.core import Observation, SpecError
from fogbound.games import make
from fogbound.games.king_up.game import OFF, OVER, windows
from fogbound.games.king_up.positions import FIGURES, position
from fogbound.testing import check_game
from fogbound.transforms.subgame import StartAt
from tests.test_forms_agree import assert_same_tree, assert_values_agree

TINY = "seats=2, pieces=3, targets=1, height=2, width=2, rounds=1"
SPECS = [
    f"king-up({TINY})",
    "king-up(seats=2, pieces=3, targets=2, height=3, width=1, rounds=1, lists=any)",
    "king-up(pieces=3, targets=1, height=2, width=2, rounds=1)",
    "king-up(seats=2, pieces=3, targets=2, height=3, width=2, rounds=1, ground=rest, rejections=2)",
]
ABCD = ("ABCD", "BCDE", "CDEF")


def after(game, state, *joints):
    """The last outcome of some steps."""
    for joint in joints:
        ((outcome, p),) = game.step(state, joint).pairs
        assert p == 1
        state = outcome.state
    return outcome


def dealt(game, lists=ABCD):
    """The beginning with these lists."""
    return next(outcome.state for outcome, _ in game.start() if outcome.state[0] == lists)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("spec", SPECS)
def test_contract(spec):
    assert all(finding.mark == "ok" for finding in check_game(make(spec)))


@pytest.mark.slow
@pytest.mark.parametrize("spec", [SPECS[0], f"king-up({TINY}, ground=set, rejections=2, bonus=1)"])
def test_forms_agree(spec):
    assert_same_tree(make(spec))
    assert_values_agree(make(spec), seed=1)


def test_the_deal_is_one_of_210_and_each_sees_its_own_list():
    game = make("king-up")
    deals = game.start()
    assert len(deals) == 210
    assert deals.fault() is None
    for outcome, _ in deals:
        lists = outcome.state[0]
        assert len(set(lists)) == 3
        assert set(lists) <= set(windows(7, 4))
        assert [outcome.observation(i) for i in range(3)] == [Observation(None, own) for own in lists]


def test_windows_close_the_alphabet_to_a_ring():
    assert windows(7, 4) == ("ABCD", "BCDE", "CDEF", "DEFG", "AEFG", "ABFG", "ABCG")
    assert windows(3, 3) == ("ABC",)
    listed = {own for lists, _, _ in FIGURES.values() for own in lists.split()}
    assert listed <= set(windows(7, 4))  # all cards of document 004's appendix


def test_pieces_are_set_in_turn_on_levels_with_room():
    game = make("king-up")
    state = dealt(game)
    assert game.actors(state) == (0,)
    assert set(game.actions(state, 0)) == {f"{letter} {level}" for letter in "ABCDEFG" for level in range(4)}
    outcome = after(game, state, ("A 3",), ("B 3",), ("C 3",))
    assert outcome.observation(1) == Observation("C 3", None)
    assert game.actors(outcome.state) == (0,)
    assert set(game.actions(outcome.state, 0)) == {f"{letter} {level}" for letter in "DEFG" for level in range(3)}
    low = after(game, state, ("A 0",), ("B 0",), ("C 0",), ("D 0",)).state  # level 0 holds any number
    assert "E 0" in game.actions(low, 1)
    assert after(game, low, ("E 0",), ("F 0",)).state == (ABCD, (0, 0, 0, 0, 0, 0, OFF), (1, 1, 1), 0, 0)


def test_pieces_are_pushed_by_one_level_unless_it_is_full():
    game = make("king-up")
    state = (ABCD, (4, 4, 4, 3, 2, 0, OFF), (1, 1, 1), 1, 0)
    assert game.actors(state) == (1,)
    assert game.actions(state, 1) == ("A", "B", "C", "E", "F")  # level 4 is full, G is off the board
    assert after(game, state, ("F",)).state == (ABCD, (4, 4, 4, 3, 2, 1, OFF), (1, 1, 1), 2, 0)


VOTE = (ABCD, (5, 4, 4, 3, 0, 0, OFF), (1, 0, 1), 1, 0)


def test_all_vote_on_the_throne_and_only_cards_say_no():
    game = make("king-up")
    before = (ABCD, (4, 4, 4, 3, 0, 0, OFF), (1, 0, 1), 1, 0)
    assert after(game, before, ("A",)).state == VOTE
    assert game.actors(VOTE) == (0, 1, 2)
    assert [game.actions(VOTE, i) for i in range(3)] == [("yes", "no"), ("yes",), ("yes", "no")]


def test_every_no_costs_its_card_and_the_next_player_pushes():
    game = make("king-up")
    outcome = after(game, VOTE, ("no", "yes", "no"))
    assert outcome.state == (ABCD, (OFF, 4, 4, 3, 0, 0, OFF), (0, 0, 0), 2, 0)
    assert outcome.rewards == ()
    assert outcome.public == "no yes no"
    assert after(game, VOTE, ("yes", "yes", "no")).state[2:4] == ((1, 0, 0), 2)


def test_yes_from_all_ends_the_game_and_lists_are_scored():
    game = make("king-up")
    outcome = after(game, VOTE, ("yes", "yes", "yes"))
    assert outcome.state == OVER
    assert game.actors(OVER) == ()
    assert outcome.rewards == (21 / 50, 11 / 50, 7 / 50)  # ABCD: 10 + 4 + 4 + 3, BCDE: 4 + 4 + 3 + 0, CDEF


def test_scores():
    game = make("king-up")
    assert game.scores(("ABCD",), (5, 4, 4, 4, 0, 0, OFF)) == [22]  # document 004, section 4.1: the most there is
    assert game.scores(("DEFG", "ABCD"), (3, 4, OFF, 0, OFF, OFF, OFF)) == [15, 7]  # the bonus, a piece on level 0
    assert game.scores(("DEFG",), (3, 4, 1, OFF, OFF, OFF, OFF)) == [15]
    game = make("king-up(bonus=3, top=20, unit=1)")
    assert game.scores(("ABCD", "EFG"), (5, 1, 0, 0, 0, 0, OFF)) == [21, 3]


def test_an_empty_board_ends_the_game():
    game = make(f"king-up({TINY}, rejections=2)")
    state = (("A", "B"), (OFF, 2, OFF), (1, 1), 0, 0)
    outcome = after(game, state, ("no", "yes"))
    assert outcome.state == OVER
    assert outcome.rewards == (0.3, 0.3)


def test_the_board_game():
    game = make("king-up(setting=full)")
    assert (game.pieces, game.targets, game.height, game.width, game.rounds, game.rejections) == (13, 6, 6, 4, 4, 4)
    assert [make(f"king-up(setting=full, seats={n})").rounds for n in (3, 4, 5)] == [4, 3, 2]
    assert [make(f"king-up(setting=full, seats={n})").rejections for n in (3, 4, 5)] == [4, 3, 2]
    state = dealt(game, ("ABCDEF", "BCDEFG", "CDEFGH"))
    assert {action[-1] for action in game.actions(state, 0)} == set("1234")
    words = [(f"{letter} {1 + at // 3}",) for at, letter in enumerate("ABCDEFGHIJKL")]
    assert after(game, state, *words).state[1] == (1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 0)  # M is left


def test_the_small_setting_is_table_4_1_and_has_room_for_six():
    game = make("king-up")
    assert (game.seats, game.pieces, game.targets, game.height, game.width) == (3, 7, 4, 5, 3)
    assert (game.rounds, game.rejections, game.bonus, game.top, game.unit) == (2, 1, 15, 10, 50)
    assert [make(f"king-up(seats={n})").rounds for n in range(2, 7)] == [2, 2, 1, 1, 1]
    assert make("king-up(seats=6)").players[-1] == "sixth"


@pytest.mark.parametrize("spec", ["king-up", "king-up(setting=full, seats=4)", SPECS[3]])
def test_the_spec_says_all(spec):
    game = make(spec)
    assert make(str(game)) == game
    assert "-1" not in str(game)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ("seats=0", "seats is 0, expected 2 to 6"),
        ("seats=1", "seats is 1, expected 2 to 6"),
        ("seats=7", "seats is 7, expected 2 to 6"),
        ("setting=huge", "setting is 'huge' with 3 seats"),
        ("setting=full, seats=2", "full for 3 to 6"),
        ("setting=full, seats=6", "1,235,520 ways, expected 1 to 200,000"),
        ("pieces=27", "pieces is 27"),
        ("targets=8", "targets is 8, expected 1 to the number of pieces, 7"),
        ("targets=7", "1 lists can be dealt to 3 players in 0 ways"),
        ("height=1", "height is 1"),
        ("width=0", "width is 0"),
        ("rounds=3", "rounds is 3, expected at least 1, with up to 7 pieces to be set by 3 players"),
        ("height=2, ground=rest", "rounds is 2"),
        ("ground=air", "ground is 'air'"),
        ("rejections=-2", "rejections is -2"),
        ("lists=some", "lists is 'some'"),
        ("lists=any, pieces=26, targets=13", "ways, expected 1 to 200,000"),
        ("bonus=-1", "bonus is -1"),
        ("unit=0", "unit is 0"),
    ],
)
def test_what_cannot_be_played_is_refused(parameters, words):
    with pytest.raises(SpecError, match="king-up: ") as caught:
        make(f"king-up({parameters})")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_words_for_actions():
    game = make("king-up")
    assert [game.describe(word) for word in ("A 2", "A", "no")] == ["set A on level 2", "push A up", "vote no"]


def test_the_board_shows_levels_cards_and_the_own_list_only():
    game = make("king-up")
    lists, *rest = VOTE
    text = game.board(VOTE, 0).text()
    assert text.splitlines() == [
        "throne   A",
        "level 4  B C ·",
        "level 3  D · ·",
        "level 2  · · ·",
        "level 1  · · ·",
        "level 0  E F",
        "off      G",
        "all vote on A, pushed by second; cards for no: first 1, second 0, third 1",
        "list of first: ABCD",
    ]
    assert game.board((("ABCD", "ABFG", "DEFG"), *rest), 0) == game.board(VOTE, 0)
    assert game.board((("ABFG", *lists[1:]), *rest), 0) != game.board(VOTE, 0)
    assert all(own in game.board(VOTE).text() for own in lists)
    assert "over" in game.board(OVER, 0).text()


def test_turning_and_mirroring_the_ring_of_letters_changes_nothing_but_names():
    game = make("king-up")
    states = [dealt(game), (ABCD, (4, 4, 4, 3, 2, 0, OFF), (1, 1, 1), 1, 0), VOTE]
    turned = {letter: "ABCDEFG"[(2 - at) % 7] for at, letter in enumerate("ABCDEFG")}

    def word(action):
        return action if action in ("yes", "no") else turned[action[0]] + action[1:]

    def renamed(state):
        lists, levels, *rest = state
        placed = dict(zip((turned[letter] for letter in "ABCDEFG"), levels))
        own = tuple("".join(sorted(turned[letter] for letter in names)) for names in lists)
        return (own, tuple(placed[letter] for letter in "ABCDEFG"), *rest) if levels else state

    deals = {outcome.state for outcome, _ in game.start()}
    assert {renamed(state) for state in deals} == deals
    for state in states:
        actors = game.actors(state)
        legal = [game.actions(state, i) for i in actors]
        assert [sorted(map(word, words)) for words in legal] == [
            sorted(game.actions(renamed(state), i)) for i in actors
        ]
        for joint in product(*legal):
            one, other = after(game, state, joint), after(game, renamed(state), tuple(map(word, joint)))
            assert renamed(one.state) == other.state
            assert one.rewards == other.rewards


# Document 004's positions.


def test_which_positions_play_can_reach():
    """Gone pieces were rejected, each by a card or more, but for the one that nobody set."""
    game = make("king-up")
    impossible = set()
    for figure in FIGURES:
        _, levels, cards, _, _ = position(game, figure, 0)
        rejected, spent = levels.count(OFF) - 1, 3 - sum(cards)
        crowded = max(Counter(level for level in levels if level > 0).values()) > game.width
        if crowded or rejected > spent or (spent > 0 and not rejected):
            impossible.add(figure)
    assert impossible == {"4.1", "4.4", "4.9", "4.12"}  # 4.12 is possible before the last piece is set


def test_at_figure_8_the_second_player_gets_the_bonus_exactly():
    """Pushing B ends the game, as nobody can say no, with D on level 0: 15 points, and D alone never brings more."""
    game = make("king-up")
    start = position(game, "4.8", 1)
    outcome = after(game, start, ("B",), ("yes", "yes", "yes"))
    assert outcome.state == OVER
    assert outcome.rewards[1] == 0.3
    assert fb.solve(StartAt(game, start), player=1, against="uniform").value == 0.3


def test_a_figure_is_a_game_for_the_one_who_pushes():
    game = make("king-up-figure(figure=8, mover=second)")
    base, (_, *board) = make("king-up"), position(make("king-up"), "4.8", 1)
    deals = game.start()
    assert deals.fault() is None
    assert len(deals) == 30  # of the six lists that are left to two players
    for outcome, _ in deals:
        assert outcome.state == (outcome.private, *board)
        assert outcome.private[1] == "DEFG"
        assert game.actions(outcome.state, 1) == base.actions(outcome.state, 1) == ("A", "B", "D")
    assert make(str(game)) == game
    assert fb.solve(game, player=1, against="uniform").value == pytest.approx(0.3, abs=1e-12)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ("figure=0", "figure is 0, expected 1 to 12"),
        ("figure=13", "figure is 13, expected 1 to 12"),
        ("mover=fourth", "mover is 'fourth', expected first, second, third"),
        ("seats=2", "seats is 2, expected 3"),
        ("height=6", "height is 6, expected 5"),
        ("lists=any", "lists is any, expected windows"),
    ],
)
def test_figures_that_are_none_are_refused(parameters, words):
    with pytest.raises(SpecError, match=words):
        make(f"king-up-figure({parameters})")


# Exact figures of the small setting. Its moves do not look at lists and treat all letters alike, so a public state
# stands for all in which some letters have changed places: with these sorted by level, thousands are left of millions.


def merged(state, own):
    """A state without lists, its first `own` letters sorted by level, and so the others."""
    _, levels, *rest = state
    return ((), (*sorted(levels[:own]), *sorted(levels[own:])), *rest) if levels else OVER


def ways(game, state, own):
    """For each actor's choices the states that follow, or the levels on which the game ends: (joint, what follows)."""
    lists = ("", "", "")
    for joint in product(*(game.actions(state, i) for i in game.actors(state))):
        following = after(game, (lists, *state[1:]), joint).state
        yield joint, merged(following, own) if following != OVER else state[1]


def small():
    """The small setting, and where it begins for whoever looks only at the board."""
    game = make("king-up")
    return game, merged(dealt(game), 0)


def test_public_states():
    """7,542,403 of them where the piece that nobody set is told from rejected ones, which no rule asks for."""
    game, start = small()
    met, fresh = {start}, [start]
    while fresh:
        state = fresh.pop()
        new = {following for _, following in ways(game, state, 0) if len(following) == len(start)} - met
        met |= new
        fresh += new
    counts, told_apart = Counter(), Counter()
    for _, levels, _, _, left in met:
        stage = "set" if left else "vote" if game.height in levels else "push"
        alike = factorial(7) // prod(map(factorial, Counter(levels).values()))
        counts[stage] += alike
        told_apart[stage] += alike * (1 if left else levels.count(OFF))
    assert told_apart == {"set": 31_956, "push": 3_822_931, "vote": 3_687_516}
    assert told_apart.total() == 7_542_403
    assert counts == {"set": 31_956, "push": 1_920_835, "vote": 1_913_226}


def test_random_play_earns_as_much_in_every_seat():
    """Whoever plays at random does so whatever its list is, so the score is that of any four letters on the average."""
    game, start = small()
    fours = tuple(map("".join, combinations(game.letters, 4)))

    @cache
    def value(state):
        found = []
        for _, following in ways(game, state, 0):
            over = len(following) == game.pieces
            found.append(fmean(game.scores(fours, following)) if over else value(following))
        return fmean(found)

    assert value(start) == pytest.approx(10.921919, abs=5e-7)


@pytest.mark.slow
def test_best_replies_to_two_random_players():
    """Random players reveal nothing, so that a best reply looks only at the board and the own list, here ABCD."""
    game, start = small()

    @cache
    def value(state):
        """To the first player. That another seat looks is that another player began."""
        found = defaultdict(list)
        for joint, following in ways(game, state, 4):
            over = len(following) == game.pieces
            asked = game.actors(state)[0] == 0
            score = game.scores(("ABCD",), following)[0] if over else value(following)
            found[joint[0] if asked else ""].append(score)
        return max(map(fmean, found.values()))

    values = [value((*start[:3], -seat % 3, start[4])) for seat in range(3)]
    assert values == pytest.approx([16.647869, 16.787910, 16.981498], abs=5e-7)
