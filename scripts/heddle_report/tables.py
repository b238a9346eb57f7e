"""The tables of a campaign's page."""

from . import words
from .aggregate import combinations, interval_of, shown_variant
from .markup import Markup, Table, element, joined, link
from .timeline import SPANS, seconds_of
from .values import NO_VALUE, Scale

MOST_ROWS = 500   # of a table on the page
MOST_RUNS = 8     # linked in one row of means
MOST_COLUMNS = 11  # of a table that fits 1,280 pixels
WORKING = ("ok", "queued", "running")


def heading(name, *notes):
    """A column's: its name, and under it smaller what else is to be known."""
    return joined("", [name, *(element("small", note) for note in notes if note)])


def scales(campaign, metrics, numbers_of):
    return {metric: Scale(words.of(metric), campaign.units.get(metric, ""), numbers_of(metric)) for metric in metrics}


def split(metrics, before):
    """The metrics of each of several tables that fit the page beside `before` other columns; one table without any."""
    most = max(3, MOST_COLUMNS - before)
    return [metrics[first:first + most] for first in range(0, len(metrics), most)] or [[]]


def aggregates(campaign):
    """Tables of means over seeds by combination of the axes' values and variant: as many as fit the page."""
    axes, rows = combinations(campaign)
    with_variant = shown_variant(campaign)

    def numbers_of(metric):
        summaries = [row.summaries[metric] for row in rows if metric in row.summaries]
        return [number for summary in summaries for number in (summary.mean, summary.deviation) if number is not None]

    found = scales(campaign, campaign.metrics, numbers_of)
    over = "over seeds" if campaign.has_seeds else "over one run each"
    title = f"Arithmetic means {over}" + (" ± standard deviation" if campaign.has_seeds else "")
    return [aggregate_table(campaign, f"{title} ({campaign.partial})" if campaign.partial else title, axes, rows,
                            with_variant, {metric: found[metric] for metric in metrics})
            for metrics in split(campaign.metrics, len(axes) + with_variant + 2)]


def aggregate_table(campaign, title, axes, rows, with_variant, found):
    columns = [(key, False) for key in axes] + [("variant", False)] * with_variant + [("n", True)]
    columns += [(heading(scale.name, words.key(m), scale.unit, "arithmetic mean", campaign.partial), True)
                for m, scale in found.items()]
    columns += [("runs", False)]
    table = Table(title, columns, MOST_ROWS)
    for row in rows:
        if not table.wants():
            table.miss()
            continue
        table.add([*row.values, *[row.variant] * with_variant, count_of(row),
                   *(mean_of(row, scale, m) for m, scale in found.items()), runs_of(row)])
    return table


def count_of(combination):
    complete = sum(sample.complete for sample in combination.samples)
    every = len(combination.samples)
    return str(every) if complete == every else element("span", f"{complete} of {every}", class_="partial")


def mean_of(combination, scale, metric):
    summary = combination.summaries.get(metric)
    if summary is None:
        return NO_VALUE
    mean = scale.text(summary.mean)
    only = [sample for sample in combination.samples if metric in sample.metrics]
    if len(only) == 1:
        return link(only[0].run.link, mean)
    return mean if summary.deviation is None else f"{mean} ± {scale.text(summary.deviation)}"


def runs_of(combination):
    """Links to the runs that a row's means are made of, by seed."""
    having = [sample for sample in combination.samples if sample.complete and sample.run.link]
    links = [link(sample.run.link, sample.values.get("seed", "run")) for sample in having[:MOST_RUNS]]
    rest = f" … {len(having)} in all" if len(having) > MOST_RUNS else ""
    return element("span", joined(" ", links), rest, class_="runs") if links else NO_VALUE


def samples(campaign):
    """Tables of every sample, as many as fit the page: each number is a link to its run."""
    found = scales(campaign, campaign.metrics, lambda metric: [
        sample.metrics[metric] for sample in campaign.samples if metric in sample.metrics])
    before = 2 + len(campaign.keys) + shown_variant(campaign)
    return [sample_table(campaign, {metric: found[metric] for metric in metrics})
            for metrics in split(campaign.metrics, before)]


def sample_table(campaign, found):
    with_variant = shown_variant(campaign)
    columns = [("sample", True)] + [(key, False) for key in campaign.keys]
    columns += [("variant", False)] * with_variant + [("state", False)]
    columns += [(heading(scale.name, words.key(m), scale.unit), True) for m, scale in found.items()]
    table = Table("Every sample", columns, MOST_ROWS)
    for sample in campaign.samples:
        if not table.wants():
            table.miss()
            continue
        state = sample.run.state if sample.complete or sample.run.state != "ok" else "ok, but not all alone"
        table.add([link(sample.run.link, str(sample.number)), *(sample.values[key] for key in campaign.keys),
                   *[sample.variant] * with_variant,
                   state if sample.complete else element("span", state, class_="partial"),
                   *(link(sample.run.link, scale.text(sample.metrics[m])) if m in sample.metrics else NO_VALUE
                     for m, scale in found.items())])
    return table


def applications(campaign):
    """Every application of every complete sample: NTT and turnaround with their runs, together and alone."""
    every = [(sample, application) for sample in campaign.complete for application in sample.applications.values()]
    shown = scales(campaign, ("ntt", "turnaround_ps"),
                   lambda metric: [a.metrics[metric] for _, a in every if metric in a.metrics])
    time = shown["turnaround_ps"]
    with_variant = shown_variant(campaign)
    columns = [("sample", True)] + [(key, False) for key in campaign.keys]
    columns += [("variant", False)] * with_variant + [("application", False)]
    columns += [(heading(words.of("ntt"), "ntt", "together / alone"), True), (heading(time.name, time.unit), True),
                ("alone", False)]
    table = Table("Every application", columns, MOST_ROWS)
    for sample, application in every:
        if not table.wants():
            table.miss()
            continue
        alone = application.alone.link if application.alone else ""
        table.add([link(sample.run.link, str(sample.number)), *(sample.values[key] for key in campaign.keys),
                   *[sample.variant] * with_variant, application.name,
                   *(linked_number(shown[m], application, m, sample.run.link) for m in shown),
                   link(alone, "baseline") if alone else NO_VALUE])
    return table


