"""results.sqlite (schema heddle-results-1) -> a Campaign."""

import contextlib
import dataclasses
import pathlib
import sqlite3
import urllib.parse

from . import request_accounts
from .aggregate import HANDOVER_METRIC, of_handovers, of_requests, REQUEST_METRICS
from .values import NO_VALUE

SCHEMA = "heddle-results-1"
KINDS = ("bars", "heat-map", "curves", "box", "cdf", "timeline")


class DatabaseError(Exception):
    """There are no results, or they are not as the schema says; the message names the file."""


@dataclasses.dataclass(frozen=True)
class Plot:
    """x, y, series: an axis' key, seed, variant or a metric; empty where the campaign names none."""
    number: int
    kind: str
    x: str = ""
    y: str = ""
    series: str = ""


@dataclasses.dataclass(frozen=True)
class Run:
    id: str
    label: str
    alone: bool
    state: str
    reason: str
    directory: str  # relative to the campaign's; empty if there is none

    @property
    def link(self):
        """As a relative URL, with a slash at its end; empty if there is no directory."""
        return urllib.parse.quote(self.directory.rstrip("/")) + "/" if self.directory else ""


@dataclasses.dataclass
class Application:
    name: str
    alone: Run  # or None
    metrics: dict = dataclasses.field(default_factory=dict)  # by name


@dataclasses.dataclass
class Sample:
    """One point under one variant."""
    number: int
    variant: str
    run: Run
    complete: bool
    values: dict  # text by varied key, seed included
    metrics: dict = dataclasses.field(default_factory=dict)       # by name; none where incomplete
    applications: dict = dataclasses.field(default_factory=dict)  # by number, in order
    unfairness: list = dataclasses.field(default_factory=list)  # (begin, end, value) of windows, in ps; with servers


@dataclasses.dataclass
class Campaign:
    name: str
    question: str
    partial: str       # "partial: 37 of 40 runs"; empty where all went well
    runs: dict         # Run by ID, in the order of the database
    runs_ok: int
    points: int
    plots: list
    keys: list         # that vary, in the order of the axes; seed last
    has_seeds: bool
    samples: list
    metrics: list      # names, in the campaign's order
    units: dict        # by metric, applications' too
    provenance: dict   # by run: text by key
    request_times: dict = dataclasses.field(default_factory=dict)  # if a plot shows them; see requests()
    handover_times: dict = dataclasses.field(default_factory=dict)  # if a plot shows them; see handovers()
    accounts: dict = dataclasses.field(default_factory=dict)  # by run and application; see request_accounts

    @property
    def variants(self):
        return list(dict.fromkeys(sample.variant for sample in self.samples))

    @property
    def complete(self):
        return [sample for sample in self.samples if sample.complete]

    def requests(self, sample, application):
        """The times of the served requests of an application by its number, as aggregate.REQUEST_METRICS has them."""
        return self.request_times.get((sample.run.id, application), ())

    def handovers(self, sample):
        """(picoseconds, application that left, way) of each hand-over of an SM."""
        return self.handover_times.get(sample.run.id, ())


@contextlib.contextmanager
def opened(directory):
    """(connection, path) of directory/results.sqlite, which stays as it is. Throws DatabaseError."""
    path = pathlib.Path(directory) / "results.sqlite"
    if not path.is_file():
        raise DatabaseError(f"{path}: there is no such file; heddle batch collect writes it")
    try:
        connection = sqlite3.connect(f"file:{urllib.parse.quote(str(path.absolute()))}?mode=ro", uri=True)
        connection.text_factory = lambda text: text.decode("utf-8", "replace")
        try:
            yield connection, path
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise DatabaseError(f"{path}: {error}; heddle batch collect writes it again") from error


def load(directory):
    """Reads directory/results.sqlite. Throws DatabaseError."""
    with opened(directory) as (connection, path):
        return _Reader(connection, path).campaign()


