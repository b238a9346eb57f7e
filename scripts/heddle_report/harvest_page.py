"""Comparisons of a card with Heddle -> index.html and plots/."""

import re
import statistics

from . import figure, files, page, scatter
from .harvest import LONGEST_PROGRAM
from .markup import Markup, Table, element, link
from .plot_files import keep, remove_others
from .values import NO_VALUE

OURS = re.compile(r"(kernels|programs|latency|bandwidth|occupancy|dispatch)\.(svg|png)")
KIB = 1024
NEAR = 1.25  # a ratio within this factor is near
GROUPS = {"kernel": "Kernels alone", "alone": "Kernels of the pairs alone", "latency": "Latency of a load",
          "program": "Programs of PolyBench", "bandwidth": "Bandwidth by SMs",
          "occupancy": "Bandwidth of DRAM by warps of an SM", "dispatch": "Empty blocks",
          "pair": "Pairs of kernels", "launch": "Launches", "time_slice": "Time slices of two processes",
          "clock": "Clock"}
EVENTS = ("Times of kernels, and bandwidths, come from the time between two events. What the events add is the card's "
          "time of a kernel without work, less the simulated one; it is added to all simulated times of kernels.")
NOTES = {
    "kernel": "From the launch to the end, with cold caches on both sides. The sources are the same: nvcc compiles "
              "them for the card, and Heddle executes their PTX.",
    "program": "The last of several runs of a program, with its data in L2 where they fit. The second run is "
               f"simulated, of programs that took the card at most {LONGEST_PROGRAM} us.",
    "latency": "The time of a step in a chain of loads. The platform that was made of this file has its latencies from "
               "these numbers, so that its rows show how well that went.",
    "pair": "From the moment at which both kernels are ready. The first one is submitted before the second one. Only "
            "two streams of one process are simulated. With processes, a time is the mean time of a launch while the "
            "other process launches, too.",
    "launch": "The platform that was made of this file has these numbers.",
    "time_slice": "The platform file has these numbers in a comment.",
    "clock": "The platform that was made of this file has this number.",
}


def write(harvest, results, directory):
    """results: (Comparison, simulated value or None). Throws files.OutputError."""
    figures, kept = [], set()
    for stem, drawing in drawings(results):
        figures.append(page.plotted(len(figures) + 1, drawing, keep(drawing, stem, directory, kept), stem))
    files.replace(directory / "index.html", document(harvest, results, figures).encode("utf-8"))
    remove_others(OURS, directory, kept)


def both(results, group):
    """(Comparison, simulated) of a group, where both sides have a number."""
    return [(one, value) for one, value in results if one.group == group and value is not None]


def drawings(results):
    """(stem, Drawing) of each figure."""
    for group, stem in (("kernel", "kernels"), ("program", "programs")):
        if both(results, group):
            points = [(one.parameters["name"], one.row["value"], value) for one, value in both(results, group)]
            yield stem, scatter.drawing_of(points, GROUPS[group], "us", f"a {group} at one size")
    for group, x, name, y, lines in (("latency", "footprint", "footprint (KiB)", "latency", "memory"),
                                     ("bandwidth", "sms", "SMs that read", "bandwidth", "memory"),
                                     ("occupancy", "warps", "warps of an SM", "bandwidth", "memory"),
                                     ("dispatch", "blocks", "empty blocks", "time", "threads")):
        found = [pair for pair in both(results, group) if x in pair[0].parameters]
        if found:
            yield group, curves_drawing(found, x, lines, (GROUPS[group], name, y))


