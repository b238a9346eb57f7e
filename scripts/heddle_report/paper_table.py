"""The main table of the papers, theirs beside ours: as cells, Markdown and plain text."""

import dataclasses
import re

from .compare import MEAN, named
from .statistic import IN_WORDS
from .values import NO_VALUE, printable, short

WORDLESS = "no number"      # what stands for theirs where a paper prints none
MISSING = "missing"         # what stands for ours where nothing was measured
ON_THE_PAGE = "on the page"  # what stands for ours where a figure is a table
OTHER_WAY = "the other way"
MOST_ALIGNED = 48           # characters of a column of the plain table
HEADS = ("Paper", "Figure", "Compared", "Theirs")


@dataclasses.dataclass(frozen=True)
class Line:
    """One of theirs, or of a figure without any."""
    result: object
    comparison: object  # or None
    first_of_paper: bool
    first_of_figure: bool


def lines_of(results):
    """results: Results by paper."""
    lines = []
    for of_paper in results:
        for at, result in enumerate(of_paper):
            for nth, comparison in enumerate(result.comparisons or [None]):
                lines.append(Line(result, comparison, at + nth == 0, nth == 0))
    return lines


def arm_names(results):
    return list(dict.fromkeys(arm.name for of_paper in results for result in of_paper for arm in result.paper.arms))


def ratio_text(number):
    return f"{number:,.2f}" if number == 0 or 0.1 <= abs(number) < 1000 else f"{number:,.3g}"


def label_of(scale):
    return scale.name if scale.unit == "ratio" else scale.label


def quantity(result):
    """What each of the figure's numbers is, in words."""
    of = result.figure
    mean = "median" if of.mean == "median" else f"{of.mean} mean"
    if of.statistic != "mean":
        mean = IN_WORDS[of.statistic]
    if of.normalise:
        return f"{result.value_words}, {mean}"
    if not of.over:
        return f"{label_of(result.scale)}, {mean}"
    name = result.scale.name
    base = f"{name} of {named(of.columns, of.over)}"
    ratio = f"{base} ÷ {name}" if of.speed_up else f"{name} ÷ {base}"
    if of.ratio == "of-means":
        return f"{ratio}, {mean}s"
    return f"{ratio}, {mean} over {'applications' if of.rows == 'application' else 'samples'}"


def number_text(result, value, over):
    """A ratio, or where `over` is empty a number of the metric, its unit aside."""
    if value is None:
        return NO_VALUE
    return ratio_text(value) if over else result.scale.text(value)


def beside_text(result, number, over):
    """ "median 5.18" of a mean of ratios, "mean 1.67" of the largest of ratios, else empty."""
    beside = [(what, value) for what, value in (("median", number.median), ("mean", number.mean)) if value is not None]
    return "; ".join(f"{what} {number_text(result, value, over)}" for what, value in beside)


def theirs_text(line):
    theirs = line.comparison and line.comparison.theirs
    if theirs is None:
        return WORDLESS
    unit = "" if theirs.over else line.result.scale.unit
    return number_text(line.result, theirs.value, theirs.over) + (f" {unit}" if unit not in ("", "ratio") else "")


def difference_text(comparison, number):
    """ "−4%", or "×2.5" where ours is twice theirs or more; empty where there is none."""
    difference = comparison.difference(number)
    if difference is None:
        return ""
    percent = round(100 * difference)
    sign = "+" if percent > 0 else "−" if percent else "±"
    text = f"{sign}{abs(percent)}%" if percent < 100 else f"×{difference + 1:,.3g}"
    return f"{text}, {OTHER_WAY}" if comparison.opposed(number) else text


def ours_of(line, name):
    """The Number of the arm of that name; None where the line or its paper has none."""
    names = [arm.name for arm in line.result.paper.arms]
    return line.comparison.ours[names.index(name)] if line.comparison and name in names else None


def ours_text(line, name):
    number = ours_of(line, name)
    if number is None:
        return NO_VALUE
    if number.value is None:
        return MISSING
    text = number_text(line.result, number.value, line.comparison.theirs.over)
    notes = [note for note in (difference_text(line.comparison, number),
                               beside_text(line.result, number, line.comparison.theirs.over)) if note]
    return f"{text} ({'; '.join(notes)})" if notes else text


def figure_text(line):
    partial = line.result.campaign.partial
    return line.result.figure.heading + (f" ({partial})" if partial else "")


def own_rows(line, names):
    """What is compared, theirs and ours of a figure without theirs: the mean of each column where it has means."""
    result = line.result
    arms = [arm.name for arm in result.paper.arms]
    if not result.figure.mean_row:
        return [["", WORDLESS, *(ON_THE_PAGE if name in arms else NO_VALUE for name in names)]]

    def ours(name, column):
        if name not in arms:
            return NO_VALUE
        return number_text(result, result.number(arms.index(name), MEAN, column).value, "")

    return [[f"{column}, {MEAN}", WORDLESS, *(ours(name, column) for name in names)] for column in result.columns]


def rows_of(line, names):
    """The rows of a line without the names of its paper and its figure."""
    if not line.comparison:
        return own_rows(line, names)
    return [[line.comparison.words, theirs_text(line), *(ours_text(line, name) for name in names)]]


def texts(results):
    """Heads and rows as plain texts; a paper and a figure are named in their first row."""
    names = arm_names(results)
    rows = [[line.result.paper.paper if line.first_of_paper and nth == 0 else "",
             figure_text(line) if line.first_of_figure and nth == 0 else "", *row]
            for line in lines_of(results) for nth, row in enumerate(rows_of(line, names))]
    return [[printable(text) for text in row] for row in [[*HEADS, *(name[:1].upper() + name[1:] for name in names)],
                                                          *rows]]


def markdown(results):
    heads, *rows = [[re.sub(r"([\\`*_\[\]<>|~&$#@!])", r"\\\1", text) for text in row] for row in texts(results)]
    ruler = ["---"] * (len(HEADS) - 1) + ["---:"] * (len(heads) - len(HEADS) + 1)
    return "".join(f"| {' | '.join(row)} |\n" for row in (heads, ruler, *rows))


def aligned(results):
    """Columns as wide as they need, numbers on the right; long texts are cut in the middle."""
    rows = [[short(text, MOST_ALIGNED) for text in row] for row in texts(results)]
    widths = [max(map(len, column)) for column in zip(*rows)]
    rows.insert(1, ["-" * width for width in widths])
    left = len(HEADS) - 1
    return "".join("  ".join(text.ljust(width) if column < left else text.rjust(width)
                             for column, (text, width) in enumerate(zip(row, widths))).rstrip() + "\n" for row in rows)
