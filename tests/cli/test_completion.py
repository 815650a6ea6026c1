"""What shells are told: the script is asked as a shell would ask it."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from fogbound.cli.main import COMMANDS, main

ASK = """
source {script}
COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMPREPLY=()
_shtab_fogbound fogbound "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD - 1]}}"
echo "${{COMPREPLY[@]}}"
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    path = tmp_path_factory.mktemp("completion") / "fogbound"
    done = subprocess.run(
        [sys.executable, "-m", "fogbound", "completion", "bash"], capture_output=True, text=True, check=True
    )
    path.write_text(done.stdout)
    return path


@pytest.mark.one_in(4)
@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash here")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("fogbound sol", {"solve", "solvers"}),
        ("fogbound solve led", {"leduc"}),
        ("fogbound solve leduc --wi", {"--with"}),
        ("fogbound solve leduc --with cfr", {"cfr", "cfr-br", "cfr-plus"}),
        ("fogbound match kuhn unif", {"uniform"}),
        ("fogbound match kuhn uniform unif", {"uniform"}),
    ],
)
def test_bash_completes(script, words, expected):
    asked = ASK.format(script=script, words=words)
    done = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True, cwd=script.parent)
    assert set(done.stdout.split()) == expected


def test_every_command_is_known(script, capsys):
    (known,) = [line for line in script.read_text().splitlines() if line.startswith("_shtab_fogbound_subparsers=")]
    assert known.partition("=")[2].strip("()").split() == list(COMMANDS)
    assert main(["completion", "zsh"]) == 0
    printed = capsys.readouterr().out
    assert all(f"{command}:" in printed for command in COMMANDS)


def test_a_shell_that_nobody_knows(capsys):
    assert main(["completion", "powershell"]) == 2
    assert "invalid choice: 'powershell'" in capsys.readouterr().err


def test_without_shtab_the_extra_is_named(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["completion", "bash"]) == 2
    assert capsys.readouterr().err == "fogbound: completion needs shtab: pip install 'fogbound[completion]'\n"
