"""Cancelling: a token stops what it stands around, in its own thread, wherever forms are built."""

from __future__ import annotations

import pickle
import threading

import pytest

from fogbound import forms
from fogbound.core.cancel import Cancel, ambient, cancelling, cancelling_only, check, stopping
from fogbound.core.errors import Stopped
from fogbound.evaluation import behaviour
from fogbound.games import make
from fogbound.policies import Uniform
from tests.counting import Counting


def cancelled(reason="cancelled"):
    token = Cancel()
    token.set(reason)
    return token


def test_nothing_stops_what_no_token_stands_around():
    check()
    assert (ambient(), stopping()) == ((), "")
    with cancelling(Cancel()):
        check()


def test_the_first_reason_stays():
    token = cancelled("interrupted")
    token.set("cancelled")
    with cancelling(token), pytest.raises(Stopped) as caught:
        check()
    assert caught.value.reason == "interrupted"
    assert str(caught.value) == "stopped (interrupted)"
    check()  # outside


def test_tokens_add_up_unless_somebody_answers_for_them():
    outer, inner = cancelled("outer"), Cancel()
    with cancelling(outer), cancelling(inner):
        assert ambient() == (outer, inner)
        assert stopping() == "outer"
        with cancelling_only(inner):
            check()


def test_a_token_is_for_its_own_thread():
    found = []
    with cancelling(cancelled()):
        thread = threading.Thread(target=lambda: found.append(stopping()))
        thread.start()
        thread.join()
    assert found == [""]


def test_an_error_from_another_process_keeps_its_reason():
    error = pickle.loads(pickle.dumps(Stopped("seconds", "stopped while counting")))  # noqa: S301
    assert (error.reason, str(error)) == ("seconds", "stopped while counting")


POKER, HUNT = make("leduc"), make("pursuit(columns=3)")
BUILDERS = {  # what it is built from, and how
    "table": (lambda: POKER, forms.table),
    "tree": (lambda: forms.table(POKER), forms.tree),
    "sequence": (lambda: forms.tree(POKER), forms.sequence),
    "normal": (lambda: forms.sequence(make("king-ace")), forms.normal),
    "pomdp": (lambda: forms.table(POKER), lambda table: forms.pomdp(table, 0, {1: Uniform()})),
    "belief": (lambda: forms.pomdp(POKER, 0, {1: Uniform()}), forms.belief_mdp),
    "one-sided": (lambda: forms.table(HUNT), forms.one_sided),
    "behaviour": (lambda: forms.sequence(POKER), lambda form: behaviour(form, 0, Uniform())),
}


@pytest.mark.parametrize("name", BUILDERS)
def test_every_builder_can_be_stopped(name):
    source, build = BUILDERS[name]
    given = source()
    with cancelling(cancelled()), pytest.raises(Stopped):
        build(given)
    build(given)


def test_an_enumeration_without_end_ends_soon_after_it_is_cancelled():
    cancel = Cancel()
    game = Counting(cancel)
    with cancelling(cancel), pytest.raises(Stopped):
        forms.table(game, limit=10**8)
    assert 1_000 <= game.last < 5_000
