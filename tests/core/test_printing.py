"""Pictures in pixels and as pages: the same on every machine, with the letters that they use, or refused in a line."""

from __future__ import annotations

import struct
import sys

import pytest

from fogbound import draw
from fogbound.cli.main import main
from fogbound.core import Board, Drawing, SpecError
from fogbound.core.drawing import PICTURES
from fogbound.core.printing import FONTS, MOST_PIXELS, ZOOM, pdf, png
from fogbound.games import make
from tests.draw.made import NastyGame, replied, solved


def size(image: bytes) -> tuple[int, int]:
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">II", image[16:24])


def letters(words: str) -> str:
    return Board.of_text(words).draw().plain()


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "picture",
    [
        draw.tree(make("king-ace")),
        draw.tree(NastyGame()),
        draw.matrix(make("king-ace")),
        draw.strategy(solved("king-ace"), player=0),
        draw.controller(replied("tiger")),
        draw.bounds(replied("tiger")),
        draw.minimax(make("slide-tree")),
        Board.grid([["♠", "→", "−½"]], "κ ≤ 3 · ✓").draw(),
    ],
    ids=lambda picture: picture.label[:20],
)
def test_every_picture_becomes_pixels_and_a_page(picture, tmp_path):
    for ending in PICTURES:
        picture.save(tmp_path / f"picture{ending}")
    wide, high = (
        int(part) for part in picture.svg.split('width="')[1].replace('" height="', " ").split('"')[0].split()
    )
    image, page = (tmp_path / "picture.png").read_bytes(), (tmp_path / "picture.pdf").read_bytes()
    assert size(image) == (ZOOM * wide, ZOOM * high)
    assert f"/MediaBox [ 0 0 {0.75 * wide:g} {0.75 * high:g} ]".encode() in page
    assert b"DejaVuSansCondensed" in page  # carried along
    assert b"Helvetica-Bold" not in page


@pytest.mark.slow
def test_the_same_bytes_each_time():
    plain = draw.tree(make("king-ace")).plain()
    assert png(plain) == png(plain)
    assert pdf(plain) == pdf(plain)


def test_both_weights_are_drawn():
    light = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="20"><text x="2" y="15">words</text></svg>'
    heavy = light.replace("<text", '<text font-weight="600"')
    blank = light.replace("words", "")
    assert len({png(light), png(heavy), png(blank)}) == 3
    assert png(light.replace("<text", '<text font-weight="500"')) == png(light)
    assert png(light.replace("<text", '<text font-family="Nowhere"')) == png(light)
    assert b"DejaVuSansCondensed-Bold" in pdf(heavy)


@pytest.mark.slow
def test_very_large_pictures_get_fewer_pixels():
    wide, high = size(png('<svg xmlns="http://www.w3.org/2000/svg" width="20000" height="10000"/>'))
    assert 0.99 * MOST_PIXELS < wide * high < 1.01 * MOST_PIXELS


@pytest.mark.parametrize("turn", [png, pdf])
def test_letters_that_the_font_has_not_are_named(turn):
    with pytest.raises(SpecError, match=r"^the font of PNG and PDF has no '霧' \(U\+9727\): write \.svg$"):
        turn(letters("in 霧"))


@pytest.mark.parametrize(("ending", "package"), [(".png", "resvg_py"), (".pdf", "reportlab"), (".pdf", "svglib")])
def test_without_the_extra_one_line_names_it(ending, package, tmp_path, monkeypatch, capsys):
    for module in [package, *(name for name in sys.modules if name.startswith(f"{package}."))]:
        monkeypatch.setitem(sys.modules, module, None)
    assert main(["show", "king-ace", "-o", str(tmp_path / f"tree{ending}")]) == 2
    said = capsys.readouterr().err
    assert "pip install 'fogbound[pictures]'" in said
    assert package in said
    assert said.count("\n") == 1
    assert not list(tmp_path.iterdir())
    Drawing(letters("words"), "", "").save(tmp_path / "words.svg")  # what needs no extra goes on


def test_the_command_writes_both(tmp_path, capsys):
    for ending in (".png", ".pdf"):
        assert main(["show", "king-ace", "-o", str(tmp_path / f"tree{ending}")]) == 0
    assert capsys.readouterr().out.split() == [str(tmp_path / "tree.png"), str(tmp_path / "tree.pdf")]


def test_the_fonts_may_be_handed_on():
    (folder,) = {path.parent for path in FONTS.values()}
    assert "Bitstream Vera is a trademark of Bitstream, Inc." in (folder / "LICENSE").read_text()
