"""What many pages share is made once: games, pictures, what was worked out; found by all that it follows from."""

from __future__ import annotations

from concurrent.futures import wait

import fogbound as fb
from fogbound.core.errors import FogboundError
from fogbound.web.site import MOST_GAMES
from fogbound.web.table.insights import Insights
from fogbound.web.table.pictures import Pictures
from tests.web.tables import look, play_out, serving, sit

OWN = '''
from dataclasses import dataclass
from fogbound.games.tiger import Tiger

@dataclass(frozen=True)
class Mine(Tiger):
    """As the tiger."""
'''


class Counting:
    """Rules that count how often they draw."""

    def __init__(self):
        self.game, self.times = fb.game("tiger"), 0

    def draw(self, state, player):
        self.times += 1
        return self.game.draw(state, player)


def test_a_board_is_drawn_once_for_all_who_see_the_same():
    pictures, game = Pictures(), Counting()
    first = pictures.drawn(game, "left", 0)
    assert pictures.drawn(game, "left", 0) is first
    assert game.times == 1
    assert pictures.drawn(game, "left", None) != first  # other eyes
    assert pictures.drawn(Counting(), "left", 0) is not first  # other rules
    assert game.times == 2


def test_pictures_that_nobody_looks_at_are_forgotten():
    game = fb.game("tiger")
    size = len(game.draw("left", None).svg)
    pictures = Pictures(most=3 * size)
    for state in ("left", "right"):
        for player in (None, 0):
            pictures.drawn(game, state, player)
            pictures.drawn(game, "left", None)
    assert 1 <= len(pictures) <= 3
    assert pictures.drawn(game, "left", None) is pictures.drawn(game, "left", None)


def test_a_game_is_made_once_and_one_from_a_file_each_time(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(OWN)
    with serving(tmp_path / "home", Mine=f"{path}:Mine()") as client:
        site = client.app.app.state.site
        assert site.game("po-nim") is site.game("po-nim")
        assert site.game("Mine") is not site.game("Mine")  # its file may have changed


def test_only_so_many_games_are_kept(tmp_path):
    with serving(tmp_path) as client:
        site = client.app.app.state.site
        site._games |= dict.fromkeys(map(str, range(MOST_GAMES)))
        assert site.game("tiger") is site.game("tiger")
        assert len(site._games) == MOST_GAMES


def test_two_games_that_went_alike_are_reviewed_once(tmp_path, monkeypatch):
    with serving(tmp_path) as client:
        client.table.insights.briefly = 60.0
        asked = []
        made = client.table.insights._pool.submit
        monkeypatch.setattr(
            client.table.insights._pool, "submit", lambda *given: (asked.append(given), made(*given))[1]
        )
        links = [sit(client, "rock-paper-scissors") for _ in range(12)]
        films = [play_out(client, link) for link in links]
        assert all("Moves that were best" in film for film in films)
        assert len(asked) <= 2 * 3  # a review and a level for each of the three ways that a game can go


def test_what_failed_for_one_seat_is_tried_again_for_another():
    insights = Insights()
    tries = []

    def work():
        tries.append(1)
        raise FogboundError("not today")

    first, second = (("one", 0), ("what",)), (("other", 0), ("what",))
    wait([insights._asked(first, work)])
    wait([insights._asked(first, work)])  # the same seat is told the same
    assert len(tries) == 1
    wait([insights._asked(second, work)])
    assert len(tries) == 2
    assert not insights.waiting(("one", 0))
    insights.close()


def test_the_page_of_a_seat_is_the_same_with_and_without_pictures_at_hand(tmp_path):
    with serving(tmp_path) as client:
        link = sit(client, "tiger")
        page = look(client, link)
        assert look(client, link) == page
        client.table.pictures = Pictures(most=0)
        assert look(client, link) == page
