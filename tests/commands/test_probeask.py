"""What is said and asked before a probe."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from perfconsole.commands.probeask import ask_lines, confirmed
from perfconsole.errors import UsageError
from perfconsole.probing.asking import asked
from perfconsole.probing.precautions import Precautions
from tests.probing.fakeload import ENGINE, plan
from tests.view.pictures import indicator, snapshot

if TYPE_CHECKING:
    from perfconsole.model.probeask import ProbeAsk

PICTURE = snapshot(
    indicators=(
        indicator("engine.request_rate", 4.0, ENGINE),
        indicator("engine.requests_running", 9.0, ENGINE),
        indicator("engine.requests_waiting", 0.0, ENGINE),
        indicator("engine.ttft.p95", 0.4, ENGINE),
    )
)


def _ask(found: Precautions = Precautions()) -> ProbeAsk:  # noqa: B008 - frozen
    return asked(plan(1, 2, runs=3, shed_s=30.0), found, PICTURE, ENGINE)


def test_the_text() -> None:
    """Target, load, limits, traffic, cost and what to think of."""
    text = "\n".join(ask_lines(_ask(Precautions(warnings=("others run there",)))))
    for words in (
        "http://127.0.0.1:8000, model m",
        "1, 2 at a time; all of it 3 times",
        "a pause of 30 s",
        "4 requests/s, 9 running, 0 waiting",
        "5,000 requests",
        "careful    others run there",
    ):
        assert words in text


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("answer", "starts"), [("y\n", True), ("YES\n", True), ("\n", False), ("n\n", False), ("", False)]
)
def test_an_answer(answer: str, starts: bool, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: FBT001 - a column of the table
    """Only a yes is one."""
    out = _Terminal()
    monkeypatch.setattr("sys.stdin", _Terminal(answer))
    monkeypatch.setattr("sys.stderr", out)
    assert confirmed(_ask(), yes=False, quiet=False) is starts
    assert out.getvalue().endswith("Start? [y/N] ")


def test_yes_is_not_asked(capsys: pytest.CaptureFixture[str]) -> None:
    """A script is told, unless it wants to be told nothing."""
    assert confirmed(_ask(), yes=True, quiet=False)
    assert "at worst" in capsys.readouterr().err
    assert confirmed(_ask(), yes=True, quiet=True)
    assert capsys.readouterr().err == ""


def test_nobody_to_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a terminal and without a yes it does not start."""
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    with pytest.raises(UsageError, match="--yes"):
        confirmed(_ask(), yes=False, quiet=True)


def test_a_refusal() -> None:
    """A yes does not lift it."""
    with pytest.raises(UsageError, match="not started: it is full; it is late"):
        confirmed(_ask(Precautions(refusals=("it is full", "it is late"))), yes=True, quiet=True)


def test_a_plan_of_one_run() -> None:
    """What is not there is not said."""
    text = "\n".join(ask_lines(replace(_ask(), plan=plan(1))))
    assert "times" not in text.split("ladder")[1].split("\n")[0]
    assert "pause" not in text
