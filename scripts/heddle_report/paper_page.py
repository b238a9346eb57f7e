"""The page of papers, theirs beside ours."""

from .compare import FAR, NEAR
from .markup import Markup, Table, element, image, joined, link
from .page import document, section
from .paper import partial_of, quoted
from .paper_table import (HEADS, MISSING, OTHER_WAY, WORDLESS, arm_names, beside_text, difference_text, lines_of,
                          number_text, ours_of, quantity, theirs_text)
from .tables import heading
from .values import NO_VALUE

MOST_WHOLE = 16  # characters
TITLE = "Papers, theirs beside ours"
QUESTION = ("The figures of papers, repeated with Heddle: the number the paper prints, ours, how far they are apart, "
            "and why. Each of ours leads to the runs it is made of.")


def titled(title, partial):
    return f"{title} ({partial})" if partial else title


def page(results, plots):
    """results: Results by paper; plots: Markup by (paper's number, figure's), from 0."""
    papers = [of_paper[0].paper for of_paper in results]
    partial = partial_of(campaign for paper in papers for campaign in paper.campaigns.values())
    title = titled(TITLE, partial)
    navigation = element("nav", *(link(f"#{anchor(paper)}", paper.paper) for paper in papers))
    header = element("header", element("p", "Heddle", class_="kicker"), element("h1", title),
                     element("p", QUESTION, class_="question"), facts(results), banner(partial), navigation)
    numbers = len(arm_names(results)) + 1
    sections = [element("section", element("h2", "All numbers"), main_table(results, partial).markup(), legend(),
                        id="papers", style=f"--numbers: {numbers}")]
    for number, of_paper in enumerate(results):
        figures = [figure_part(result, at, plots[number, at]) for at, result in enumerate(of_paper)]
        paper = of_paper[0].paper
        sections.append(section(anchor(paper), titled(f"{paper.paper}: {paper.title}", paper.partial),
                                about(paper), *figures))
    return document(title, Markup(header + "\n" + element("main", *sections)))


def anchor(paper, at=None):
    return f"paper-{quoted(paper.directory.name)}" + ("" if at is None else f"-{at + 1}")


def facts(results):
    lines = [line for line in lines_of(results) if line.comparison]
    figures = sum(map(len, results))
    counts = ((len(results), "paper", ""), (figures, "figure", ""), (len(lines), "number", " printed"))
    items = [(f"{count:,}", what + "s" * (count != 1) + rest) for count, what, rest in counts]
    for name in arm_names(results):
        numbers = [(line, number) for line in lines if (number := ours_of(line, name))]
        found = [difference for line, number in numbers
                 if (difference := line.comparison.difference(number)) is not None]
        missing = sum(line.comparison.missing(number) for line, number in numbers)
        if found:
            near = sum(abs(each) <= NEAR for each in found)
            items.append((f"{near:,} of {len(found):,}", f"within {NEAR:.0%}: {name}"))
        if missing:
            items.append((f"{missing:,} of {len(numbers):,}", f"{MISSING}: {name}"))
    return element("ul", *(element("li", element("b", number), " " + what) for number, what in items), class_="facts")


def banner(partial):
    if not partial:
        return Markup("")
    return element("p", element("b", partial[:1].upper() + partial[1:]),
                   ". Means and plots leave out what is missing, and say so.", class_="warning")


def legend():
    near, far = f"green up to {NEAR:.0%}", f"bold from {FAR:.0%} on"
    way = f". {OTHER_WAY.capitalize()}: ours rises where theirs falls, or falls where it rises."
    return element("p", "Below each of ours: its difference from theirs, ", element("span", near, class_="near"), ", ",
                   element("span", far, class_="far"), way, class_="note")


def main_table(results, partial):
    """A part for each paper."""
    names = arm_names(results)
    columns = [(head, head == HEADS[-1]) for head in HEADS[1:]]
    columns += [(heading(name[:1].upper() + name[1:], partial), True) for name in names]
    table = Table(titled("Theirs and ours", partial), columns)
    for line in lines_of(results):
        result, paper = line.result, line.result.paper
        at = anchor(paper, figure_number(results, result))
        if line.first_of_paper:
            table.part(link(f"#{anchor(paper)}", heading(paper.paper, paper.title)))
        words = line.comparison.words if line.comparison else element("span", quantity(result), class_="soft")
        table.add([link(f"#{at}", heading(result.figure.figure, result.figure.title, result.campaign.partial))
                   if line.first_of_figure else "", words, theirs_cell(line),
                   *(ours_cell(line, name, at) for name in names)])
    return table


def figure_number(results, result):
    return next(of_paper.index(result) for of_paper in results if result in of_paper)


def theirs_cell(line):
    return theirs_text(line) if line.comparison else element("span", WORDLESS, class_="soft")


def ours_cell(line, name, at):
    """at: where the figure is, for one that has only its table."""
    if not line.comparison and name in [arm.name for arm in line.result.paper.arms]:
        return link(f"#{at}", "table")
    number = ours_of(line, name)
    return compared_cell(line.result, line.comparison, number) if number else NO_VALUE


def compared_cell(result, comparison, number):
    told = difference_text(comparison, number)
    note = element("small", told, class_=distance(comparison, number)) if told else ""
    beside = beside_text(result, number, comparison.theirs.over)
    theirs = comparison.theirs
    if comparison.missing(number):
        return element("span", MISSING, class_="soft")
    return joined("", [number_cell(result, number, theirs.row, theirs.over), note,
                       element("small", beside) if beside else ""])


