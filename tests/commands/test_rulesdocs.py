"""Tests of `rules docs`: pages that are made from the rules, and pages that went stale."""

from __future__ import annotations

from pathlib import Path

from perfconsole.diagnose.rulefile import load_folder, shipped_folder
from tests.commands.running import BROKEN, perfconsole, rule

PAGES = Path(__file__).parents[2] / "docs" / "rules"


def test_the_pages_in_the_documentation_are_up_to_date() -> None:
    """docs/rules is what the shipped rules say; `perfconsole rules docs` writes it anew when this fails."""
    run = perfconsole("rules", "docs", "--check", PAGES)
    assert (run.code, run.out.count("\n")) == (0, 1), run.out


def test_each_shipped_rule_has_a_page_and_a_line_in_the_index() -> None:
    """None is left out."""
    index = (PAGES / "index.md").read_text(encoding="utf-8")
    ids = {r.id for r in load_folder(shipped_folder(), cases=False)[0]}
    assert {path.stem for path in PAGES.glob("*.md")} == {*ids, "index"}
    assert all(f"| [{name}]({name}.md) |" in index for name in ids)


def test_a_second_run_writes_nothing(tmp_path: Path) -> None:
    """The pages depend on the rules alone."""
    folder = rule(tmp_path / "rules", "engine.up == 1")
    pages = tmp_path / "new" / "pages"
    first = perfconsole("rules", "docs", pages, "--rules", folder)
    assert first.out == f"2 pages in {pages}: 2 written, 0 removed\n"
    assert perfconsole("rules", "docs", pages, "--rules", folder).out == f"2 pages in {pages}: 0 written, 0 removed\n"


def test_a_page_that_differs_or_is_left_over_is_stale(tmp_path: Path) -> None:
    """Exit code 2 and one line each; a page written by hand is none of them."""
    folder, pages = rule(tmp_path / "rules", "engine.up == 1"), tmp_path / "pages"
    perfconsole("rules", "docs", pages, "--rules", folder)
    made = (pages / "mine.md").read_text(encoding="utf-8")
    (pages / "gone.md").write_text(made, encoding="utf-8")
    (pages / "by-hand.md").write_text("# Notes\n", encoding="utf-8")
    (pages / "mine.md").write_text(made + "more\n", encoding="utf-8")
    run = perfconsole("rules", "docs", "--check", pages, "--rules", folder)
    assert run.code == 2
    assert [line.partition(";")[0] for line in run.out.splitlines()] == [
        f"{pages}/gone.md: has no rule any more",
        f"{pages}/mine.md: differs from its rule",
    ]
    assert "1 written, 1 removed" in perfconsole("rules", "docs", pages, "--rules", folder).out
    assert sorted(path.name for path in pages.iterdir()) == ["by-hand.md", "index.md", "mine.md"]


def test_a_missing_page_is_stale(tmp_path: Path) -> None:
    """Nothing is written by a check, and one line says it."""
    folder = rule(tmp_path / "rules", "engine.up == 1")
    assert perfconsole("rules", "docs", "--check", tmp_path / "none", "--rules", folder).code == 2
    assert not (tmp_path / "none").exists()


def test_a_broken_rule_stops_the_pages(tmp_path: Path) -> None:
    """A page that lacks a rule would look complete."""
    folder = rule(tmp_path / "rules", "engine.up == 1")
    (folder / "broken.yaml").write_text(BROKEN, encoding="utf-8")
    run = perfconsole("rules", "docs", tmp_path / "pages", "--rules", folder)
    assert run.code == 2
    assert not (tmp_path / "pages").exists()


def test_pages_of_a_few_rules_take_no_other_page_away(tmp_path: Path) -> None:
    """Documenting one's own rules beside the shipped pages."""
    perfconsole("rules", "docs", tmp_path)
    before = len(list(tmp_path.iterdir()))
    perfconsole("rules", "docs", tmp_path, "--rules", shipped_folder() / "gpu")
    assert len(list(tmp_path.iterdir())) == before


def test_a_missing_folder_is_one_line(tmp_path: Path) -> None:
    """Not one for each page."""
    run = perfconsole("rules", "docs", tmp_path / "no", "--check")
    assert (run.code, run.err.count("\n"), run.out) == (2, 1, "")
