"""What is kept on disk: used until a kernel changes, and never worse than nothing."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from numba.core import caching

import fogbound
from fogbound.compiled import cache
from fogbound.compiled.cache import sources

HEAD = "from fogbound.compiled.kernel import kernel\n"
INSTALLED = Path(fogbound.__file__).parent


def run(folder, hits="total.whole.stats.cache_hits", **settings):
    """What a program that calls the kernels of two modules prints, how often it found them, and what it said."""
    out, err = told_by(folder, f"from caller import total; print(total(3), sum({hits}.values()))", **settings)
    return *out.split(), err


def told_by(folder, program, without=(), **settings):
    """What a program prints, and what it says beside that."""
    settings = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "kept"), "PYTHONDONTWRITEBYTECODE": "1", **settings}
    settings = {name: value for name, value in settings.items() if name not in without}
    told = subprocess.run([sys.executable, "-c", program], env=settings, cwd=folder, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    return told.stdout, told.stderr


@pytest.fixture
def two(tmp_path):
    """A folder with two modules: what Python calls, and its part."""
    (tmp_path / "part.py").write_text(HEAD + "@kernel\ndef one(x):\n    return x + 1\n")
    (tmp_path / "caller.py").write_text(HEAD + "from part import one\n@kernel\ndef total(x):\n    return 10 * one(x)\n")
    return tmp_path


WAYS = [{}, {"FOGBOUND_PLAIN_JIT": "1", "hits": "total.stats.cache_hits"}]


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS, ids=["linked", "plain"])
def test_what_was_kept_is_used_until_a_part_changes(two, way):
    """Though the file of what Python calls is as it was: numba looks at that file alone."""
    assert run(two, **way) == ("40", "0", "")
    assert run(two, **way) == ("40", "1", "")
    (two / "part.py").write_text(HEAD + "@kernel\ndef one(x):\n    return x + 2\n")
    assert run(two, **way) == ("50", "0", "")
    assert run(two, **way) == ("50", "1", "")


@pytest.mark.slow
def test_what_was_kept_is_used_until_a_kernel_of_another_folder_changes(two):
    """Of a copy of the installation."""
    shutil.copytree(INSTALLED, two / "fogbound", ignore=shutil.ignore_patterns("__pycache__"))
    here = {"PYTHONPATH": str(two)}
    assert run(two, **here)[:2] == ("40", "0")
    assert run(two, **here)[:2] == ("40", "1")
    far = two / "fogbound" / "solvers" / "regret" / "kernels.py"
    far.write_text(far.read_text() + "\n# changed\n")
    assert run(two, **here)[:2] == ("40", "0")
    assert run(two, **here)[:2] == ("40", "1")


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS, ids=["linked", "plain"])
@pytest.mark.parametrize("setting", [{"NUMBA_OPT": "2"}, {"NUMBA_BOUNDSCHECK": "1"}, {"NUMBA_LOOP_VECTORIZE": "0"}])
def test_code_that_was_compiled_with_other_settings_is_not_used(two, way, setting):
    assert run(two, **way)[:2] == ("40", "0")
    assert run(two, **way, **setting)[:2] == ("40", "0")
    assert run(two, **way, **setting)[:2] == ("40", "1")
    assert run(two, **way)[:2] == ("40", "1")


@pytest.mark.parametrize("setting", cache.SETTINGS)
def test_each_setting_has_files_of_its_own(setting, monkeypatch):
    before = cache._flags()
    monkeypatch.setattr(cache.config, setting, "another", raising=False)
    assert cache._flags() != before


def test_every_kernel_is_among_what_is_stamped():
    stamped = set(sources(INSTALLED))
    assert INSTALLED / "compiled" / "bundle.py" in stamped
    for module in INSTALLED.rglob("*.py"):
        if "compiled.kernel import" in module.read_text():
            assert module in stamped, f"{module}: kernels lie in a folder `kernels` or in `kernels.py`"


@pytest.mark.slow
def test_damaged_files_are_compiled_anew_which_is_said_once(two):
    run(two)
    damaged = [*two.rglob("*.nbi"), *two.rglob("*.nbc")]
    assert len(damaged) == 2
    for file in damaged:
        file.write_bytes(file.read_bytes()[:-7])
    value, hits, told = run(two)
    assert (value, hits) == ("40", "0")
    assert (
        told.count("UserWarning") == told.count("is damaged: kernels are compiled anew, and it is written over\n") == 1
    )
    assert run(two) == ("40", "1", "")


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The files of a function, of which nothing has been said yet."""
    monkeypatch.setattr(cache, "_SAID", set())
    return cache._Files(str(tmp_path), "total", "stamp")


