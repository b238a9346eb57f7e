"""A Correlation -> its report.html and plots/."""

import re

from . import figure, files, page
from .correlation import RESULTS
from .markup import Markup, Table, element, link
from .plot_files import keep, remove_others
from .values import NO_VALUE, short

OURS = re.compile(r"(pairs|pair-\d\d\d)\.(svg|png)")
MOST_FIGURES = 60   # of pairs with windows
LOG_SPAN = 100      # the largest value over the smallest, from which on both axes are logarithmic
PERCENT = 100
KINDS = {"agree": 2, "off": 5, "unknown": 1, "not exercised": 7}  # colours of the results


def write(correlation, directory):
    """Writes plots, then the page, then removes plots of before. Throws files.OutputError."""
    figures, kept = [], set()
    for stem, drawing in drawings(correlation):
        figures.append(page.plotted(len(figures) + 1, drawing, keep(drawing, stem, directory, kept), stem))
    left = len(with_windows(correlation)) - MOST_FIGURES
    if left > 0:
        figures.append(page.note(f"{left:,} more pairs with windows are in correlation.json."))
    files.replace(directory / "report.html", document(correlation, figures).encode("utf-8"))
    remove_others(OURS, directory, kept)


def with_windows(correlation):
    """Pairs of which a plot over windows shows something."""
    return [pair for pair in correlation.pairs if correlation.compares_windows and complete(pair.windows)]


def complete(points):
    return [point for point in points if point.rtl is not None and point.model is not None]


def drawings(correlation):
    """(stem, Drawing) of each figure."""
    if complete([pair.whole for pair in correlation.pairs]):
        yield "pairs", pairs_drawing(correlation)
    for number, pair in enumerate(with_windows(correlation)[:MOST_FIGURES], 1):
        yield f"pair-{number:03}", windows_drawing(pair)


def scatter(title, groups, what):
    """groups: (name, colour and marker, points); what: of the caption."""
    with figure.style():
        drawing, axes = figure.new(title, height=4.6)
        numbers = [value for *_, points in groups for point in points for value in (point.rtl, point.model)]
        least, most = min(numbers), max(numbers)
        logarithmic = least > 0 and most / least >= LOG_SPAN
        if logarithmic:
            figure.logarithmic(axes.xaxis)
            figure.logarithmic(axes.yaxis)
        axes.plot([least, most], [least, most], color="#9aa5b1", linewidth=1, linestyle=(0, (3, 3)), zorder=1)
        handles = []
        for name, index, points in groups:
            handles += axes.plot([point.rtl for point in points], [point.model for point in points],
                                 linestyle="none", color=figure.colour(index), marker=figure.marker(index), label=name,
                                 alpha=0.8, rasterized=len(points) > figure.MANY_MARKS)
        axes.margins(0.06)
        axes.grid()
        figure.legend(axes, [name for name, *_ in groups], handles)
        scale = ", logarithmic" if logarithmic else ""
        figure.name_axes(axes, f"RTL{scale}", f"model{scale}")
        return figure.Drawing(drawing, title, "", f"{what} Dashed: both sides are equal.")


def pairs_drawing(correlation):
    groups = []
    for result in RESULTS:
        points = complete([pair.whole for pair in correlation.pairs if pair.result == result])
        if points:
            groups.append((result, KINDS[result], points))
    return scatter("All pairs", groups, "Each point: a pair, all windows together; colours are results.")


def windows_drawing(pair):
    points = complete(pair.windows)
    facts = [f"{len(points):,} windows", f"{pair.numbers['windows_off']:,} off"]
    if pair.numbers["pearson"] is not None:
        facts.append(f"Pearson's r {pair.numbers['pearson']:.4f}")
    if pair.numbers["mean_relative_error"] is not None:
        facts.append(f"mean error {PERCENT * pair.numbers['mean_relative_error']:.2f} %")
    what = f"Each point: a window. {'; '.join(facts)}."
    return scatter(short(pair.name, 60), [("", KINDS[pair.result], points)], what)