SHOWN_OF_SERVERS = ("requests_arrived", "requests_served", "requests_shed", "queueing_mean_ps", "service_mean_ps",
                    "deadlines_met", "goodput", "throughput", "normalised_throughput", "tokens_per_second",
                    "sequences_mean", "cache_evictions")
SHOWN_OF_TIMES = {"mean": "mean", "p50": "p50", "p90": "p90", "p95": "p95", "p99": "p99", "p99_9": "p99.9",
                  "max": "longest"}
TIMES_OF_SERVERS = {"response": "Response times", "ttft": "Times to the first token", "tbt": "Times between tokens",
                    "tpot": "Mean times between the tokens of a request"}


def every_server(campaign, metrics):
    """((sample, application) of every server of every complete sample, those of the metrics that one of them has)."""
    every = [(sample, application) for sample in campaign.complete for application in sample.applications.values()
             if "requests_arrived" in application.metrics]
    return every, [m for m in metrics if any(m in application.metrics for _, application in every)]


def server_rows(campaign, title, every, columns, cells_of):
    with_variant = shown_variant(campaign)
    before = [("sample", True)] + [(key, False) for key in campaign.keys]
    before += [("variant", False)] * with_variant + [("server", False)]
    table = Table(title, before + columns, MOST_ROWS)
    for sample, application in every:
        if not table.wants():
            table.miss()
            continue
        table.add([link(sample.run.link, str(sample.number)), *(sample.values[key] for key in campaign.keys),
                   *[sample.variant] * with_variant, application.name, *cells_of(application)])
    return table


def servers(campaign):
    """Tables of what became of the requests of every server of every complete sample, as many as fit the page. Columns
    without a number are left out."""
    every, metrics = every_server(campaign, SHOWN_OF_SERVERS)
    shown = scales(campaign, metrics, lambda metric: [a.metrics[metric] for _, a in every if metric in a.metrics])
    before = 2 + len(campaign.keys) + shown_variant(campaign)
    return [server_table(campaign, every, {metric: shown[metric] for metric in part})
            for part in split(metrics, before)]


def server_table(campaign, every, shown):
    return server_rows(
        campaign, "Requests of every server", every,
        [(heading(scale.name, metric, scale.unit), True) for metric, scale in shown.items()],
        lambda application: [shown[m].text(application.metrics[m]) if m in application.metrics else NO_VALUE
                             for m in shown])


def times_of_servers(campaign):
    """Tables of the times of every server that has them."""
    return [server_times(campaign, name, title) for name, title in TIMES_OF_SERVERS.items()]


def server_times(campaign, name, title):
    """Times of every server, each percentile with its confidence interval, all in one unit."""
    titles = {f"{name}_{which}_ps": text for which, text in SHOWN_OF_TIMES.items()}
    every, metrics = every_server(campaign, titles)
    every = [(sample, application) for sample, application in every if any(m in application.metrics for m in metrics)]
    scale = Scale(name, "ps", [a.metrics[m] for _, a in every for m in metrics if m in a.metrics])

    def cell(application, metric):
        if metric not in application.metrics:
            return NO_VALUE
        ends = interval_of(application.metrics, metric)
        between = [element("small", f"{scale.text(ends[0])} – {scale.text(ends[1])}")] if ends else []
        return joined("", [scale.text(application.metrics[metric]), *between])

    return server_rows(
        campaign, f"{title} of every server in {scale.unit}; percentiles with their 95 % interval",
        every if metrics else [], [(heading(titles[m], m), True) for m in metrics],
        lambda application: [cell(application, m) for m in metrics])


def linked_number(scale, application, metric, to):
    number = application.metrics.get(metric)
    return NO_VALUE if number is None else link(to, scale.text(number))


def failures(campaign):
    """Runs that ended badly, or were left."""
    table = Table("Runs that did not go well", [("state", False), ("run", False), ("reason", False), ("log", False)],
                  MOST_ROWS)
    for run in campaign.runs.values():
        if run.state not in WORKING:
            name = joined(" ", [run.label or run.id, *([Markup("<small>alone</small>")] if run.alone else [])])
            table.add([run.state, link(run.link, name), run.reason or NO_VALUE,
                       link(run.link and run.link + "log", "log") if run.link else NO_VALUE])
    return table


def provenance(campaign):
    """Where the numbers come from, in all; how it was for one run stands in its directory."""
    told = [campaign.provenance.get(run, {}) for run in campaign.runs]
    table = Table("Provenance", [("what", False), ("value", False)])
    for key, title in (("version", "version"), ("revision", "revision"), ("build_id", "build"), ("host", "host")):
        counts = {}
        for run in told:
            if key in run:
                counts[run[key]] = counts.get(run[key], 0) + 1
        for value, count in sorted(counts.items()):
            table.add([title, f"{value} ({count:,} run{'s' * (count != 1)})"])
    for key, title in (("wall_seconds", "wall time of all runs"), ("cpu_seconds", "CPU time of all runs")):
        seconds = [second for second in (seconds_of(run.get(key, "")) for run in told) if second is not None]
        if seconds:
            table.add([title, duration(sum(seconds))])
    return table


def duration(seconds):
    unit, length = [span for span in SPANS if seconds >= span[1] or span is SPANS[0]][-1]
    return f"{seconds / length:,.1f} {unit}"
