"""What is kept on disk: used until a kernel changes, and never worse than nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import fogbound
from fogbound.compiled.cache import sources

HEAD = "from fogbound.compiled.kernel import kernel\n"
INSTALLED = Path(fogbound.__file__).parent


def run(folder, hits="total.whole.stats.cache_hits", **settings):
    """What a program that calls the kernels of two modules prints, how often it found them, and what it said."""
    program = f"from caller import total; print(total(3), sum({hits}.values()))"
    settings = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "kept"), **settings}
    told = subprocess.run([sys.executable, "-c", program], env=settings, cwd=folder, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    return *told.stdout.split(), told.stderr


@pytest.fixture
def two(tmp_path):
    """A folder with two modules: what Python calls, and its part."""
    (tmp_path / "part.py").write_text(HEAD + "@kernel\ndef one(x):\n    return x + 1\n")
    (tmp_path / "caller.py").write_text(HEAD + "from part import one\n@kernel\ndef total(x):\n    return 10 * one(x)\n")
    return tmp_path


WAYS = [{}, {"FOGBOUND_PLAIN_JIT": "1", "hits": "total.stats.cache_hits"}]


@pytest.mark.parametrize("way", WAYS, ids=["linked", "plain"])
def test_what_was_kept_is_used_until_a_part_changes(two, way):
    """Though the file of what Python calls is as it was: numba looks at that file alone."""
    assert run(two, **way) == ("40", "0", "")
    assert run(two, **way) == ("40", "1", "")
    (two / "part.py").write_text(HEAD + "@kernel\ndef one(x):\n    return x + 2\n")
    assert run(two, **way) == ("50", "0", "")
    assert run(two, **way) == ("50", "1", "")


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


def test_every_kernel_is_among_what_is_stamped():
    stamped = set(sources(INSTALLED))
    assert INSTALLED / "compiled" / "bundle.py" in stamped
    for module in INSTALLED.rglob("*.py"):
        if "compiled.kernel import" in module.read_text():
            assert module in stamped, f"{module}: kernels lie in a folder `kernels` or in `kernels.py`"


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_a_damaged_file_is_compiled_anew(two, kind):
    run(two)
    damaged = [*two.rglob(f"*.{kind}")]
    assert damaged
    for file in damaged:
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    assert run(two) == ("40", "0", "")
    assert run(two) == ("40", "1", "")


def test_machine_code_of_an_older_kernel_is_not_used(two):
    """As a process leaves it that ends between writing the index and the code."""
    run(two)
    (old,) = two.rglob("*.nbc")
    code = old.read_bytes()
    (two / "part.py").write_text(HEAD + "@kernel\ndef one(x):\n    return x + 2\n")
    run(two)
    old.write_bytes(code)
    assert run(two) == ("50", "0", "")


def test_what_cannot_be_kept_is_used_all_the_same(two):
    """A folder that fills up, or becomes read-only, after it was chosen: here one whose files are too large for it."""
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512)); "
    program = "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); " + limit
    program += "from caller import total; print(total(3))"
    settings = {**os.environ, "NUMBA_CACHE_DIR": str(two / "kept"), "PYTHONDONTWRITEBYTECODE": "1"}
    told = subprocess.run([sys.executable, "-c", program], env=settings, cwd=two, capture_output=True, text=True)
    assert told.stdout.strip() == "40", told.stderr
    assert "cannot be kept" in told.stderr
