"""A Campaign -> its report.html and plots/."""

import re

from . import accounts, aggregate, database, figure, files, page, panels, plots, unfairness
from .aggregate import PlotError
from .database import KINDS
from .plot_files import keep, remove_others
from .series import SeriesReader

OURS = re.compile(rf"(\d\d+-({'|'.join(KINDS)})|series-\d\d-[\w-]+|unfairness|accounts)\.(svg|png)")


def write(campaign, directory):
    """Writes plots, then the page, then removes plots of before; returns why plots are not drawn, a line each.
    Throws files.OutputError."""
    figures, kept, problems = [], set(), []
    for plot in campaign.plots:
        stem = f"{plot.number:02}-{plot.kind}"
        try:
            drawing = plots.draw(campaign, plot)
        except PlotError as error:
            figures.append(page.not_plotted(plot.number, plot.kind, error))
            problems.append(f"plot {plot.number} ({plot.kind}) is not drawn: {error}")
            continue
        figures.append(page.plotted(plot.number, drawing, keep(drawing, stem, directory, kept), stem))
    series = series_of(campaign, directory, kept)
    servers = figures_of_servers(campaign, directory, kept)
    idle = [aggregate.idle_words(key, count) for key, count in aggregate.idle_axes(campaign)]
    problems += idle
    text = page.campaign_page(campaign, figures, servers, series, (directory / "results.csv").is_file(), idle)
    files.replace(directory / "report.html", text.encode("utf-8"))
    remove_others(OURS, directory, kept)
    return problems


def figures_of_servers(campaign, directory, kept):
    """Markup of the figures that pages have without being asked; empty without servers."""
    figures = []
    for stem, what, draw in (("accounts", "Accounts", accounts.draw), ("unfairness", "Unfairness", unfairness.draw)):
        with figure.style():
            drawing = draw(campaign)
        if drawing is not None:
            figures.append(page.plotted(1, drawing, keep(drawing, stem, directory, kept), stem, what))
    return figures


def series_of(campaign, directory, kept):
    """Markup of each figure of series, then of each sentence on what is not drawn."""
    with database.opened(directory) as (connection, _):
        drawings, notes = panels.draw_all(campaign, SeriesReader(connection.execute))
    figures = [page.plotted(number, drawing, keep(drawing, stem, directory, kept), stem, "Series")
               for number, (stem, drawing) in enumerate(drawings, 1)]
    return figures + [page.note(note) for note in notes]
