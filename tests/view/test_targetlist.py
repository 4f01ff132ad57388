"""Tests of the list of targets."""

from __future__ import annotations

from dataclasses import replace

from perfconsole.view.targetlist import Listed, listed_json, listed_lines

ENGINE = Listed(
    "vllm:8000", "engine", "vllm", "http://127.0.0.1:8000", 4312, (), "ok", "command line of vLLM, port 8000"
)
PROXY = Listed(
    "litellm:4000", "gateway", "litellm", "http://127.0.0.1:4000", None, ("engine/vllm:8000",), "down", "refused"
)


def text(*targets: Listed, notes: tuple[str, ...] = ()) -> str:
    """All lines of a list."""
    return "\n".join(line.text for line in listed_lines(targets, notes))


def test_a_target_is_told_with_its_place_and_its_process() -> None:
    """And how it was found."""
    shown = text(ENGINE)
    assert all(
        word in shown for word in ("engine", "vllm:8000", "ok", "http://127.0.0.1:8000", "pid 4312", "command line")
    )


def test_what_it_calls_is_named_without_its_kind() -> None:
    """A person knows what stands below a gateway."""
    assert "calls vllm:8000" in text(PROXY)


def test_a_target_without_a_process_has_no_number() -> None:
    """Nothing stands for an unknown one."""
    assert "pid" not in text(PROXY)


def test_nothing_found_is_said_with_the_way_to_name_one() -> None:
    """An empty list is no answer."""
    assert "--engine" in text()


def test_what_was_looked_at_stands_below() -> None:
    """And why something was not taken."""
    assert text(ENGINE, notes=("looked at 9 ports",)).endswith("looked at 9 ports")


def test_scripts_get_every_key() -> None:
    """With null for what is not known."""
    assert listed_json(PROXY) == {
        "name": "litellm:4000",
        "layer": "gateway",
        "adapter": "litellm",
        "url": "http://127.0.0.1:4000",
        "pid": None,
        "links": ["engine/vllm:8000"],
        "state": "down",
        "reason": "refused",
        "log": None,
    }


def test_the_log_of_an_engine_is_named() -> None:
    """Where it is read: somebody will want to open it."""
    lines = listed_lines([replace(PROXY, log="/var/log/vllm.log")], ())
    assert any(line.text.strip() == "log /var/log/vllm.log" for line in lines)
