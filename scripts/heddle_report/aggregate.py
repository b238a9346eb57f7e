"""Numbers of many samples as few: plain data that says what it is of. Nothing here draws."""

import dataclasses
import re
import statistics

from .values import ordered, short

REQUEST_METRICS = ("response_ps", "queueing_ps", "service_ps")  # of each request of a server
HANDOVER_METRIC = "handover_ps"  # of each hand-over of an SM
SERVER_METRICS = (
    "requests_arrived", "requests_served", "requests_shed", "requests_unfinished",
    *(f"{time}_{which}_ps" for time in ("response", "queueing", "service", "ttft", "tbt", "tpot")
      for which in ("mean", *(p + end for p in ("p50", "p90", "p95", "p99", "p99_9") for end in ("", "_low", "_high")),
                    "max")),
    "tokens_per_second", "sequences_mean", "cache_evictions",
    "deadlines_met", "goodput", "throughput", "normalised_throughput", "offered_load")
LOSS_METRICS = ("blocks_flushed", "lost_block_cycles", "lost_warp_instructions")
APPLICATION_METRICS = ("ntt", "turnaround_ps", "completions", *LOSS_METRICS, *SERVER_METRICS)
CLIFF_FRACTION = 0.25  # of the larger of two neighbours: a change from which on it is a cliff


class PlotError(Exception):
    """A plot names what there is not, or what it cannot show."""


PERCENTILE = re.compile(r"(?P<name>.+_p\d+(?:_\d+)?)_ps(?P<application>\.(?:\d+|last))?$")


def interval_of(metrics, metric):
    """(low, high) of the confidence interval of a percentile; None of other metrics, or where there is none."""
    found = PERCENTILE.match(metric)
    if not found:
        return None
    ends = [metrics.get(f"{found['name']}_{end}_ps{found['application'] or ''}") for end in ("low", "high")]
    return None if None in ends else tuple(ends)


@dataclasses.dataclass(frozen=True)
class Summary:
    """deviation: the standard deviation over seeds, of each seed's mean; None where there are not two. interval: of a
    percentile (low, high), 95 %; of several samples the means of their ends; None where a sample has none."""
    mean: float
    count: int
    deviation: float = None
    interval: tuple = None

    def overlaps(self, other):
        """Whether both have intervals, and these overlap, so that the two do not differ."""
        return None not in (self.interval, other.interval) and (
            self.interval[0] <= other.interval[1] and other.interval[0] <= self.interval[1])


@dataclasses.dataclass
class Grid:
    """Summaries by (column, row), both in the order to show; a cell without a number is not there."""
    columns: list
    rows: list
    cells: dict

    @property
    def counts(self):
        return [summary.count for summary in self.cells.values()]


@dataclasses.dataclass(frozen=True)
class Cliff:
    at: int          # the index of the first of two neighbours
    fraction: float  # of the larger of them; below zero: a fall


def is_metric(campaign, field):
    return field in campaign.metrics or field in (*APPLICATION_METRICS, *REQUEST_METRICS, HANDOVER_METRIC)


def of_applications(fields):
    return any(field in APPLICATION_METRICS or field == "application" for field in fields)


def of_requests(fields):
    return any(field in REQUEST_METRICS for field in fields)


def of_handovers(fields):
    return HANDOVER_METRIC in fields


def counted_things(fields):
    """What numbers of these fields are of."""
    if of_handovers(fields):
        return "hand-overs"
    return "requests" if of_requests(fields) else "applications" if of_applications(fields) else "samples"


def check_field(campaign, field):
    if not (field in campaign.keys or field in ("variant", "application", "way") or is_metric(campaign, field)):
        raise PlotError(f"'{field}' is neither varied nor a metric")


def check_metric(campaign, field, role):
    if not is_metric(campaign, field):
        raise PlotError(f"its {role}, '{field}', is no metric")


def _value(campaign, sample, application, request, field):
    if field in campaign.metrics:
        return sample.metrics.get(field)
    if field in REQUEST_METRICS:
        return request[REQUEST_METRICS.index(field)]
    if field == "application":
        return application.name
    if field in APPLICATION_METRICS:
        return application.metrics.get(field)
    return sample.variant if field == "variant" else sample.values[field]


