"""The grammar of one line, part by part."""

from __future__ import annotations

import re

import pytest

from perfconsole.sources import exposition_line
from perfconsole.sources.exposition_line import (
    LineError,
    Vocabulary,
    canonical_key,
    check_exemplar,
    is_unfinished,
    read_numbers,
    read_sample,
    read_stamp,
    read_type,
)


@pytest.mark.parametrize(
    "line",
    [
        b'm{a="1",b="2"} 3',
        b'm{b="2",a="1"} 3',
        b'm{a="1",b="2",} 3',
        b'm { a = "1" , b = "2" } 3',
        b'\tm\t{\ta\t=\t"1",\tb="2"\t}\t3\t',
        b'm{"a"="1","b"="2"} 3',
        b'{"m",a="1",b="2"} 3',
        b'{a="1","m",b="2"}3',
    ],
)
def test_spellings_of_one_sample(line: bytes) -> None:
    """Order of labels, blanks, a trailing comma and quotes around names make no difference."""
    sample = read_sample(line)
    assert (sample.name, sample.labels, sample.value) == ("m", (("a", "1"), ("b", "2")), b"3")


@pytest.mark.parametrize("line", [b"m 3", b"m{} 3", b"m { } 3", b'{"m"} 3', b"m\t3"])
def test_sample_without_labels(line: bytes) -> None:
    """Empty braces are the same as none."""
    sample = read_sample(line)
    assert (sample.name, sample.labels) == ("m", ())


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (rb"a\\b", "a\\b"),
        (rb"say \"hi\"", 'say "hi"'),
        (rb"two\nlines", "two\nlines"),
        (rb"\\n", "\\n"),
        (rb"\d", "\\d"),
        (rb"\\", "\\"),
        (b"} , = # {", "} , = # {"),
        ("Grüße\N{SNOWMAN}".encode(), "Grüße\N{SNOWMAN}"),
        (b"", ""),
    ],
)
def test_label_value(raw: bytes, value: str) -> None:
    """The three escapes are resolved, anything else stands for itself."""
    assert read_sample(b'm{a="' + raw + b'"} 1').labels == (("a", value),)


def test_quoted_names_with_escapes() -> None:
    """Names outside the old alphabet stand quoted in the braces, with escapes as in values."""
    sample = read_sample(rb'{"a.\"b\"","l\\x"="v"} 1')
    assert (sample.name, sample.labels) == ('a."b"', (("l\\x", "v"),))


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b"<html>", "no metric name"),
        (b"5xx 1", "no metric name"),
        (b"{} 1", "no metric name"),
        (b'{""} 1', "no metric name"),
        (b'm{"n"} 1', "metric name given twice"),
        (b'{"m","n"} 1', "metric name given twice"),
        (b'm{a="1",a="2"} 1', "label given twice"),
        (b'm{__name__="n"} 1', "reserved or empty label name"),
        (b'm{""="1"} 1', "reserved or empty label name"),
        (b"m{a=1} 1", "broken labels"),
        (b'm{a="1" b="2"} 1', "broken labels"),
        (b'm{a="1",,b="2"} 1', "broken labels"),
        (b'm{,a="1"} 1', "broken labels"),
        (b'm{a="1} 1', "broken labels"),
        (b'm{a-b="1"} 1', "broken labels"),
        (b'{"detail":"Not Found"}', "broken labels"),
        (b"m", "no value after the series"),
        (b"m ", "no value after the series"),
        (b'm{a="1"}', "no value after the series"),
        (b"m 1 2 3", "broken sample"),
        (b"m-n 1", "broken sample"),
        (b"m+1", "broken sample"),
    ],
)
def test_broken_sample(line: bytes, what: str) -> None:
    """A broken line names the part that is broken."""
    with pytest.raises(LineError, match=f"^{what}$"):
        read_sample(line)


@pytest.mark.parametrize(
    ("line", "key"),
    [
        (b'm{a="1"} 2', b'm{a="1"}'),
        (b"m  2", b"m "),
        (b" m 2 1000", b" m"),
        (b'm 2 # {a="1"} 1', b"m"),
        (b"m\t2", None),
        (b'm{a="1"}2', None),
    ],
)
def test_key_ends_before_the_blank_of_the_value(line: bytes, key: bytes | None) -> None:
    """The key is all that stands before one blank and the value, or nothing when no blank parts them."""
    assert read_sample(line).key == key


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b"1", 1.0),
        (b"-1.5e-3", -0.0015),
        (b"+2", 2.0),
        (b".5", 0.5),
        (b"5.", 5.0),
        (b"1e+06", 1e6),
        (b"+Inf", float("inf")),
        (b"-Inf", float("-inf")),
        (b"inf", float("inf")),
        (b"Infinity", float("inf")),
    ],
)
def test_number(text: bytes, value: float) -> None:
    """All spellings that the formats allow are read."""
    assert read_numbers([text]) == [value]


@pytest.mark.parametrize("text", [b"NaN", b"nan", b"NAN"])
def test_not_a_number(text: bytes) -> None:
    """NaN is a value."""
    (value,) = read_numbers([text])
    assert value != value  # noqa: PLR0124 - what NaN is


@pytest.mark.parametrize(
    "text", [b"", b"1_000", b"0x10", b"1,5", b"one", b"1\x0b", "\N{ARABIC-INDIC DIGIT ONE}".encode()]
)
def test_no_number(text: bytes) -> None:
    """What only Python takes for a number is none."""
    with pytest.raises(LineError, match="value is not a number"):
        read_numbers([b"1", text])


