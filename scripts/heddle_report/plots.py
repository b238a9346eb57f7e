"""The kinds of plots: a Campaign and what it asks for -> a Drawing."""

import math
import statistics

from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from . import aggregate, figure, timeline, words
from .aggregate import PlotError
from .values import Scale, quantities, short

NOTES = {"antt": "lower is better", "ntt": "lower is better", "stp": "higher is better",
         "fairness": "higher is better", "minimum_speedup": "higher is better",
         "harmonic_speedup": "higher is better"}
MOST_EQUAL = 6      # pairs that a caption names
FEWEST_OF_TAIL = 20  # numbers from which on the tail of a distribution has an axis of its own scale
MOST_NUMBERED = 40  # columns of a heat map whose cells still hold their number
LOG_SPAN = 32       # the largest x over the smallest, from which on the x axis of curves and cdf is logarithmic
MOST_SPAN = 2000    # the same, from which on that axis of a cdf has powers of ten alone


def draw(campaign, plot):
    """Throws PlotError: what is asked for is not there, or not of a kind that can be shown."""
    with figure.style():
        return DRAWN_BY[plot.kind](campaign, plot)


def scale_of(campaign, metric, numbers):
    return Scale(words.of(metric), campaign.units.get(metric, ""), list(numbers))


def label_of(scale, metric):
    if metric not in NOTES:
        return scale.label
    return f"{scale.name} ({scale.unit}, {NOTES[metric]})" if scale.unit else f"{scale.name} ({NOTES[metric]})"


def by(*fields):
    return " and ".join(short(field, 48) for field in fields if field)


def counted(counts, what):
    """"n = 4 to 6 per bar"."""
    few, most = min(counts), max(counts)
    return f"n = {few} per {what}" if few == most else f"n = {few} to {most} per {what}"


def averaged(campaign, fields, mark, counts):
    """The sentence of a caption on what a mean is over."""
    over = [f"{short(key, 48)} ({count} values)" for key, count in aggregate.left_over(campaign, fields)]
    if aggregate.of_handovers(fields):
        over.append("all hand-overs")
    elif aggregate.of_requests(fields):
        over.append("all requests")
    elif aggregate.of_applications(fields) and "application" not in fields:
        over.append("all applications")
    if max(counts) == 1:
        return f"Each {mark}: one sample."
    return f"Each {mark}: arithmetic mean over {', '.join(over)}; {counted(counts, mark)}."


def spread_of(cell, scale):
    """(below, above) of a mark's error bar: the interval of a percentile, else the deviation over seeds."""
    if cell.interval:
        return tuple(max(0, end) / scale.factor for end in (cell.mean - cell.interval[0], cell.interval[1] - cell.mean))
    return ((cell.deviation or 0) / scale.factor,) * 2


def equal_words(grid):
    """The sentence on marks that do not differ, because the intervals of two percentiles overlap."""
    places = [(column, row) for column in grid.columns for row in grid.rows if (column, row) in grid.cells]
    pairs = [(one, other) for index, one in enumerate(places) for other in places[index + 1:]
             if (one[0] == other[0] or one[1] == other[1]) and grid.cells[one].overlaps(grid.cells[other])]
    compared = sum(one[0] == other[0] or one[1] == other[1]
                   for index, one in enumerate(places) for other in places[index + 1:]
                   if None not in (grid.cells[one].interval, grid.cells[other].interval))
    if not pairs:
        return " All of them differ: no two intervals overlap." if compared else ""
    if len(pairs) == compared:
        return " None of them differ: all intervals overlap."
    texts = ["{} and {}".format(*(short(", ".join(filter(None, place)), 32) for place in pair)) for pair in pairs]
    rest = f"; and {len(texts) - MOST_EQUAL} more pairs" if len(texts) > MOST_EQUAL else ""
    return f" These do not differ, because their intervals overlap: {'; '.join(texts[:MOST_EQUAL])}{rest}."


def deviations(cells):
    """What a caption says where marks have error bars."""
    if any(cell.interval for cell in cells):
        several = any(cell.count > 1 for cell in cells)
        over = ", the means of its ends over samples" if several else ""
        return f" Error bars: 95 % interval of the percentile{over}."
    return " Error bars: standard deviation over seeds." if any(c.deviation for c in cells) else ""