def distance(comparison, number):
    size = round(abs(comparison.difference(number)), 2)  # as it is written
    if size >= FAR:
        return "far"
    return "near" if size <= NEAR and not comparison.opposed(number) else "away"


def number_cell(result, number, row, over):
    """Linked to the samples, and so the runs, that it is made of, where they are of one campaign."""
    if number.value is None:
        return NO_VALUE
    per_application = result.figure.value not in result.campaign.metrics
    campaigns = result.campaigns_of(row)
    anchor = "#applications" if per_application else "#samples"
    to = result.paper.link(campaigns[0], "report.html", anchor) if len(campaigns) == 1 else ""
    return link(to, number_text(result, number.value, over))


def about(paper):
    """Source, command and arms."""
    window = [f"Runs of {paper.window:,} cycles each."] if paper.window is not None else []
    pieces = [element("p", paper.source, class_="question")] if paper.source else []
    if paper.command:
        pieces.append(element("p", "Repeat it: ", element("code", paper.command), " ", *window, class_="note"))
    elif window:
        pieces.append(element("p", *window, class_="note"))
    if paper.left_out:
        pieces.append(element("p", "The short form. What it leaves out is missing here: ",
                              "; ".join(paper.left_out), ".",
                              class_="warning"))
    arms = []
    for arm in paper.arms:
        where = [element("code", f"{key} {value}") for key, value in arm.where.items()]
        told = ([joined(", ", where)] if where else []) + ([arm.reason] if arm.reason else [])
        arms += [element("dt", arm.name), element("dd", joined(". ", told))] if told else []
    return joined("", [*pieces, element("dl", *arms, class_="arms") if arms else ""])


def figure_part(result, at, plot):
    of = result.figure
    pieces = [element("h3", titled(of.heading, result.campaign.partial))]
    told = [("The paper", of.finding), ("Where ours differ", of.reason)]
    told = [element("dt", what) + element("dd", words) for what, words in told if words]
    if told:
        pieces.append(element("dl", *map(Markup, told), class_="arms"))
    if result.comparisons:
        pieces.append(comparisons(result).markup())
    pieces += [plot, numbers(result).markup(), sources(result)]
    return element("article", *pieces, id=anchor(result.paper, at))


def sources(result):
    told = []
    for campaign in result.figure.campaigns:
        links = [link(result.paper.link(campaign, name), what) for name, what in
                 (("report.html", "report"), ("results.csv", "results.csv"))]
        told.append(joined("", [f"{campaign}: ", joined(", ", links)]))
    return element("p", "Campaign" + ("s " if len(told) > 1 else " "), joined("; ", told), class_="note")


def comparisons(result):
    partial = result.campaign.partial
    columns = [("compared", False), ("theirs", True)]
    for arm in result.paper.arms:
        columns += [(heading(arm.name, partial), True), ("n", True)]
    table = Table(titled(f"{result.figure.figure}, theirs and ours", partial), columns)
    for line in lines_of([[result]]):
        cells = [line.comparison.words, theirs_text(line)]
        for number in line.comparison.ours:
            cells += [compared_cell(result, line.comparison, number), f"{number.count:,}"]
        table.add(cells)
    return table


def numbers(result):
    """Rows by columns, of each arm, and how many each is over."""
    of, arms, partial = result.figure, result.paper.arms, result.campaign.partial
    columns, groups = [(of.rows, False)], [("", 1)]
    for arm in arms:
        columns += [(heading(whole(column), partial), True) for column in result.shown_columns] + [("n", True)]
        groups.append((arm.name, len(result.shown_columns) + 1))
    table = Table(titled(f"Ours: {quantity(result)}", partial), columns, groups=groups if len(arms) > 1 else ())
    for row in result.rows:
        cells = [row]
        for arm, every in enumerate(result.tables):
            found = [every[row, column] for column in result.shown_columns]
            counts = sorted({number.count for number in found})
            for column, number in zip(result.shown_columns, found):
                notes = [beside_text(result, number, of.over), worst_off_text(result, arm, row, column)]
                notes += [f"n = {number.count:,}"] if len(counts) > 1 else []
                cells.append(joined("", [number_cell(result, number, row, of.over),
                                         *(element("small", note) for note in notes if note)]))
            cells.append(" to ".join(f"{count:,}" for count in (counts[0], counts[-1])[:len(counts)]))
        table.add(cells)
    return table


def worst_off_text(result, arm, row, column):
    """ "worst off: histo, 12 of 20" of a cell of fairness, else empty."""
    worst = result.worst_off(arm, row, column)
    return "{}: {}, {} of {}".format("worst off", *worst) if worst else ""


def whole(name):
    """Not broken at its hyphens, where it is short."""
    return element("span", name, class_="whole") if len(name) <= MOST_WHOLE else name


def plotted(result, drawing, svg, stem):
    where = f"{quoted(result.paper.directory.name)}/figures/{stem}"
    files = joined(", ", [link(f"{where}.svg", "SVG"), link(f"{where}.png", "PNG")])
    box = element("div", image(svg, drawing.full_title, drawing.figure.get_size_inches()), class_="picture")
    return element("figure", box, element("figcaption", drawing.caption, " ", element("span", files, class_="files")))


def not_plotted(result, reason):
    return element("p", element("b", result.figure.figure), f" is not drawn: {reason}.", class_="warning")
