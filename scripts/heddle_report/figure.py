"""How every plot looks, and its files: the same bytes for the same data."""

import contextlib
import dataclasses
import io
import math
import warnings

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.figure  # noqa: E402
import matplotlib.patches  # noqa: E402
import matplotlib.scale  # noqa: E402
import matplotlib.ticker  # noqa: E402
import matplotlib.transforms  # noqa: E402

from .values import short  # noqa: E402

# Okabe and Ito's colours, which colour-blind readers tell apart; a second round has other markers and hatches.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#8C6D1F", "#4D4D4D")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")
LINES = ("-", "--", ":", "-.")
HATCHES = ("", "////", "....", "xxxx")
INK = "#1f2933"
GRID = "#d9dee3"
WIDTH = 6.4         # inches
MOST_WIDTH = 16.0
MOST_LABEL = 26     # characters of a label of an axis' tick or of a legend
MOST_HIGH = 30      # characters that run upward
MOST_LEGEND = 24    # entries
MANY_MARKS = 2000   # from here on drawn as pixels within the SVG
STYLE = {
    "font.family": ["DejaVu Sans"], "font.size": 11, "axes.labelsize": 11.5, "axes.titlesize": 12,
    "xtick.labelsize": 10.5, "ytick.labelsize": 10.5, "legend.fontsize": 10.5, "figure.titlesize": 12.5,
    "figure.titleweight": "bold", "text.color": INK, "axes.labelcolor": INK, "xtick.color": INK,
    "ytick.color": INK, "axes.edgecolor": "#7b8794", "axes.spines.top": False, "axes.spines.right": False,
    "axes.axisbelow": True, "axes.grid": False, "grid.color": GRID, "grid.linewidth": 0.8, "hatch.linewidth": 0.7,
    "hatch.color": INK, "lines.linewidth": 1.8, "lines.markersize": 5.5, "legend.frameon": False,
    "text.parse_math": False, "svg.hashsalt": "heddle", "svg.fonttype": "path", "figure.dpi": 100,
    "savefig.dpi": 160,
}


@dataclasses.dataclass
class Drawing:
    """title, note: also in the figure; caption: what is averaged over what, and how many."""
    figure: matplotlib.figure.Figure
    title: str
    note: str  # in brackets after the title; may be empty
    caption: str

    @property
    def full_title(self):
        return f"{self.title} ({self.note})" if self.note else self.title


