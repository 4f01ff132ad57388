"""Rule files: what loads, where mistakes are placed, and what they say."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.diagnose import rulefile
from perfconsole.diagnose.parse import parse
from perfconsole.diagnose.rulefile import load_folder, load_rule, shipped_folder
from perfconsole.diagnose.yamltree import RuleFileError
from perfconsole.errors import EXIT_USAGE, exit_code_for
from perfconsole.model.entity import Kind
from perfconsole.model.rule import Case, Condition, Place, Severity

FILE = "rules/engine/slow.yaml"

FULL = """\
id: slow
row: S99
seed: [1, 2]
title: Tokens come slowly
layer: engine
scope: engine
severity: info
class: symptom
when:
  - engine.itl.p90 > 80ms for 60s
  - engine.tpot.p90 > 2 * base(engine.tpot.p90)
unless:
  - engine.ready == 0
fallback:
  2: engine.tpot.p90 > 80ms
  1: none
escalate:
  warn: engine.itl.p90 > 200ms
  critical: engine.itl.p90 > 1s
explains: [ttft-high, queue-growing]
cause: Unknown yet.
checks:
  - kind: look
    what: the step time
    confirms: engine.step_time > 500ms
    refutes: "see: nothing odd"
  - kind: probe
    recipe: step-load
    command: perfconsole probe step-load {engine.url}
    confirms: probe.itl.p50 > 80ms
    refutes: probe.itl.p50 < 20ms
remedies: [Wait]
evidence: [engine.itl.p90, engine.step_time]
incidents: ["050"]
confidence: low
note: A note.
cases:
  - interval: 5s
    series: {engine.itl.p90: 90msx2 _, engine.ready: 1x3}
    base: {engine.tpot.p90: 40ms}
    expect: {at: 10s, state: firing, verdict: possible, missing: engine.tpot.p90}