def together(campaigns):
    """One Campaign of the samples of all, in their order. A key that a campaign does not vary has NO_VALUE there; the
    metrics are those that all have. Numbers and identities of samples and runs are each campaign's own."""
    if len(campaigns) == 1:
        return campaigns[0]
    keys = list(dict.fromkeys(key for campaign in campaigns for key in campaign.keys))
    samples = [dataclasses.replace(sample, values={**dict.fromkeys(keys, NO_VALUE), **sample.values})
               for campaign in campaigns for sample in campaign.samples]
    runs = {(number, run): of for number, campaign in enumerate(campaigns) for run, of in campaign.runs.items()}
    runs_ok = sum(campaign.runs_ok for campaign in campaigns)
    units = {metric: unit for campaign in campaigns for metric, unit in campaign.units.items()}
    return Campaign(
        name=", ".join(campaign.name for campaign in campaigns), question="",
        partial=f"partial: {runs_ok} of {len(runs)} runs" if any(c.partial for c in campaigns) else "",
        runs=runs, runs_ok=runs_ok, points=sum(campaign.points for campaign in campaigns), plots=[], keys=keys,
        has_seeds=any(campaign.has_seeds for campaign in campaigns), samples=samples,
        metrics=[metric for metric in campaigns[0].metrics if all(metric in c.metrics for c in campaigns)],
        units=units, provenance={})


def shown_by(plots):
    return [field for plot in plots for field in (plot.x, plot.y, plot.series)]


