"""Document 002: the hunts, their subsets of actions, the tables and figures; what is timed is not asserted."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from fogbound.core.errors import SpecError
from fogbound.files.osposg.writer import dumps_osposg
from fogbound_papers.claim import Claim
from fogbound_papers.d002 import document as d002
from fogbound_papers.d002 import result_tables, sizes
from fogbound_papers.d002.hunts import FULL, QUICK, SEQUENCES, WIDTHS, Run, Study, StudyLimits, make_hunt, runs_at
from fogbound_papers.d002.result_tables import (
    AT_ONCE,
    FIGURES,
    HISG,
    ISG,
    ORIGINAL,
    PLAIN,
    TABLES,
    Published,
    draw_figure,
    published_points,
    rows,
)
from fogbound_papers.d002.speed import bounds_verdict
from fogbound_papers.reproduction import ResultTable, as_markdown, as_page, table_csv

PORTIONS = (30, 44, 60, 64, 80, 100)
TINY = StudyLimits(
    gaps={12: 5.0},
    trials={12: 3},
    draws={12: 2},
    subsets={12: (3, 2)},
    subset_trials={12: 1},
    repeats={12: 1},
    open_draws=1,
)


@pytest.fixture(scope="module")
def study():
    return Study(TINY)


def a_run(portion=30, lower=10.0, upper=90.0, below=(0.1, None, None)):
    return Run(portion, lower, upper, 0.5, 1.0, 3, 7, below)


@pytest.mark.slow
def test_sizes_are_the_documents():
    found = {claim.statement: claim for claim in sizes.claims(Study())}
    assert found["#18, three cops on 18 nodes: states"].ours == "12,240"
    assert found["#18: transitions and rewards"].ours == "452,868"
    assert found["actions of the cops on #12, #18"].ours == "733, 11,924"
    assert [claim.verdict for claim in found.values()][-4:] == ["reproduced"] * 3 + ["not stated"]


def test_subsets_are_nested_and_leave_an_action_everywhere():
    own = make_hunt(12)
    move, stand = own.moves
    masks = own.subsets(np.random.default_rng(3), PORTIONS)
    for small, large in pairwise(masks):
        assert not (small & ~large).any()
    assert masks[-1].all()
    for mask, portion in zip(masks, PORTIONS):
        assert np.logical_or.reduceat(mask, own.form.action_start[:-1]).all()
        kept = np.unique(move[mask])
        assert len(kept) == own.count(mask) == max(len(np.unique(stand)), round(len(stand) * portion / 100))
        assert mask.sum() == np.isin(move, kept).sum()  # an action is there wherever the cops stand so, or nowhere
    again = own.subsets(np.random.default_rng(3), [30])[0]
    assert (again == masks[0]).all()


def test_the_oracles_subset_has_what_was_mixed_and_something_everywhere():
    own = make_hunt(12)
    bounds, _ = own.solve(100, own.everything, 5.0, 3)
    mask = own.mixed(bounds)
    assert not (bounds.touched & ~mask).any()
    assert np.logical_or.reduceat(mask, own.form.action_start[:-1]).all()
    places = len(np.unique(own.moves[1]))
    assert places <= own.count(mask) <= places + own.count(bounds.touched) < own.count(own.everything)


@pytest.mark.slow
def test_chains_keep_what_they_learnt(study):
    whole = study.plain(12)
    for first, portions in SEQUENCES.items():
        for chain in [*study.drawn(12, first), study.grown(12, first)]:
            assert tuple(run.portion for run in chain) == portions
            assert all(run.lower <= run.upper and run.trials <= 3 and run.lower <= whole.upper for run in chain)
            assert all(small.lower <= large.lower + 1e-9 for small, large in pairwise(chain))
            assert all(small.moves < large.moves for small, large in pairwise(chain))
            assert chain[-1].upper >= whole.lower


def test_the_heuristic_grows_from_the_best_subset(study):
    tried = study.tried(12, 30)
    assert [subset.seed for subset in tried] == [0, 1, 2]
    best = max(tried, key=lambda subset: subset.lower)
    assert best.lower > min(subset.lower for subset in tried)
    expected = make_hunt(12).subsets(np.random.default_rng(best.seed), (30,))[0]
    run = make_hunt(12).solve(30, expected, 5.0, 3)[1]
    assert (study.grown(12, 30)[0].lower, study.grown(12, 30)[0].upper) == (run.lower, run.upper)


def test_nothing_is_run_twice_or_before_it_is_needed():
    heard = []
    own = Study(TINY, heard.append)
    own.drawn(12, 30, 44)
    assert sum("now with 44 %" in words for words in heard) == TINY.draws[12]
    assert not any("64 %" in words for words in heard)
    count = len(heard)
    assert [run.portion for run in own.drawn(12, 30, 30)[0]] == [30]
    assert len(heard) == count
    own.drawn(12, 30)
    assert sum("now with 100 %" in words for words in heard) == TINY.draws[12]


def test_times_of_widths():
    whole = make_hunt(12).everything
    _, run = make_hunt(12).solve(100, whole, 5.0, 3)
    assert run.upper - run.lower > max(WIDTHS)
    assert run.below == (None, None, None)
    small = make_hunt(12).solve(100, whole, 200.0, 3)[1]
    assert small.trials == 0


def test_the_published_tables_are_whole():
    assert [table.name for table in TABLES] == [f"5.{number}" for number in range(2, 12)]
    for table in TABLES:
        assert {len(table.portions), len(table.start)} == {len(table.portions)}
        for times in table.below.values():
            assert len(times) == len(table.portions)
            assert all(time is None or time >= start for time, start in zip(times, table.start))
    assert sum(TABLES[1].below[1]) == 1203  # as the document adds them up
    assert {table.algorithm for table in TABLES} == {PLAIN, ISG, HISG}
    assert ORIGINAL[24].below == {10: (5205,), 6: (5239,)}


@pytest.mark.parametrize(("algorithm", "first", "count"), [(PLAIN, 100, 1), (ISG, 30, 5), (HISG, 60, 4)])
def test_a_table_of_times(study, algorithm, first, count):
    seconds = (10, 20, 30, 40)[: len(SEQUENCES.get(first, (100,)))]
    table = result_tables.timed(study, Published("5.0", 12, algorithm, first, seconds, {10: seconds}))
    assert len(table.rows) == count
    row, last = table.rows[0], table.rows[-1]
    assert (row["actions"], row["published start (s)"], row["published < 10 (s)"]) == (f"{first} %", 10, 10)
    assert row["published start / original"] == 1.0
    assert row["width < 10 (s)"] is None
    if count > 1:
        assert (last["actions"], last["published < 10 (s)"], last["lower"]) == ("in all", sum(seconds), None)
        assert last["start (s)"] == pytest.approx(sum(each["start (s)"] for each in table.rows[:-1]))


def test_the_mean_of_draws():
    fast, slow = a_run(below=(1.0, 2.0, None)), a_run(lower=20.0, below=(3.0, None, None))
    found = result_tables.mean_run([fast, slow])
    assert (found.lower, found.upper, found.below) == (15.0, 90.0, (2.0, None, None))


def test_subsets_are_reported(study):
    first, second = result_tables.tried_subsets(study, (12,)).rows
    assert (first["subsets"], second["subsets"]) == (3, 2)
    assert first["least"] <= first["mean"] <= first["best"]


@pytest.mark.slow
def test_the_open_question(study):
    parts = d002.compared_subsets(study, 12)
    assert [part.chosen for part in parts] == [
        d002.ALL,
        d002.ORACLE,
        d002.AS_MANY,
        d002.LARGER,
    ]
    whole, oracle, as_many, larger = parts
    assert (whole.share, whole.run.moves) == (1.0, 733)
    assert as_many.run.moves == oracle.run.moves
    assert larger.run.moves == round(0.3 * 733)
    assert all(0 <= part.least_lost <= part.most_lost for part in parts)
    table = d002.open_table(parts, 12)
    assert [row["joint moves"] for row in table.rows] == [part.run.moves for part in parts]
    assert len(list(d002.open_claims(parts, 12))) == 5


@pytest.mark.parametrize("lost", [(8.0, 9.0), (0.5, 9.0), (0.1, 0.2)])
def test_of_the_oracles_subset_the_document_says_nothing(study, lost):
    """It compares the best of many random subsets with their mean: whatever the oracle's does is no verdict on that."""
    whole = d002.Part(d002.ALL, a_run(100), 1.0, 0.0, 0.0)
    oracle = replace(whole, chosen=d002.ORACLE, least_lost=0.4, most_lost=1.0)
    random = replace(whole, chosen=d002.AS_MANY, least_lost=lost[0], most_lost=lost[1])
    _, *claims = d002.open_claims([whole, oracle, random, replace(random, chosen=d002.LARGER)])
    assert {(claim.published, claim.verdict) for claim in claims} == {("–", "not stated")}


