"""Pictures as TikZ: every element of every picture, words that LaTeX reads, and what LaTeX itself says of them."""

from __future__ import annotations

import re
import shutil
import subprocess
from xml.etree import ElementTree

import pytest

from fogbound import draw
from fogbound.core import Board, svg
from fogbound.core.latex import escaped, tabular
from fogbound.core.tikz import tikz
from fogbound.games import GAMES, make
from tests.draw.made import NastyGame, replied, solved

LATEX = shutil.which("pdflatex")
DOCUMENT = r"""\documentclass{article}
\usepackage[T1]{fontenc}\usepackage{tikz}\usepackage{booktabs}\usetikzlibrary{svg.path}
\begin{document}
%s
\end{document}
"""
SVG = "{http://www.w3.org/2000/svg}"


def pictures():
    return {
        "tree": draw.tree(make("beer-quiche")),
        "played": draw.tree(make("king-ace"), profile=solved("king-ace")),
        "nasty": draw.tree(NastyGame()),
        "matrix": draw.matrix(make("king-ace")),
        "strategy": draw.strategy(solved("king-ace"), player=0),
        "controller": draw.controller(replied("tiger")),
        "bounds": draw.bounds(replied("tiger")),
        "minimax": draw.minimax(make("slide-tree")),
        "board": Board.grid([["♠", "→", "−½"]], "50 % & more_or_less").draw(),
        "tiger": make("tiger").draw(next(iter(make("tiger").start()))[0].state),
        "rocks": make("rock-sample").draw(next(iter(make("rock-sample").start()))[0].state),
        "cards": make("kuhn").draw(next(iter(make("kuhn").start()))[0].state),
    }


@pytest.mark.parametrize("name", list(pictures()))
def test_every_shape_and_every_word_is_there(name):
    picture = pictures()[name].plain()
    written = tikz(picture)
    root = ElementTree.fromstring(picture)
    texts = ["".join(one.itertext()) for one in root.iter(f"{SVG}text")]
    assert written.count("\\node[") == len(texts)
    assert all(f"{{{escaped(text)}}};" in written for text in texts)
    shapes = [one for kind in ("rect", "circle", "ellipse", "path") for one in root.iter(f"{SVG}{kind}")]
    seen = [one for one in shapes if one.get("fill", "#000") != "none" or one.get("stroke", "none") != "none"]
    assert written.count("\\path[") == len(seen)
    used = set(re.findall(r"=fogbound([0-9a-f]{6})\b", written))
    assert used == {one.lower() for one in re.findall(r"\\definecolor\{fogbound([0-9a-f]{6})\}", written)}
    assert written.count("\\begin{scope}") == written.count("\\end{scope}")


@pytest.mark.slow
@pytest.mark.parametrize("name", list(GAMES))
def test_the_board_of_every_game_can_be_written(name):
    game = make(name)
    if game.only_sampled:
        pytest.skip("a simulator's first state is drawn at random")
    for player in (None, 0):
        assert "\\begin{tikzpicture}" in tikz(game.draw(next(iter(game.start()))[0].state, player).plain())


def test_a_file_is_tikz_by_its_ending(tmp_path):
    picture = pictures()["tree"]
    picture.save(tmp_path / "tree.tex")
    assert (tmp_path / "tree.tex").read_text() == tikz(picture.plain())


def test_groups_scale_letters_and_lines_which_tikz_would_leave_alone():
    inside = svg.text(0, 0, "x", "#000000", 10) + svg.line(0, 0, 5, 5, "#000000", 2)
    scaled = tikz(f'<svg><g transform="translate(1 2) scale(2)" opacity="0.5">{inside}</g></svg>')
    assert "\\begin{scope}[opacity=0.5, shift={(1,2)}, scale=2]" in scaled
    assert "\\fontsize{15bp}" in scaled
    assert "line width=3bp" in scaled
    turned = tikz(f'<svg><g transform="rotate(30 1 2)">{inside}</g></svg>')
    assert "rotate around={30:(1,2)}" in turned
    assert "rotate=-30" in turned


@pytest.mark.parametrize("body", ["<line/>", '<g transform="skewX(3)"/>'])
def test_what_no_picture_has_is_refused(body):
    with pytest.raises(ValueError, match=r"no (element|transform) of a picture"):
        tikz(f"<svg>{body}</svg>")


def test_letters_that_pdflatex_lacks_are_announced():
    assert "lualatex" not in tikz(Board.of_text("10 % – ♠ ≤ é").draw().plain())
    assert "lualatex" in tikz(Board.of_text("漢").draw().plain())


def test_tables_escape_their_cells():
    assert tabular(["a_b"], [["50 %"], ["x & y"]], "l").count("\\\\\n") == 3
    assert "a\\_b" in tabular(["a_b"], [], "l")
    assert "x \\& y" in tabular(["a"], [["x & y"]], "l")


@pytest.mark.slow
@pytest.mark.skipif(LATEX is None, reason="pdflatex is not installed")
def test_latex_accepts_every_picture_and_table(tmp_path):
    parts = []
    for name, picture in pictures().items():
        if "lualatex" not in tikz(picture.plain()):
            picture.save(tmp_path / f"{name}.tex")
            parts.append(f"\\resizebox{{84mm}}{{!}}{{\\input{{{name}.tex}}}}\n\n")
    parts.append(draw.matrix_latex(make("king-ace"), profile=solved("king-ace")))
    assert len(parts) >= 12
    (tmp_path / "paper.tex").write_text(DOCUMENT % "\n".join(parts))
    ran = subprocess.run(
        [str(LATEX), "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-3000:]
