"""Tests of the wheel: built without network, unpacked elsewhere, run from there."""

from __future__ import annotations

import os
import shutil
import subprocess  # noqa: TID251 - building and running elsewhere need processes
import sys
import zipfile
from pathlib import Path

import pytest

from perfconsole.diagnose.rulefile import shipped_folder

ROOT = Path(__file__).parents[1]
PARTS = ("perfconsole", "rules", "pyproject.toml", "README.md", "LICENSE")


def python(*arguments: str, cwd: Path, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run this interpreter elsewhere; PYTHONPATH is the unpacked wheel, if any."""
    environment = {**os.environ, "XDG_CONFIG_HOME": str(cwd), "PYTHONPATH": str(path or "")}
    return subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, *arguments], cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=60
    )


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of a copy of the tree, unpacked."""
    folder = tmp_path_factory.mktemp("wheel")
    tree = folder / "tree"
    tree.mkdir()
    for part in PARTS:
        here = ROOT / part
        if here.is_dir():
            shutil.copytree(here, tree / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(here, tree / part)
    done = python("-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "dist"), cwd=tree)
    assert done.returncode == 0, done.stderr
    (wheel,) = (folder / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def test_the_wheel_holds_the_rules_and_the_types_marker(unpacked: Path) -> None:
    """Every rule file of the checkout, and py.typed."""
    inside = {p.relative_to(unpacked / "perfconsole" / "rules") for p in unpacked.rglob("*.yaml")}
    assert inside == {p.relative_to(ROOT / "rules") for p in (ROOT / "rules").rglob("*.yaml")}
    assert (unpacked / "perfconsole" / "py.typed").is_file()


def test_the_wheel_holds_nothing_but_the_package(unpacked: Path) -> None:
    """No tests and no documents are installed beside it."""
    assert sorted(p.name for p in unpacked.iterdir() if not p.name.endswith(".dist-info")) == ["perfconsole"]


def test_the_installed_rules_are_those_inside_the_wheel(unpacked: Path, tmp_path: Path) -> None:
    """The package finds its rules without a checkout around it."""
    code = "from perfconsole.diagnose.rulefile import shipped_folder as f; print(f())"
    assert python("-c", code, cwd=tmp_path, path=unpacked).stdout.strip() == str(unpacked / "perfconsole" / "rules")


def test_the_installed_program_tests_its_rules(unpacked: Path, tmp_path: Path) -> None:
    """`rules test` runs the cases of the rules in the wheel."""
    done = python("-m", "perfconsole", "rules", "test", cwd=tmp_path, path=unpacked)
    assert (done.returncode, done.stderr) == (0, "")
    assert "0 rules" not in done.stdout


def test_a_checkout_uses_its_own_rules() -> None:
    """Beside the package, so that an edited rule counts at once."""
    assert shipped_folder() == ROOT / "rules"
