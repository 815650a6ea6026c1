"""Names in model files, for every format: a control character anywhere and a name given twice are refused."""

from __future__ import annotations

import pytest

import fogbound as fb
from fogbound import files
from fogbound.core.errors import FileError
from fogbound.naming.games import MODELS

FORMATS = {  # ending: (a game to write, [(names that differ there, what they become)])
    ".efg": ("kuhn", [('"player-2"', '"player-1"')]),
    ".nfg": ("rock-paper-scissors", [('"second"', '"first"')]),
    ".pomdp": (
        "tiger",
        [
            ("states: left right", "states: left left"),
            ("listen open-left open-right", "listen listen open-right"),
            ("growl-left growl-right", "growl-left growl-left"),
        ],
    ),
    ".pomdpx": (
        "tiger",
        [(">left right<", ">left left<"), ("listen open-left", "listen listen"), ("='observation'", "='action'")],
    ),
    ".dpomdp": (
        "multi-tiger",
        [
            ("first second", "first first"),
            ("tiger-left tiger-right", "tiger-left tiger-left"),
            ("actions:\nlisten open-left", "actions:\nlisten listen"),
            ("observations:\nhear-left hear-right", "observations:\nhear-left hear-left"),
        ],
    ),
    ".osposg": (
        "patrolling",
        [("(0,_1,_1) 0", "(0,_-1,_0) 0"), ("go_1\ngo_3", "go_1\ngo_1"), ("nothing_2", "nothing")],
    ),
}
CASES = [(ending, *names) for ending, (_, pairs) in FORMATS.items() for names in pairs]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("names")
    texts = {}
    for ending, (game, _) in FORMATS.items():
        fb.convert(game, folder / f"x{ending}")
        texts[ending] = (folder / f"x{ending}").read_text()
    return texts


def test_every_format_of_games_is_here():
    """Games of several players have three endings and one reader."""
    assert set(FORMATS) | set(files.JOINT) == set(MODELS)


@pytest.mark.parametrize("control", ["\x00", "\x1b", "\x7f"], ids=ascii)
@pytest.mark.parametrize("ending", FORMATS)
def test_a_control_character_is_refused_wherever_it_stands(ending, control, written, tmp_path):
    if ending == ".pomdpx" and control == "\x7f":
        pytest.skip("XML allows it; names are single words, shown with escapes")
    text, path = written[ending], tmp_path / f"x{ending}"
    for place in range(2, len(text), max(1, len(text) // 25)):
        path.write_text(text[:place] + control + text[place:])
        with pytest.raises(FileError, match=f"x{ending}"):
            fb.game(path)


@pytest.mark.parametrize(("ending", "names", "twice"), CASES)
def test_a_name_given_twice_is_refused(ending, names, twice, written, tmp_path):
    path = tmp_path / f"x{ending}"
    assert names in written[ending]
    path.write_text(written[ending].replace(names, twice, 1))
    with pytest.raises(FileError, match=rf"x{ending}:\d+: found .*, expected"):
        fb.game(path)
