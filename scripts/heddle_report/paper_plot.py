"""The bars of a paper's figure."""

from matplotlib.lines import Line2D

from . import figure
from .aggregate import PlotError
from .paper_table import label_of, quantity
from .plots import NOTES
from .values import Scale

PANEL_HEIGHT = 2.1   # inches
TITLE_HEIGHT = 0.24  # of a panel's
PER_BAR = 0.13       # inches
MOST_HIGH = 22       # characters that run upward
THEIRS = "theirs"
THEIRS_LOOK = {"marker": "D", "markersize": 7, "color": "white", "markeredgecolor": figure.INK, "markeredgewidth": 1.6}


def draw(result):
    """Columns as series, rows along x, a panel for each arm that has numbers, theirs as marks where they are over the
    same column. Throws PlotError."""
    with figure.style():
        return bars(result)


def bars(result):
    tables = {arm.name: table for arm, table in zip(result.paper.arms, result.tables)
              if any(number.value is not None for number in table.values())}
    if not tables:
        raise PlotError("no complete sample has its numbers" +
                        (f" ({result.campaign.partial})" if result.campaign.partial else ""))
    scale = Scale("", "", []) if result.figure.over else result.scale
    columns = result.shown_columns
    width = max(figure.WIDTH, 1 + PER_BAR * len(result.rows) * (len(columns) + 1))
    drawing, panels = figure.new(result.figure.heading, result.campaign.partial, width,
                                 1.4 + PANEL_HEIGHT * len(tables), len(tables))
    panels = [panels] if len(tables) == 1 else list(panels)
    for axes, (name, table) in zip(panels, tables.items()):
        handles = [series(axes, result, table, column, index, scale) for index, column in enumerate(columns)]
        if len(result.paper.arms) > 1:
            axes.set_title(figure.wrapped(name, int(width * 9)), loc="left", fontsize=10.5, pad=5, color=figure.INK)
        if result.figure.over:
            axes.axhline(1, color=figure.INK, linewidth=1, linestyle=(0, (3, 3)))
        axes.grid(axis="y")
        axes.tick_params(axis="x", length=0)
    names = list(columns)
    if any(marked(result, comparison.theirs) for comparison in result.comparisons):
        names.append(THEIRS)
        handles.append(Line2D([], [], **THEIRS_LOOK, linestyle=""))
    figure.legend(panels[0], names, handles, TITLE_HEIGHT * (len(result.paper.arms) > 1))
    figure.name_ticks(panels[-1].xaxis, range(len(result.rows)), result.rows)
    panels[-1].set_xlabel(figure.wrapped(result.figure.rows, int(width * 9)))
    for axes in panels:
        axes.set_ylabel(label(result))
    return figure.Drawing(drawing, result.figure.heading, result.campaign.partial, caption(result))


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
        if theirs.column == column and marked(result, theirs):
            axes.plot([place[theirs.row]], [theirs.value / scale.factor], **THEIRS_LOOK, zorder=5)
    return drawn


def label(result):
    """Of the y axis: what it shows, and under it which end of it is better."""
    of = result.figure
    if of.over and of.speed_up:
        return figure.wrapped(f"speed-up over {of.over}", MOST_HIGH)
    name = f"{result.scale.name} over {of.over}" if of.over else label_of(result.scale)
    return figure.wrapped(name, MOST_HIGH) + (f"\n{NOTES[of.value]}" if of.value in NOTES else "")


def caption(result):
    of = result.figure
    pieces = [f"Bars: {quantity(result)}."]
    if of.over:
        pieces.append(f"Dashed: {of.over}.")
    if any(marked(result, comparison.theirs) for comparison in result.comparisons):
        pieces.append("Diamonds: the paper's numbers.")
    return " ".join(pieces)