@contextlib.contextmanager
def style():
    """To draw within: none of the user's settings count."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        yield


def colour(index):
    return COLOURS[index % len(COLOURS)]


def marker(index):
    return MARKERS[(index + index // len(MARKERS)) % len(MARKERS)]


def line(index):
    return LINES[index // len(COLOURS) % len(LINES)]


def hatch(index):
    return HATCHES[index // len(COLOURS) % len(HATCHES)]


def new(title, note="", width=WIDTH, height=4.0, panels=1):
    """(figure, axes) with the title above, and under it, where there is one, the note that belongs to it. More
    panels stand one above the other over one x axis; then axes is an array."""
    width = min(width, MOST_WIDTH)
    figure = matplotlib.figure.Figure(figsize=(width, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.06, h_pad=0.06)
    above = wrapped(title, int(width * 9)) + (f"\n({note})" if note else "")
    figure.suptitle(above, x=0.012, ha="left")
    return figure, figure.subplots(panels, sharex=True, sharey=True)


def grid(title, note, rows, columns):
    """(figure, axes above the panels for a legend, array of panels by row and column), which share both scales."""
    width = min(max(WIDTH, 0.8 + 2.6 * columns), MOST_WIDTH)
    figure = matplotlib.figure.Figure(figsize=(width, 1.3 + 1.45 * rows), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.05, h_pad=0.05)
    figure.suptitle(wrapped(title, int(width * 9)) + (f"\n({note})" if note else ""), x=0.012, ha="left")
    places = figure.add_gridspec(rows + 1, columns, height_ratios=[0.01] + [1] * rows)
    head = figure.add_subplot(places[0, :])
    head.axis("off")
    first = None
    panels = np.empty((rows, columns), dtype=object)
    for place in np.ndindex(rows, columns):
        panels[place] = figure.add_subplot(places[place[0] + 1, place[1]], sharex=first, sharey=first)
        panels[place].label_outer()
        first = panels[0, 0]
    return figure, head, panels


def legend_in(axes, names, handles):
    """A legend that fills axes which show nothing else."""
    inches = axes.figure.get_size_inches()[0]
    cut = [short(name, MOST_LABEL) for name in names]
    columns = max(1, min(len(cut), int(inches * 9 / (max(map(len, cut)) + 6))))
    axes.legend(handles, cut, loc="lower left", bbox_to_anchor=(-0.01, 0), ncol=columns, borderaxespad=0,
                columnspacing=1.4, handlelength=1.6, handletextpad=0.6)
    grow(axes.figure, 0.21 * math.ceil(len(cut) / columns))


def wrapped(text, most):
    """In lines of about `most` characters, at blanks; at most three."""
    lines = [""]
    for word in printable_words(text, most):
        if lines[-1] and len(lines[-1]) + len(word) >= most:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return "\n".join(lines if len(lines) <= 3 else [*lines[:2], lines[2] + " …"])


def printable_words(text, most):
    return [short(word, most) for word in text.split()]


def legend(axes, names, handles, above=0):
    """Above the axes, that many inches, in as many columns as fit; none for a single nameless series."""
    if not any(names):
        return
    cut = [short(name, MOST_LABEL) for name in names[:MOST_LEGEND]]
    if len(names) > MOST_LEGEND:
        cut[-1] += f" … and {len(names) - MOST_LEGEND} more"
    inches = axes.figure.get_size_inches()[0]
    columns = max(1, min(len(cut), int(inches * 11 / (max(map(len, cut)) + 5))))
    grow(axes.figure, 0.21 * (math.ceil(len(cut) / columns) - 1))
    raised = matplotlib.transforms.ScaledTranslation(0, above, axes.figure.dpi_scale_trans)
    axes.legend(handles[:MOST_LEGEND], cut, loc="lower left", bbox_to_anchor=(-0.01, 1.0), ncol=columns,
                bbox_transform=axes.transAxes + raised, borderaxespad=0.2, columnspacing=1.4, handlelength=1.6,
                handletextpad=0.6)


def name_ticks(axis, positions, texts):
    """Names at the ticks of an x or y axis; those of an x axis turned where they would not fit."""
    cut = [short(text, MOST_LABEL) for text in texts]
    if axis.axis_name == "y":
        axis.set_ticks(positions, labels=cut)
        return
    inches = axis.axes.figure.get_size_inches()[0]
    turned = sum(len(text) + 2 for text in cut) > inches * 11
    if turned:
        grow(axis.axes.figure, 0.055 * max(map(len, cut)))
    axis.set_ticks(positions, labels=cut, rotation=35 if turned else 0, ha="right" if turned else "center",
                   rotation_mode="anchor" if turned else "default")


def logarithmic(axis, base=10, also=()):
    """A logarithmic scale whose numbers are plain: matplotlib would write powers as formulas. also: numbers beside the
    powers of the base that stand at the axis."""
    plain = matplotlib.ticker.FuncFormatter(lambda value, _: f"{value:,.10g}")
    axis.axes.set(**{f"{axis.axis_name}scale": matplotlib.scale.LogScale(axis, base=base)})
    axis.set_major_formatter(plain)
    axis.set_minor_formatter(plain if also else matplotlib.ticker.NullFormatter())
    if also:
        axis.set_minor_locator(matplotlib.ticker.FixedLocator(also))


def name_axes(axes, x, y):
    """What the axes show, in lines of no more than their length."""
    axes.set_xlabel(wrapped(x, int(axes.figure.get_size_inches()[0] * 9)))
    axes.set_ylabel(wrapped(y, MOST_HIGH))


def grow(figure, inches):
    """Higher: what stands around the axes takes nothing from them."""
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + inches)


def settle(figure):
    """The layout is solved once, and rounded: its last bits depend on the addresses of the solver's variables."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes in figure.axes:
        axes.set_position([round(bound, 9) for bound in axes.get_position(original=True).bounds])


def rendered(drawing):
    """(SVG, PNG) as bytes."""
    with style(), warnings.catch_warnings():  # of glyphs that the font lacks
        warnings.filterwarnings("ignore", message="Glyph .* missing from current font")
        warnings.filterwarnings("ignore", message=".*constrained_layout not applied.*")
        settle(drawing.figure)
        svg, png = io.BytesIO(), io.BytesIO()
        drawing.figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
        drawing.figure.savefig(png, format="png", metadata={"Software": None})
    return svg.getvalue(), png.getvalue()
