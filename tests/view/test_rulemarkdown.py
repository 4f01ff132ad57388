"""The page of one rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.diagnose.rulefile import load_rule
from perfconsole.model.dictionary import DEFAULT
from perfconsole.view.rulemarkdown import HEADINGS, rule_markdown, severity_words
from tests.diagnose.planted import SOUND

if TYPE_CHECKING:
    from perfconsole.model.rule import Rule


def page(text: str, *others: Rule) -> str:
    """Page of the rule, beside others that have one."""
    rule = load_rule(text, "planted.yaml")
    return rule_markdown(rule, {r.id: r for r in (rule, *others)}, DEFAULT)


def other(name: str, explains: str) -> Rule:
    """Another rule."""
    text = SOUND.replace("id: planted", f"id: {name}").replace("[ttft-high, queue-growing]", explains)
    return load_rule(text, f"{name}.yaml")


def section(text: str, heading: str) -> str:
    """What stands below a heading."""
    return text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def test_the_headings_are_always_the_same() -> None:
    """In their order, also for a rule that has next to nothing."""
    bare = SOUND[: SOUND.index("unless:")] + "cause: c\nconfidence: low\n"
    for text in (SOUND, bare):
        assert [line[3:] for line in page(text).splitlines() if line.startswith("## ")] == list(HEADINGS)


def test_the_symptom_has_conditions_escalation_and_what_is_folded_under_it() -> None:
    """In words, with a page for each rule that has one."""
    text = section(page(SOUND, other("ttft-high", "[]")), "Symptom")
    assert "1. [`engine.itl.p90`](../reference/indicators.md) is above 80 ms for 60 s" in text
    assert "It becomes **critical** when [`engine.itl.p90`]" in text
    assert "[ttft-high](ttft-high.md), `queue-growing`" in text


def test_the_first_check_has_its_answers_and_the_others_follow() -> None:
    """A command stands in a block of its own, as it is to be copied."""
    text = section(page(SOUND), "First check")
    assert "1. Look: the step time in {engine.log}\n   - confirmed when [`engine.step_time`]" in text
    assert "   - refuted when you see: nothing odd" in text
    assert "   ```sh\n   tail -40 {engine.log} | grep -c step\n   ```" in text
    assert text.index("1. Look") < text.index("If that does not settle it:") < text.index("2. Run")


def test_how_it_can_be_wrong_names_look_alikes_gaps_and_history() -> None:
    """Exclusions, cases that must not fire, causes above it, missing values, no baseline, few incidents."""
    series = "\n    series: {engine.itl.p90: 20ms"
    noted = SOUND.replace(f"5s{series}", f"5s  # cold: it warms up{series}")
    noted = noted.replace("confidence: low", "confidence: low\nnote: Only a guess.\nincidents: ['050']")
    text = section(page(noted, other("cold", "[planted]")), "How it can be wrong")
    for words in (
        "Only a guess.",
        "It is ruled out when\n\n- [`engine.ready`](../reference/indicators.md) is 0",
        "- [cold](cold.md): it warms up",
        "- It may be no more than a consequence of [cold](cold.md).",
        "It stays undecided until these are known: [`engine.itl.p90`]",
        "It is at best *possible* without [`engine.ready`]",
        "Without a baseline condition 2 is: [`engine.tpot.p90`](../reference/indicators.md) is above 160 ms.",
        "Confidence: low; it rests on 1 incident (050).",
    ):
        assert words in text


def test_a_rule_without_a_baseline_of_its_own_waits() -> None:
    """`none` is said in words."""
    text = page(SOUND.replace("2: engine.tpot.p90 > 160ms", "2: none"))
    assert "Without a baseline condition 2 waits for one" in text


def test_text_of_a_rule_is_shown_as_it_is() -> None:
    """What Markdown would act on is escaped."""
    text = page(SOUND.replace("The step is long.", "a < b | *c*"))
    assert section(text, "Cause").strip() == "a &lt; b \\| \\*c\\*"


def test_the_severity_says_how_far_it_goes() -> None:
    """Only where an escalation raises it."""
    assert severity_words(load_rule(SOUND, "planted.yaml")) == "info, up to critical"
    plain = SOUND.replace("escalate:\n  critical: engine.itl.p90 > 1s\n", "")
    assert severity_words(load_rule(plain, "planted.yaml")) == "info"
