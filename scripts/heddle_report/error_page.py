"""Programs that were measured on a card beside their simulation -> index.html and plots/."""

import re

from . import files, measured, page, scatter
from .markup import Markup, Table, element, link
from .plot_files import keep, remove_others

OURS = re.compile(r"points-\d+\.(svg|png)")
MOST_NAMES = 12  # in a plot, so that their marks can be told apart
QUESTION = ("Programs on a card, and the same simulated on this platform. An error is the simulated time less that of "
            "the card, as a share of the latter.")
BOUNDS = (5, 10, 20, 40)  # percent
COLUMNS = [("points", True), ("mean absolute error (%)", True), ("mean error (%)", True), ("least (%)", True),
           ("most (%)", True)]


def write(card, platform, results, changed, directory):
    """card: what was measured, the comments of the file; changed: setting of the platform to its results. Throws
    files.OutputError."""
    kept = set()
    figures = [page.plotted(index + 1, drawing, keep(drawing, f"points-{index + 1}", directory, kept),
                            f"points-{index + 1}") for index, drawing in enumerate(drawings(results))]
    files.replace(directory / "index.html", document(card, platform, results, changed, figures).encode("utf-8"))
    remove_others(OURS, directory, kept)


def drawings(results):
    """A plot for every few benchmarks."""
    names = list(dict.fromkeys(one.point.benchmark for one in results))
    for first in range(0, len(names), MOST_NAMES):
        of_plot = names[first:first + MOST_NAMES]
        points = [(one.point.benchmark, one.point.time, one.simulated) for one in results
                  if one.point.benchmark in of_plot]
        yield scatter.drawing_of(points, " to ".join(dict.fromkeys((of_plot[0], of_plot[-1]))), results[0].point.unit,
                                 "a program at one size")


def summary_table(results):
    table = Table("Benchmarks", [("benchmark", False), *COLUMNS])
    for row in measured.benchmark_rows(results):
        table.add(row)
    return table.markup()


def classes_table(results):
    """How many points lie within a bound."""
    table = Table("Points by their error", [("error", False), ("points", True), ("share (%)", True)])
    below = 0
    for bound in (*BOUNDS, None):
        inside = sum(bound is None or 100 * abs(one.error) <= bound for one in results)
        name = f"above {BOUNDS[-1]} %" if bound is None else f"at most {bound} %"
        count = inside - below if bound is None else inside
        table.add([name, f"{count}", f"{100 * count / len(results):.0f}"])
        below = inside
    return table.markup()


def changed_table(results, changed):
    table = Table("The same points with one number of the platform changed",
                  [("changed", False), *COLUMNS, ("farthest", False)])
    for name, of_setting in (("nothing", results), *changed.items()):
        farthest = max(of_setting, key=lambda one: abs(one.error))
        table.add([*measured.summary(name, of_setting),
                   f"{farthest.point.benchmark} {farthest.point.text} ({measured.percent(farthest.error)} %)"])
    return table.markup()


def points_table(results):
    unit = results[0].point.unit
    table = Table("All points", [("benchmark", False), ("parameters", False), (f"card ({unit})", True),
                                 (f"simulated ({unit})", True), ("error (%)", True)])
    for one in results:
        table.add(measured.point_row(one))
    return table.markup()


def document(card, platform, results, changed, figures):
    sections = [("benchmarks", "Benchmarks", [summary_table(results), classes_table(results)]),
                ("plots", "Plots", figures)]
    if changed:
        sections.append(("changed", "One number changed", [changed_table(results, changed)]))
    sections += [("points", "Points", [points_table(results)]), ("source", "What was measured", map(page.note, card))]
    _, _, error, *_ = measured.summary("", results)
    facts = [(len(results), "points"), (len({one.point.benchmark for one in results}), "benchmarks"),
             (f"{error} %", "mean absolute error")]
    header = element("header", element("p", "Heddle beside a card", class_="kicker"), element("h1", platform),
                     element("p", QUESTION, class_="question"),
                     element("ul", *(element("li", element("b", str(fact)), f" {what}") for fact, what in facts),
                             class_="facts"),
                     element("nav", *(link(f"#{identity}", name) for identity, name, _ in sections)))
    main = element("main", *(page.section(identity, name, *children) for identity, name, children in sections))
    return page.document(platform, Markup(header + "\n" + main))
