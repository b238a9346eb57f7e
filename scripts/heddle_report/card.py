"""DIR/card.json, as heddle reproduce writes it, its table and campaigns -> a Card with both sides."""

import collections
import dataclasses
import hashlib
import json
import pathlib

from . import database, measured

ALL = "points"  # the campaign in which nothing is changed
FIELDS = {"card": str, "title": str, "table": str, "platform": str, "platform_file": str, "points": list,
          "points_words": str, "changed": list, "changed_words": str, "mechanisms": list, "command": str}
OF_MECHANISM = {"name": str, "change": str, "meaning": str}
# The cycles of the launches of each sample, from the arrival of a launch at the GPU to the notice of its last
# block, and the nanoseconds of a cycle.
TIMES = """
SELECT samples.point, runs.directory, runs.state, SUM("end [cycle]" - "loaded [cycle]"),
       1.0 * SUM("duration [ns]") / SUM("end [cycle]" - "start [cycle]")
FROM samples JOIN runs ON runs.id = samples.run LEFT JOIN kernels ON kernels.run = runs.id
GROUP BY samples.sample
"""
NO_TIMES = """
SELECT samples.point, runs.directory, runs.state, NULL, NULL FROM samples JOIN runs ON runs.id = samples.run
"""


class CardError(Exception):
    """A card.json is not as documented, or does not fit its table; the message names the file."""


@dataclasses.dataclass(frozen=True)
class CardResult(measured.Result):
    """run: the directory of its run, relative to that of the page, with a slash at its end."""
    run: str


@dataclasses.dataclass
class Side:
    """The points of a campaign on both sides. results: CardResults in the order of the table; missing:
    (Point, state of its run); ok: how many runs are there; revisions: how many runs each git revision has."""
    name: str
    results: list
    missing: list
    ok: int
    revisions: collections.Counter


@dataclasses.dataclass
class Mechanism:
    """change: KEY=VALUE that switches it off; side: the points without it; base: CardResults of the same
    points with it."""
    name: str
    change: str
    meaning: str
    side: Side
    base: list


@dataclasses.dataclass
class Card:
    """table, platform_file: paths; comments: the paragraphs at the head of the table; digest: the SHA-1 of
    the platform's file, or empty where it is not there any more; whole: the Side of all points."""
    name: str
    title: str
    table: pathlib.Path
    comments: list
    platform: str
    platform_file: pathlib.Path
    digest: str
    points_words: str
    changed_words: str
    command: str
    whole: Side
    mechanisms: list

    @property
    def sides(self):
        return [self.whole, *(mechanism.side for mechanism in self.mechanisms)]

    @property
    def partial(self):
        """ "partial: 3 of 4 runs" of all campaigns together; empty where all went well."""
        ok = sum(side.ok for side in self.sides)
        missing = sum(len(side.missing) for side in self.sides)
        return f"partial: {ok} of {ok + missing} runs" if missing else ""

    @property
    def revisions(self):
        return sum((side.revisions for side in self.sides), collections.Counter())

    @property
    def has_accel_sim(self):
        return any(one.point.accel_sim is not None for one in self.whole.results)


def load(directory):
    """Throws CardError, database.DatabaseError and harvest.HarvestError."""
    path = directory / "card.json"
    given = read(path)
    table = pathlib.Path(given["table"])
    points = measured.read(table)
    whole = side_of(directory, ALL, chosen(points, given["points"], path))
    rows = chosen(points, given["changed"], path)
    platform_file = pathlib.Path(given["platform_file"])
    digest = hashlib.sha1(platform_file.read_bytes()).hexdigest() if platform_file.is_file() else ""
    return Card(given["card"], given["title"], table, measured.comments(table), given["platform"],
                platform_file, digest, given["points_words"], given["changed_words"], given["command"], whole,
                [mechanism_of(directory, one, rows, whole, path) for one in given["mechanisms"]])


def read(path):
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise CardError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    check(given, FIELDS, path)
    for name in ("points", "changed"):
        if not all(isinstance(row, int) and not isinstance(row, bool) for row in given[name]):
            raise CardError(f"{path}: '{name}' has numbers of rows")
    return given


def check(given, fields, path):
    if not isinstance(given, dict):
        raise CardError(f"{path}: it is no object")
    for name, kind in fields.items():
        if not isinstance(given.get(name), kind):
            raise CardError(f"{path}: '{name}' is missing, or no {kind.__name__}")


def chosen(points, rows, path):
    if any(not 0 <= row < len(points) for row in rows):
        raise CardError(f"{path}: the table has {len(points)} points, and not all of these rows")
    return [points[row] for row in rows]


def mechanism_of(directory, given, points, whole, path):
    check(given, OF_MECHANISM, path)
    if given["name"] in ("", ".", "..") or "/" in given["name"]:
        raise CardError(f"{path}: '{given['name']}' is no campaign's name")
    side = side_of(directory, given["name"], points)
    there = {one.point for one in side.results}
    base = [one for one in whole.results if one.point in there]
    both = {one.point for one in base}
    side.results = [one for one in side.results if one.point in both]
    return Mechanism(given["name"], given["change"], given["meaning"], side, base)


def side_of(directory, name, points):
    """The points that the campaign of that name has simulated."""
    with database.opened(directory / name) as (connection, _):
        # Without a run the table has no columns of kernels.csv.
        columns = {row[1] for row in connection.execute("PRAGMA table_info(kernels)")}
        keys = {}
        for point, key, value in connection.execute("SELECT point, key, value FROM parameters"):
            keys.setdefault(point, {})[key] = str(value)
        runs = {key_of(keys.get(point, {})): rest
                for point, *rest in connection.execute(TIMES if "end [cycle]" in columns else NO_TIMES)}
        revisions = collections.Counter(value for (value,) in connection.execute(
            "SELECT value FROM provenance WHERE key = 'revision'"))
    results, missing = [], []
    for point in points:
        key = (launch_name(point.launch), frozenset(point.parameters))
        run, state, cycles, ns = runs.get(key, ("", "not started", None, None))
        if state != "ok" or not cycles:
            missing.append((point, state))
            continue
        simulated = cycles if point.unit == "cycles" else cycles * ns / 1000
        results.append(CardResult(point, simulated, f"{name}/{run.rstrip('/')}/"))
    return Side(name, results, missing, len(results), revisions)


def key_of(values):
    """The launch file and the parameters of a point of the campaign, as the table has them."""
    prefix = "parameters."
    parameters = ((key.removeprefix(prefix), value) for key, value in values.items()
                  if key.startswith(prefix))
    return launch_name(values.get("experiment", "")), frozenset(parameters)


def launch_name(launch):
    return pathlib.PurePosixPath(launch).name.removesuffix(".yaml")
