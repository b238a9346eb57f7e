"""The plot of a paper's figure: bars, curves, boxes or a scatter."""

import dataclasses

from matplotlib.lines import Line2D

from . import figure, plots
from .aggregate import CLIFF_FRACTION, Grid, PlotError, Summary
from .compare import MEAN, Result
from .paper_table import label_of, quantity
from .plots import NOTES
from .values import Scale, quantities

PANEL_HEIGHT = 2.1   # inches
TITLE_HEIGHT = 0.24  # of a panel's
PER_BAR = 0.13       # inches
MOST_HIGH = 22       # characters that run upward
THEIRS = "theirs"
THEIRS_LOOK = {"marker": "D", "markersize": 7, "color": "white", "markeredgecolor": figure.INK, "markeredgewidth": 1.6}


def draw(result):
    """Columns as series, and either rows along x with a panel for each arm that has numbers, or another metric along x
    with a panel for each row and arm. Throws PlotError."""
    with figure.style():
        return scatter(result) if result.figure.plot == "scatter" else panels_of(result)


def panels_of(result):
    arms = {arm: name.name for arm, name in enumerate(result.paper.arms)
            if any(number.value is not None for number in result.tables[arm].values())}
    if not arms:
        raise without_numbers(result)
    scale = Scale("", "", []) if result.figure.over else result.scale
    columns = result.shown_columns
    width = max(figure.WIDTH, 1 + PER_BAR * len(result.rows) * (len(columns) + 1))
    drawing, panels = figure.new(result.figure.heading, result.campaign.partial, width,
                                 1.4 + PANEL_HEIGHT * len(arms), len(arms))
    panels = [panels] if len(arms) == 1 else list(panels)
    for axes, (arm, name) in zip(panels, arms.items()):
        handles = DRAWN_BY[result.figure.plot](axes, result, arm, scale)
        if len(result.paper.arms) > 1:
            axes.set_title(figure.wrapped(name, int(width * 9)), loc="left", fontsize=10.5, pad=5, color=figure.INK)
        if result.figure.over or result.figure.normalise:
            axes.axhline(1, color=figure.INK, linewidth=1, linestyle=(0, (3, 3)))
        axes.grid(axis="y")
    name_rows(panels, result)
    names = list(columns)
    if shows_theirs(result):
        names.append(THEIRS)
        handles.append(Line2D([], [], **THEIRS_LOOK, linestyle=""))
    figure.legend(panels[0], names, handles, TITLE_HEIGHT * (len(result.paper.arms) > 1))
    panels[-1].set_xlabel(figure.wrapped(result.figure.rows, int(width * 9)))
    for axes in panels:
        axes.set_ylabel(label(result))
    return figure.Drawing(drawing, result.figure.heading, result.campaign.partial, caption(result))


def without_numbers(result):
    return PlotError("no complete sample has its numbers" +
                     (f" ({result.campaign.partial})" if result.campaign.partial else ""))


def bars(axes, result, arm, scale):
    """A bar for each number, theirs as marks where they are over the same column; returns what stands for the columns
    in a legend."""
    return [series(axes, result, result.tables[arm], column, index, scale)
            for index, column in enumerate(result.shown_columns)]


def curves(axes, result, arm, scale):
    """A curve for each column, its cliff marked."""
    table = result.tables[arm]
    cells = {place: Summary(number.value, number.count) for place, number in table.items() if number.value is not None}
    grid = Grid(result.rows, result.shown_columns, cells)
    axes.margins(y=0.18)
    return [plots.curve(axes, grid, column, index, places_of(result), scale) for index, column in enumerate(grid.rows)]


def box(axes, result, arm, scale):
    """A box of all values of a cell for each column."""
    found = {place: list(values.values()) for place, values in result.arms[arm].items() if values}
    return plots.boxes(axes, result.rows, result.shown_columns, found, scale)


