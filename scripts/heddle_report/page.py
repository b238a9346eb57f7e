"""One self-contained page."""

import pathlib

from . import tables
from .markup import Markup, element, image, joined, link, text

STYLE = pathlib.Path(__file__).with_name("page.css")
STATES = ("ok", "failed", "timeout", "out-of-memory", "lost", "running", "queued")
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"  # nothing is fetched, whatever a name holds


def document(title, body):
    """The whole page as text."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{text(title)}</title>
<style>
{STYLE.read_text(encoding="utf-8")}</style>
</head>
<body>
{body}
</body>
</html>
"""


def section(identity, title, *children):
    return element("section", element("h2", title), *children, id=identity)


def plotted(number, drawing, svg, stem, what="Plot"):
    """A plot with its caption, which names the files that hold it, too."""
    files = joined(", ", [link(f"plots/{stem}.svg", "SVG"), link(f"plots/{stem}.png", "PNG")])
    caption = element("figcaption", element("b", f"{what} {number}. "), drawing.caption, " ",
                      element("span", files, class_="files"))
    box = element("div", image(svg, drawing.full_title, drawing.figure.get_size_inches()), class_="picture")
    return element("figure", box, caption, id=f"{what.lower()}-{number}")


def note(words):
    return element("p", words, class_="note")


def not_plotted(number, kind, reason):
    return element("p", element("b", f"Plot {number}"), f" ({kind}) is not drawn: {reason}.", class_="warning",
                   id=f"plot-{number}")


def state_of_set(campaign):
    counts = {}
    for run in campaign.runs.values():
        counts[run.state] = counts.get(run.state, 0) + 1
    states = [state for state in STATES if state in counts] + sorted(set(counts) - set(STATES))
    facts = [(f"{campaign.runs_ok:,} of {len(campaign.runs):,}", "runs ok"), (f"{campaign.points:,}", "points"),
             (f"{len(campaign.complete):,} of {len(campaign.samples):,}", "samples complete")]
    facts += [(f"{counts[state]:,}", state) for state in states if state != "ok"]
    items = [element("li", element("b", number), " " + what) for number, what in facts]
    return element("ul", *items, class_="facts")


def banner(campaign):
    if not campaign.partial:
        return Markup("")
    missing = len(campaign.samples) - len(campaign.complete)
    return element("p", element("b", campaign.partial[:1].upper() + campaign.partial[1:]), ". Means and plots leave "
                   f"out {missing:,} of {len(campaign.samples):,} samples, and say so.", class_="warning")


def campaign_page(campaign, figures, of_servers, series, csv, idle=()):
    """figures: Markup of each plot; of_servers: the same of the figures of servers; series: the same of each series,
    and of what is not drawn of them; csv: whether results.csv lies beside the page; idle: what changes nothing."""
    title = f"{campaign.name} ({campaign.partial})" if campaign.partial else campaign.name
    where = link("results.csv", "results.csv") if csv else "results.sqlite"
    rest = joined("", ["All samples are in ", where, "."])
    sections = []
    if figures:
        sections.append(("plots", "Plots", figures))
    servers = [table for table in (*tables.times_of_servers(campaign), *tables.servers(campaign)) if table.count]
    if servers:
        there = "All of them are in results.sqlite."
        sections.append(("servers", "Servers", [*of_servers, *(table.markup(there) for table in servers)]))
    if series:
        sections.append(("series", "Series", series))
    sections.append(("means", "Means", [table.markup(rest) for table in tables.aggregates(campaign)]))
    failures = tables.failures(campaign)
    if failures.count:
        sections.append(("failures", "Failures", [failures.markup()]))
    sections.append(("samples", "Samples", [table.markup(rest) for table in tables.samples(campaign)]))
    applications = tables.applications(campaign)
    if applications.count:
        sections.append(("applications", "Applications", [applications.markup("All of them are in results.sqlite.")]))
    sections.append(("provenance", "Provenance", [tables.provenance(campaign).markup()]))
    navigation = element("nav", *(link(f"#{identity}", name) for identity, name, _ in sections))
    header = element("header", element("p", "Heddle campaign", class_="kicker"), element("h1", title),
                     element("p", campaign.question, class_="question") if campaign.question else Markup(""),
                     state_of_set(campaign), banner(campaign),
                     *(element("p", words, class_="warning") for words in idle), navigation)
    main = element("main", *(section(identity, name, *children) for identity, name, children in sections))
    return document(title, Markup(header + "\n" + main))
