"""A correlation.json, as heddle correlate writes it, as plain data."""

import dataclasses
import json

SCHEMA = "heddle-correlation-1"
RESULTS = ("agree", "off", "unknown", "not exercised")


class CorrelationError(Exception):
    """The file is missing or damaged; the message names it."""


@dataclasses.dataclass(frozen=True)
class Point:
    """Values of both sides; each may be None. window: (begin, end) in cycles, or None for a whole pair."""
    rtl: float
    model: float
    window: tuple = None


@dataclasses.dataclass(frozen=True)
class Pair:
    name: str
    rtl_expression: str
    model_expression: str
    tolerance: dict
    result: str
    whole: Point
    windows: list
    numbers: dict  # relative_error, pearson, mean_relative_error, worst_window, windows_off, unknown_cycle


@dataclasses.dataclass(frozen=True)
class Coverage:
    known: int
    mapped: int
    exercised: int
    reasoned: int
    open: list


@dataclasses.dataclass(frozen=True)
class Correlation:
    name: str
    rtl_format: str
    cycles: int
    windows: int
    compares_windows: bool
    pairs: list
    rtl: Coverage
    model: Coverage

    def count(self, result):
        return sum(pair.result == result for pair in self.pairs)


def pair_of(data):
    windows = [Point(window["rtl"], window["model"], (window["begin"], window["end"])) for window in data["windows"]]
    numbers = {key: data[key] for key in ("relative_error", "pearson", "mean_relative_error", "worst_window",
                                          "windows_off", "unknown_cycle")}
    if data["result"] not in RESULTS:
        raise ValueError(data["result"])
    return Pair(data["name"], data["rtl_expression"], data["model_expression"], dict(data["tolerance"]),
                data["result"], Point(data["rtl"], data["model"]), windows, numbers)


def coverage_of(data):
    return Coverage(data["known"], data["mapped"], data["exercised"], data["unmapped_with_reason"], list(data["open"]))


def load(directory):
    """Throws CorrelationError."""
    path = directory / "correlation.json"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data.get("schema") != SCHEMA:
            raise CorrelationError(f"{path}: is not of the schema {SCHEMA}")
        return Correlation(data["name"], data["rtl_format"], data["rtl_cycles"], data["windows"],
                           data["windows_are_compared"], [pair_of(pair) for pair in data["pairs"]],
                           coverage_of(data["coverage"]["rtl"]), coverage_of(data["coverage"]["model"]))
    except OSError as error:
        raise CorrelationError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CorrelationError(f"{path}: is damaged: {error!r}") from error