"""

SHORT = """\
id: slow
title: Tokens come slowly
layer: engine
scope: engine
severity: info
class: symptom
when: [engine.x > 1]
cause: Unknown yet.
confidence: low
"""


def refused(text: str, file: str = FILE) -> RuleFileError:
    """Error that loading the text raises."""
    with pytest.raises(RuleFileError) as caught:
        load_rule(text, file)
    return caught.value


def test_plain_fields_are_kept() -> None:
    """Text and words of the file stand in the rule."""
    rule = load_rule(FULL, FILE)
    assert (rule.id, rule.row, rule.layer, rule.scope) == ("slow", "S99", "engine", Kind.ENGINE)
    assert (rule.severity, rule.rank_class, rule.confidence) == (Severity.INFO, "symptom", "low")
    assert (rule.title, rule.cause, rule.note) == ("Tokens come slowly", "Unknown yet.", "A note.")
    assert (rule.explains, rule.remedies) == (("ttft-high", "queue-growing"), ("Wait",))
    assert rule.evidence == ("engine.itl.p90", "engine.step_time")
    assert rule.place == Place(FILE, 1, 1)


def test_conditions_are_parsed_and_placed() -> None:
    """A condition has its text, its tree and the place of its first character."""
    text = "engine.itl.p90 > 80ms for 60s"
    assert load_rule(FULL, FILE).when[0] == Condition(text, parse(text), Place(FILE, 10, 5), exact=True)


def test_fallback_counts_from_zero() -> None:
    """`2:` in the file is index 1 of `when`, and `none` stays open."""
    fallback = dict(load_rule(FULL, FILE).fallback)
    assert fallback[0] is None
    assert fallback[1] is not None
    assert fallback[1].text == "engine.tpot.p90 > 80ms"


def test_escalation_keeps_level_and_condition() -> None:
    """Each level of `escalate` has its condition."""
    levels = [(level, condition.text) for level, condition in load_rule(FULL, FILE).escalate]
    assert levels == [(Severity.WARN, "engine.itl.p90 > 200ms"), (Severity.CRITICAL, "engine.itl.p90 > 1s")]


def test_a_look_check_has_text() -> None:
    """A look check has what to look at, and signs that are conditions or text."""
    check = load_rule(FULL, FILE).checks[0]
    assert (check.kind, check.text, check.recipe) == ("look", "the step time", None)
    assert isinstance(check.confirms, Condition)
    assert check.refutes == "see: nothing odd"


def test_a_probe_check_has_a_recipe_beside_its_command() -> None:
    """A probe check keeps recipe and command."""
    check = load_rule(FULL, FILE).checks[1]
    assert (check.recipe, check.text) == ("step-load", "perfconsole probe step-load {engine.url}")


@pytest.mark.parametrize(
    ("file", "says", "shell"),
    [
        (FILE, "", False),
        (FILE, "    shell: true\n", True),
        (FILE, "    shell: false\n", False),
        (str(shipped_folder() / "engine" / "slow.yaml"), "", True),
    ],
)
def test_a_command_may_go_to_a_shell_where_its_rule_is_shipped_or_says_so(file: str, says: str, shell: bool) -> None:  # noqa: FBT001 - what is expected
    """Shipped rules are read by many."""
    text = f"{SHORT}checks:\n  - kind: run\n    command: ps\n    confirms: 'see: x'\n    refutes: 'see: y'\n{says}"
    assert [check.shell for check in load_rule(text, file).checks] == [shell]


def test_a_case_is_kept_in_base_units() -> None:
    """The samples, baselines and moments of a case are numbers in base units."""
    assert load_rule(FULL, FILE).cases == (
        Case(
            interval_s=5.0,
            series=(("engine.itl.p90", (0.09, 0.09, 0.09, None)), ("engine.ready", (1.0, 1.0, 1.0, 1.0))),
            base=(("engine.tpot.p90", 0.04),),
            at_s=10.0,
            state="firing",
            verdict="possible",
            missing="engine.tpot.p90",
            place=Place(FILE, 38, 5),
        ),
    )


def test_a_case_may_have_several_entities_of_a_kind() -> None:
    """A list holds one series for each; the name then stands once for each, in the order of the list."""
    listed = load_rule(FULL.replace("engine.ready: 1x3", "engine.ready: [1x3, 1 0x2, _x4]"), FILE)
    assert listed.cases[0].series[1:] == (
        ("engine.ready", (1.0, 1.0, 1.0, 1.0)),
        ("engine.ready", (1.0, 0.0, 0.0, 0.0)),
        ("engine.ready", (None,) * 4),
    )


def test_a_case_may_expect_a_severity() -> None:
    """For escalations."""
    told = load_rule(FULL.replace("verdict: possible", "verdict: possible, severity: warn"), FILE)
    assert (told.cases[0].severity, load_rule(FULL, FILE).cases[0].severity) == ("warn", None)


def test_optional_keys_may_be_left_out() -> None:
    """A rule without exclusions, checks, cases and the like loads with none of them."""
    rule = load_rule(SHORT, FILE)
    assert (rule.row, rule.unless, rule.fallback, rule.escalate) == ("", (), (), ())
    assert (rule.explains, rule.checks, rule.evidence, rule.cases, rule.note) == ((), (), (), (), "")


def test_the_order_of_keys_does_not_matter() -> None:
    """The same lines in another order give the same rule."""
    turned = "".join(reversed(SHORT.splitlines(keepends=True)))
    assert load_rule(turned, FILE).title == load_rule(SHORT, FILE).title


@pytest.mark.parametrize("scalar", ["|\n  engine.x > 1\n", ">-\n  engine.x\n  > 1\n", '"engine.x\n  > 1"\n'])
def test_a_condition_may_span_lines(scalar: str) -> None:
    """Block and folded scalars are read as one condition."""
    rule = load_rule(SHORT.replace("[engine.x > 1]\n", f"\n- {scalar}"), FILE)
    assert rule.when[0].expression == parse(rule.when[0].text)


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "said"),
    [
        ("title:", "titel:", 2, 1, "a rule has no key 'titel'; did you mean 'title'?"),
        ("title:", "qqqq:", 2, 1, "a rule has no key 'qqqq'; it has id, title"),
        ("cause: Unknown yet.\n", "", 1, 1, "a rule lacks 'cause'; add it"),
        ("severity: info", "severity: bad", 5, 11, "severity 'bad' is unknown; use one of info, warn, critical"),
        ("severity: info", "severity: wanr", 5, 11, "did you mean 'warn'?"),
        ("class: symptom", "class: symptoms", 6, 8, "class 'symptoms' is unknown; did you mean 'symptom'?"),
        ("scope: engine", "scope: target", 4, 8, "scope 'target' is unknown"),
        ("layer: engine", "layer: motor", 3, 8, "layer 'motor' is unknown"),
        ("confidence: low", "confidence: lowest", 9, 13, "confidence 'lowest' is unknown"),
        ("cause: Unknown yet.", "id: slow", 8, 1, "'id' stands here twice; keep one"),
        ("cause: Unknown yet.", "cause: [a]", 8, 8, "'cause' must be text"),
        ("cause: Unknown yet.", "cause:", 8, 7, "'cause' is empty; write a value"),
        ("cause: Unknown yet.", "? [a]\n: b", 8, 3, "a key must be one word"),
        ("cause: Unknown yet.", "cause: a: b", 8, 9, "not YAML: mapping values are not allowed"),
        ("cause: Unknown yet.", "cause: *x", 8, 8, "not YAML: found undefined alias"),
        ("[engine.x > 1]", "engine.x > 1", 7, 7, "'when' must be a list; write [] or '- ' lines"),
        ("[engine.x > 1]", "[]", 7, 7, "'when' is empty"),
        ("[engine.x > 1]", "[[a]]", 7, 8, "a condition must be text"),
        ("[engine.x > 1]", "[engine.x > 1, engine.x]", 7, 22, "a number is not a condition"),
        ("[engine.x > 1]", "[engine.x >> 1]", 7, 18, "'>' stands where a number or an indicator should"),
        ("[engine.x > 1]", '["engine.x >> 1"]', 7, 19, "'>' stands where"),
        ("[engine.x > 1]", "['engine.x >> 1']", 7, 19, "'>' stands where"),
        ("[engine.x > 1]", '["engine.x\\u0020>\\x3e 1"]', 7, 24, "'>' stands where"),
        ("[engine.x > 1]", "['engine.x > 1 '' 2']", 7, 22, 'unexpected character "\'"'),
        ("[engine.x > 1]", "\n  - |\n    engine.x >> 1", 9, 15, "'>' stands where"),
        ("[engine.x > 1]", "\n  - engine.x\n    >> 1", 9, 6, "'>' stands where"),
        ("id: slow", "id: quick", 1, 5, "id 'quick' differs from the file name 'slow'; rename one of them"),
        ("title: Tokens come slowly", "title: &t [a]\nnote: *t", 2, 8, "cannot be shared by an alias"),
        (
            "cause: Unknown yet.",
            "cause: c\nnames: 2",
            9,
            8,
            "names '2' is no condition of 'when'; use a number from 1 to 1",
        ),
        ("cause: Unknown yet.", "cause: c\nnames: first", 9, 8, "names 'first' is no condition"),
    ],
)
def test_a_mistake_in_the_rule_is_placed(old: str, new: str, line: int, column: int, said: str) -> None:
    """Each mistake is said in one line that starts with file, line and column."""
    assert old in SHORT
    error = refused(SHORT.replace(old, new))
    assert str(error).startswith(f"{FILE}:{line}:{column}: ")
    assert said in str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "said"),
    [
        ("  2: engine.tpot.p90 > 80ms", "  3: none", 15, 3, "fallback '3' is no condition of 'when'; use a number"),
        ("  1: none", "  0: none", 16, 3, "fallback '0' is no condition"),
        ("  1: none", "  one: none", 16, 3, "fallback 'one' is no condition"),
        ("  1: none", "  1: nothing", 16, 6, "'nothing' is not an indicator"),
        ("  warn: engine", "  info: engine", 18, 3, "escalate level 'info' is unknown; use warn or critical"),
        ("kind: look", "kind: stare", 23, 11, "kind 'stare' is unknown; use one of look, run"),
        ("    what:", "    command:", 24, 5, "a look check has no key 'command'"),
        ("kind: look", "kind: run", 24, 5, "a run check has no key 'what'"),
        ("kind: probe", "kind: run", 28, 5, "a run check has no key 'recipe'"),
        ("  - kind: look\n    what", "  - what", 23, 5, "a check lacks 'kind'; add one of look"),
        ('    refutes: "see: nothing odd"\n', "", 23, 5, "a look check lacks 'refutes'"),
        ("interval: 5s", "interval: 5", 38, 15, "interval: '5' is not a duration"),
        ("90msx2 _", "90msx2 _y", 39, 37, "'_y' is none of"),
        ("engine.ready: 1x3", "engine.ready: [1x3, 1y]", 39, 60, "unknown unit 'y'"),
        ("engine.ready: 1x3", "engine.ready: []", 39, 54, "the list of engine.ready is empty; write one series"),
        ("engine.ready: 1x3", "engine.ready: [[1x3]]", 39, 55, "the series of engine.ready must be text"),
        ("40ms}", "quick}", 40, 29, "engine.tpot.p90: 'quick' is not a number"),
        ("state: firing", "state: fire", 41, 30, "state 'fire' is unknown; did you mean 'firing'?"),
        ("verdict: possible", "verdict: maybe", 41, 47, "verdict 'maybe' is unknown"),
        ("verdict: possible", "severity: bad", 41, 48, "severity 'bad' is unknown; use one of info, warn"),
        ("at: 10s, ", "", 41, 13, "'expect' lacks 'at'"),
        ("    expect: {", "    expects: {", 41, 5, "a case has no key 'expects'; did you mean 'expect'?"),
        ("{engine.itl.p90: 90msx2 _, engine.ready: 1x3}", "[1x3]", 39, 13, "'series' must be a table"),
    ],
)
def test_a_mistake_in_an_inner_table_is_placed(old: str, new: str, line: int, column: int, said: str) -> None:
    """Mistakes in fall-backs, escalations, checks and cases are placed too."""
    assert old in FULL
    error = refused(FULL.replace(old, new))
    assert str(error).startswith(f"{FILE}:{line}:{column}: ")
    assert said in str(error)


def test_columns_count_characters_not_bytes() -> None:
    """Text outside ASCII before a mistake does not move its column."""
    error = refused(SHORT.replace("when: [", 'note: "ümläüt ☃"\nwhen: ["engine.x\\x20>> 1", '))
    assert str(error.place) == f"{FILE}:8:22"


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n"])
def test_an_empty_file_is_refused(text: str) -> None:
    """A file without a document says so, or that a rule is a table."""
    assert "one rule" in str(refused(text)) or "must be a table" in str(refused(text))


@pytest.mark.parametrize("text", ["- a\n", "word\n"])
def test_a_rule_is_a_table(text: str) -> None:
    """A list or a word at the top is no rule."""
    assert "a rule must be a table" in str(refused(text))


def test_a_second_document_is_refused() -> None:
    """One file holds one rule."""
    assert "not YAML" in str(refused(SHORT + "---\n" + SHORT))


def test_control_characters_are_refused() -> None:
    """A byte that YAML does not allow is an error of the file, not a crash."""
    assert str(refused("id: \x00")).startswith(f"{FILE}:1:1: not YAML: ")


def test_deep_nesting_is_refused() -> None:
    """Brackets without end are an error of the file, not a crash."""
    assert str(refused("[" * 900)).startswith(f"{FILE}:")


def test_a_cycle_is_refused() -> None:
    """A list that contains itself is an error of the file, not an endless loop."""
    assert "cannot be shared by an alias" in str(refused("id: &a [*a]"))


def test_a_wrong_rule_file_is_for_the_user_to_mend() -> None:
    """The error belongs to the usage errors and their exit code."""
    assert exit_code_for(refused("")) == EXIT_USAGE


def test_the_pure_loader_reads_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without libyaml the same rule comes out, places included."""
    fast = load_rule(FULL, FILE)
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    assert load_rule(FULL, FILE) == fast


