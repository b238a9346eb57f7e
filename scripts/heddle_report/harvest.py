"""What scripts/harvest has measured on a card, and the same in Heddle: comparisons with both sides."""

import concurrent.futures
import csv
import dataclasses
import json
import pathlib
import subprocess
import sys
import tempfile

STEPS = 4096       # loads of a chase whose time counts
STRIDE = 128       # bytes from one to the next
DRAM_STRIDE = 512  # in the chase through DRAM
L2_VECTORS = 64 * 4096
VECTOR_BYTES = 16
FOLDER = pathlib.Path(__file__).resolve().parents[1] / "harvest_program"
OWN = {name: FOLDER / f"{name}.yaml" for name in ("beside", "programs")}  # launch files of that folder
WORKS = {"multiply_add": 0, "triad": 1, "matrix_multiply_tiled": 2}  # their numbers in beside.yaml
PROGRAMS = ("gemm", "2mm", "3mm", "syrk", "atax", "bicg", "mvt", "gesummv", "2dconv", "3dconv")  # as in programs.yaml
LONGEST_PROGRAM = 150  # us on the card; a longer one is not simulated, which would take minutes


class HarvestError(Exception):
    """A file cannot be read, or a simulation fails; the message says why."""


@dataclasses.dataclass(frozen=True)
class Simulation:
    """A run of a launch file. value: what of its launches is taken, see Machine.times; cold: whether L2 has nothing
    of what the host has copied."""
    launch: str
    parameters: tuple  # of (name, value)
    value: str = "whole"
    policy: str = ""
    cold: bool = False

    @property
    def words(self):
        given = [word for name, value in self.parameters for word in ("--set", f"parameters.{name}={value}")]
        return [OWN.get(self.launch, self.launch), *given, *(("--policy", self.policy) if self.policy else ()),
                *(("--set", "l2.copies=dram") if self.cold else ())]


def empty_kernel(parameters):
    """A kernel without work, which finds its instructions where a launch before has left them."""
    return Simulation("programs", (("program", str(len(PROGRAMS))), *parameters), "second half")


EMPTY = empty_kernel((("blocks", "1"), ("threads", "32")))


@dataclasses.dataclass(frozen=True)
class Comparison:
    """A row of the file. runs: what is simulated, none where Heddle has no counterpart; number: of the times of the
    runs in microseconds, the value in the row's unit; between_events: whether the card's time is that between two
    events, which is more than that of the kernels."""
    group: str
    name: str
    row: dict
    runs: tuple = ()
    number: object = None
    between_events: bool = False

    @property
    def parameters(self):
        return self.row["parameters"]

    def simulated(self, times, events):
        """events: what two events add to the time of kernels, in microseconds."""
        if not self.runs:
            return None
        more = events if self.between_events else 0
        return self.number(*(times[run] + more for run in self.runs))


def simulations(compared):
    """All simulations of the comparisons."""
    runs = [run for one in compared for run in one.runs]
    return [*runs, EMPTY] if any(one.between_events for one in compared) else runs


def time_of_events(rows, times):
    """The microseconds that two events add: those of an empty kernel on the card, less those that are simulated."""
    measured = [row["value"] for row in rows
                if row["what"] == "dispatch" and row["parameters"] == {"blocks": "1", "threads": "32"}]
    return measured[0] - times[EMPTY] if measured and EMPTY in times else 0


def comparisons(rows, sms, l2_bytes):
    """All comparisons, in the order of the rows. sms, l2_bytes: of the card."""
    alone = {row["parameters"]["name"]: row["parameters"] for row in rows if row["what"] == "alone"}
    made = {"kernel": of_kernel, "alone": of_kernel, "dispatch": of_dispatch, "latency": of_latency,
            "bandwidth": lambda row: of_bandwidth(row, l2_bytes), "occupancy": lambda row: of_occupancy(row, sms),
            "program": of_program, "pair": lambda row: of_pair(row, alone)}
    return [made.get(row["what"], of_host)(row) for row in rows]


