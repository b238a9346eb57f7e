"""Programs that were measured on a card, and the same in Heddle: errors of points and of benchmarks."""

import csv
import dataclasses
import io
import itertools
import math
import re

from .harvest import HarvestError, Simulation

UNITS = ["us", "cycles"]  # of a file's times; cycles are those of the SMs
ACCEL_SIM = "accel_sim"  # a last column that a file may have: what Accel-Sim simulates for the program, in the unit
PARAMETERS = re.compile(r"[a-z]\w*=[^=;,]+(;[a-z]\w*=[^=;,]+)*")


def columns(unit):
    return ["suite", "benchmark", "launch", "parameters", unit, "launch_bound"]


@dataclasses.dataclass(frozen=True)
class Point:
    """A program at one size. parameters: of (name, value); time: on the card, in the unit; launch_bound: whether
    the source of the time says that it is that of the launches alone; accel_sim: what Accel-Sim has, or None."""
    suite: str
    benchmark: str
    launch: str
    parameters: tuple
    time: float
    unit: str
    launch_bound: bool
    accel_sim: float = None

    @property
    def simulation(self):
        return Simulation(self.launch, self.parameters, "durations" if self.unit == "us" else "cycles")

    @property
    def text(self):
        return " ".join(f"{name}={value}" for name, value in self.parameters)


@dataclasses.dataclass(frozen=True)
class Result:
    point: Point
    simulated: float  # in the unit of the point

    @property
    def error(self):
        """Of the card's time."""
        return self.simulated / self.point.time - 1


def comments(file):
    """The paragraphs of the comment at the start of the file."""
    lines = itertools.takewhile(lambda line: line.startswith("#"), file.read_text(encoding="utf-8").splitlines())
    texts = [line.lstrip("#").strip() for line in lines]
    return [" ".join(group) for is_text, group in itertools.groupby(texts, bool) if is_text]


def read(file):
    """The points of the file, in its order. Throws HarvestError with the place."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise HarvestError(f"cannot read {file}: {getattr(error, 'strerror', None) or 'it is no text'}") from error
    rows = [(number, line) for number, line in enumerate(lines, 1) if line and not line.startswith("#")]
    head = rows[0][1].split(",") if rows else []
    unit = next((unit for unit in UNITS if head in (columns(unit), [*columns(unit), ACCEL_SIM])), None)
    if unit is None:
        raise HarvestError(f"{file}: the head of the table is not {','.join(columns('us'))}, or with cycles for us")
    points, seen = [], set()
    for number, line in rows[1:]:
        point = point_of(line.split(","), unit, len(head), f"{file}:{number}")
        if point.simulation in seen:
            raise HarvestError(f"{file}:{number}: {point.launch} {point.text} stands there twice")
        seen.add(point.simulation)
        points.append(point)
    if not points:
        raise HarvestError(f"{file}: there are no points")
    return points


def time_of(text, what, place):
    try:
        time = float(text)
    except ValueError:
        time = math.nan
    if not (math.isfinite(time) and time > 0):
        raise HarvestError(f"{place}: {what} is a time above 0, not '{text}'")
    return time


def point_of(cells, unit, count, place):
    if len(cells) != count:
        raise HarvestError(f"{place}: {len(cells)} columns instead of {count}")
    suite, benchmark, launch, parameters, time_text, launch_bound, *accel_sim = cells
    if not PARAMETERS.fullmatch(parameters):
        raise HarvestError(f"{place}: parameters have the form n=48;block_x=8, not '{parameters}'")
    if launch_bound not in ("0", "1"):
        raise HarvestError(f"{place}: launch_bound is 0 or 1, not '{launch_bound}'")
    time = time_of(time_text, unit, place)
    pairs = tuple(tuple(pair.split("=")) for pair in parameters.split(";"))
    other = time_of(accel_sim[0], ACCEL_SIM, place) if accel_sim else None
    return Point(suite, benchmark, launch, pairs, time, unit, launch_bound == "1", other)


def chosen(points, only, longest):
    """only: suites and benchmarks with commas between; longest: in the unit of the points, or None. Throws
    HarvestError."""
    names = [name for name in only.split(",") if name]
    known = {name for point in points for name in (point.suite, point.benchmark)}
    for name in names:
        if name not in known:
            raise HarvestError(f"--only: there is no suite or benchmark '{name}'; there are "
                               f"{', '.join(sorted(known))}")
    kept = [point for point in points
            if (not names or point.suite in names or point.benchmark in names)
            and (longest is None or point.time <= longest)]
    if not kept:
        raise HarvestError(f"no point took the card at most {longest:g} {points[0].unit}")
    return kept


def percent(share):
    return f"{100 * share:+.1f}"


def mean(numbers):
    return math.fsum(numbers) / len(numbers)


def table(head, rows):
    """Markdown; the columns whose names start with > stand right."""
    rule = ["---:" if name.startswith(">") else "---" for name in head]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in ([name.lstrip(">") for name in head], rule, *rows))


def point_row(one):
    decimals = 3 if one.point.unit == "us" else 0
    return [one.point.benchmark, one.point.text, f"{one.point.time:.{decimals}f}", f"{one.simulated:.{decimals}f}",
            percent(one.error)]


def points_table(results):
    unit = results[0].point.unit
    return table(["benchmark", "parameters", f">card ({unit})", f">simulated ({unit})", ">error (%)"],
                 [point_row(one) for one in results])


def summary(name, results):
    errors = [one.error for one in results]
    return [name, f"{len(errors)}", f"{100 * mean([abs(error) for error in errors]):.1f}", percent(mean(errors)),
            percent(min(errors)), percent(max(errors))]


def benchmark_rows(results):
    rows = [summary(name, [one for one in results if one.point.benchmark == name])
            for name in dict.fromkeys(one.point.benchmark for one in results)]
    rows.append(summary("all", results))
    beyond = [one for one in results if not one.point.launch_bound]
    if beyond and len(beyond) < len(results):
        rows.append(summary("all that are not launch-bound", beyond))
    return rows


def means_table(of, rows):
    return table([of, ">points", ">mean absolute error (%)", ">mean error (%)", ">least (%)", ">most (%)"], rows)


def report(results, changed=None):
    """changed: setting of the platform to its results."""
    tables = [points_table(results), means_table("benchmark", benchmark_rows(results))]
    if changed:
        rows = [summary(name, of_setting) for name, of_setting in (("nothing", results), *changed.items())]
        tables.append(means_table("changed", rows))
    return "\n".join(tables)


def as_csv(results):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    unit = results[0].point.unit
    writer.writerow([*columns(unit), f"simulated_{unit}", "error"])
    for one in results:
        point = one.point
        simulated = f"{one.simulated:.10g}" if unit == "cycles" else f"{one.simulated:.6g}"
        writer.writerow([point.suite, point.benchmark, point.launch, point.text.replace(" ", ";"), f"{point.time:.10g}",
                         int(point.launch_bound), simulated, f"{one.error:.4f}"])
    return out.getvalue()