def some(found, campaign):
    if not found:
        raise PlotError("no complete sample has its numbers" +
                        (f" ({campaign.partial})" if campaign.partial else ""))
    return found


def bars(campaign, plot):
    grid = aggregate.grid(campaign, plot.x, plot.series, plot.y)
    some(grid.cells, campaign)
    shared, means = aggregate.geometric_means(grid) if aggregate.are_workloads(plot.x) else ([], {})
    scale = scale_of(campaign, plot.y, [cell.mean for cell in grid.cells.values()])
    columns = len(grid.columns) + bool(means)
    title = f"{words.title(plot.y)} by {by(plot.x, plot.series)}"
    drawing, axes = figure.new(title, campaign.partial, max(figure.WIDTH, 1 + 0.17 * columns * (len(grid.rows) + 1)))
    wide = 0.8 / len(grid.rows)
    handles = []
    for index, row in enumerate(grid.rows):
        at = [c for c, column in enumerate(grid.columns) if (column, row) in grid.cells]
        cells = [grid.cells[grid.columns[c], row] for c in at]
        heights = [cell.mean / scale.factor for cell in cells]
        spreads = [spread_of(cell, scale) for cell in cells]
        if row in means:
            at, heights, spreads = at + [columns - 1 + 0.25], heights + [means[row] / scale.factor], spreads + [(0, 0)]
        places = [c + (index - (len(grid.rows) - 1) / 2) * wide for c in at]
        handles.append(axes.bar(places, heights, wide * 0.92, color=figure.colour(index), label=row,
                                hatch=figure.hatch(index)))
        spread = [(p, h, s) for p, h, s in zip(places, heights, spreads) if any(s)]
        if spread:
            axes.errorbar(*zip(*[(p, h) for p, h, _ in spread]), yerr=list(zip(*[s for *_, s in spread])), fmt="none",
                          ecolor=figure.INK, elinewidth=1.1, capsize=2.5)
    name_groups(axes, grid, bool(means))
    figure.legend(axes, grid.rows, handles)
    figure.name_axes(axes, plot.x, label_of(scale, plot.y))
    caption = averaged(campaign, (plot.x, plot.y, plot.series), "bar", grid.counts)
    caption += deviations(grid.cells.values()) + equal_words(grid)
    if aggregate.are_workloads(plot.x):
        caption += gmean_note(grid, plot, shared, means)
    return figure.Drawing(drawing, title, campaign.partial, caption)


def name_groups(axes, grid, with_mean):
    """Ticks of bars and boxes, a line before the means."""
    last = len(grid.columns) + 0.25
    if with_mean:
        axes.axvline(last - 0.625, color="#9aa5b1", linewidth=1, linestyle=(0, (3, 3)))
    places = list(range(len(grid.columns))) + ([last] if with_mean else [])
    figure.name_ticks(axes.xaxis, places, grid.columns + (["gmean"] if with_mean else []))
    axes.tick_params(axis="x", length=0)
    axes.grid(axis="y")


def gmean_note(grid, plot, shared, means):
    if not means:
        return " No geometric mean: the series share no x value, or a mean is not above zero."
    which = f"the values of {short(plot.x, 48)}"
    if len(shared) < len(grid.columns):
        which = f"those {len(shared)} of {len(grid.columns)} values of {short(plot.x, 48)} that every series has"
    return f" gmean: geometric mean over {which}."