@pytest.mark.parametrize(
    ("text", "openmetrics", "seconds"),
    [(b"1700000000123", False, 1700000000.123), (b"-5", False, -0.005), (b"1700000000.5", True, 1700000000.5)],
)
def test_timestamp(text: bytes, openmetrics: bool, seconds: float) -> None:  # noqa: FBT001 - a parameter of the test
    """Milliseconds in Prometheus text, seconds in OpenMetrics."""
    assert read_stamp(text, openmetrics=openmetrics) == seconds


@pytest.mark.parametrize(
    ("text", "openmetrics"),
    [
        (b"1.5", False),
        (b"", False),
        (b"9" * 400, False),
        (b"NaN", True),
        (b"+Inf", True),
        (b"1e999", True),
        (b"", True),
    ],
)
def test_no_timestamp(text: bytes, openmetrics: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """A fraction of a millisecond, and what is no moment, are refused."""
    with pytest.raises(LineError):
        read_stamp(text, openmetrics=openmetrics)


@pytest.mark.parametrize("text", [b'{trace="a } # b"} 0.5', b"{} 1 1700000000.5", b'{a="b"} +Inf'])
def test_exemplar(text: bytes) -> None:
    """An exemplar has labels, a value and perhaps a timestamp."""
    check_exemplar(text, openmetrics=True)


@pytest.mark.parametrize("text", [b"", b'{a="b"}', b"0.5", b'{a="b"} x', b'{a="b"} 1 x', b'{a="b"} 1 2 3', b'{a="b} 1'])
def test_broken_exemplar(text: bytes) -> None:
    """An exemplar without labels or value, or with more, is refused."""
    with pytest.raises(LineError):
        check_exemplar(text, openmetrics=True)


def test_exemplar_in_prometheus_text() -> None:
    """The older format knows no exemplars."""
    with pytest.raises(LineError, match="text after the value"):
        check_exemplar(b'{a="b"} 1', openmetrics=False)


@pytest.mark.parametrize(
    ("line", "typed"),
    [
        (b"# TYPE m counter", ("m", "counter")),
        (b" #\tTYPE  m\tgauge ", ("m", "gauge")),
        (rb'# TYPE "a.\"b\"" histogram', ('a."b"', "histogram")),
        (b"# HELP m TYPE of thing", None),
        (b"#TYPE m counter", None),
        (b"# TYPED m counter", None),
        (b"#", None),
        (b"# EOF", None),
    ],
)
def test_type_line(line: bytes, typed: tuple[str, str] | None) -> None:
    """Only a comment whose first word is TYPE has a type."""
    assert read_type(line) == typed


@pytest.mark.parametrize("line", [b"# TYPE", b"# TYPE m", b"# TYPE m a b", b"# TYPE 5 gauge", b"# TYPE m \x1b[31m"])
def test_broken_type_line(line: bytes) -> None:
    """A TYPE line without a good name and one good word is refused."""
    with pytest.raises(LineError, match="broken TYPE line"):
        read_type(line)


@pytest.mark.parametrize(
    "line",
    [b"m", b"m ", b"m{", b"m{a", b'm{a="', b'm{a="\\', b'm{a="1",', b'm{a="}"}', b'{"m', b'{"m"', b'{"m",a="1"} '],
)
def test_unfinished(line: bytes) -> None:
    """A line that ends before its value is the beginning of one."""
    assert is_unfinished(line)


@pytest.mark.parametrize("line", [b"Not Found", b'{"detail":"x"}', b"{", b"<html>", b"m 1", b'm{a="1"} 1', b"m{}}"])
def test_not_unfinished(line: bytes) -> None:
    """A whole line, and one that no value could mend, are not."""
    assert not is_unfinished(line)


def test_canonical_key_orders_quotes_and_escapes() -> None:
    """Of all spellings one is the key, and reading it gives the series again."""
    labels = (("a b", 'x"\n\\'), ("c", ""))
    key = canonical_key("m.n", labels)
    sample = read_sample(key + b" 1")
    assert key == rb'{"m.n","a b"="x\"\n\\",c=""}'
    assert (sample.name, sample.labels, sample.key) == ("m.n", labels, key)


@pytest.mark.parametrize("key", [b"m", b'm{a="1"}', b'm{a="} # ,",b=""}'])
def test_vocabulary_reads_plain_keys(key: bytes) -> None:
    """The short way gives what the grammar gives."""
    sample = read_sample(key + b" 1")
    assert Vocabulary().read(key) == (sample.name, sample.labels)


@pytest.mark.parametrize(
    "key",
    [
        b"",
        b"m 1",
        b"m{",
        b"m{}",
        b'm{b="1",a="2"}',
        b'm{a="1",a="1"}',
        b'm{a="1",}',
        b'm{a="\\""}',
        b'm{a="1"',
        b'm{a=",b="1"}',
        b'm{__name__="1"}',
        b'{"m"}',
        b'm{a="1"} 1 # {b="2"}',
    ],
)
def test_vocabulary_leaves_the_rest(key: bytes) -> None:
    """What is not canonical, has an escape or is broken is left to the grammar."""
    assert Vocabulary().read(key) is None


def test_no_group_is_repeated_possessively() -> None:
    """Python before 3.11.5 gives wrong matches for `(?:...)*+`; an atomic group says the same on all of them."""
    patterns = [value.pattern for value in vars(exposition_line).values() if isinstance(value, re.Pattern)]
    assert len(patterns) > 5
    assert not [pattern for pattern in patterns if re.search(r"\)[*+?]\+", str(pattern))]
