"""How unfair the applications of each run were served, over its time: a panel for each point."""

from matplotlib.ticker import MaxNLocator

from . import figure, panels
from .values import Scale

MOST_STEPS = 160  # of a line; neighbouring windows are taken together beyond that


def draw(campaign):
    """A Drawing; None where no run has servers."""
    having = {sample.run.id for sample in campaign.complete if sample.unfairness}
    places = panels.layout(campaign, having)
    if places is None:
        return None
    ends = [sample.unfairness[-1][1] for sample in places.panels.values()]
    scale = Scale("time", "ps", ends)
    title = "Unfairness over time"
    drawing, _, axes = figure.grid(title, campaign.partial, places.rows, places.columns)
    for row in range(places.rows):
        for column in range(places.columns):
            panel = axes[row, column]
            if (row, column) not in places.panels:
                panel.axis("off")
                continue
            sample = places.panels[row, column]
            panel.set_title(places.title(sample), fontsize=10, loc="left", pad=3)
            edges, values = steps_of(sample.unfairness)
            panel.stairs(values, [edge / scale.factor for edge in edges], baseline=None, color=figure.colour(0),
                         linewidth=1.3)
    axes[0, 0].set_ylim(1, max(axes[0, 0].get_ylim()[1], 1.1))
    axes[0, 0].set_xlim(0, None)
    for panel in axes.flat:
        panel.grid(axis="y")
        panel.xaxis.set_major_locator(MaxNLocator(4))
        panel.yaxis.set_major_locator(MaxNLocator(4))
        panel.tick_params(labelsize=9)
    drawing.supxlabel(f"simulated time ({scale.unit})", fontsize=11)
    drawing.supylabel("unfairness", fontsize=11)
    return figure.Drawing(drawing, title, campaign.partial, caption(places))


def steps_of(windows, most=MOST_STEPS):
    """(edges, values) of (begin, end, value), where values[i] holds from edges[i] to edges[i + 1]; NaN between windows
    that do not touch. Of more than `most` windows neighbours are their mean."""
    together = -(-len(windows) // most)
    edges, values = [windows[0][0]], []
    for first in range(0, len(windows), together):
        group = windows[first:first + together]
        if group[0][0] != edges[-1]:
            edges.append(group[0][0])
            values.append(float("nan"))
        edges.append(group[-1][1])
        values.append(sum(value for _, _, value in group) / len(group))
    return edges, values


def caption(places):
    words = ("The largest slowdown of an application over the smallest one, of those that have done something in a "
             f"window; 1 is fair. Each panel: one run. {places.words} All panels have the same scales.")
    if places.seeds:
        words += " Of several seeds the first is shown."
    if places.left_out:
        words += (f" {places.left_out} more points are left out: there are at most {panels.MOST_ROWS} x "
                  f"{panels.MOST_COLUMNS} panels.")
    return words
