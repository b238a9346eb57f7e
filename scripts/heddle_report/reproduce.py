"""Papers -> OUT/index.html, OUT/table.md and each paper's figures/."""

import re

from . import figure, files, paper_page, paper_plot, paper_table
from .aggregate import PlotError

OURS = re.compile(r"\d\d+\.(svg|png)")


def write(out, results):
    """results: Results by paper. Writes plots, then the table, then the page, then removes plots of before; returns
    why plots are not drawn, a line each. Throws files.OutputError."""
    plots, kept, problems = {}, set(), []
    for number, of_paper in enumerate(results):
        for at, result in enumerate(of_paper):
            stem, where = f"{at + 1:02}", result.paper.directory / "figures"
            try:
                drawing = paper_plot.draw(result)
            except PlotError as error:
                plots[number, at] = paper_page.not_plotted(result, error)
                problems.append(f"{result.paper.paper}: {result.figure.figure} is not drawn: {error}")
                continue
            svg, png = figure.rendered(drawing)
            for kind, data in (("svg", svg), ("png", png)):
                files.replace(where / f"{stem}.{kind}", data)
                kept.add(where / f"{stem}.{kind}")
            plots[number, at] = paper_page.plotted(result, drawing, svg, stem)
    files.replace(out / "table.md", paper_table.markdown(results).encode("utf-8"))
    files.replace(out / "index.html", paper_page.page(results, plots).encode("utf-8"))
    for of_paper in results:
        for path in (of_paper[0].paper.directory / "figures").glob("*"):
            if OURS.fullmatch(path.name) and path not in kept:
                path.unlink(missing_ok=True)
    return problems