DAMAGE = {
    "cut": lambda whole: whole[: len(whole) // 2],
    "empty": lambda _: b"",
    "noise": lambda whole: np.random.default_rng(1).bytes(len(whole)),
    "longer": lambda whole: whole + b"x",
    **{f"a bit at {at}": lambda whole, at=at: _flipped(whole, at) for at in (0, 31, 40, -1)},
}


def _flipped(whole, at):
    changed = bytearray(whole)
    changed[at] ^= 1
    return bytes(changed)


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", DAMAGE.values(), ids=list(DAMAGE))
def test_damage_is_found_before_anything_is_unpacked(files, tmp_path, kind, damage):
    files.save("key", b"machine code")
    assert files.load("key") == b"machine code"
    (file,) = tmp_path.glob(f"*.{kind}")
    file.write_bytes(damage(file.read_bytes()))
    with pytest.warns(UserWarning, match="is damaged") as told:
        assert files.load("key") is None
    assert len(told) == 1
    files.save("key", b"compiled anew")
    assert files.load("key") == b"compiled anew"


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_a_file_that_cannot_be_read_is_none(files, tmp_path, kind):
    files.save("key", b"machine code")
    (file,) = tmp_path.glob(f"*.{kind}")
    file.unlink()
    file.mkdir()
    with pytest.warns(UserWarning, match="cannot be read, so kernels are compiled anew"):
        assert files.load("key") is None


def test_machine_code_for_another_signature_is_not_used(files, tmp_path):
    """As a process leaves it that ends between writing an index, begun again, and the code."""
    files.save("one", b"machine code")
    files._save_index({"other": next(tmp_path.glob("*.nbc")).name})
    assert files.load("other") is None


@pytest.mark.parametrize("nth", [1, 2], ids=["the index", "the code"])
def test_a_write_that_fails_leaves_what_can_be_written_again(files, monkeypatch, nth):
    writes = count(1)

    def faulty(path, mode):
        if mode == "wb" and next(writes) == nth:
            raise OSError(errno.ENOSPC, "No space left on device")
        return open(path, mode)

    monkeypatch.setattr(caching, "open", faulty, raising=False)
    with pytest.raises(OSError, match="No space"):
        files.save("key", b"machine code")
    assert files.load("key") is None
    files.save("key", b"machine code")
    assert files.load("key") == b"machine code"


@pytest.mark.slow
def test_machine_code_of_an_older_kernel_is_not_used(two):
    """As a process leaves it that ends between writing the index and the code."""
    run(two)
    (old,) = two.rglob("*.nbc")
    code = old.read_bytes()
    (two / "part.py").write_text(HEAD + "@kernel\ndef one(x):\n    return x + 2\n")
    run(two)
    old.write_bytes(code)
    assert run(two) == ("50", "0", "")


@pytest.mark.slow
def test_what_cannot_be_kept_is_used_all_the_same(two):
    """A folder that fills up, or becomes read-only, after it was chosen: here one whose files are too large for it."""
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512)); "
    program = "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); " + limit
    program += "from caller import total; print(total(3))"
    out, err = told_by(two, program)
    assert out == "40\n"
    assert "cannot be kept" in err


@pytest.mark.slow
def test_a_folder_that_cannot_be_made_is_replaced_by_a_private_one_that_is_kept(two):
    (two / "file").write_text("")
    (two / "temporary").mkdir()
    places = {"NUMBA_CACHE_DIR": str(two / "file" / "kept"), "TMPDIR": str(two / "temporary")}
    assert run(two, **places) == ("40", "0", "")
    assert run(two, **places)[:2] == ("40", "1")
    (kept,) = (two / "temporary").iterdir()
    assert (kept.name, kept.stat().st_mode & 0o777) == (f"fogbound-{os.getuid()}", 0o700)


@pytest.mark.slow
@pytest.mark.parametrize("others", [0o777, 0o750])
def test_what_others_can_reach_is_not_run(two, others):
    """A folder of that name that is not ours alone: kernels are compiled in one that is, in every process anew."""
    (two / "file").write_text("")
    (two / "temporary" / f"fogbound-{os.getuid()}").mkdir(parents=True)
    (two / "temporary" / f"fogbound-{os.getuid()}").chmod(others)
    places = {"NUMBA_CACHE_DIR": str(two / "file" / "kept"), "TMPDIR": str(two / "temporary")}
    value, hits, told = run(two, **places)
    assert (value, hits) == ("40", "0")
    assert "cannot be written, so kernels are compiled anew in every process" in told


@pytest.mark.slow
def test_without_any_folder_kernels_are_compiled_anew(two):
    nowhere = "from numba.core import caching\ndef fails(self): raise OSError('no place')\n"
    nowhere += "caching._CacheLocator.ensure_cache_path = fails\n"
    out, err = told_by(two, nowhere + "from caller import total\nprint(total(3), total(3.0))")
    assert out == "40 40.0\n"
    assert err.count("UserWarning: kernels are compiled anew in every process") == 1


@pytest.mark.slow
def test_neither_a_home_nor_a_working_directory_is_needed(two):
    """And no folder called ~ is made where there is none."""
    gone = "import numba, os, sys; sys.path.insert(0, os.getcwd()); os.mkdir('gone'); os.chdir('gone'); "
    program = gone + "os.rmdir('../gone'); from caller import total; print(total(3))"
    assert told_by(two, program, without=("HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR"))[0] == "40\n"
    assert not list(two.rglob("~"))


@pytest.mark.slow
def test_a_solver_outlives_a_damaged_cache(tmp_path):
    kept = {"NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    program = "import fogbound as fb; print(fb.solve('king-ace', 'dcfr', iterations=20).value)"
    first, _ = told_by(tmp_path, program, **kept)
    files = [file for file in tmp_path.rglob("*.nb?") if file.is_file()]
    assert files
    for file in files:
        file.write_bytes(file.read_bytes()[:-7])
    again, told = told_by(tmp_path, program, **kept)
    assert again == first
    assert told.count("UserWarning") == 1