def curves_drawing(found, x, lines, words):
    """x, lines: parameters; words: the title, what the axes show."""
    title, x_name, y_name = words
    unit = KIB if "KiB" in x_name else 1
    with figure.style():
        drawing, axes = figure.new(title, height=4.2)
        names, handles = [], []
        for index, name in enumerate(dict.fromkeys(one.parameters[lines] for one, _ in found)):
            points = sorted((int(one.parameters[x]) / unit, one.row["value"], value) for one, value in found
                            if one.parameters[lines] == name)
            for side, what, style in ((1, "measured", "-"), (2, "simulated", "--")):
                handles += axes.plot([point[0] for point in points], [point[side] for point in points], style,
                                     color=figure.colour(index), marker=figure.marker(index))
                names.append(f"{name}{' threads' if lines == 'threads' else ''}, {what}")
        figure.logarithmic(axes.xaxis, 2)
        axes.set_ylim(bottom=0)
        axes.grid()
        figure.legend(axes, names, handles)
        figure.name_axes(axes, f"{x_name}, logarithmic", f"{y_name} ({found[0][0].row['unit']})")
        return figure.Drawing(drawing, title, "", "Solid: measured, the median. Dashed: simulated.")


def number(value):
    return NO_VALUE if value is None else f"{value:,.4g}"


def ratio_of(measured, simulated):
    if simulated is None:
        return NO_VALUE
    ratio = simulated / measured
    return element("span", f"{ratio:.2f}", class_="near" if 1 / NEAR <= ratio <= NEAR else "far")


def table_of(group, title, results, alone):
    columns = [("what", False), ("unit", False), ("measured", True), ("least", True), ("most", True),
               ("simulated", True), ("simulated / measured", True)]
    if group == "pair":
        columns.append(("measured / alone", True))
    table = Table(title, columns)
    for one, simulated in results:
        row = one.row
        cells = [one.name, row["unit"], number(row["value"]), number(row["least"]), number(row["most"]),
                 number(simulated), ratio_of(row["value"], simulated)]
        if group == "pair":
            base = alone.get(one.parameters[one.parameters["part"]])
            cells.append(number(row["value"] / base) if base else NO_VALUE)
        table.add(cells)
    return table.markup()


def groups(results):
    """(name, title) of the groups of the file: first those whose titles stand above, then the others."""
    found = dict.fromkeys(one.group for one, _ in results)
    return [(group, title) for group, title in GROUPS.items() if group in found] + \
           [(group, group.replace("_", " ").capitalize()) for group in found if group not in GROUPS]


def summary_table(results):
    table = Table("All groups", [("group", False), ("rows", True), ("simulated", True),
                                 ("median of simulated / measured", True), ("least", True), ("most", True)])
    for group, title in groups(results):
        rows = sum(one.group == group for one, _ in results)
        ratios = [value / one.row["value"] for one, value in both(results, group)]
        numbers = [statistics.median(ratios), min(ratios), max(ratios)] if ratios else [None] * 3
        table.add([link(f"#{group}", title), f"{rows}", f"{len(ratios)}",
                   *(NO_VALUE if value is None else f"{value:.2f}" for value in numbers)])
    return table.markup()


def document(harvest, results, figures):
    alone = {one.parameters["name"]: one.row["value"] for one, _ in results if one.group == "alone"}
    sections = [("summary", "Summary", [summary_table(results), page.note(EVENTS), *map(page.note, harvest["notes"])])]
    if figures:
        sections.append(("plots", "Plots", figures))
    for group, title in groups(results):
        of_group = [pair for pair in results if pair[0].group == group]
        note = [page.note(NOTES[group])] if group in NOTES else []
        sections.append((group, title, [*note, table_of(group, title, of_group, alone)]))
    facts = [(f"{harvest['sms']:g}", "SMs"), (len(results), "measurements"),
             (sum(value is not None for _, value in results), "simulated"), (harvest["driver"], "driver"),
             (harvest["runtime"], "CUDA runtime"), (harvest["date"], "date")]
    items = [element("li", element("b", str(fact)), f" {what}") for fact, what in facts]
    question = (f"What the card does, beside the platform {harvest['platform']}. What was not measured is that of "
                f"{harvest['base']}.")
    header = element("header", element("p", "Heddle harvest", class_="kicker"), element("h1", harvest["card"]),
                     element("p", question, class_="question"),
                     element("ul", *items, class_="facts"),
                     element("nav", *(link(f"#{identity}", name) for identity, name, _ in sections)))
    main = element("main", *(page.section(identity, name, *children) for identity, name, children in sections))
    return page.document(harvest["card"], Markup(header + "\n" + main))