def number(value, digits=10):
    return NO_VALUE if value is None else f"{value:,.{digits}g}"


def percent(value):
    return NO_VALUE if value is None else f"{PERCENT * value:.2f}"


def result_of(pair):
    text = element("span", pair.result, class_={"agree": "near", "off": "far"}.get(pair.result, "soft"))
    if pair.numbers["unknown_cycle"] is None:
        return text
    return Markup(f"{text} " + element("small", f"x or z in cycle {pair.numbers['unknown_cycle']:,}"))


def pairs_table(correlation):
    columns = [("pair", False), ("RTL", True), ("model", True), ("error (%)", True), ("result", False)]
    if correlation.compares_windows:
        columns += [("windows off", True), ("Pearson's r", True), ("mean error (%)", True), ("worst window", False)]
    table = Table("Pairs", columns)
    for pair in correlation.pairs:
        name = Markup(element("b", pair.name) + element("small", pair.rtl_expression) +
                      element("small", pair.model_expression))
        row = [Markup(f"<div>{name}</div>"), number(pair.whole.rtl), number(pair.whole.model),
               percent(pair.numbers["relative_error"]), result_of(pair)]
        if correlation.compares_windows:
            row += [f"{pair.numbers['windows_off']:,} of {len(pair.windows):,}", number(pair.numbers["pearson"], 5),
                    percent(pair.numbers["mean_relative_error"]), worst_of(pair)]
        table.add(row)
    return table


def worst_of(pair):
    if pair.numbers["worst_window"] is None:
        return NO_VALUE
    worst = pair.windows[pair.numbers["worst_window"]]
    return f"cycles {worst.window[0]:,} to {worst.window[1]:,}: {number(worst.rtl)} and {number(worst.model)}"


def share(part, whole):
    return NO_VALUE if whole == 0 else f"{PERCENT * part / whole:.1f} %"


def coverage_table(correlation):
    table = Table("Coverage", [("side", False), ("counters", True), ("with a partner", True), ("with a reason", True),
                               ("share of both", True), ("exercised, of those with a partner", True)])
    for side, of in (("RTL", correlation.rtl), ("model", correlation.model)):
        table.add([side, f"{of.known:,}", f"{of.mapped:,}", f"{of.reasoned:,}",
                   share(of.mapped + of.reasoned, of.known), share(of.exercised, of.mapped)])
    return table


def open_table(correlation):
    table = Table("Counters without a partner or a reason", [("side", False), ("counter", False)], most=500)
    for side, of in (("RTL", correlation.rtl), ("model", correlation.model)):
        for name in of.open:
            if table.wants():
                table.add([side, name])
            else:
                table.miss()
    return table


def document(correlation, figures):
    title = correlation.name or "Correlation"
    facts = [(correlation.count(result), result) for result in RESULTS]
    facts += [(correlation.cycles, "cycles of the RTL")] if correlation.cycles else []
    facts += [(correlation.windows, "windows")] if correlation.windows else []
    items = [element("li", element("b", f"{count:,}"), f" {what}") for count, what in facts]
    sections = [("pairs", "Pairs", [pairs_table(correlation).markup()]), ("plots", "Plots", figures),
                ("coverage", "Coverage", [coverage_table(correlation).markup()])]
    of_open = open_table(correlation)
    if of_open.count:
        sections.append(("open", "Open counters", [of_open.markup("All of them are in correlation.json.")]))
    navigation = element("nav", *(link(f"#{identity}", name) for identity, name, _ in sections))
    header = element("header", element("p", "Heddle correlation", class_="kicker"), element("h1", title),
                     element("p", f"Counters of an RTL simulation ({correlation.rtl_format}) beside those of a run.",
                             class_="question"),
                     element("ul", *items, class_="facts"), navigation)
    main = element("main", *(page.section(identity, name, *children) for identity, name, children in sections))
    return page.document(title, Markup(header + "\n" + main))
