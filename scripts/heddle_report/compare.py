"""The numbers of a paper's figure: means and ratios of a campaign's samples, and how far they are from theirs."""

import dataclasses
import functools
import math
import statistics

from . import database, statistic
from .aggregate import APPLICATION_METRICS, shown_variant
from .paper import PaperError
from .values import Scale, ordered

MEAN_OF = {"arithmetic": statistics.fmean, "geometric": statistics.geometric_mean, "median": statistics.median}
ALL = "all"  # the only row of a figure that has one alone
MEAN = "mean"  # the row of the mean of the others
NEAR = 0.10  # of theirs: up to here ours is near
FAR = 0.25   # and from here on far


@dataclasses.dataclass(frozen=True)
class Number:
    """value: None where there is none; count: the samples it is over, or of each application its own; median: of a
    mean of ratios, else None; mean: of ratios of which the value is the least or the largest, else None."""
    value: float
    count: int
    median: float = dataclasses.field(default=None, compare=False)
    mean: float = dataclasses.field(default=None, compare=False)


@dataclasses.dataclass(frozen=True)
class Comparison:
    """One of theirs beside ours: a Number by arm, in the order of the paper's arms."""
    theirs: object
    words: str  # "token over fcfs-s, mix.size 8"
    ours: list

    def missing(self, number):
        return number.value is None

    def difference(self, number):
        """Of a Number from theirs, as a fraction of it; None where there is none."""
        if number.value is None or self.theirs.value == 0:
            return None
        return number.value / self.theirs.value - 1

    def opposed(self, number):
        """Whether ours rises where theirs falls, or the other way round."""
        return bool(self.theirs.over) and number.value is not None and (
            (number.value - 1) * (self.theirs.value - 1) < 0)


