"""Labels that Gambit's reader takes: ASCII, single spaces, none twice where it tells things apart by them."""

from __future__ import annotations

import re

import numpy as np
import pytest

import fogbound as fb
from fogbound.cli.main import main
from fogbound.core.errors import FormError, LimitError, SpecError
from fogbound.files.gambit.efg import ExtensiveFile, read_efg
from fogbound.files.gambit.forms import tree_of
from fogbound.files.gambit.nfg import read_nfg
from fogbound.files.gambit.rewording import ascii_label, ascii_tree
from fogbound.forms.tree import Tree
from fogbound.games import GAMES

MOST_STATES, MOST_NODES = 3_000, 20_000
TAKEN = re.compile(r"[!-~]+( [!-~]+)*")  # Gambit 17: printable ASCII, single spaces, none at either end


def shipped_tree(name: str) -> Tree:
    """The tree of a shipped game, or of its first two steps where play goes on."""
    for spec in (name, f"horizon({name}, 2)"):
        try:
            table = fb.forms.table(fb.game(spec), limit=MOST_STATES)
            return fb.forms.tree(table, limit=MOST_NODES)
        except (FormError, LimitError):
            continue
    pytest.skip("no tree of this size")


def labels_of(file: ExtensiveFile) -> list[str]:
    named = [
        file.title,
        file.comment,
        *file.players,
        *file.labels.values(),
        *(name for name, _ in file.outcomes.values()),
    ]
    return [*named, *(label for one in file.sets for label in (one.label, *one.moves))]


def uniform_value(form: Tree) -> np.ndarray:
    reach = np.ones(form.size)
    for node in range(1, form.size):
        up = form.parent[node]
        reach[node] = reach[up] * (form.prob[node] if form.mover[up] < 0 else 1 / (form.child[up + 1] - form.child[up]))
    return reach[form.ends] @ form.payoff[form.ends]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", [*GAMES])
def test_every_shipped_tree_is_written_in_labels_that_gambit_takes(name, tmp_path):
    form = shipped_tree(name)
    fb.convert(form.spec, tmp_path / "x.efg")
    file = read_efg(tmp_path / "x.efg")
    assert (tmp_path / "x.efg").read_text().isascii()
    assert not [label for label in labels_of(file) if label and not TAKEN.fullmatch(label)]
    for one in file.sets:
        assert "" not in one.moves
        assert len(set(one.moves)) == len(one.moves)
    names = [(one.player, one.label) for one in file.sets if one.player >= 0]
    assert len(set(names)) == len(names)
    assert np.allclose(uniform_value(tree_of(file)), uniform_value(form))


def test_unicode_is_kept_where_it_is_asked_for(tmp_path):
    fb.convert("kuhn", tmp_path / "plain.efg")
    assert main(["convert", "kuhn", str(tmp_path / "kept.efg"), "--unicode"]) == 0
    kept, plain = read_efg(tmp_path / "kept.efg"), read_efg(tmp_path / "plain.efg")
    assert "1 · check → bet" in [one.label for one in kept.sets]
    assert "1 - check -> bet" in [one.label for one in plain.sets]
    assert labels_of(ascii_tree(kept)) == labels_of(plain)


def test_labels_that_differ_still_do(tmp_path):
    text = (
        'EFG 2 R "naïve" { "é" "e" }\n""\np "" 1 1 "→" { "·" "-" "–" } 0\n'
        't "" 1 "" { 0, 0 }\nt "" 2 "" { 1, 1 }\nt "" 3 "" { 2, 2 }\n'
    )
    (tmp_path / "x.efg").write_text(text)
    fb.convert(tmp_path / "x.efg", tmp_path / "y.efg")
    found = read_efg(tmp_path / "y.efg")
    assert (found.title, found.players) == ("naive", ("e", "e (2)"))
    assert (found.sets[0].label, found.sets[0].moves) == ("->", ("-", "- (2)", "- (3)"))
    fb.convert(tmp_path / "x.efg", tmp_path / "y.nfg")
    assert read_nfg(tmp_path / "y.nfg").strategies[0] == ("-", "- (2)", "- (3)")


def test_every_character_has_a_spelling():
    spelt = {chr(code): ascii_label(f"a{chr(code)}b") for code in range(0x3000)}
    assert not {c: label for c, label in spelt.items() if not TAKEN.fullmatch(label)}


@pytest.mark.parametrize("ending", [".csv", ".json", ".svg", ".png", ".pdf", ".dot"])
def test_what_show_writes_is_not_asked_of_convert(ending, tmp_path):
    saved, target = tmp_path / "x.npz", tmp_path / f"x{ending}"
    answer = fb.solve("kuhn")
    fb.save(answer, saved)
    for source in (str(saved), answer):
        with pytest.raises(SpecError, match="fogbound show .*npz -o "):
            fb.convert(source, target)
    with pytest.raises(SpecError) as refused:
        fb.convert(saved, target)
    assert f"fogbound show {saved} -o {target}" in str(refused.value)
