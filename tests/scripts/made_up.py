"""Campaigns that never ran: a directory with results.sqlite, as heddle batch collect writes it, and its runs."""

import itertools
import pathlib
import re
import shutil
import sqlite3
import subprocess
import tempfile
import unittest

from forked import run as in_fork

ROOT = pathlib.Path(__file__).resolve().parents[2]
REPORT = ROOT / "scripts" / "report"

SCHEMA = """
CREATE TABLE campaign(name TEXT, question TEXT, schema TEXT, points INTEGER, runs INTEGER, runs_ok INTEGER,
                      partial INTEGER);
CREATE TABLE plots(number INTEGER PRIMARY KEY, kind TEXT, x TEXT, y TEXT, series TEXT);
CREATE TABLE keys(number INTEGER PRIMARY KEY, key TEXT, kind TEXT);
CREATE TABLE points(point INTEGER PRIMARY KEY, label TEXT, seed INTEGER);
CREATE TABLE parameters(point INTEGER, key TEXT, value TEXT, PRIMARY KEY(point, key)) WITHOUT ROWID;
CREATE TABLE runs(id TEXT PRIMARY KEY, label TEXT, alone INTEGER, state TEXT, reason TEXT, directory TEXT);
CREATE TABLE samples(sample INTEGER PRIMARY KEY, point INTEGER, variant TEXT, run TEXT, complete INTEGER);
CREATE TABLE baselines(point INTEGER, application INTEGER, name TEXT, run TEXT);
CREATE TABLE metrics(sample INTEGER, name TEXT, value REAL, unit TEXT, PRIMARY KEY(sample, name)) WITHOUT ROWID;
CREATE TABLE application_metrics(sample INTEGER, application INTEGER, name TEXT, metric TEXT, value REAL, unit TEXT);
CREATE TABLE provenance(run TEXT, key TEXT, value TEXT);
"""
SERIES_SCHEMA = """
CREATE TABLE series_runs(number INTEGER PRIMARY KEY, run TEXT UNIQUE);
CREATE TABLE series_paths(number INTEGER PRIMARY KEY, path TEXT, unit TEXT, kind TEXT, description TEXT,
                          UNIQUE(path, unit, kind));
CREATE TABLE series_intervals(run INTEGER, interval INTEGER, cycle INTEGER, ps INTEGER,
                              PRIMARY KEY(run, interval)) WITHOUT ROWID;
CREATE TABLE series_columns(run INTEGER, path INTEGER, before INTEGER, PRIMARY KEY(run, path)) WITHOUT ROWID;
CREATE TABLE series_values(number INTEGER PRIMARY KEY, value REAL);
CREATE VIEW series AS SELECT run AS directory, number AS hidden FROM series_runs;
"""


def quoted(name):
    """For SQL."""
    return '"' + name.replace('"', '""') + '"'


def add_series(database, runs, ends, columns):
    """ends: the cycles in which intervals end; columns: (path, unit, kind, values), of which each run has its own, as
    many as `ends`, None for no value."""
    database.executescript(SERIES_SCHEMA)
    before = 0
    database.executemany("INSERT INTO series_paths VALUES(?,?,?,?,?)",
                         [(i, path, unit, kind, "what it is") for i, (path, unit, kind, _) in enumerate(columns, 1)])
    for number, run in enumerate(runs, 1):
        database.execute("INSERT INTO series_runs VALUES(?,?)", (number, run))
        database.executemany("INSERT INTO series_intervals VALUES(?,?,?,?)",
                             [(number, i, end, 1400 * end) for i, end in enumerate(ends, 1)])
        for path, (*_, values) in enumerate(columns, 1):
            database.execute("INSERT INTO series_columns VALUES(?,?,?)", (number, path, before))
            database.executemany("INSERT INTO series_values VALUES(?,?)",
                                 [(before + i, value) for i, value in enumerate(values, 1) if value is not None])
            before += len(ends)


