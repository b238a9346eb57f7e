"""OUT/*/paper.json, as heddle reproduce writes them -> Papers with their campaigns."""

import dataclasses
import json
import math
import os
import typing
import urllib.parse

from . import database
from .values import printable

MEANS = ("arithmetic", "geometric", "median")
RATIOS = ("of-means", "of-values")
STATISTICS = ("mean", "least", "most", "range", "porting-loss", "porting-growth")
PLOTS = ("bars", "curves", "box", "scatter")
IN_WORDS = {str: "text", bool: "true or false", int: "whole number", float: "number", list: "list",
            dict: "object of texts"}


class PaperError(Exception):
    """A paper.json is not as documented, or asks for what its campaigns do not have; the message names the place."""


@dataclasses.dataclass(frozen=True)
class Arm:
    """One way to repeat the paper: the samples that agree with `where`, text by key."""
    name: str
    where: dict
    reason: str


@dataclasses.dataclass(frozen=True)
class Theirs:
    """A number that the paper prints; a ratio to the column `over`, where that is not empty. words: in place of those
    for row and column, where not empty."""
    row: str
    column: str
    over: str
    value: float
    words: str


@dataclasses.dataclass(frozen=True)
class Figure:
    """rows, columns: an axis' key, seed, variant, or (rows) application or `all`, one row; over: a column, or
    empty. statistic: what a number is of the values of its cell; across: the axis of porting, else empty. best: {}, or
    its `column` is the best of all columns over all values of the axis `of`; others are the best over those alone.
    normalise: {}, or each value is divided by the least or the most (`to`) of all values of its group, those with the
    same value of the axis `per`; of those alone in `column`, where that is not empty. mean_row: a last row is the mean
    of the others. against: the metric along x of a scatter, else empty."""
    figure: str
    title: str
    finding: str
    campaigns: list
    value: str
    statistic: str
    across: str
    mean: str
    rows: str
    columns: str
    over: str
    ratio: str
    speed_up: bool
    best: dict
    normalise: dict
    mean_row: bool
    plot: str
    against: str
    where: dict
    reason: str
    theirs: list

    @property
    def heading(self):
        return f"{self.figure}: {self.title}"


@dataclasses.dataclass
class Paper:
    """directory: its own, below that of the page; window: cycles, or None; left_out: in the short form, what is run of
    campaigns that are not run whole, a text each; campaigns: by name."""
    directory: object
    paper: str
    title: str
    source: str
    command: str
    window: int
    left_out: list
    arms: list
    figures: list
    campaigns: dict = dataclasses.field(default_factory=dict)

    @property
    def partial(self):
        return partial_of(self.campaigns.values())

    def link(self, campaign, name, anchor=""):
        """To a file of the campaign of that name, relative to the page; empty where there is none."""
        if not (self.directory / campaign / name).is_file():
            return ""
        return "/".join(map(quoted, (self.directory.name, campaign, name))) + anchor


def quoted(name):
    """As a part of a URL's path."""
    return urllib.parse.quote(os.fsencode(name), safe="")


def partial_of(campaigns):
    """ "partial: 37 of 40 runs" of all of them together; empty where all went well."""
    every = list(campaigns)
    if not any(campaign.partial for campaign in every):
        return ""
    return (f"partial: {sum(campaign.runs_ok for campaign in every)} of "
            f"{sum(len(campaign.runs) for campaign in every)} runs")


def load_all(out):
    """Every paper below `out`, by name. Throws PaperError and database.DatabaseError."""
    paths = sorted(out.glob("*/paper.json"))
    if not paths:
        raise PaperError(f"{out}: there is no */paper.json; heddle reproduce writes it")
    return [load(path) for path in paths]


def load(path):
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise PaperError(f"{path}: {error}") from error
    reader = _Reader(str(path))
    paper = reader.paper(given, path.parent)
    for figure in paper.figures:
        for name in figure.campaigns:
            if name not in paper.campaigns:
                paper.campaigns[name] = database.load(path.parent / name)
    return paper


class _Reader:
    def __init__(self, place):
        self.place = place

    def fail(self, what):
        raise PaperError(f"{self.place}: {what}")

    def made(self, kind, given, what, **derived):
        """A `kind` of the object `given`, which has each of its fields that is not derived, and no other."""
        if not isinstance(given, dict):
            self.fail(f"{what} is no object")
        fields = {field: type for field, type in typing.get_type_hints(kind).items()
                  if field not in derived and not (kind is Paper and field == "campaigns")}
        for field in fields:
            if field not in given:
                self.fail(f"{what} has no '{field}'")
        for field, value in given.items():
            if field not in fields:
                self.fail(f"{what} has an unknown '{field}'")
            if not self.fits(field, value, fields[field]):
                self.fail(f"{what}: '{field}' is no {IN_WORDS[fields[field]]}")
        return kind(**given, **derived)

    @staticmethod
    def fits(field, value, kind):
        if field == "window" and value is None:
            return True
        if field in ("campaigns", "left_out"):
            texts = isinstance(value, list) and all(isinstance(name, str) for name in value)
            return texts and (field == "left_out" or value != [])
        if field in ("where", "best", "normalise"):
            return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())
        if kind is float:
            return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
        return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))

    def paper(self, given, directory):
        paper = self.made(Paper, given, "the paper", directory=directory)
        paper.arms = [self.made(Arm, arm, "an arm") for arm in paper.arms]
        names = [arm.name for arm in paper.arms]
        for name in names:
            if names.count(name) > 1:
                self.fail(f"there are two arms '{name}'")
        paper.figures = [self.figure(figure) for figure in paper.figures]
        if not paper.arms or not paper.figures:
            self.fail("there is no " + ("figure" if paper.arms else "arm"))
        return paper

    def figure(self, given):
        figure = self.made(Figure, given, "a figure")
        for field, known in (("statistic", STATISTICS), ("mean", MEANS), ("ratio", RATIOS), ("plot", PLOTS)):
            if getattr(figure, field) not in known:
                self.fail(f"{figure.figure}: {field} '{getattr(figure, field)}' is none of {', '.join(known)}")
        for name in figure.campaigns:
            if name in ("", ".", "..") or "/" in name or printable(name) != name:
                self.fail(f"{figure.figure}: '{name}' is no campaign's name")
        if figure.best and sorted(figure.best) != ["column", "of"]:
            self.fail(f"{figure.figure}: 'best' has a column and what it is of")
        if figure.normalise and (sorted(figure.normalise) != ["column", "per", "to"] or
                                 figure.normalise["to"] not in ("least", "most")):
            self.fail(f"{figure.figure}: 'normalise' has what it is per, the least or most it is to, and a column")
        theirs = [self.made(Theirs, number, f"{figure.figure}: one of theirs") for number in figure.theirs]
        return dataclasses.replace(figure, theirs=theirs)
