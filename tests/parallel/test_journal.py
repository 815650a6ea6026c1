"""Journals of runs: whole lines, nothing believed without looking, the same bytes whoever wrote them."""

from __future__ import annotations

import os

import pytest

from fogbound.core.errors import FileError
from fogbound.parallel.journal import RunJournal, merge_journals, missing_jobs

ABOUT = {"of": "squares"}


def check(number, row):
    if row != {"square": number * number}:
        raise ValueError(f"{number} squared is {row}")


def journal(path, **about):
    return RunJournal(path, "squares", {**ABOUT, **about}, check)


def rows(*numbers):
    return {number: {"square": number * number} for number in numbers}


def keep(path, *numbers):
    with journal(path) as kept:
        for number in numbers:
            kept.add(rows(number))
        kept.settle()
    return path


def test_rows_in_any_order_settle_to_the_same_bytes(tmp_path):
    assert keep(tmp_path / "a", 0, 1, 2, 3).read_bytes() == keep(tmp_path / "b", 3, 1, 0, 2).read_bytes()
    keep(tmp_path / "c", 3, 1)
    assert keep(tmp_path / "c", 0, 2).read_bytes() == (tmp_path / "a").read_bytes()


def test_a_line_that_was_cut_off_is_no_line(tmp_path):
    """Whoever is killed while writing has written the lines before; the run goes on from these."""
    whole = keep(tmp_path / "whole", 0, 1, 2).read_bytes()
    for cut in range(len(whole)):
        path = tmp_path / "cut"
        path.write_bytes(whole[:cut])
        with journal(path) as kept:
            known = sorted(kept.rows)
            assert known == list(range(len(known)))
            assert len(known) == max(0, whole[:cut].count(b"\n") - 1)
            kept.add(rows(*(number for number in range(3) if number not in known)))
        assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("[]", "number of a job"),
        ('{"number": -1, "square": 1}', "0 or more"),
        ('{"number": true, "square": 1}', "number of a job"),
        ('{"number": 1.0, "square": 1}', "number of a job"),
        ('{"number": 0, "square": 0}', "stands twice"),
        ('{"number": 5, "square": 24}', "5 squared"),
        ('{"number": 5, "square": 25, "square": 25}', "twice in one object"),
        ('{"number": 5, "square": NaN}', "found NaN"),
        ("{" * 100_000, "deep|no JSON"),
        ("\udcff", "decode|no JSON"),
        ("", "no JSON"),
    ],
)
def test_a_forged_line_is_named(tmp_path, line, words):
    path = keep(tmp_path / "forged", 0)
    path.write_bytes(path.read_bytes() + line.encode(errors="surrogateescape") + b"\n")
    with pytest.raises(FileError, match=words) as caught, journal(path):
        pass
    assert "forged:3: " in str(caught.value)


@pytest.mark.parametrize(
    "header",
    [
        "",
        "{}",
        '{"fogbound":"squares","schema":1}',
        '{"fogbound":"cubes","schema":1,"about":{"of":"squares"}}',
        '{"fogbound":"squares","schema":2,"about":{"of":"squares"}}',
        '{"fogbound":"squares","schema":true,"about":{"of":"squares"}}',
        '{"fogbound":"squares","schema":1,"about":["squares"]}',
    ],
)
def test_what_is_no_journal_is_refused_and_left_alone(tmp_path, header):
    path = tmp_path / "other"
    path.write_text(header + "\n")
    with pytest.raises(FileError, match="other:1: "), journal(path):
        pass
    assert path.read_text() == header + "\n"


def test_another_run_and_another_writer_are_refused(tmp_path):
    path = keep(tmp_path / "j", 0)
    with pytest.raises(FileError, match="of another squares: has seed None, expected 1"), journal(path, seed=1):
        pass
    with journal(path), pytest.raises(FileError, match="another run writes"), journal(path):
        pass
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match="no plain file|cannot be written"), journal(tmp_path / "pipe"):
        pass
    with pytest.raises(FileError, match="cannot be written"), journal(tmp_path):
        pass


def test_shares_are_merged_and_held_against_each_other(tmp_path):
    checks = {"squares": lambda about: check}
    one, two = keep(tmp_path / "1", 0, 2), keep(tmp_path / "2", 1, 2)
    whole = merge_journals([two, one], checks)
    assert whole.text().encode() == keep(tmp_path / "whole", 0, 1, 2).read_bytes()
    assert missing_jobs(whole.rows, 5) == [3, 4]
    two.write_text(two.read_text().replace('"square":4', '"square":5'))
    with pytest.raises(FileError, match="2: 2 squared"):
        merge_journals([one, two], checks)
    with pytest.raises(FileError, match="2: job 2 came to something else"):
        merge_journals([one, two], {"squares": lambda about: lambda number, row: None})
    with pytest.raises(FileError, match="expected one of a cubes"):
        merge_journals([one], {"cubes": lambda about: check})
    with journal(tmp_path / "3", seed=4):
        pass
    with pytest.raises(FileError, match="3: is of another squares"):
        merge_journals([one, tmp_path / "3"], checks)