def text_of(parameters):
    return " ".join(f"{name} {value}" for name, value in parameters.items())


def of_host(row):
    return Comparison(row["what"], text_of(row["parameters"]), row)


def itself(time):
    return time


def of_kernel(row):
    given = dict(row["parameters"])
    launch = given.pop("name")
    run = Simulation(launch, tuple(given.items()), cold=True)
    return Comparison(row["what"], f"{launch}: {text_of(given)}", row, (run,), itself, True)


def of_dispatch(row):
    run = empty_kernel(row["parameters"].items())
    return Comparison("dispatch", text_of(row["parameters"]), row, (run,), itself, True)


def of_latency(row):
    """The difference of two numbers of steps, as on the card."""
    given = row["parameters"]
    cold = given["memory"] == "dram"
    if given["memory"] == "shared":
        launch, fixed, first = "shared_chase", (("words", "256"),), STEPS
    elif cold:
        launch, first = "pointer_chase", int(given["footprint"]) // DRAM_STRIDE // 2
        fixed = (("footprint", given["footprint"]), ("stride", str(DRAM_STRIDE)))
    else:
        launch, first = "pointer_chase", int(given["footprint"]) // STRIDE
        fixed = (("footprint", given["footprint"]), ("stride", str(STRIDE)))
    more = min(STEPS, first) if cold else STEPS
    runs = tuple(Simulation(launch, (*fixed, ("steps", str(steps))), cold=cold) for steps in (first, first + more))
    return Comparison("latency", text_of(given), row, runs, lambda few, many: 1e3 * (many - few) / more)


