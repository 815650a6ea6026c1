"""How large the hunts of document 002 are: what of its text can be checked without its maps."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fogbound.files.osposg.writer import dumps_osposg
from fogbound.forms.one_sided.form import OneSided
from fogbound_papers.claim import Claim, verdict
from fogbound_papers.d002.hunts import Hunt
from fogbound_papers.d002.study import Study

FEWER = 0.69  # of the file is gone with 70 % of the actions


def claims(study: Study) -> Iterator[Claim]:
    own = study.hunt(18)
    triples = len(own.form.reward)
    yield states_of_18(own.form)
    words = "a state with an action of either player; cops in one node would give more"
    holds = 400_000 < triples < 500_000
    yield Claim("#18: transitions and rewards", "§ 4.1", "over 400,000", f"{triples:,}", verdict(holds), words)
    whole, part = file_sizes(own, 30)
    gone = 1 - part / whole
    words = f"our .osposg file of {whole / 1e6:.1f} MB has {part / 1e6:.1f} MB without the lines about those actions"
    holds = abs(gone - FEWER) < 0.02
    yield Claim("70 % fewer actions, a file that much smaller", "§ 4.1", "69 %", f"{gone:.0%}", verdict(holds), words)
    counts = ", ".join(f"{len(study.hunt(number).moves[1]):,}" for number in (12, 18))
    yield Claim("actions of the cops on #12, #18", "–", "–", counts, "not stated", "over all their positions")


def states_of_18(form: OneSided) -> Claim:
    """How large the game is in which three cops hunt on 18 nodes."""
    words = "18 over 3 sets of cops, 15 nodes for the thief; being caught is not counted"
    close = abs(form.size / 12_000 - 1) < 0.05
    return Claim("#18, three cops on 18 nodes: states", "§ 4.1", "12,000", f"{form.size:,}", verdict(close), words)


def file_sizes(own: Hunt, portion: int) -> tuple[int, int]:
    """Bytes of the game's `.osposg` file, and of one that skips what contains an action out of a random subset.

    Transitions and rewards are skipped, as in section 4.1; states, names and who may do what are kept.
    """
    form, mask = own.form, own.subsets(np.random.default_rng(0), [portion])[0]
    numbers = np.unique(form.action_label, return_inverse=True)[1]
    kept = {*zip(form.part_of_action[mask].tolist(), numbers[mask].tolist())}
    part = [*form.part.tolist(), -1]  # the last state is the end, which nothing is taken from
    text = dumps_osposg(form).splitlines(keepends=True)
    moves, rewards = map(int, text[0].split()[5:7])
    whole = sum(map(len, text))
    listed = text[-1 - moves - rewards : -1]
    skipped = 0
    for line in listed:
        state, action, _ = line.split(maxsplit=2)
        where = part[int(state)]
        if where >= 0 and (where, int(action)) not in kept:
            skipped += len(line)
    return whole, whole - skipped