def test_a_file_with_fewer_actions_is_smaller_by_what_is_said_about_them():
    """Every line that is skipped is about an action out of the subset: a file of the others alone is that long."""
    own = make_hunt(12)
    whole, part = sizes.file_sizes(own, 30)
    assert whole == len(dumps_osposg(own.form))
    assert sizes.file_sizes(own, 100) == (whole, whole)
    about = len(dumps_osposg(own.form).splitlines()) - own.form.size
    assert 0.6 < 1 - part / whole < 0.7
    assert about > 2 * len(own.form.reward)


def test_bounds_that_overlap_say_nothing():
    assert bounds_verdict(3.0, 2.0, opposite=False) == "reproduced"
    assert bounds_verdict(1.0, 2.0, opposite=False) == "not reproduced"
    assert bounds_verdict(1.0, 2.0, opposite=True) == "refuted"


def test_pages_and_spreadsheets():
    table = ResultTable(
        "t", "A title", [{"name": "a|b", "count": 1234, "time": 0.126}, dict.fromkeys(("name", "count", "time"))]
    )
    lines = as_markdown(table).splitlines()
    assert lines[0] == "## A title"
    assert lines[2:6] == [
        "| name | count | time |",
        "| :--- | ---: | ---: |",
        "| a\\|b | 1,234 | 0.13 |",
        "| – | – | – |",
    ]
    assert list(csv.reader(table_csv(table).splitlines())) == [
        ["name", "count", "time"],
        ["a|b", "1234", "0.126"],
        [""] * 3,
    ]
    page = as_page("All", "Before.", [table, replace(table, title="Another", note="After.")])
    assert page.startswith("# All\n\nBefore.\n\n## A title\n")
    assert page.endswith("\n\nAfter.\n")