def _handover_records(campaign, fields):
    """As records(), for each hand-over of each complete sample: its time, the application that left and the way."""
    for field in filter(None, fields):
        if field in (*APPLICATION_METRICS, *REQUEST_METRICS):
            raise PlotError(f"'{field}' is none of a hand-over's")
    rows = []
    for sample in campaign.complete:
        rest = {"variant": sample.variant, "": "", **sample.values, **sample.metrics}
        for time, application, way in campaign.handovers(sample):
            of_one = {**rest, HANDOVER_METRIC: time, "application": application, "way": way}
            row = [of_one.get(field) for field in fields]
            if None not in row:
                rows.append((*row, sample.values.get("seed", "")))
    return rows


def records(campaign, fields):
    """A tuple of the fields' values and the seed for each complete sample; for each application of each where a
    field is an application's, and for each request of each where one is a request's. Numbers of metrics, texts of
    all else, an empty text of an empty field. What lacks one of them is left out. Throws PlotError."""
    for field in filter(None, fields):
        check_field(campaign, field)
    if of_handovers(fields):
        return _handover_records(campaign, fields)
    if "way" in fields:
        raise PlotError(f"'way' is of hand-overs alone, whose metric is {HANDOVER_METRIC}")
    each_request = of_requests(fields)
    rows = []
    for sample in campaign.complete:
        for number, application in sample.applications.items() if each_request or of_applications(fields) else (
                (None, None),):
            for request in campaign.requests(sample, number) if each_request else (None,):
                row = [_value(campaign, sample, application, request, field) if field else "" for field in fields]
                if None not in row:
                    rows.append((*row, sample.values.get("seed", "")))
    return rows


def idle_axes(campaign):
    """(key, its values) of the axes whose values change no number of any complete sample, all else being equal. A key
    whose samples differ in nothing else that could be compared is not among them."""
    keys = [*campaign.keys, "variant"]
    found = []
    for key in campaign.keys:
        groups, values = {}, set()
        for sample in campaign.complete:
            rest = tuple(sample.variant if other == "variant" else sample.values[other]
                         for other in keys if other != key)
            numbers = (sample.metrics, [application.metrics for application in sample.applications.values()])
            groups.setdefault(rest, {})[sample.values[key]] = numbers
            values.add(sample.values[key])
        several = [list(group.values()) for group in groups.values() if len(group) > 1]
        if several and all(number == group[0] for group in several for number in group):
            found.append((key, len(values)))
    return found


def idle_words(key, count):
    return f"{short(key, 48)} changes nothing: all {count} of its values give the same numbers, all else being equal"


def _text(value):
    return value if isinstance(value, str) else f"{value:.6g}"


def summarise(numbers, seeds):
    """numbers: at least one; seeds: of each number."""
    by_seed = {}
    for number, seed in zip(numbers, seeds):
        by_seed.setdefault(seed, []).append(number)
    means = [statistics.fmean(of_seed) for of_seed in by_seed.values()]
    return Summary(statistics.fmean(numbers), len(numbers), statistics.stdev(means) if len(means) > 1 else None)


def groups(campaign, column, row, number):
    """(numbers, seeds) by (column, row), both texts. Throws PlotError."""
    found = {}
    for at_column, at_row, value, seed in records(campaign, (column, row, number)):
        numbers, seeds = found.setdefault((_text(at_column), _text(at_row)), ([], []))
        numbers.append(value)
        seeds.append(seed)
    return found


def grid(campaign, column, row, number):
    """The mean of the metric `number` by the fields `column` and `row`; `row` may be empty. Throws PlotError."""
    check_metric(campaign, number, "number")
    found = groups(campaign, column, row, number)
    cells = {key: summarise(*members) for key, members in found.items()}
    return Grid(ordered(all_values(campaign, column) + [key[0] for key in found]),
                ordered(all_values(campaign, row) + [key[1] for key in found]),
                with_intervals(campaign, column, row, number, cells))


