"""When which host worked at which run."""

import dataclasses
import datetime

import matplotlib.collections
import matplotlib.patches

from . import figure
from .aggregate import PlotError
from .values import short

# States of runs that have ended: they are told apart without colours by the legend's order and by hatches.
STATES = {"ok": (figure.COLOURS[0], ""), "failed": (figure.COLOURS[5], "////"),
          "timeout": (figure.COLOURS[1], "...."), "out-of-memory": (figure.COLOURS[3], "xxxx")}
OTHER = (figure.COLOURS[7], "")
SPANS = [("s", 1), ("min", 60), ("h", 3600), ("days", 86400)]
SLACK = 0.05        # seconds that one run may seem to start before another has ended, as clocks are read
MOST_APART = 80     # bars of a lane that are told apart by white edges
MOST_OF_SPAN = 240  # of a unit, before the next larger one is taken


@dataclasses.dataclass(frozen=True)
class Span:
    """One run; times in seconds, started since any epoch."""
    host: str
    worker: str  # empty: not told
    started: float
    seconds: float
    state: str


def seconds_of(text):
    """Seconds since the epoch, of a number or an ISO date, in UTC where it does not say; None of anything else."""
    try:
        return float(text)
    except ValueError:
        pass
    try:
        date = datetime.datetime.fromisoformat(text)
    except ValueError:
        return None
    return (date if date.tzinfo else date.replace(tzinfo=datetime.timezone.utc)).timestamp()


def spans_of(campaign):
    """Those of the runs that tell host, start and either end or wall time, by start."""
    spans = []
    for run in campaign.runs.values():
        told = campaign.provenance.get(run.id, {})
        started, ended = seconds_of(told.get("started", "")), seconds_of(told.get("ended", ""))
        seconds = seconds_of(told.get("wall_seconds", ""))
        if started is not None and ended is not None:
            seconds = ended - started
        if started is not None and seconds is not None and "host" in told:
            spans.append(Span(told["host"], told.get("worker", ""), started, max(seconds, 0), run.state))
    return sorted(spans, key=lambda span: (span.started, span.host, span.worker, span.seconds))


def lanes_of(spans):
    """Lists of spans by (host, lane), lanes from 0: a lane for each worker that is told, else the first that is
    free again."""
    lanes = {}
    for host in sorted({span.host for span in spans}):
        mine = [span for span in spans if span.host == host]
        workers = sorted({span.worker for span in mine if span.worker})
        for worker, name in enumerate(workers):
            lanes[host, worker] = [span for span in mine if span.worker == name]
        free_at = []
        for span in (span for span in mine if not span.worker):
            lane = next((i for i, end in enumerate(free_at) if end <= span.started + SLACK), len(free_at))
            free_at[lane:lane + 1] = [span.started + span.seconds]
            lanes.setdefault((host, len(workers) + lane), []).append(span)
    return lanes


def draw(campaign, _):
    """A Drawing. Throws PlotError where no run tells when it ran."""
    title = "Runs over wall time"
    spans = spans_of(campaign)
    if not spans:
        raise PlotError("no run tells its host, when it started and how long it took")
    lanes = lanes_of(spans)
    begin = spans[0].started
    whole = max(span.started + span.seconds for span in spans) - begin
    unit, length = next((s for s in SPANS if whole / s[1] <= MOST_OF_SPAN), SPANS[-1])
    drawing, axes = figure.new(title, campaign.partial, height=min(12, 1.9 + max(0.16 * len(lanes), 0.5)))
    states = [state for state in STATES if any(span.state == state for span in spans)]
    others = sorted({span.state for span in spans} - set(states))
    for state in states + others:
        add_state(axes, lanes, state, begin, length)
    axes.set_xlim(-0.01 * whole / length, 1.01 * whole / length or 1)
    axes.set_ylim(len(lanes) - 0.4, -0.6)
    name_hosts(axes, list(lanes))
    axes.grid(axis="x")
    figure.legend(axes, states + others, [handle(state) for state in states + others])
    figure.name_axes(axes, f"wall time since the first run started ({unit})", "host")
    left = len(campaign.runs) - len(spans)
    caption = (f"Each bar: one run, from its start until its end; {len(spans)} runs on "
               f"{len({span.host for span in spans})} host(s), a lane for each of {len(lanes)} workers.")
    caption += f" {left} runs do not tell when they ran." if left else ""
    return figure.Drawing(drawing, title, campaign.partial, caption)


def handle(state):
    colour, hatch = STATES.get(state, OTHER)
    return matplotlib.patches.Patch(facecolor=colour, hatch=hatch, edgecolor="white", linewidth=0.4)


def add_state(axes, lanes, state, begin, length):
    """Every bar of one state, as one collection. Where bars are narrow, those of runs that went well have no edge
    and all others one of their colour, so that none of these is too thin to be seen."""
    colour, hatch = STATES.get(state, OTHER)
    boxes = []
    for row, spans in enumerate(lanes.values()):
        for span in spans:
            if span.state == state:
                left = (span.started - begin) / length
                right = left + span.seconds / length
                boxes.append([(left, row - 0.4), (right, row - 0.4), (right, row + 0.4), (left, row + 0.4)])
    if max(map(len, lanes.values())) <= MOST_APART:
        look = {"edgecolor": "white", "linewidth": 0.4, "hatch": hatch}
    else:
        look = {"edgecolor": colour, "linewidth": 0 if state == "ok" else 0.8}
    many = sum(map(len, lanes.values())) > figure.MANY_MARKS
    axes.add_collection(matplotlib.collections.PolyCollection(boxes, facecolor=colour, rasterized=many, **look))


def name_hosts(axes, lanes):
    """Each host once, beside the middle of its lanes, with a line between hosts."""
    hosts = list(dict.fromkeys(host for host, _ in lanes))
    rows = {host: [row for row, (of, _) in enumerate(lanes) if of == host] for host in hosts}
    axes.set_yticks([sum(rows[host]) / len(rows[host]) for host in hosts],
                    labels=[short(host, figure.MOST_LABEL) for host in hosts])
    axes.tick_params(axis="y", length=0)
    for host in hosts[1:]:
        axes.axhline(rows[host][0] - 0.5, color="#7b8794", linewidth=1)