def scatter(result):
    """A mark for each column, at its numbers of both metrics."""
    of = result.figure
    other = Result(result.paper, dataclasses.replace(of, value=of.against, plot="bars", against="", theirs=[]))
    marks = {}  # {(arm, row): {column: (x, y)}}
    for arm, (across, up) in enumerate(zip(other.tables, result.tables)):
        for row, column in up:
            place = across[row, column].value, up[row, column].value
            if None not in place:
                marks.setdefault((arm, row), {})[column] = place
    if not marks:
        raise without_numbers(result)
    drawing, panels = figure.new(of.heading, result.campaign.partial, figure.WIDTH, 1.4 + PANEL_HEIGHT * len(marks),
                                 len(marks))
    panels = [panels] if len(marks) == 1 else list(panels)
    columns, several = result.shown_columns, len(result.paper.arms) > 1
    for axes, ((arm, row), places) in zip(panels, marks.items()):
        axes.set_title(f"{row}, {result.paper.arms[arm].name}" if several else row, loc="left", fontsize=10.5, pad=5,
                       color=figure.INK)
        for column, (across, up) in places.items():
            at = columns.index(column)
            axes.plot([across / other.scale.factor], [up / result.scale.factor], linestyle="", markersize=8,
                      color=figure.colour(at), marker=figure.marker(at))
        axes.margins(x=0.08, y=0.18)
        axes.grid()
        axes.set_ylabel(label(result))
    handles = [Line2D([], [], linestyle="", color=figure.colour(at), marker=figure.marker(at))
               for at in range(len(columns))]
    figure.legend(panels[0], columns, handles, TITLE_HEIGHT)
    panels[-1].set_xlabel(label(other).replace("\n", ", "))
    return figure.Drawing(drawing, of.heading, result.campaign.partial,
                          f"{caption(result)} Along x: {quantity(other)}.")


def places_of(result):
    """Of the rows of curves: their sizes, or equal distances where they are no quantities of one kind."""
    return dict(zip(result.rows, quantities(result.rows) or range(len(result.rows))))


def name_rows(panels, result):
    if result.figure.plot == "curves":
        plots.name_places(panels[-1], result.rows, places_of(result), False)
        return
    for axes in panels:
        axes.tick_params(axis="x", length=0)
    figure.name_ticks(panels[-1].xaxis, range(len(result.rows)), result.rows)


def shows_theirs(result):
    return result.figure.plot == "bars" and any(
        marked(result, comparison.theirs) for comparison in result.comparisons)


def marked(result, theirs):
    return theirs.over == result.figure.over and theirs.column != theirs.over


def series(axes, result, table, column, index, scale):
    """One column of the table; returns its bars."""
    columns = result.shown_columns
    wide = 0.8 / len(columns)
    place = {row: at + (index - (len(columns) - 1) / 2) * wide for at, row in enumerate(result.rows)}
    there = [row for row in result.rows if table[row, column].value is not None]
    drawn = axes.bar([place[row] for row in there], [table[row, column].value / scale.factor for row in there],
                     wide * 0.92, color=figure.colour(index), hatch=figure.hatch(index))
    for theirs in (comparison.theirs for comparison in result.comparisons):
        if theirs.column == column and theirs.row in place and marked(result, theirs):
            axes.plot([place[theirs.row]], [theirs.value / scale.factor], **THEIRS_LOOK, zorder=5)
    return drawn


def label(result):
    """Of the y axis: what it shows, and under it which end of it is better."""
    of = result.figure
    if of.over and of.speed_up:
        return figure.wrapped(f"speed-up over {of.over}", MOST_HIGH)
    if of.normalise:
        return figure.wrapped("performance, relative" if of.speed_up else f"{result.scale.name}, relative", MOST_HIGH)
    name = f"{result.scale.name} over {of.over}" if of.over else label_of(result.scale)
    if of.statistic != "mean" and not of.over:
        name = f"{of.statistic.replace('-', ' ')} of {name}"
    return figure.wrapped(name, MOST_HIGH) + (f"\n{NOTES[of.value]}" if of.value in NOTES else "")


def caption(result):
    of = result.figure
    pieces = [f"{MARKS[of.plot]}: {quantity(result)}."]
    if of.plot == "curves":
        pieces.append(f"Ringed: a curve's steepest change between neighbours, where it is at least "
                      f"{CLIFF_FRACTION:.0%} of the larger of the two.")
    if of.over:
        pieces.append(f"Dashed: {of.over}.")
    if of.normalise:
        pieces.append("Dashed: 1.")
    if of.mean_row:
        pieces.append(f"{MEAN}: the arithmetic mean of the others.")
    if shows_theirs(result):
        pieces.append("Diamonds: the paper's numbers.")
    return " ".join(pieces)


DRAWN_BY = {"bars": bars, "curves": curves, "box": box}
MARKS = {"bars": "Bars", "curves": "Points", "scatter": "Points, along y",
         "box": "Boxes: quartiles and median; whiskers: the furthest within 1.5 times the box; points: the rest; of"}