def all_values(campaign, field):
    """Of an axis, seed or variant, also where no sample is complete; of a metric none."""
    if field == "variant":
        return campaign.variants
    return [sample.values[field] for sample in campaign.samples] if field in campaign.keys else []


def with_intervals(campaign, column, row, number, cells):
    """The cells of a grid of percentiles, with their intervals."""
    if PERCENTILE.match(number) is None:
        return cells
    ends = {}
    for sample in campaign.complete:
        for application in sample.applications.values() if number in APPLICATION_METRICS else (None,):
            metrics = (application or sample).metrics
            place = tuple(_text(value) if (value := _value(campaign, sample, application, None, field) if field else "")
                          is not None else None for field in (column, row))
            if number in metrics and None not in place:
                ends.setdefault(place, []).append(interval_of(metrics, number))
    return {place: dataclasses.replace(cell, interval=_mean_interval(ends.get(place, [None])))
            for place, cell in cells.items()}


def _mean_interval(intervals):
    return None if None in intervals else tuple(statistics.fmean(end) for end in zip(*intervals))


WORKLOADS = ("application", "experiment", "platform", "seed", "mix", "parameters", "applications")


def are_workloads(field):
    """Whether the values of a field are what several alternatives are compared on. A mean over them compares the
    alternatives; a mean over the alternatives says nothing."""
    return any(field == name or field.startswith(name + ".") for name in WORKLOADS)


def geometric_means(of):
    """(columns they are over, mean by row) of a Grid: over the columns that every row has, so that rows compare.
    No row where there is no such column, or a number is not above zero."""
    shared = [column for column in of.columns if all((column, row) in of.cells for row in of.rows)]
    means = {}
    for row in of.rows:
        numbers = [of.cells[column, row].mean for column in shared]
        if numbers and min(numbers) > 0:
            means[row] = statistics.geometric_mean(numbers)
    return shared, means


def steepest(numbers, least=CLIFF_FRACTION):
    """The Cliff of a curve: its largest change between neighbours, by fraction of the larger of the two; None
    where it is less than `least`. The first of equals."""
    found = None
    for at, (first, second) in enumerate(zip(numbers, numbers[1:])):
        larger = max(abs(first), abs(second))
        fraction = (second - first) / larger if larger else 0
        if abs(fraction) >= least and (found is None or abs(fraction) > abs(found.fraction)):
            found = Cliff(at, fraction)
    return found


def left_over(campaign, fields):
    """What varies among samples that agree in `fields`: (key, the most values it has among them), in the order of
    the axes, seed and variant last."""
    texts = [field for field in fields if field in campaign.keys or field == "variant"]
    found = {}
    for sample in campaign.complete:
        values = {**sample.values, "variant": sample.variant}
        together = found.setdefault(tuple(values[field] for field in texts), {})
        for key, value in values.items():
            together.setdefault(key, set()).add(value)
    counts = [(key, max((len(group[key]) for group in found.values()), default=0))
              for key in (*campaign.keys, "variant")]
    return [(key, count) for key, count in counts if count > 1]


def shown_variant(campaign):
    """Whether the variant says what the values of the axes do not."""
    found = {}
    for sample in campaign.samples:
        found.setdefault(tuple(sample.values.values()), set()).add(sample.variant)
    return any(len(variants) > 1 for variants in found.values())


@dataclasses.dataclass
class Combination:
    """Samples that agree in every axis and in the variant; they differ in the seed."""
    values: tuple   # of the axes, seed aside
    variant: str
    samples: list   # all of them
    summaries: dict  # by metric, of the complete ones


def combinations(campaign):
    """In the order of the samples."""
    axes = [key for key in campaign.keys if not (campaign.has_seeds and key == "seed")]
    found = {}
    for sample in campaign.samples:
        values = tuple(sample.values[key] for key in axes)
        found.setdefault((values, sample.variant), []).append(sample)
    result = []
    for (values, variant), samples in found.items():
        summaries = {}
        for metric in campaign.metrics:
            having = [sample for sample in samples if metric in sample.metrics]
            if having:
                summaries[metric] = summarise([sample.metrics[metric] for sample in having],
                                              [sample.number for sample in having])
        result.append(Combination(values, variant, samples, summaries))
    return axes, result
