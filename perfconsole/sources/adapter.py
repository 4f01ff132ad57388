"""The form of an adapter: data that says how to recognise a program and what its names mean. No logic lives here."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

from perfconsole.sources.roles import Roles

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Operand:
    """Another metric of the same page: the sum of its series with these labels, rank by rank where both have ranks."""

    metric: str
    where: Pairs = ()
    by: str = ""
    """Label by which series and operand go in pairs, each of them a part of its own (models of one server, each with
    its own size of a block); both are summed first where it is empty."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric on the page that fills one indicator.

    Rows with the same indicator and tag are alternates: the first one found on a page is taken. Series that match one
    row become parts of the indicator, told apart by rank and number: no identifier in a label is ever stored.
    """

    indicator: str
    """Name in the dictionary; of a histogram also with a suffix (`.p95`) where the page states the quantile itself."""
    metric: str
    """Sample name on the wire; of a histogram or summary the name without _bucket, _sum, _count."""
    where: Pairs = ()
    """Labels that a series must carry. A value that begins with `~` is a regular expression for the whole value."""
    unless: Pairs = ()
    """Labels of which a series may carry none; `~` as in `where`."""
    tag: Pairs = ()
    """Labels of the indicator's part that this row fills (part, seen, in_finished, taken)."""
    since: str = ""
    until: str = ""
    """First release without it."""
    scale: float = 1.0
    """Factor to the base unit; of a histogram or summary, for its bounds and its sum."""
    offset: float = 0.0
    """Added behind the scale. One below 0 takes off what the console itself adds, such as the request for the page:
    once and not for each series, so that the series of the row are summed first."""
    ceiling: float = inf
    """What larger values on the page count as, before scale and offset: a state 2 that is also "not closed"."""
    most: float = inf
    """Larger values on the page are none: a state 2 that is neither up nor down."""
    optional: bool = False
    """Only there with a flag or after first use: its absence is not worth a remark."""
    ordinal: str = ""
    """Label that holds a small number, such as a place in a draft: the one label that is kept, on the part, as
    `position`."""
    echo: str = ""
    """Label that names what is meant where a page has one state several times, under names that changed: of the series
    with the same value the least one counts."""
    zero_with: str = ""
    """Counts as 0 while it is absent and this metric is on the page (error counters appear on first use)."""
    instead_of: tuple[str, ...] = ()
    """Not taken while one of these metrics is on the page, in a series that `unless`, here and of its own rows, leaves:
    they count the same thing better, also where they have nothing with the labels that their row asks for (no 5xx at
    the door, some behind it that were tried again)."""
    summed: bool = False
    """The series are added up first, as those of a row with an operand are: each of several models has a limit of its
    own. One without a number leaves none."""
    times: Operand | None = None
    """What the value is multiplied with (blocks with tokens a block); no value without it. The series of the row are
    summed first."""
    over: Operand | None = None
    """What the value is divided by (healthy members by all); no value without it or while it is 0. As with `times`."""
    count: Operand | None = None
    """Of a histogram: what counts the observations whose sum is `metric`. Such a source knows the mean and no more."""
    ripe: Operand | None = None
    """What must have reached `ripe_at` before the value says anything: an average that began at 0 and has to fill."""
    ripe_at: float = 0.0
    counts_polls: bool = False
    """A counter of requests that holds those for the page too, the console's own among them."""
    upstream: str = ""
    """Label that names what is called: the parts keep it, as place or name, so that the share of each can be told."""
    pool: tuple[str, ...] = ()
    """Labels of the pool within which those that are called stand in for each other, where a page may have several: a
    backend of servers, a model. A service or a cluster is a pool of its own. Shares are compared within one."""


@dataclass(frozen=True, slots=True)
class LabelFact:
    """A number that stands in the labels of an info metric; several labels are multiplied."""

    indicator: str
    metric: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LabelCount:
    """A number of distinct names, which stand with commas in a label of an info metric; none of them is kept.

    The value of its series is the epoch second at which it was last set. Only those set within `within_s` of the newest
    count: an exporter keeps a series for every set of names that it ever had.
    """

    indicator: str
    metric: str
    label: str
    within_s: float


@dataclass(frozen=True, slots=True)
class InfoFact:
    """A value in the JSON of an info route, by its path with dots (`data.0.id`).

    Rows of one indicator and tag are alternates: the first one whose route has it is taken.
    """

    indicator: str
    route: str
    path: str
    tag: Pairs = ()
    scale: float = 1.0
    ceiling: float = inf
    """What larger numbers count as, before the scale: a chunk size is also "chunked"."""
    equals: tuple[str, ...] = ()
    """The fact is 1 if the text is one of these, and 0 for another one (true and false are texts here)."""
    times: str = ""
    """Path of a number in the same document that the value is multiplied with."""


