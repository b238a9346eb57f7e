"""The files of a page's plots, in the folder `plots` beside the page."""

from . import figure, files


def keep(drawing, stem, directory, kept):
    """Writes the files of a drawing and adds their names to `kept`; returns the SVG. Throws files.OutputError."""
    svg, png = figure.rendered(drawing)
    for kind, data in (("svg", svg), ("png", png)):
        files.replace(directory / "plots" / f"{stem}.{kind}", data)
        kept.add(f"{stem}.{kind}")
    return svg


def remove_others(ours, directory, kept):
    """Removes the plots of an earlier page: files whose names match `ours` and are not in `kept`."""
    for path in (directory / "plots").glob("*"):
        if ours.fullmatch(path.name) and path.name not in kept:
            path.unlink(missing_ok=True)