class Result:
    """A figure of a paper. Throws PaperError where it names what the campaign does not have."""

    def __init__(self, paper, figure):
        self.paper, self.figure = paper, figure
        self.campaign = database.together([paper.campaigns[name] for name in figure.campaigns])
        self.check()
        self.rows, self.columns = self.names(figure.rows), self.names(figure.columns)
        if figure.rows == "application":
            self.rows.sort()
        if figure.mean_row:
            self.rows.append(MEAN)
        self.check_column("over", figure.over)
        self.check_column("normalise: column", figure.normalise.get("column"))
        keys = [*self.campaign.keys, *["variant"] * shown_variant(self.campaign)]
        self.paired_by = [key for key in keys if key not in (figure.columns, figure.best.get("of"))]
        if figure.best:
            self.columns.append(figure.best["column"])
        self.pairs = self.has_pairs()
        self.arms = [self.values_of(arm) for arm in paper.arms]
        self.comparisons = [self.compared(theirs) for theirs in figure.theirs]

    def fail(self, what):
        raise PaperError(f"{self.paper.directory / 'paper.json'}: {self.figure.figure}: {what}")

    def check(self):
        figure, campaign = self.figure, self.campaign
        fields = [*campaign.keys, "variant"]
        for field, known in (("rows", [*fields, "application", ALL]), ("columns", fields),
                             ("value", list(dict.fromkeys([*campaign.metrics, *APPLICATION_METRICS])))):
            self.check_known(f"{field}:", getattr(figure, field), known)
        if figure.rows == "application" and figure.value not in APPLICATION_METRICS:
            self.fail(f"rows are applications, and '{figure.value}' is not of one")
        if figure.best:
            self.check_known("best: of:", figure.best["of"], campaign.keys)
        if figure.normalise:
            self.check_known("normalise: per:", figure.normalise["per"], campaign.keys)
        if figure.across:
            self.check_known("across:", figure.across, [key for key in campaign.keys if key != figure.columns])
        for key, value in figure.where.items():
            if key in campaign.keys:
                known = ordered(sample.values[key] for sample in campaign.samples)
                self.check_known(f"where: no sample has {key}", value, known)

    def check_known(self, what, name, known):
        """A short form has not all that a figure names; heddle has looked the names up in the whole one."""
        if name not in known and not self.paper.left_out:
            self.fail(f"{what} '{name}'; known: {', '.join(known)}")

    def check_column(self, what, name):
        if name:
            self.check_known(f"{what}: no sample has {self.figure.columns}", name, self.columns)

    def agreeing(self, *wheres):
        """Samples that agree with all of them; what this campaign does not vary counts for nothing."""
        asked = [(key, value) for where in wheres for key, value in where.items() if key in self.campaign.keys]
        return [sample for sample in self.campaign.samples
                if all(sample.values[key] == value for key, value in asked)]

    def names(self, field):
        """Of rows or columns, also those without a complete sample, in the order to show."""
        samples = self.agreeing(self.figure.where)
        if field == "application":
            return list(dict.fromkeys(a.name for sample in samples for a in sample.applications.values()))
        return ordered(text_of(sample, None, field) for sample in samples)

    def pair_of(self, sample):
        return tuple(text_of(sample, None, key) for key in self.paired_by)

    def has_pairs(self):
        """Whether columns share points; then a ratio is over the samples alone that both columns have."""
        columns = {}
        for sample in self.agreeing(self.figure.where):
            columns.setdefault(self.pair_of(sample), set()).add(text_of(sample, None, self.figure.columns))
        return any(len(together) > 1 for together in columns.values())

    def values_of(self, arm):
        """{(row, column): {what pairs it with other columns: value}} of the complete samples of an arm."""
        figure, found = self.figure, {}
        bases = self.bases(arm)
        for sample, number, application, value in self.values(arm):
            if bases is not None:
                value = self.divided(value, bases.get(sample.values[figure.normalise["per"]]))
            if value is not None:
                place = text_of(sample, application, figure.rows), text_of(sample, None, figure.columns)
                self.add(found, place, (*self.pair_of(sample), number), value)
        return found

    def values(self, arm):
        """(sample, application's number, application or None, value) of the complete samples of an arm."""
        figure = self.figure
        per_application = "application" == figure.rows or figure.value not in self.campaign.metrics
        for sample in self.agreeing(figure.where, arm.where):
            for number, application in sample.applications.items() if per_application else ((0, None),):
                value = (application or sample).metrics.get(figure.value) if sample.complete else None
                if value is not None:
                    yield sample, number, application, value

    def bases(self, arm):
        """What values are divided by, by group; None where they are not normalised."""
        if not self.figure.normalise:
            return None
        per, to, column = (self.figure.normalise[key] for key in ("per", "to", "column"))
        groups = {}
        for sample, _, _, value in self.values(arm):
            if column in ("", text_of(sample, None, self.figure.columns)):
                groups.setdefault(sample.values[per], []).append(value)
        return {group: (min if to == "least" else max)(values) for group, values in groups.items()}

    def add(self, found, place, pair, value):
        """Of samples that differ in what the best is of, the best counts, also among columns for one of its own."""
        better = min if self.figure.speed_up else max
        row, column = place
        for into in filter(None, (column, self.figure.best.get("column"))):
            values = found.setdefault((row, into), {})
            values[pair] = better(values[pair], value) if self.figure.best and pair in values else value

    def number(self, arm, row, column, over=""):
        """The statistic of a cell, or with `over` its ratio to that of another column; arm: a number from 0."""
        if self.figure.mean_row and row == MEAN:
            return self.mean_of_rows(arm, column, over)
        values = self.arms[arm].get((row, column), {})
        if not over:
            return self.statistic(values)
        base = self.arms[arm].get((row, over), {})
        shared = [pair for pair in values if pair in base]
        if self.figure.ratio == "of-means":
            above, below = (self.statistic({pair: of[pair] for pair in (shared if self.pairs else of)})
                            for of in (values, base))
            return Number(self.divided(above.value, below.value), above.count)
        ratios = [self.divided(values[pair], base[pair]) for pair in shared]
        if None in ratios or not ratios:
            return Number(None, len(ratios))
        if self.figure.statistic in statistic.PICKED:
            return Number(statistic.PICKED[self.figure.statistic](ratios), len(ratios), mean=statistics.fmean(ratios))
        median = None if self.figure.mean == "median" else statistics.median(ratios)
        return dataclasses.replace(self.mean(ratios), median=median)

    def mean_of_rows(self, arm, column, over):
        """The arithmetic mean of the other rows that have a number; its count is theirs."""
        numbers = [self.number(arm, row, column, over).value for row in self.rows if row != MEAN]
        numbers = [number for number in numbers if number is not None]
        return Number(statistics.fmean(numbers) if numbers else None, len(numbers))

    def statistic(self, values):
        """A Number of the values of a cell, {what pairs it with other columns: value}."""
        numbers = list(values.values())
        if self.figure.statistic == "mean":
            return self.mean(numbers)
        if self.figure.statistic in statistic.PICKED:
            return Number(statistic.PICKED[self.figure.statistic](numbers, default=None), len(numbers))
        if self.figure.statistic == "range":
            return Number(statistic.value_range(numbers), len(numbers))
        machine = self.paired_by.index(self.figure.across)
        times = {}
        for pair, value in values.items():
            times.setdefault(pair[machine], {})[pair[:machine] + pair[machine + 1:]] = value
        of_porting = {"porting-loss": statistic.porting_loss, "porting-growth": statistic.porting_growth}
        return Number(of_porting[self.figure.statistic](times), len(numbers))

    def worst_off(self, arm, row, column):
        """(name, samples in which it is slowed the most, samples) of a cell of fairness: the application for which
        the first number is the largest. None of another metric, or of no sample."""
        if self.figure.value != "fairness":
            return None
        samples = [sample for sample in self.agreeing(self.figure.where, self.paper.arms[arm].where)
                   if sample.complete and (row, column) == tuple(text_of(sample, None, field) for field in (
                       self.figure.rows, self.figure.columns))]
        names = [max(applications, key=lambda each: each.metrics["ntt"]).name for sample in samples
                 if (applications := [each for each in sample.applications.values() if "ntt" in each.metrics])]
        if not names:
            return None
        name = max(sorted(set(names)), key=names.count)
        return name, names.count(name), len(names)

    def mean(self, numbers):
        try:
            mean = MEAN_OF[self.figure.mean](numbers)
        except (statistics.StatisticsError, OverflowError):  # of none, or geometric of what is not above zero
            mean = math.nan
        return Number(mean if math.isfinite(mean) else None, len(numbers))

    def divided(self, value, base):
        """The ratio, turned over where it is a speed-up; None where there is none."""
        if value is None or base is None:
            return None
        above, below = (base, value) if self.figure.speed_up else (value, base)
        return above / below if below and math.isfinite(above / below) else None

    def compared(self, theirs):
        self.check_known(f"theirs: no sample has {self.figure.rows}", theirs.row, self.rows)
        self.check_column("theirs", theirs.column)
        self.check_column("theirs: over", theirs.over)
        ours = [self.number(arm, theirs.row, theirs.column, theirs.over) for arm in range(len(self.arms))]
        return Comparison(theirs, self.words(theirs), ours)

    def words(self, theirs):
        """What is compared."""
        if theirs.words:
            return theirs.words
        figure = self.figure
        column = named(figure.columns, theirs.column)
        kept = [named(key, value) for key, value in figure.where.items() if key in self.campaign.keys]
        over = f" over {theirs.over}" if theirs.over else ""
        return ", ".join([column + over, named(figure.rows, theirs.row), *kept])

    @property
    def shown_columns(self):
        """Those of the figure's table and plot: over one of them, all others."""
        return [column for column in self.columns if column != self.figure.over]

    @functools.cached_property
    def tables(self):
        """{(row, column): Number} of each arm, over the figure's `over`."""
        return [{(row, column): self.number(arm, row, column, self.figure.over)
                 for row in self.rows for column in self.shown_columns} for arm in range(len(self.arms))]

    @functools.cached_property
    def scale(self):
        """Of all numbers that are not over a column, theirs too."""
        numbers = [] if self.figure.over else [number.value for table in self.tables for number in table.values()]
        for comparison in self.comparisons:
            if not comparison.theirs.over:
                numbers += [comparison.theirs.value, *(ours.value for ours in comparison.ours)]
        unit = "ratio" if self.is_ratio else self.campaign.units.get(self.figure.value, "")
        return Scale(self.figure.value, unit, [number for number in numbers if number is not None])

    @property
    def is_ratio(self):
        """Whether each number is a ratio of values of the metric, also where it is over no column."""
        return bool(self.figure.normalise) or self.figure.statistic not in ("mean", *statistic.PICKED)

    @property
    def value_words(self):
        """What each value of a cell is: "cycles", "cycles ÷ the least of static, per platform"."""
        name, of = self.scale.name, self.figure.normalise
        if not of:
            return name
        base = f"the {of['to']}" + (f" of {named(self.figure.columns, of['column'])}" if of["column"] else "")
        ratio = f"{base} ÷ {name}" if self.figure.speed_up else f"{name} ÷ {base}"
        return f"{ratio}, per {of['per']}"

    def campaigns_of(self, row):
        """The names of the figure's campaigns that have samples of a row; all of them for the mean of rows."""
        names = self.figure.campaigns
        if len(names) == 1 or row in (ALL, MEAN):
            return names
        return [name for name in names
                if any(sample.values.get(self.figure.rows) == row for sample in self.paper.campaigns[name].samples)]


def text_of(sample, application, field):
    if field == ALL:
        return ALL
    if field == "application":
        return application.name
    return sample.variant if field == "variant" else sample.values[field]


def named(key, value):
    """ "mix.size 8"; a variant or application by its name alone."""
    if key == ALL:
        return "all of them"
    return value if key in ("variant", "application") else f"{key} {value}"