def heat_map(campaign, plot):
    aggregate.check_metric(campaign, plot.series, "series")
    grid = aggregate.grid(campaign, plot.x, plot.y, plot.series)
    some(grid.cells, campaign)
    rows = grid.rows[::-1] if quantities(grid.rows) else grid.rows  # numbers grow upward, names read downward
    scale = scale_of(campaign, plot.series, [cell.mean for cell in grid.cells.values()])
    numbers = [[grid.cells[c, r].mean / scale.factor if (c, r) in grid.cells else float("nan")
                for c in grid.columns] for r in rows]
    title = f"{words.title(plot.series)} by {by(plot.x, plot.y)}"
    drawing, axes = figure.new(title, campaign.partial, max(figure.WIDTH, 2.4 + 0.58 * len(grid.columns)),
                               min(14, max(3.6, 1.6 + 0.42 * len(rows))))
    axes.set_facecolor("#f1f3f5")
    image = axes.imshow(numbers, cmap="viridis", aspect="auto", interpolation="nearest")
    print_cells(axes, grid, rows, scale, image)
    figure.name_ticks(axes.xaxis, range(len(grid.columns)), grid.columns)
    figure.name_ticks(axes.yaxis, range(len(rows)), rows)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    figure.name_axes(axes, plot.x, plot.y)
    bar = drawing.colorbar(image, ax=axes, pad=0.02, aspect=28)
    bar.set_label(figure.wrapped(label_of(scale, plot.series), figure.MOST_HIGH))
    bar.outline.set_visible(False)
    missing = len(rows) * len(grid.columns) - len(grid.cells)
    return figure.Drawing(drawing, title, campaign.partial,
                          averaged(campaign, (plot.x, plot.y, plot.series), "cell", grid.counts) +
                          (f" Hatched: no complete sample ({missing} cells)." if missing else ""))


def print_cells(axes, grid, rows, scale, image):
    """The number in each cell, dark on light and light on dark; a hatch where there is none."""
    numbered = len(grid.columns) <= MOST_NUMBERED
    for r, row in enumerate(rows):
        for c, column in enumerate(grid.columns):
            if (column, row) not in grid.cells:
                axes.add_patch(Rectangle((c - 0.5, r - 0.5), 1, 1, fill=False, hatch="///", edgecolor="#9aa5b1",
                                         linewidth=0))
            elif numbered:
                mean = grid.cells[column, row].mean
                red, green, blue, _ = image.cmap(image.norm(mean / scale.factor))
                light = 0.299 * red + 0.587 * green + 0.114 * blue > 0.5
                axes.text(c, r, scale.text(mean), ha="center", va="center", fontsize=9.5,
                          color=figure.INK if light else "white")


def curves(campaign, plot):
    grid = aggregate.grid(campaign, plot.x, plot.series, plot.y)
    some(grid.cells, campaign)
    sizes = quantities(grid.columns)
    places = dict(zip(grid.columns, sizes or range(len(grid.columns))))
    scale = scale_of(campaign, plot.y, [cell.mean for cell in grid.cells.values()])
    title = f"{words.title(plot.y)} over {by(plot.x)}" + (f" by {by(plot.series)}" if plot.series else "")
    drawing, axes = figure.new(title, campaign.partial)
    logarithmic = sizes is not None and sizes[0] > 0 and sizes[-1] / sizes[0] >= LOG_SPAN
    if logarithmic:
        axes.set_xscale("log")
    handles = [curve(axes, grid, row, index, places, scale) for index, row in enumerate(grid.rows)]
    name_places(axes, grid.columns, places, logarithmic)
    axes.grid(axis="y")
    axes.margins(y=0.18)
    figure.legend(axes, grid.rows, handles)
    figure.name_axes(axes, short(plot.x, 40) + (", logarithmic" if logarithmic else ""), label_of(scale, plot.y))
    caption = (averaged(campaign, (plot.x, plot.y, plot.series), "point", grid.counts) +
               deviations(grid.cells.values()) +
               f" Ringed: a curve's steepest change between neighbours, where it is at least "
               f"{aggregate.CLIFF_FRACTION:.0%} of the larger of the two.")
    if sizes is None:
        caption += f" The values of {short(plot.x, 48)} are no numbers of one kind: they stand at equal distances."
    return figure.Drawing(drawing, title, campaign.partial, caption)