class MadeUp:
    """axes: values by key; numbers: (values by key, variant) -> value by metric; slowdowns: the same -> NTT by
    application; failed: (values by key, variant) -> (state, reason), or None where the run went well; series: what
    add_series() takes, or None for a database without its tables."""

    def __init__(self, axes, numbers, seeds=(), variants=("base",), plots=(), slowdowns=lambda values, variant: {},
                 failed=lambda values, variant: None, name="made-up", question="What is made up?", units=None,
                 series=None):
        self.axes, self.numbers, self.seeds, self.variants = axes, numbers, seeds, variants
        self.plots, self.slowdowns, self.failed = plots, slowdowns, failed
        self.name, self.question, self.units = name, question, units or {}
        self.series = series
        self.runs, self.samples, self.metrics, self.applications, self.baselines = {}, [], [], [], {}
        self.columns = {}  # of metrics, also of those that no sample has

    def write(self, directory, make_runs=True):
        """directory/results.sqlite, results.csv, and a directory with a log for each run that has ended."""
        directory.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(directory / "results.sqlite")
        database.executescript(SCHEMA)
        self.write_points(database)
        self.write_tables(database)
        if self.series is not None:
            add_series(database, [run[0] for run in self.runs.values() if run[3] == "ok"], *self.series)
        database.commit()
        database.close()
        (directory / "results.csv").write_text("sample\n")
        for run in self.runs.values() if make_runs else ():
            if run[5]:
                (directory / run[5]).mkdir(parents=True, exist_ok=True)
                (directory / run[5] / "log").write_text(run[4] or "")
        return directory

    def write_points(self, database):
        keys = [(key, "axis") for key in self.axes] + ([("seed", "seed")] if self.seeds else [])
        database.executemany("INSERT INTO keys VALUES(?,?,?)", [(i, *key) for i, key in enumerate(keys, 1)])
        products = itertools.product(*self.axes.values(), self.seeds or (None,))
        for point, chosen in enumerate(products, 1):
            values = dict(zip(self.axes, chosen))
            database.execute("INSERT INTO points VALUES(?,?,?)", (point, str(values), chosen[-1]))
            database.executemany("INSERT INTO parameters VALUES(?,?,?)", [(point, *pair) for pair in values.items()])
            for variant in self.variants:
                self.add_sample(point, {**values, "seed": chosen[-1]}, variant)

    def add_sample(self, point, values, variant):
        number = len(self.samples) + 1
        run, failure = f"{number:08x}", self.failed(values, variant)
        state, reason = failure or ("ok", None)
        self.add_run(run, f"{values} {variant}", 0, state, reason)
        self.samples.append((number, point, variant, run, int(failure is None)))
        for application, (name, ntt) in enumerate(self.slowdowns(values, variant).items()):
            alone = f"alone-{application}"
            self.add_run(alone, name, 1, "ok", None)
            self.baselines[point, application] = (point, application, name, alone)
            if not failure:
                self.applications += [(number, application, name, "ntt", ntt, "ratio"),
                                      (number, application, name, "turnaround_ps", ntt * 68.5e9, "ps")]
        numbers = self.numbers(values, variant)
        self.columns.update(dict.fromkeys(numbers))
        if not failure:
            self.metrics += [(number, metric, value, self.units.get(metric, "ratio"))
                             for metric, value in numbers.items()]

    def add_run(self, run, label, alone, state, reason):
        there = state not in ("queued", "lost")
        self.runs[run] = (run, label, alone, state, reason, f"runs/{run}" if there else None)

    def write_tables(self, database):
        ok = sum(run[3] == "ok" for run in self.runs.values())
        points = len({sample[1] for sample in self.samples})
        database.execute("INSERT INTO campaign VALUES(?,?,?,?,?,?,?)", (
            self.name, self.question, "heddle-results-1", points, len(self.runs), ok, int(ok < len(self.runs))))
        for table, rows in (("plots", [(i, *plot) for i, plot in enumerate(self.plots, 1)]),
                            ("runs", self.runs.values()), ("samples", self.samples), ("metrics", self.metrics),
                            ("baselines", self.baselines.values()), ("application_metrics", self.applications),
                            ("provenance", self.provenance())):
            for row in rows:
                database.execute(f"INSERT INTO {table} VALUES({','.join('?' * len(row))})", row)
        columns = [*self.axes, *(["seed"] if self.seeds else []), "variant", "state", "complete", "directory",
                   *self.columns]
        empty = ", ".join(f"NULL AS {quoted(column)}" for column in columns)
        database.execute(f"CREATE VIEW {quoted(self.name)} AS SELECT sample, point, {empty} FROM samples")

    def provenance(self):
        """Two hosts of four workers each, one run after the other."""
        busy = {}
        for number, run in enumerate(self.runs.values()):
            worker = number % 8
            start = busy.get(worker, 1_700_000_000.0)
            seconds = 3 + (number * 7919 % 97) / 20
            busy[worker] = start + seconds
            if run[5]:
                cost = (("wall_seconds", f"{seconds:.3f}"), ("cpu_seconds", f"{0.98 * seconds:.3f}"))
                for pair in (("version", "0.1.0"), ("host", f"node{worker // 4}"), ("started", f"{start:.3f}"),
                             ("ended", f"{start + seconds:.3f}"), *(cost if run[3] == "ok" else ())):
                    yield (run[0], *pair)


def run(command, forked=False):
    """Its exit code, standard output and error. With `forked` it is a program of scripts/ and starts without Python."""
    if forked:
        return in_fork(command[0], command[1:])
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


class ReportTest(unittest.TestCase):
    """A directory of its own for each test."""

    forked = True  # False for a process whose hashes are its own

    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="heddle-report-"))
        self.addCleanup(shutil.rmtree, self.directory)

    def report(self, *options):
        """The program on self.directory, as run()."""
        return run([REPORT, self.directory, *options], self.forked)

    def page(self):
        return (self.directory / "report.html").read_text(encoding="utf-8")

    def texts_in(self, plot):
        """What is written in plots/PLOT.svg: matplotlib draws the letters and notes the text beside."""
        svg = (self.directory / "plots" / f"{plot}.svg").read_text(encoding="utf-8")
        return re.findall(r"<!-- (.*?) -->", svg)
