"""A card's programs beside their simulation -> index.html, table.md and plots/."""

import re

from . import card_tables, files, page, scatter
from .markup import Markup, Table, element, link
from .plot_files import keep, remove_others

OURS = re.compile(r"points-\d+\.(svg|png)")
MOST_NAMES = 12  # in a plot, so that their marks can be told apart
BOUNDS = (5, 10, 20, 40)  # percent
QUESTION = ("Programs that were measured on this card, and the same simulated by Heddle: every point, the "
            "errors by class of program, and what becomes of them where one mechanism of the platform is "
            "switched off.")
ALONE = ("Each row is the same platform with one value changed, over the same points. Those come first whose "
         "absence makes the mean absolute error largest. A mechanism whose absence makes it smaller is there "
         "because of another measurement, which the platform's file names, or should be doubted.")

MECHANISM_COLUMNS = [("mechanism, what is missing without it, what switches it off", False),
                     ("points", True), ("with it", True), ("without", True), ("mean", True),
                     ("least", True), ("most", True), ("the point that changes most", False)]
MECHANISM_GROUPS = [("", 2), ("mean absolute error (%)", 2), ("error without it (%)", 3), ("", 1)]


def write(card, directory):
    """Throws files.OutputError."""
    kept, figures = set(), []
    for number, drawing in enumerate(drawings(card), 1):
        stem = f"points-{number}"
        figures.append(page.plotted(number, drawing, keep(drawing, stem, directory, kept), stem))
    files.replace(directory / "table.md", card_tables.markdown(card).encode("utf-8"))
    files.replace(directory / "index.html", document(card, figures).encode("utf-8"))
    remove_others(OURS, directory, kept)


def drawings(card):
    """A plot of all points by suite, or by simulator where there is another one, then one for every few
    benchmarks of a suite."""
    results = card.whole.results
    unit = results[0].point.unit
    if card.has_accel_sim:
        points = [("Heddle", one.point.time, one.simulated) for one in results]
        points += [("Accel-Sim", one.point.time, one.simulated)
                   for one in card_tables.simulated_by_accel_sim(results)]
        yield scatter.drawing_of(points, "All points, two simulators", unit, "a program at one size")
    else:
        points = [(one.point.suite, one.point.time, one.simulated) for one in results]
        yield scatter.drawing_of(points, "All points", unit, "a program at one size")
    for suite in dict.fromkeys(one.point.suite for one in results):
        of_suite = [one for one in results if one.point.suite == suite]
        names = list(dict.fromkeys(one.point.benchmark for one in of_suite))
        for first in range(0, len(names), MOST_NAMES):
            some = names[first:first + MOST_NAMES]
            points = [(one.point.benchmark, one.point.time, one.simulated) for one in of_suite
                      if one.point.benchmark in some]
            span = "" if len(names) <= MOST_NAMES else f": {some[0]} to {some[-1]}"
            yield scatter.drawing_of(points, f"{suite}{span}", unit, "a program at one size")


def columns(head):
    return [(name.lstrip(">"), name.startswith(">")) for name in head]


def class_table(card):
    table = Table("Errors by class of program", columns(card_tables.CLASS_HEAD))
    for is_suite, row in card_tables.class_rows(card.whole.results):
        table.add([element("b", row[0]), *row[1:]] if is_suite else row)
    return table.markup()


def bound_table(card):
    """How many points lie within a bound."""
    table = Table("Points by their error", [("error", False), ("points", True), ("share (%)", True)])
    results = card.whole.results
    below = 0
    for bound in (*BOUNDS, None):
        inside = sum(bound is None or 100 * abs(one.error) <= bound for one in results)
        name = f"above {BOUNDS[-1]} %" if bound is None else f"at most {bound} %"
        count = inside - below if bound is None else inside
        table.add([name, f"{count}", f"{100 * count / len(results):.0f}"])
        below = inside
    return table.markup()


def accel_sim_table(card):
    table = Table("Two simulators over the same points", columns(card_tables.ACCEL_SIM_HEAD))
    for row in card_tables.accel_sim_rows(card.whole.results):
        table.add(row)
    return table.markup()


def mechanism_table(card):
    table = Table("One mechanism switched off", MECHANISM_COLUMNS, groups=MECHANISM_GROUPS)
    for mechanism in card_tables.by_effect(card.mechanisms):
        name, change, meaning, *rest = card_tables.mechanism_row(mechanism)
        what = element("span", link(f"{mechanism.side.name}/report.html", name), ": ", meaning, " ",
                       element("code", change))
        table.add([what, *rest])
    return table.markup()


def point_table(card):
    table = Table("All points", columns(card_tables.point_head(card)))
    for one in card.whole.results:
        row = card_tables.point_row(card, one)
        row[3] = link(one.run, row[3])
        row[4] = element("span", row[4], class_="near" if abs(one.error) <= scatter.BAND else None)
        table.add(row)
    return table.markup()


def missing_table(card):
    table = Table("Runs that are missing", [("campaign", False), ("benchmark", False), ("parameters", False),
                                            ("state", False)])
    for side in card.sides:
        for point, state in side.missing:
            table.add([side.name, point.benchmark, point.text, state])
    return table.markup()


def source_table(card):
    table = Table("What this page is of", [("what", False), ("which", False)])
    for what, which in card_tables.source_rows(card):
        resolved = link(f"{card.whole.results[0].run}platform.yaml", " platform.yaml of the first run")
        table.add([what, element("span", which, resolved) if what == "platform" else which])
    return table.markup()


def facts(card):
    results = card.whole.results
    _, points, error, *_, near = card_tables.summary_row("", results)
    items = [(points, "points"), (len({one.point.benchmark for one in results}), "benchmarks"),
             (f"{error} %", "mean absolute error"),
             (f"{near} %", f"of the points within {scatter.BAND:.0%}")]
    if card.has_accel_sim:
        items.append((f"{card_tables.accel_sim_rows(results)[1][2]} %", "mean absolute error of Accel-Sim"))
    lines = [element("li", element("b", str(fact)), f" {what}") for fact, what in items]
    return element("ul", *lines, class_="facts")


def warnings(card):
    found = []
    if card.partial:
        found.append(f"{card.partial.capitalize()}. Means and plots leave out what is missing.")
    if len(card.revisions) > 1:
        found.append("The runs are of more than one revision of Heddle; see the table of sources.")
    return [element("p", words, class_="warning") for words in found]


def document(card, figures):
    sections = [("classes", "Errors by class of program",
                 [class_table(card), *([accel_sim_table(card)] if card.has_accel_sim else []),
                  bound_table(card)]),
                ("plots", "Plots", figures)]
    if card.mechanisms:
        sections.append(("mechanisms", "One mechanism switched off",
                         [page.note(ALONE), mechanism_table(card)]))
    sections.append(("points", "Points", [point_table(card)]))
    if card.partial:
        sections.append(("missing", "Missing", [missing_table(card)]))
    sections.append(("sources", "Sources",
                     [source_table(card), element("h3", f"The head of {card.table.name}"),
                      *map(page.note, card.comments)]))
    header = element("header", element("p", "Heddle beside a card", class_="kicker"),
                     element("h1", card.title), element("p", QUESTION, class_="question"), facts(card),
                     *warnings(card),
                     element("nav", *(link(f"#{identity}", name) for identity, name, _ in sections)))
    parts = [page.section(identity, name, *children) for identity, name, children in sections]
    return page.document(card.title, Markup(header + "\n" + element("main", *parts)))