def curve(axes, grid, row, index, places, scale):
    """One row of the grid, its cliff marked; returns what stands for it in a legend."""
    columns = [column for column in grid.columns if (column, row) in grid.cells]
    cells = [grid.cells[column, row] for column in columns]
    heights = [cell.mean / scale.factor for cell in cells]
    at = [places[column] for column in columns]
    line, = axes.plot(at, heights, color=figure.colour(index), marker=figure.marker(index),
                      linestyle=figure.line(index), label=row)
    if any(cell.deviation or cell.interval for cell in cells):
        axes.errorbar(at, heights, yerr=list(zip(*(spread_of(cell, scale) for cell in cells))), fmt="none",
                      ecolor=figure.colour(index), elinewidth=1, capsize=2.5)
    cliff = aggregate.steepest(heights)
    if cliff:
        pair = slice(cliff.at, cliff.at + 2)
        axes.plot(at[pair], heights[pair], color=figure.colour(index), linewidth=5.5, alpha=0.35,
                  solid_capstyle="round")
        axes.plot(at[pair], heights[pair], linestyle="none", marker="o", markersize=11, markerfacecolor="none",
                  markeredgecolor=figure.colour(index), markeredgewidth=1.3)
        axes.annotate(f"{cliff.fraction:+.0%}".replace("-", "−"), (at[cliff.at + 1], heights[cliff.at + 1]),
                      xytext=(0, 9 if cliff.fraction > 0 else -20), textcoords="offset points", ha="center",
                      fontsize=10, fontweight="bold", color=figure.colour(index),
                      bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 0.6})
    return line


def name_places(axes, texts, places, logarithmic):
    """As texts, thinned where they would run into each other."""
    most = int(axes.figure.get_size_inches()[0] * 11 / (max(len(short(t, figure.MOST_LABEL)) for t in texts) + 2))
    shown, last = [], None
    for text in texts:
        place = _along(places[text], places.values(), logarithmic)
        if last is None or place - last >= 1 / max(most, 2):
            shown.append(text)
            last = place
    figure.name_ticks(axes.xaxis, [places[text] for text in shown], shown)
    axes.xaxis.set_minor_locator(NullLocator())


def _along(place, places, logarithmic):
    """From 0 to 1, as far as a place is along the axis."""
    move = math.log if logarithmic else float
    first, last = move(min(places)), move(max(places))
    return (move(place) - first) / (last - first) if last > first else 0


def box(campaign, plot):
    aggregate.check_metric(campaign, plot.y, "y")
    found = some(aggregate.groups(campaign, plot.x, plot.series, plot.y), campaign)
    grid = aggregate.grid(campaign, plot.x, plot.series, plot.y)
    scale = scale_of(campaign, plot.y, [number for numbers, _ in found.values() for number in numbers])
    title = f"{words.title(plot.y)} by {by(plot.x, plot.series)}"
    width = max(figure.WIDTH, 1 + 0.2 * len(grid.columns) * (len(grid.rows) + 1))
    drawing, axes = figure.new(title, campaign.partial, width)
    numbers = {place: of for place, (of, _) in found.items()}
    handles = boxes(axes, grid.columns, grid.rows, numbers, scale)
    name_groups(axes, grid, False)
    figure.legend(axes, grid.rows, handles)
    figure.name_axes(axes, plot.x, label_of(scale, plot.y))
    what = aggregate.counted_things([plot.x, plot.y, plot.series])
    what = "complete samples" if what == "samples" else f"{what} of complete samples"
    caption = (f"Boxes: quartiles and median of {what}; whiskers: the furthest within 1.5 times the box; points: "
               f"the rest; {counted(grid.counts, 'box')}." + pooled(campaign, (plot.x, plot.y, plot.series)))
    return figure.Drawing(drawing, title, campaign.partial, caption)


def boxes(axes, columns, rows, found, scale):
    """A box for each of `found`, numbers by (column, row); columns along x, rows side by side. Returns what stands for
    the rows in a legend."""
    wide = 0.8 / len(rows)
    handles = []
    for index, row in enumerate(rows):
        at = [c for c, column in enumerate(columns) if (column, row) in found]
        numbers = [[number / scale.factor for number in found[columns[c], row]] for c in at]
        places = [c + (index - (len(rows) - 1) / 2) * wide for c in at]
        drawn = axes.boxplot(numbers, positions=places, widths=wide * 0.8, patch_artist=True, manage_ticks=False,
                             medianprops={"color": figure.INK, "linewidth": 1.6}, whiskerprops={"color": figure.INK},
                             capprops={"color": figure.INK}, flierprops=fliers(numbers, index),
                             boxprops={"facecolor": figure.colour(index), "edgecolor": figure.INK, "alpha": 0.85,
                                       "hatch": figure.hatch(index)})
        handles.append(drawn["boxes"][0] if at else Patch())
    return handles


