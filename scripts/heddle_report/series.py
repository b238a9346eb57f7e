"""Series of a campaign's runs, from results.sqlite: which statistics there are, and their values over time."""

import dataclasses
import re

MOST_STEPS = 160  # of a line; neighbouring intervals are taken together beyond that
NUMBERED = re.compile(r"(?<=\D)\d+(?=\.|$)")


@dataclasses.dataclass(frozen=True)
class Path:
    number: int  # in series_paths
    name: str    # what tells it from the others of its statistic: "sgemm.mysgemmNT", "dram0"; may be empty


@dataclasses.dataclass
class Statistic:
    """Paths that differ in a kernel or in the number of a block: a figure shows them together."""
    pattern: str  # "applications.*.warp_instructions", "gpu.dram*.reads", "gpu.occupancy"
    unit: str
    kind: str     # counter, formula or level
    description: str
    paths: list = dataclasses.field(default_factory=list)

    @property
    def of_kernels(self):
        return self.pattern.startswith("applications.")


@dataclasses.dataclass(frozen=True)
class Line:
    """values[i] holds from edges[i] to edges[i + 1], in core cycles; NaN: there is none. A counter's are what it grew
    by in a cycle."""
    edges: list
    values: list
    together: int  # intervals of the series in a step


class SeriesReader:
    """The tables of series of one database. `ask` runs a query."""

    def __init__(self, ask):
        self.ask = ask
        tables = {row[0] for row in ask("SELECT name FROM sqlite_master WHERE type = 'table'")}
        rows = ask("SELECT run, number FROM series_runs") if "series_runs" in tables else ()
        self.runs = dict(rows)  # number by identity

    def statistics(self):
        """In the order of their first paths."""
        rows = self.ask("SELECT number, path, unit, kind, description FROM series_paths ORDER BY number").fetchall()
        paths = {row[1] for row in rows}
        found = {}
        for number, path, unit, kind, description in rows:
            pattern, name = split(path, paths)
            statistic = found.setdefault((pattern, unit, kind), Statistic(pattern, unit, kind, description))
            statistic.paths.append(Path(number, name))
        return list(found.values())

    def line(self, run, path, kind):
        """Of the numbers of a run and a path; None where the run has none."""
        column = self.ask("SELECT before FROM series_columns WHERE run = ? AND path = ?", (run, path)).fetchone()
        if column is None:
            return None
        [intervals] = self.ask("SELECT max(interval) FROM series_intervals WHERE run = ?", (run,)).fetchone()
        if not intervals:
            return None
        together = -(-intervals // MOST_STEPS)
        ends = self.ask("SELECT max(cycle) FROM series_intervals WHERE run = ?1 GROUP BY (interval - 1) / ?2 "
                        "ORDER BY 1", (run, together))
        edges = [0, *(end for end, in ends)]
        values = [float("nan")] * (len(edges) - 1)
        for step, total, mean in self.ask(
                "SELECT (number - 1 - ?1) / ?3, sum(value), avg(value) FROM series_values "
                "WHERE number > ?1 AND number <= ?1 + ?2 GROUP BY 1", (column[0], intervals, together)):
            cycles = edges[step + 1] - edges[step]
            values[step] = mean if kind != "counter" else total / cycles if cycles else 0
        return Line(edges, values, together)


def split(path, paths):
    """(pattern, name) of a path. A number stands for a block where the path with 0 in its place is there, too."""
    parts = path.split(".")
    if parts[0] == "applications" and len(parts) > 3:
        return f"applications.*.{'.'.join(parts[3:])}", ".".join(parts[1:3])
    for match in NUMBERED.finditer(path):
        if path[:match.start()] + "0" + path[match.end():] in paths:
            begin = path.rfind(".", 0, match.start()) + 1
            return f"{path[:match.start()]}*{path[match.end():]}", path[begin:match.end()]
    return path, ""