def test_what_there_is_is_written_when_stopped(tmp_path, monkeypatch):
    def stopped(_):
        yield ResultTable("5.2", "first", [{"x": 1}])
        raise KeyboardInterrupt

    monkeypatch.setattr(d002, "PARTS", ())
    monkeypatch.setattr(d002, "compared_subsets", lambda _: [])
    monkeypatch.setattr(d002, "open_claims", lambda _: iter(()))
    monkeypatch.setattr(result_tables, "result_tables", stopped)
    found = []
    with pytest.raises(KeyboardInterrupt):
        found.extend(d002.results(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == {"tables-002.md", "002-table-5.2.csv", "002-table-open.csv"}


def test_rows_of_a_figure():
    chains = [(a_run(30, low), a_run(100, 50.0)) for low in (10.0, 20.0)]
    first, last = rows(AT_ONCE, chains)
    assert first == {"series": AT_ONCE, "portion": 30, "lower": 15.0, "upper": 90.0}
    assert last["portion"] == 100
    assert [row["lower"] for row in published_points({44: (63.4, 72.9)})] == [63.4, None]
    assert [run.lower for run in runs_at(chains, 30)] == [10.0, 20.0]


def test_figures(tmp_path, study):
    for number in (1, 2):
        path = draw_figure(number, tmp_path, study)
        assert path.name == f"002-figure-5.{number}.svg"
        text = path.read_text(encoding="utf-8")
        assert "a map like #12" in text
        assert "published, another map" in text
        assert "var(--" not in text
    with pytest.raises(SpecError, match=r"no figure 5\.7"):
        draw_figure(7, tmp_path, study)
    assert set(FIGURES) == set(range(1, 7))


def test_full_runs_as_many_subsets_as_the_document():
    assert FULL.subsets == {12: (100, 30), 18: (50, 30), 24: (12, 8)}
    assert FULL.subsets_from(18, 60) == 30
    assert all(QUICK.trials[number] < FULL.trials[number] for number in FULL.trials)


class TestTheCommand:
    @pytest.fixture(autouse=True)
    def asked(self, monkeypatch):
        calls = []

        def results(folder, full, watch, tables):
            calls.append((full, tables))
            watch("something")
            yield Claim("a", "b", "c", "d", "reproduced")
            if full:
                raise KeyboardInterrupt
            if tables:
                yield ResultTable("5.2", "title", [{"x": 1.5}])

        monkeypatch.setattr(d002, "results", results)
        return calls

    def test_json_has_claims_and_tables(self, capsys, asked):
        from fogbound.cli.reproduce import main

        assert main(["002", "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["002"][0]["verdict"] == "reproduced"
        assert found["tables"] == {"002": [{"name": "5.2", "title": "title", "rows": [{"x": 1.5}], "note": ""}]}
        assert asked == [(False, True)]

    def test_tables_are_made_only_for_those_who_take_them(self, capsys, asked, tmp_path):
        from fogbound.cli.reproduce import main

        assert main(["002"]) == 0
        assert main(["002", "-o", str(tmp_path)]) == 0
        assert asked == [(False, False), (False, True)]
        assert "1 reproduced, 0 refuted" in capsys.readouterr().out

    def test_stopping_returns_what_is_there(self, capsys, asked):
        from fogbound.cli.reproduce import main

        assert main(["002", "003", "--full"]) == 130
        out, err = capsys.readouterr()
        assert "1 reproduced, 0 refuted, 0 not reproduced, 0 cannot be checked, 0 not stated" in out
        assert "003" not in out
        assert "stopped in document 002 after 1 result" in err

    def test_full_is_explained(self, capsys):
        from fogbound.cli.main import main

        with pytest.raises(SystemExit):
            main(["reproduce", "--help"])
        assert "--full" in capsys.readouterr().out

    @pytest.mark.slow
    def test_documents_with_nothing_longer_take_it(self, capsys):
        from fogbound.cli.reproduce import main

        assert main(["003", "--full", "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["tables"] == {}
        assert found["003"]