def of_bandwidth(row, l2_bytes):
    """Reads of some SMs. Heddle has no counterpart of copies."""
    given = row["parameters"]
    if given["memory"] == "copy":
        return of_host(row)
    sms, each = int(given["sms"]), int(given["each"])
    in_l2 = given["memory"] == "l2"
    n = max(4096, min(l2_bytes // 4 // VECTOR_BYTES // 4096 * 4096, L2_VECTORS)) if in_l2 else sms * each
    parameters = (("n", str(n)), ("each", given["each"]), ("blocks", given["sms"]), ("launches", "2" if in_l2 else "1"))
    run = Simulation("stream_read", parameters, "last", cold=not in_l2)
    return Comparison("bandwidth", text_of(given), row, (run,), lambda time: sms * each * VECTOR_BYTES / time / 1e3,
                      True)


def of_occupancy(row, sms):
    """Reads of a block of few or many warps on each SM."""
    given = row["parameters"]
    n = sms * int(given["each"])
    threads = str(32 * int(given["warps"]))
    parameters = (("n", str(n)), ("each", given["each"]), ("blocks", str(sms)), ("threads", threads))
    run = Simulation("stream_read", parameters, cold=True)
    return Comparison("occupancy", text_of(given), row, (run,), lambda time: n * VECTOR_BYTES / time / 1e3, True)


def of_program(row):
    """The second run of a program, which finds in L2 what the first has left."""
    given = row["parameters"]
    name = f"{given['name']}: size {given['size']} block_x {given['block_x']}"
    if given["name"] not in PROGRAMS or row["value"] > LONGEST_PROGRAM:
        return Comparison("program", name, row)
    parameters = (("program", str(PROGRAMS.index(given["name"]))), ("n", given["size"]), ("block_x", given["block_x"]))
    return Comparison("program", name, row, (Simulation("programs", parameters, "second half"),), itself, True)


def of_pair(row, alone):
    """Two streams of a process are simulated; the other ways are of processes and of parts of the SMs."""
    given = row["parameters"]
    name = f"{given['first']} beside {given['second']}, {given['way']}, {given['part']}"
    names = (given["first"], given["second"])
    if given["way"] != "streams" or any(each not in WORKS or each not in alone for each in names):
        return Comparison("pair", name, row)
    parameters = [("first", str(WORKS[names[0]])), ("second", str(WORKS[names[1]]))]
    for each in names:
        parameters += parameters_beside(each, alone[each])
    run = Simulation("beside", tuple(dict(parameters).items()), given["part"], "sm_partitioner=left-over", cold=True)
    return Comparison("pair", name, row, (run,), itself, True)


def parameters_beside(work, given):
    """The parameters of a work by their names in the launch file beside."""
    if work == "multiply_add":
        return [(name, given[name]) for name in ("blocks", "threads", "rounds")]
    if work == "triad":
        return [("n", given["n"]), ("triad_blocks", given["blocks"])]
    return [("side", given["m"])]


class Machine:
    """Runs launch files on a platform. settings: KEY=VALUE of --set, in all runs."""

    def __init__(self, heddle, platform, settings=()):
        self.heddle, self.platform = heddle, platform
        self.settings = [word for setting in settings for word in ("--set", setting)]

    def read(self, file, output, base):
        """Makes the platform, and returns what the file has. Throws HarvestError."""
        words = [self.heddle, "import", "harvest", file, "-o", output, "--json", *(("--base", base) if base else ())]
        return json.loads(self.call(words))

    @staticmethod
    def call(words):
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            lines = [line for line in done.stderr.splitlines() if not line.startswith("note:")]
            raise HarvestError((lines or ["heddle gives no message"])[0].removeprefix("heddle: "))
        return done.stdout

    def time(self, simulation):
        """The microseconds of a simulation, or its cycles if that is its value. The launches of a card wait behind
        another kernel until all of them are queued, so that no call of the host is between them."""
        with tempfile.TemporaryDirectory(prefix="heddle-harvest-") as folder:
            out = pathlib.Path(folder) / "out"
            summary = json.loads(self.call([self.heddle, "run", *simulation.words, "--platform", self.platform, "--set",
                                            "host.launch_latency=0s", *self.settings, "--json", "--out", out]))
            with open(next(out.glob("*/kernels.csv")), encoding="utf-8", newline="") as file:
                launches = list(csv.DictReader(file))
        cycles = cycles_of(launches, simulation.value)
        return cycles if simulation.value == "cycles" else 1e6 * cycles / summary["runs"][0]["core_hz"]

    def time_of(self, simulation):
        """time, with an error that names the simulation."""
        try:
            return self.time(simulation)
        except HarvestError as error:
            given = " ".join(f"{name}={value}" for name, value in simulation.parameters)
            raise HarvestError(f"{simulation.launch} {given}: {error}") from error

    def times(self, simulations, jobs, tell):
        """Simulation to microseconds, or cycles. tell(done, all) after each."""
        distinct = list(dict.fromkeys(simulations))
        times = {}
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            futures = {pool.submit(self.time_of, simulation): simulation for simulation in distinct}
            try:
                for future in concurrent.futures.as_completed(futures):
                    times[futures[future]] = future.result()
                    tell(len(times), len(distinct))
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return times


def progress(done, count):
    if sys.stderr.isatty():
        print(f"\r{done} of {count} simulations", end="\n" if done == count else "", file=sys.stderr, flush=True)


def cycles_of(launches, value):
    """From a launch's arrival to an end. value: whole, from the first arrival to the last end; last, of the last
    launch; second half, of that half of the launches; first or second, to the end of the launch on the first or the
    second stream; durations or cycles, from the arrival of each launch to its end, summed."""
    def cycle(launch, column):
        return int(launch[f"{column} [cycle]"])
    if value in ("durations", "cycles"):
        return sum(cycle(launch, "end") - cycle(launch, "loaded") for launch in launches)
    by_launch = sorted(launches, key=lambda launch: int(launch["launch"]))
    if value == "last":
        by_launch = by_launch[-1:]
    elif value == "second half":
        by_launch = by_launch[len(by_launch) // 2:]
    start = min(cycle(launch, "loaded") for launch in by_launch)
    ends = [cycle(launch, "end") for launch in by_launch]
    return (ends[0] if value == "first" else ends[-1] if value == "second" else max(ends)) - start