class _Reader:
    """The tables, one method each."""

    def __init__(self, connection, path):
        self.ask = connection.execute
        self.path = path

    def fail(self, what):
        raise DatabaseError(f"{self.path}: {what}")

    def campaign(self):
        rows = self.ask("SELECT name, question, schema, points, runs, runs_ok, partial FROM campaign").fetchall()
        if len(rows) != 1:
            self.fail(f"is not of the schema {SCHEMA}")
        if rows[0][2] != SCHEMA:
            self.fail(f"is of the schema {rows[0][2]}; this program reads {SCHEMA}")
        name, question, _, points, runs, runs_ok, partial = rows[0]
        keys = self.ask("SELECT key, kind FROM keys ORDER BY number").fetchall()
        by_id = self.runs()
        samples = self.samples([key for key, _ in keys], by_id)
        plots = self.plots()
        units = self.fill(samples)
        self.fill_unfairness(samples)
        return Campaign(
            name=name or "", question=question or "", points=points,
            partial=f"partial: {runs_ok} of {runs} runs" if partial else "",
            runs=by_id, runs_ok=runs_ok, plots=plots, keys=[key for key, _ in keys],
            has_seeds=any(kind == "seed" for _, kind in keys), samples=list(samples.values()),
            metrics=self.metrics(samples), units=units, provenance=self.provenance(),
            request_times=self.request_times(plots), handover_times=self.handover_times(plots),
            accounts=self.accounts(samples))

    def plots(self):
        plots = [Plot(number, kind, x or "", y or "", series or "") for number, kind, x, y, series in
                 self.ask("SELECT number, kind, x, y, series FROM plots ORDER BY number")]
        for plot in plots:
            if plot.kind not in KINDS:
                self.fail(f"plot {plot.number}: '{plot.kind}' is none of {', '.join(KINDS)}")
        return plots

    def request_times(self, plots):
        if not of_requests(shown_by(plots)) or not self.has_table("requests"):
            return {}
        times = {}
        for run, process, arrival, start, end in self.ask(
                'SELECT run, process, "arrival [ps]", "start [ps]", "end [ps]" FROM requests '
                "WHERE outcome = 'served' ORDER BY run, process, request"):
            times.setdefault((run, process), []).append((end - arrival, start - arrival, end - start))
        return times

    def handover_times(self, plots):
        if not of_handovers(shown_by(plots)) or not self.has_table("handovers"):
            return {}
        times = {}
        if "way" in {row[1] for row in self.ask("PRAGMA table_info(handovers)")}:  # none: no run has a hand-over
            for run, ns, application, way in self.ask(
                    'SELECT run, "latency [ns]", application, way FROM handovers ORDER BY run, handover'):
                times.setdefault(run, []).append((ns * 1000, application, way))
        return times

    def accounts(self, samples):
        if not self.has_table("requests"):
            return {}
        names = {(sample.run.id, number): application.name
                 for sample in samples.values() for number, application in sample.applications.items()}
        return request_accounts.read(self.ask, lambda run, process: names.get((run, process), ""))

    def has_table(self, name):
        return bool(self.ask("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (name,)).fetchone())

    def runs(self):
        runs = {}
        for run, label, alone, state, reason, directory in self.ask(
                "SELECT id, label, alone, state, reason, directory FROM runs ORDER BY rowid"):
            path = pathlib.PurePosixPath(directory or "")
            if path.is_absolute() or ".." in path.parts:
                self.fail(f"run {run}: '{directory}' is not below the campaign")
            runs[run] = Run(run, label or "", bool(alone), state, reason or "", directory or "")
        return runs

    def samples(self, keys, runs):
        """By number. Values that a point does not have are NO_VALUE."""
        points = {}
        for point, seed in self.ask("SELECT point, seed FROM points"):
            points[point] = {key: NO_VALUE for key in keys}
            if "seed" in points[point] and seed is not None:
                points[point]["seed"] = str(seed)
        for point, key, value in self.ask("SELECT point, key, value FROM parameters"):
            if point in points and key in points[point]:
                points[point][key] = str(value)
        baselines = {}
        for point, application, name, run in self.ask(
                "SELECT point, application, name, run FROM baselines ORDER BY point, application"):
            baselines.setdefault(point, []).append((application, name, runs.get(run)))
        samples = {}
        for sample, point, variant, run, complete in self.ask(
                "SELECT sample, point, variant, run, complete FROM samples ORDER BY sample"):
            if point not in points or run not in runs:
                self.fail(f"sample {sample} is of point {point} and run {run}, of which there are none")
            samples[sample] = Sample(sample, variant or "", runs[run], bool(complete), points[point])
            for application, name, alone in baselines.get(point, ()):
                samples[sample].applications[application] = Application(name, alone)
        return samples

    def fill(self, samples):
        """Gives samples their numbers; units by metric."""
        units = {}
        for sample, metric, value, unit in self.ask(
                "SELECT sample, name, value, unit FROM metrics ORDER BY sample, name"):
            if value is not None and sample in samples:
                samples[sample].metrics[metric] = float(value)
                units[metric] = unit or ""
        for sample, number, name, metric, value, unit in self.ask(
                "SELECT sample, application, name, metric, value, unit FROM application_metrics ORDER BY rowid"):
            if value is not None and sample in samples:
                applications = samples[sample].applications
                application = applications.setdefault(number, Application(name, None))
                application.metrics[metric] = float(value)
                units[metric] = unit or ""
        units.update(dict.fromkeys((*REQUEST_METRICS, HANDOVER_METRIC), "ps"))
        return units

    def fill_unfairness(self, samples):
        if not self.has_table("unfairness"):  # of a database from before
            return
        for sample, begin, end, value in self.ask(
                "SELECT sample, begin_ps, end_ps, value FROM unfairness ORDER BY sample, begin_ps"):
            if sample in samples:
                samples[sample].unfairness.append((begin, end, value))

    def metrics(self, samples):
        """In the campaign's order, as its view has them, which names those that no sample has, too."""
        columns = [row[0] for row in self.ask(
            "SELECT i.name FROM sqlite_master AS m, pragma_table_info(m.name) AS i "
            "WHERE m.type = 'view' AND m.name != 'series' ORDER BY i.cid")]
        named = columns[columns.index("directory") + 1:] if "directory" in columns else []
        there = [metric for sample in samples.values() for metric in sample.metrics]
        return list(dict.fromkeys(named + there))

    def provenance(self):
        provenance = {}
        for run, key, value in self.ask("SELECT run, key, value FROM provenance ORDER BY rowid"):
            provenance.setdefault(run, {})[key] = "" if value is None else str(value)
        return provenance
