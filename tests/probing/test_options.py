"""What an option takes."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

import pytest

from perfconsole.probing.options import add_options


def _parse(line: str) -> Namespace:
    parser = ArgumentParser()
    add_options(parser)
    return parser.parse_args(line.split())


def test_nothing_given_is_none() -> None:
    """So that a recipe knows what is its own to decide; a kind of API and no reason are the usual."""
    given = {name: value for name, value in vars(_parse("")).items() if value is not None}
    assert given == {"api": "chat", "why": ""}


def test_lists() -> None:
    """Numbers with commas between them, blanks or not."""
    assert _parse("--concurrency 1,2,16").concurrency == (1, 2, 16)
    assert _parse("--rate=0.5,2").rate == (0.5, 2.0)
    assert _parse("--mix 1:0:2").mix == (1, 0, 2)


@pytest.mark.parametrize(
    "line",
    [
        "--concurrency 0",
        "--concurrency 1,x",
        "--concurrency 1.5",
        "--rate nan",
        "--rate 0",
        "--seconds inf",
        "--mix 1:2",
        "--mix 0:0:0",
        "--warmup -1",
        "--runs 0",
        "--api chatty",
        "--scenario none",
    ],
)
def test_what_is_no_value(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The parser refuses it by the name of the option."""
    with pytest.raises(SystemExit):
        _parse(line)
    assert line.split(maxsplit=1)[0] in capsys.readouterr().err