@given(st.text(alphabet="ids: slow\n-[]{}'\"&*|>#,?", max_size=40))
def test_any_text_loads_or_is_refused(text: str) -> None:
    """Whatever stands in a file gives a rule or one RuleFileError of one line."""
    error = attempt(text)
    assert error is None or "\n" not in str(error)


@given(st.integers(0, len(FULL)), st.integers(0, 30))
def test_a_file_with_a_hole_loads_or_is_refused(start: int, length: int) -> None:
    """A rule with a stretch cut out loads or is refused inside the file."""
    text = FULL[:start] + FULL[start + length :]
    error = attempt(text)
    assert error is None or 1 <= error.place.line <= text.count("\n") + 2


def attempt(text: str) -> RuleFileError | None:
    """Error that loading the text raises, if any."""
    try:
        load_rule(text, FILE)
    except RuleFileError as error:
        return error
    return None


def write(folder: Path, name: str, row: str | None) -> None:
    """Put a short rule into a folder."""
    text = SHORT.replace("id: slow\n", f"id: {name}\n" + (f"row: {row}\n" if row else ""))
    (folder / f"{name}.yaml").write_text(text, encoding="utf-8")


def test_a_folder_gives_rules_in_the_order_of_their_rows(tmp_path: Path) -> None:
    """Rows sort naturally; rules without a row come last, by id."""
    (tmp_path / "inner").mkdir()
    rows = {"a": "S29b", "b": "S100", "c": "S2", "d": None, "e": "S29", "f": "S01b", "g": "S01a", "0": None}
    for name, row in rows.items():
        write(tmp_path / "inner" if name in "abc" else tmp_path, name, row)
    rules, errors = load_folder(tmp_path)
    assert [rule.id for rule in rules] == ["g", "f", "c", "e", "a", "b", "0", "d"]
    assert errors == []


