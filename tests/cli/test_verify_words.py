"""Every kind of certificate has words for people."""

from fogbound.binding.binders import BINDERS
from fogbound.cli.verify import MEANING


def test_every_kind_that_can_be_verified_is_put_in_words():
    assert MEANING.keys() == BINDERS.keys()


def test_every_kind_of_certificate_is_told_in_words():
    from fogbound.binding.binders import BINDERS
    from fogbound.certify import EFFORTS
    from fogbound.cli.verify import MEANING

    assert set(MEANING) == set(BINDERS) == set(EFFORTS)
