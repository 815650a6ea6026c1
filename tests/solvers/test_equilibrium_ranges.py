"""Between which probabilities all equilibria play: what is pinned down is, and random equilibria lie inside."""

from __future__ import annotations

import pytest

import fogbound as fb
from fogbound import forms
from fogbound.core.errors import FormError
from fogbound.solvers.linear_programs.optimal_strategies import equilibrium_ranges, fullest_equilibrium


def test_the_dealer_of_8_card_poker():
    """Pinned by exact rational programs: after a check a 2 bets one time in six, a 5 every second time."""
    form = forms.sequence(fb.game("card-poker(ranks=8)"))
    found = equilibrium_ranges(form, 1, 1 / 16)
    known = form.decisions
    by_hand = {}
    for infoset, span in found.items():
        history = known.history(1, int(known.set_memory[infoset]))
        by_hand[history[0].private, history[-1][1].public] = span
    for rank, bets in {1: 1, 2: 1 / 6, 3: 0, 4: 0, 5: 1 / 2, 6: 1, 7: 1, 8: 1}.items():
        assert by_hand[rank, "check"] == pytest.approx((bets, bets), abs=1e-6)


def test_equilibria_lie_inside():
    form = forms.sequence(fb.game("card-poker(ranks=8)"))
    inside = fullest_equilibrium(form, (-1 / 16, 1 / 16))
    for player, value in ((0, -1 / 16), (1, 1 / 16)):
        plex = form.plexes[player]
        found = equilibrium_ranges(form, player, value)
        for infoset, first, size in zip(plex.sets.tolist(), plex.first.tolist(), plex.size.tolist()):
            low, high = found[infoset]
            assert low - 1e-6 <= inside[player].behaviour[first + size - 1] <= high + 1e-6


def test_a_general_sum_is_refused():
    game = fb.game("selten-horse")
    with pytest.raises(FormError, match="3 players, expected 2"):
        equilibrium_ranges(forms.sequence(game), 0, 0.0)
