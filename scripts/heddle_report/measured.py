"""Programs that were measured on a card, and the same in Heddle: errors of points and of benchmarks."""

import csv
import dataclasses
import io
import math
import re

from .harvest import HarvestError, Simulation

COLUMNS = ["suite", "benchmark", "launch", "parameters", "us", "launch_bound"]
PARAMETERS = re.compile(r"[a-z]\w*=[^=;,]+(;[a-z]\w*=[^=;,]+)*")


@dataclasses.dataclass(frozen=True)
class Point:
    """A program at one size. parameters: of (name, value); us: the time on the card; launch_bound: whether the
    source of the time says that it is that of the launches alone."""
    suite: str
    benchmark: str
    launch: str
    parameters: tuple
    us: float
    launch_bound: bool

    @property
    def simulation(self):
        return Simulation(self.launch, self.parameters, "durations")

    @property
    def text(self):
        return " ".join(f"{name}={value}" for name, value in self.parameters)


@dataclasses.dataclass(frozen=True)
class Result:
    point: Point
    simulated: float  # us

    @property
    def error(self):
        """Of the card's time."""
        return self.simulated / self.point.us - 1


def read(file):
    """The points of the file, in its order. Throws HarvestError with the place."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise HarvestError(f"cannot read {file}: {getattr(error, 'strerror', None) or 'it is no text'}") from error
    rows = [(number, line) for number, line in enumerate(lines, 1) if line and not line.startswith("#")]
    if not rows or rows[0][1].split(",") != COLUMNS:
        raise HarvestError(f"{file}: the head of the table is not {','.join(COLUMNS)}")
    points, seen = [], set()
    for number, line in rows[1:]:
        point = point_of(line.split(","), f"{file}:{number}")
        if point.simulation in seen:
            raise HarvestError(f"{file}:{number}: {point.launch} {point.text} stands there twice")
        seen.add(point.simulation)
        points.append(point)
    if not points:
        raise HarvestError(f"{file}: there are no points")
    return points


def point_of(cells, place):
    if len(cells) != len(COLUMNS):
        raise HarvestError(f"{place}: {len(cells)} columns instead of {len(COLUMNS)}")
    suite, benchmark, launch, parameters, us, launch_bound = cells
    if not PARAMETERS.fullmatch(parameters):
        raise HarvestError(f"{place}: parameters have the form n=48;block_x=8, not '{parameters}'")
    if launch_bound not in ("0", "1"):
        raise HarvestError(f"{place}: launch_bound is 0 or 1, not '{launch_bound}'")
    try:
        time = float(us)
    except ValueError:
        time = math.nan
    if not (math.isfinite(time) and time > 0):
        raise HarvestError(f"{place}: us is a time above 0, not '{us}'")
    pairs = tuple(tuple(pair.split("=")) for pair in parameters.split(";"))
    return Point(suite, benchmark, launch, pairs, time, launch_bound == "1")


def chosen(points, only, longest):
    """only: suites and benchmarks with commas between; longest: in us, or None. Throws HarvestError."""
    names = [name for name in only.split(",") if name]
    known = {name for point in points for name in (point.suite, point.benchmark)}
    for name in names:
        if name not in known:
            raise HarvestError(f"--only: there is no suite or benchmark '{name}'; there are "
                               f"{', '.join(sorted(known))}")
    kept = [point for point in points
            if (not names or point.suite in names or point.benchmark in names)
            and (longest is None or point.us <= longest)]
    if not kept:
        raise HarvestError(f"no point took the card at most {longest:g} us")
    return kept


def percent(share):
    return f"{100 * share:+.1f}"


def mean(numbers):
    return math.fsum(numbers) / len(numbers)


def table(head, rows):
    """Markdown; the columns whose names start with > stand right."""
    rule = ["---:" if name.startswith(">") else "---" for name in head]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in ([name.lstrip(">") for name in head], rule, *rows))


def points_table(results):
    return table(["benchmark", "parameters", ">card (us)", ">simulated (us)", ">error (%)"],
                 [[one.point.benchmark, one.point.text, f"{one.point.us:.3f}", f"{one.simulated:.3f}",
                   percent(one.error)] for one in results])


def summary(name, results):
    errors = [one.error for one in results]
    return [name, f"{len(errors)}", f"{100 * mean([abs(error) for error in errors]):.1f}", percent(mean(errors)),
            percent(min(errors)), percent(max(errors))]


def benchmarks_table(results):
    rows = [summary(name, [one for one in results if one.point.benchmark == name])
            for name in dict.fromkeys(one.point.benchmark for one in results)]
    rows.append(summary("all", results))
    beyond = [one for one in results if not one.point.launch_bound]
    if beyond and len(beyond) < len(results):
        rows.append(summary("all that are not launch-bound", beyond))
    return table(["benchmark", ">points", ">mean absolute error (%)", ">mean error (%)", ">least (%)", ">most (%)"],
                 rows)


def report(results):
    return points_table(results) + "\n" + benchmarks_table(results)


def as_csv(results):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*COLUMNS, "simulated_us", "error"])
    for one in results:
        point = one.point
        writer.writerow([point.suite, point.benchmark, point.launch, point.text.replace(" ", ";"), f"{point.us:g}",
                         int(point.launch_bound), f"{one.simulated:.6g}", f"{one.error:.4f}"])
    return out.getvalue()
