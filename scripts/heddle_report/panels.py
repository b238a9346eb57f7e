"""Small multiples of series: for each statistic one figure, in it a panel for each point, all on the same scales."""

import dataclasses
import math

from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator

from . import aggregate, figure
from .values import ordered, quantity, short

MOST_COLUMNS, MOST_ROWS = 5, 6  # of panels
WRAPPED = 3       # columns where one axis alone varies
MOST_LINES = 6    # of the kernels of a panel; more are drawn as their mean and range
MOST_BLOCKS = 2   # the same of equal blocks of the machine, which differ little
MOST_FIGURES = 12
RATES = {"warp_instructions": "IPC", "thread_instructions": "Thread instructions per cycle"}  # of a counter
PER = 1000        # cycles, where a counter grows by less than one in a cycle


@dataclasses.dataclass
class Layout:
    """Panels by (row, column): the sample that each shows."""
    rows: int
    columns: int
    panels: dict
    keys: list     # that differ among the panels
    words: str     # "rows: policy, columns: sm.count"
    left_out: int  # samples with a series that no panel shows
    seeds: bool    # whether one seed of several is shown

    def title(self, sample):
        """"token, sm.count=8": a number has its key."""
        texts = [(key, short(_value(sample, key), 24)) for key in self.keys]
        return ", ".join(f"{key}={text}" if quantity(text) else text for key, text in texts)


def _value(sample, key):
    return sample.variant if key == "variant" else sample.values[key]


def layout(campaign, runs):
    """Of the samples whose run is among `runs`: the last key that differs is along the columns, all others are along
    the rows. Of each seed but the first there is no panel. None where there is no sample."""
    having = [sample for sample in campaign.samples if sample.run.id in runs]
    if not having:
        return None
    keys = [key for key in campaign.keys if not (campaign.has_seeds and key == "seed")]
    keys += ["variant"] if aggregate.shown_variant(campaign) else []
    first = {}
    for sample in having:
        first.setdefault(tuple(_value(sample, key) for key in keys), sample)
    values = {key: ordered(_value(sample, key) for sample in first.values()) for key in keys}
    keys = [key for key in keys if len(values[key]) > 1]
    samples = sorted(first.values(), key=lambda sample: [values[key].index(_value(sample, key)) for key in keys])
    if len(keys) < 2:
        columns = min(WRAPPED, len(samples))
        places = {divmod(index, columns): sample for index, sample in enumerate(samples)}
        words = f"Panels: {keys[0]}." if keys else ""
    else:
        rows = list(dict.fromkeys(tuple(_value(sample, key) for key in keys[:-1]) for sample in samples))
        places = {(rows.index(tuple(_value(sample, key) for key in keys[:-1])),
                   values[keys[-1]].index(_value(sample, keys[-1]))): sample for sample in samples}
        words = f"Rows of panels: {', '.join(keys[:-1])}; columns: {keys[-1]}."
    shown = {place: sample for place, sample in places.items() if place[0] < MOST_ROWS and place[1] < MOST_COLUMNS}
    return Layout(max(row for row, _ in shown) + 1, max(column for _, column in shown) + 1, shown, keys, words,
                  len(samples) - len(shown), len(having) > len(samples))


def draw_all(campaign, reader):
    """(Drawings with the stem of their file, sentences on what is not drawn) of a database's series."""
    places = layout(campaign, reader.runs)
    drawings, zero, rest = [], [], []
    for statistic in reader.statistics() if places else ():
        if len(drawings) == MOST_FIGURES:
            rest.append(statistic.pattern)
            continue
        with figure.style():
            drawing = draw(campaign, statistic, reader, places)
        if drawing is None:
            zero.append(statistic.pattern)
        else:
            name = statistic.pattern.replace("applications.*.", "").replace("*", "")
            drawings.append((f"series-{len(drawings) + 1:02}-{stem_of(name)}", drawing))
    notes = []
    if zero:
        notes.append(f"Zero or without a value in every panel, and not drawn: {', '.join(zero)}.")
    if rest:
        notes.append(f"Not drawn, as there are {MOST_FIGURES} figures: {', '.join(rest)}. results.sqlite has them.")
    return drawings, notes


def stem_of(name):
    return "".join(c if c.isascii() and (c.isalnum() or c in "_-") else "-" for c in name)[:60]