@dataclass(frozen=True, slots=True)
class Flag:
    """A command-line flag that states a fact. `value` fixes the number of a switch."""

    indicator: str
    names: tuple[str, ...]
    value: float | None = None
    scale: float = 1.0
    tag: Pairs = ()
    path: str = ""
    """Path into the JSON that the flag's value holds."""


@dataclass(frozen=True, slots=True)
class Default:
    """A value that the program uses when no flag says otherwise."""

    indicator: str
    value: float
    until: str = ""
    """First release with another one. Without it a command line without the flag states the value."""

    @property
    def tag(self) -> Pairs:
        """Where the value comes from."""
        return (("origin", "default"),)


@dataclass(frozen=True, slots=True)
class SidePage:
    """A second page that is read at every poll of the first one, and whose series stand beside those of the first."""

    path: str
    converter: str
    """Name in `otherpages.converters` of what turns it into series."""


@dataclass(frozen=True, slots=True)
class Adapter:
    """Everything perfconsole knows of one kind of engine, gateway or orchestrator.

    Info routes, the version route, command lines for facts and pages beside the first are read of engines only.
    """

    name: str
    title: str
    prefixes: tuple[str, ...]
    """Beginnings of sample names that only this program has."""
    requires_label: str = ""
    """Label that its own series carry; another program reusing the names lacks it. Empty for none."""
    metrics_path: str = "/metrics"
    health_path: str = ""
    """Route that is cheap and never runs a generation; empty when there is none."""
    version_route: str = ""
    """Route whose JSON is there with and without a page of metrics; empty for none."""
    rank_label: str = ""
    """Label that holds the number of a data-parallel rank; empty for none."""
    started: tuple[str, ...] = ()
    """Metrics that hold the epoch second at which the counters began, best first."""
    moving: tuple[str, ...] = ()
    """Metrics that move whenever the page is built anew: their standstill is the age of the page."""
    metrics: tuple[Metric, ...] = ()
    label_facts: tuple[LabelFact, ...] = ()
    label_counts: tuple[LabelCount, ...] = ()
    info_facts: tuple[InfoFact, ...] = ()
    flags: tuple[Flag, ...] = ()
    defaults: tuple[Default, ...] = ()
    processes: Roles = field(default_factory=Roles)
    silent_hint: str = ""
    """What to do when the program answers but its page has none of its own series."""
    unexported: tuple[str, ...] = ()
    """What no page of it leads to, of indicators that are worked out or that a process or a command line may tell too.

    What only a page can tell need not stand here: it is missing wherever a page lacks it.
    """
    generic: bool = False
    """Its series are on pages of other programs too, so that every other adapter is asked first."""
    converter: str = ""
    """Name in `otherpages.converters` of what turns its page into series; empty for Prometheus text."""
    pages: tuple[str, ...] = ()
    """Further paths at which the page may be, tried in this order after `metrics_path`."""
    page_port: int = 0
    """Port of the page by default where that is not the port of requests; 0 when it is."""
    page_flags: tuple[str, ...] = ()
    """Flags of the command line that name the port of the page."""
    port_flags: tuple[str, ...] = ("--port",)
    """Flags of the command line that name the port of requests."""
    default_port: int = 0
    """Port of requests when no flag names one; 0 when not known."""
    upstream_labels: tuple[str, ...] = ()
    """Labels of its own series that hold the URL of what it calls."""
    upstream_flags: tuple[str, ...] = ()
    """Flags of the command line whose values, one or several words, are URLs of what it calls."""
    page_hint: str = ""
    """What to do when the program answers and has no page at all (404, 501); empty where that says nothing."""
    known_by: str = "version"
    """Path in the JSON of `version_route` that only this program has there: how it is known without its page."""
    known_as: str = ""
    """Text at `known_by` that only this program has; empty where any text will do. An unknown engine is asked for it
    before a path that is in `never_read`."""
    requires_series: tuple[str, ...] = ()
    """Sample names that must all be on the page: for a program whose names carry no prefix of their own."""
    copy_labels: tuple[str, ...] = ()
    """Labels that tell copies of one count apart (tensor and pipeline ranks): only the copy with the least of them
    counts."""
    beside: tuple[SidePage, ...] = ()
    never_read: tuple[str, ...] = ()
    """Paths whose reading empties a queue or runs a generation: asked only where somebody named them."""
    proxy: bool = False
    """A proxy for anything: it is taken for a gateway only where it leads to another target."""
    config: str = ""
    """Name of the reader of its configuration file, in `discovery.readers`; empty when nothing is read."""
    config_flags: tuple[str, ...] = ("--config", "-c")
    config_files: tuple[str, ...] = ()
    """Where its configuration is when no flag names it."""
