"""A Campaign -> its report.html and plots/."""

import re

from . import figure, files, page, plots
from .aggregate import PlotError
from .database import KINDS

OURS = re.compile(rf"\d\d+-({'|'.join(KINDS)})\.(svg|png)")


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
        for kind, data in zip(("svg", "png"), figure.rendered(drawing)):
            files.replace(directory / "plots" / f"{stem}.{kind}", data)
            kept.add(f"{stem}.{kind}")
            if kind == "svg":
                figures.append(page.plotted(plot.number, drawing, data, stem))
    text = page.campaign_page(campaign, figures, (directory / "results.csv").is_file())
    files.replace(directory / "report.html", text.encode("utf-8"))
    for path in (directory / "plots").glob("*"):
        if OURS.fullmatch(path.name) and path.name not in kept:
            path.unlink(missing_ok=True)
    return problems