def draw(campaign, statistic, reader, places):
    """A Drawing; None where the statistic is nowhere above zero."""
    lines = {place: lines_of(statistic, reader, sample) for place, sample in places.panels.items()}
    numbers = [value for of_panel in lines.values() for line in of_panel.values() for value in line.values
               if not math.isnan(value)]
    if not any(numbers):
        return None
    names = [path.name for path in statistic.paths if any(path.name in of_panel for of_panel in lines.values())]
    factor = PER if statistic.kind == "counter" and max(numbers) < 1 else 1
    title = title_of(statistic)
    drawing, head, axes = figure.grid(title, campaign.partial, places.rows, places.columns)
    for row in range(places.rows):
        for column in range(places.columns):
            if (row, column) in lines:
                axes[row, column].set_title(places.title(places.panels[row, column]), fontsize=10, loc="left", pad=3)
                fill(axes[row, column], names, lines[row, column], factor, is_band(statistic, names))
            else:
                axes[row, column].axis("off")
    finish(axes)
    key = legend_of(names, is_band(statistic, names))
    if key:
        figure.legend_in(head, *key)
    drawing.supxlabel("core cycles since the start of simulation", fontsize=11)
    drawing.supylabel(figure.wrapped(unit_of(statistic, factor), figure.MOST_HIGH), fontsize=11)
    return figure.Drawing(drawing, title, campaign.partial, caption(statistic, places, lines, names))


def lines_of(statistic, reader, sample):
    """Line by name of the path, of a run."""
    found = {path.name: reader.line(reader.runs[sample.run.id], path.number, statistic.kind)
             for path in statistic.paths}
    return {name: line for name, line in found.items() if line is not None}


def is_band(statistic, names):
    """Whether a panel shows mean and range, and not a line for each name."""
    return len(names) > (MOST_LINES if statistic.of_kernels else MOST_BLOCKS)


def fill(panel, names, lines, factor, band):
    if band:
        edges = next(iter(lines.values())).edges
        steps = [[value * factor for value in step if not math.isnan(value)]
                 for step in zip(*(line.values for line in lines.values()))]
        nan = float("nan")
        panel.fill_between(edges, *([end(step) if step else nan for step in steps] + [nan] for end in (min, max)),
                           step="post", color=figure.colour(0), alpha=0.25, linewidth=0)
        panel.stairs([sum(step) / len(step) if step else nan for step in steps], edges, baseline=None,
                     color=figure.colour(0), linewidth=1.3)
        return
    for index, name in enumerate(names):
        if name in lines:
            panel.stairs([value * factor for value in lines[name].values], lines[name].edges, baseline=None,
                         color=figure.colour(index), linestyle=figure.line(index), linewidth=1.3)


def finish(axes):
    """Scales that all panels share."""
    axes[0, 0].set_ylim(0, axes[0, 0].get_ylim()[1])
    axes[0, 0].set_xlim(0, None)
    for panel in axes.flat:
        panel.grid(axis="y")
        panel.xaxis.set_major_locator(MaxNLocator(4))
        panel.yaxis.set_major_locator(MaxNLocator(4))
        panel.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x / 1000:,g}k" if x else "0"))
        panel.tick_params(labelsize=9)


def legend_of(names, band):
    """(names, handles), or None for one nameless line."""
    if band:
        return ([f"mean of {len(names)}", "from the least to the most"],
                [Line2D([], [], color=figure.colour(0)),
                 Line2D([], [], color=figure.colour(0), alpha=0.25, linewidth=7)])
    if not any(names):
        return None
    return names, [Line2D([], [], color=figure.colour(index), linestyle=figure.line(index))
                   for index in range(len(names))]


def title_of(statistic):
    leaf = statistic.pattern.rsplit(".", 1)[-1]
    name = statistic.pattern.removeprefix("applications.*.")
    if statistic.kind == "counter":
        name = RATES.get(leaf, name)
    return f"{name.replace('*', '')}{' by kernel' if statistic.of_kernels else ''} over time"


def unit_of(statistic, factor):
    """What the y axes show."""
    if statistic.kind == "counter":
        return f"{statistic.unit} per " + ("cycle" if factor == 1 else f"{factor} cycles")
    return statistic.pattern.rsplit(".", 1)[-1] if statistic.unit == "1" else statistic.unit


def caption(statistic, places, lines, names):
    words = f"{statistic.pattern}: {statistic.description}."
    words += {"counter": " Shown is its growth over time.", "level": " Shown is its value at the end of an interval.",
              "formula": " Shown is the ratio within an interval."}[statistic.kind]
    words += f" Each panel: one run. {places.words} All panels have the same scales."
    if is_band(statistic, names):
        words += f" Lines: mean of the {len(names)}; shaded: from the least to the most."
    together = max(line.together for of_panel in lines.values() for line in of_panel.values())
    if together > 1:
        words += f" A step is the mean of up to {together} intervals of the series."
    if places.seeds:
        words += " Of several seeds the first is shown."
    if places.left_out:
        words += f" {places.left_out} more points are left out: there are at most {MOST_ROWS} x {MOST_COLUMNS} panels."
    return words