def fliers(numbers, index):
    many = sum(map(len, numbers)) > figure.MANY_MARKS
    return {"marker": "o", "markersize": 3, "markerfacecolor": figure.colour(index), "markeredgecolor": "none",
            "alpha": 0.7, "rasterized": many}


def pooled(campaign, fields):
    over = [short(key, 48) for key, _ in aggregate.left_over(campaign, fields)]
    return f" Pooled over {', '.join(over)}." if over else ""


def cdf(campaign, plot):
    aggregate.check_metric(campaign, plot.x, "x")
    found = some(aggregate.groups(campaign, "", plot.series, plot.x), campaign)
    rows = aggregate.ordered(aggregate.all_values(campaign, plot.series) + [row for _, row in found])
    rows = [row for row in rows if ("", row) in found]
    scale = scale_of(campaign, plot.x, [number for numbers, _ in found.values() for number in numbers])
    title = f"Cumulative distribution of {words.of(plot.x)}" + (f" by {by(plot.series)}" if plot.series else "")
    drawing, axes = figure.new(title, campaign.partial)
    most = max(len(numbers) for numbers, _ in found.values())
    fields = (plot.x, plot.series)
    tail = (aggregate.of_requests(fields) or aggregate.of_handovers(fields)) and most >= FEWEST_OF_TAIL
    handles = []
    for index, row in enumerate(rows):
        numbers = sorted(number / scale.factor for number in found["", row][0])
        shares = [(i + 1) / len(numbers) for i in range(len(numbers))]
        steps = [0, *shares]
        if tail:  # the share above; the last step of a logarithm is the one before zero
            steps = [1, *(1 - share for share in shares[:-1]), 1 / len(numbers)]
        handles += axes.plot([numbers[0], *numbers], steps, drawstyle="steps-post", color=figure.colour(index),
                             linestyle=figure.line(index), rasterized=len(numbers) > figure.MANY_MARKS)
    span = numbers_span(found)
    logarithmic = span >= LOG_SPAN
    if logarithmic:
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if span < MOST_SPAN else (1,)))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,g}"))
        axes.xaxis.set_minor_locator(NullLocator())
    what = aggregate.counted_things([plot.x, plot.series])
    if tail:
        show_tail(axes, most)
    else:
        axes.set_ylim(0, 1.02)
    axes.grid()
    figure.legend(axes, rows, handles)
    figure.name_axes(axes, label_of(scale, plot.x) + (", logarithmic" if logarithmic else ""),
                     f"share of {what}" + (" at or below" if tail else ""))
    middle = ", ".join(f"{short(row, 32) + ' ' if row else ''}{scale.text(statistics.median(found['', row][0]))}"
                       for row in rows[:8])
    caption = (f"Share of {what} at or below x, of complete samples; "
               f"{counted([len(numbers) for numbers, _ in found.values()], 'curve')}. Medians: {middle}.")
    if tail:
        caption += " The axis is logarithmic in the share above x, so that the slowest are seen."
    return figure.Drawing(drawing, title, campaign.partial, caption + pooled(campaign, (plot.x, plot.series)))


def show_tail(axes, count):
    """An axis of shares, 0 below, that is logarithmic in 1 - p and ends where one of `count` is left."""
    axes.set_yscale("log")
    axes.set_ylim(1, 0.7 / count)
    rest = [1, 0.5] + [10 ** -power for power in range(1, int(math.log10(count)) + 1)]
    figure.name_ticks(axes.yaxis, rest, [f"{100 - 100 * share:.6g} %" for share in rest])
    axes.yaxis.set_minor_locator(NullLocator())


def numbers_span(found):
    """The largest over the smallest; 0 where not all are above zero."""
    numbers = [number for group, _ in found.values() for number in group]
    return max(numbers) / min(numbers) if min(numbers) > 0 else 0


DRAWN_BY = {"bars": bars, "heat-map": heat_map, "curves": curves, "box": box, "cdf": cdf, "timeline": timeline.draw}