def test_a_broken_file_does_not_stop_the_others(tmp_path: Path) -> None:
    """Every file is read, and each broken one gives its own error."""
    write(tmp_path, "good", "S1")
    (tmp_path / "bad.yaml").write_text("id: [", encoding="utf-8")
    (tmp_path / "latin.yaml").write_bytes(b"id: \xfc")
    rules, errors = load_folder(tmp_path)
    assert [rule.id for rule in rules] == ["good"]
    assert [Path(error.place.file).name for error in errors] == ["bad.yaml", "latin.yaml"]
    assert "not UTF-8" in str(errors[1])


def test_a_file_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    """A dangling link or a folder named like a rule is an error beside the rules."""
    (tmp_path / "dangling.yaml").symlink_to(tmp_path / "nowhere")
    (tmp_path / "folder.yaml").mkdir()
    rules, errors = load_folder(tmp_path)
    assert rules == []
    assert [error.message.partition(" (")[0].partition(";")[0] for error in errors] == [
        "cannot be read",
        "is no regular file",
    ]


def test_what_is_no_folder_is_reported(tmp_path: Path) -> None:
    """A path that is not there gives one error that names it."""
    rules, errors = load_folder(tmp_path / "gone")
    assert rules == []
    assert [str(error) for error in errors] == [
        f"{tmp_path / 'gone'}:1:1: not a folder; name the folder that holds the rule files"
    ]


def test_a_byte_order_mark_is_skipped(tmp_path: Path) -> None:
    """A file saved with a byte order mark loads with the same places."""
    (tmp_path / "slow.yaml").write_text("\ufeff" + SHORT, encoding="utf-8")
    rules, errors = load_folder(tmp_path)
    assert errors == []
    assert rules[0].place.column == 1


def test_rules_inside_the_package_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package has its rules inside; a checkout has them beside it."""
    module = tmp_path / "perfconsole" / "diagnose" / "rulefile.py"
    monkeypatch.setattr(rulefile, "__file__", str(module))
    assert shipped_folder() == tmp_path / "rules"
    (tmp_path / "perfconsole" / "rules").mkdir(parents=True)
    assert shipped_folder() == tmp_path / "perfconsole" / "rules"


def test_all_shipped_rules_load() -> None:
    """No shipped rule file is broken."""
    rules, errors = load_folder(shipped_folder())
    assert errors == []
    assert len(rules) >= 15
