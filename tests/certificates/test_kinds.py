"""The registry of kinds is the only list of them, and knows what the checker and the forms know."""

from __future__ import annotations

import pickle

import pytest

from fogbound import verify
from fogbound.certificates.exact import ExactKind
from fogbound.certificates.kinds import KINDS, exact_kind
from fogbound.core.errors import FileError
from fogbound.forms.protocol import FORMS
from tests.house.static import kind_lists

EXACT = [kind for kind in KINDS.values() if isinstance(kind, ExactKind)]


def test_kinds_are_listed_once():
    assert kind_lists() == ["fogbound/certificates/kinds.py KINDS"]


def test_the_checker_judges_these_kinds_and_no_others():
    """It imports nothing of Fogbound, so it has a list of its own, which it prints when it meets another kind."""
    header = {"version": 1, "kind": "other", "player": 0, "claim": dict.fromkeys(("lower", "upper"), "0x0.0p+0")}
    with pytest.raises(verify.Refused) as refusal:
        verify.check({**header, "form_sha256": verify.digest({})}, {}, {})
    known = str(refusal.value).partition("is not one of ")[2].split(", ")
    assert sorted(known) == sorted(kind.name for kind in EXACT)


def test_every_form_has_a_kind_that_certifies_its_answers():
    for name in FORMS:
        form = FORMS.load(name)
        assert (KINDS.certifying(form.certified_as) is None) == (form.certified_as == "nothing"), name
    for kind in EXACT:
        assert all(type(KINDS.certifying(name)) is type(kind) for name in kind.certifies)
        assert kind.form in FORMS


@pytest.mark.parametrize("kind", EXACT)
def test_a_kind_is_found_by_its_name_and_survives_a_process(kind):
    assert exact_kind(kind.name) is kind
    again = pickle.loads(pickle.dumps(kind))  # noqa: S301
    assert (again.name, again.form, again.wording, again.rate) == (kind.name, kind.form, kind.wording, kind.rate)


@pytest.mark.parametrize("name", ["other", "", "statistical"])
def test_an_unknown_kind_is_refused(name):
    with pytest.raises(FileError, match="which nobody knows"):
        exact_kind(name)
