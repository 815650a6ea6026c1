"""Every kind of certificate has words for people."""

from fogbound.binding import BINDERS
from fogbound.cli.verify import MEANING


def test_every_kind_that_can_be_verified_is_put_in_words():
    assert MEANING.keys() == BINDERS.keys()
