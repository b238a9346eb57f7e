#!/usr/bin/python3
"""scripts/error_table: what it prints of known times, a small table of real runs, and files that it refuses."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from made_up import ROOT  # noqa: E402

sys.path.insert(0, str(ROOT / "scripts"))
from heddle_report import harvest, measured  # noqa: E402

SCRIPT = ROOT / "scripts" / "error_table"
CARDS = ROOT / "stimuli/cards"
RECORDED = {"h100_pcie_programs.csv": 258, "v100_microbenchmarks.csv": 17, "a100_microbenchmarks.csv": 17,
            "h100_sxm_microbenchmarks.csv": 17}  # and their points
PROGRAM = pathlib.Path(os.environ.get("HEDDLE_PROGRAM", ROOT / "build/heddle"))
HEAD = "suite,benchmark,launch,parameters,us,launch_bound\n"
CYCLES = HEAD.replace("us", "cycles")


class Table(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="heddle-errors-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.file = self.folder / "card.csv"

    def table(self, *words, platform="gtx480"):
        command = [SCRIPT, self.file, "--platform", platform, "--heddle", PROGRAM, "--jobs", "2", *words]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL)
        return done.returncode, done.stdout, done.stderr


class ErrorTable(Table):
    def test_prints_errors_of_points_and_their_means_by_benchmark(self):
        self.file.write_text(HEAD + "s,one,l,n=1,10,1\ns,one,l,n=2;m=3,10,0\ns,two,k,n=1,4,0\n")
        results = [measured.Result(point, us) for point, us in zip(measured.read(self.file), (11, 8, 5))]
        self.assertEqual(measured.report(results), """\
| benchmark | parameters | card (us) | simulated (us) | error (%) |
| --- | --- | ---: | ---: | ---: |
| one | n=1 | 10.000 | 11.000 | +10.0 |
| one | n=2 m=3 | 10.000 | 8.000 | -20.0 |
| two | n=1 | 4.000 | 5.000 | +25.0 |

| benchmark | points | mean absolute error (%) | mean error (%) | least (%) | most (%) |
| --- | ---: | ---: | ---: | ---: | ---: |
| one | 2 | 15.0 | -5.0 | -20.0 | +10.0 |
| two | 1 | 25.0 | +25.0 | +25.0 | +25.0 |
| all | 3 | 18.3 | +5.0 | -20.0 | +25.0 |
| all that are not launch-bound | 2 | 22.5 | +2.5 | -20.0 | +25.0 |
""")

    def test_prints_cycles_of_a_file_with_cycles(self):
        self.file.write_text(CYCLES + "s,one,l,n=1,1000.5,0\n")
        (point,) = measured.read(self.file)
        self.assertEqual((point.unit, point.simulation.value), ("cycles", "cycles"))
        report = measured.report([measured.Result(point, 2001)])
        self.assertIn("| benchmark | parameters | card (cycles) | simulated (cycles) | error (%) |", report)
        self.assertIn("| one | n=1 | 1000 | 2001 | +100.0 |", report)

    def test_sums_the_durations_of_the_launches_without_what_is_between_them(self):
        launches = [{"launch": "0", "loaded [cycle]": "0", "start [cycle]": "5", "end [cycle]": "25"},
                    {"launch": "1", "loaded [cycle]": "30", "start [cycle]": "100", "end [cycle]": "107"}]
        self.assertEqual(harvest.cycles_of(launches, "durations"), 102)
        self.assertEqual(harvest.cycles_of(launches, "cycles"), 102)

    def test_simulates_the_points_of_the_file(self):
        self.file.write_text(HEAD + "polybench,mvt,polybench_mvt,n=32;block_x=8,10,0\n"
                             "polybench,mvt,polybench_mvt,n=64;block_x=8,1000,0\n"
                             "polybench,gemm,polybench_gemm,n=32;block_x=32,10,1\n")
        code, out, error = self.table("--only", "mvt", "--longest", "20", "--csv", self.folder / "out.csv")
        self.assertEqual((code, error), (0, ""))
        head, row = (self.folder / "out.csv").read_text().splitlines()
        self.assertEqual(head, HEAD.strip() + ",simulated_us,error")
        simulated = float(row.split(",")[6])
        # Each of both launches waits for 32 steps, in each of which a load misses L1 or hits it in no less than its
        # 18 cycles at 700 MHz; none is longer than a microsecond.
        self.assertGreater(simulated, 2 * 32 * 18 / 700)
        self.assertLess(simulated, 2 * 32)
        self.assertEqual(float(row.split(",")[7]), round(simulated / 10 - 1, 4))
        self.assertRegex(out, rf"\| mvt \| n=32 block_x=8 \| 10.000 \| {int(simulated)}\.")
        self.assertNotIn("gemm", out)

    def test_simulates_cycles_for_a_file_with_cycles(self):
        point = "polybench,mvt,polybench_mvt,n=32;block_x=8,1000,0\n"
        simulated = {}
        for unit, head in (("us", HEAD), ("cycles", CYCLES)):
            self.file.write_text(head + point)
            code, _, error = self.table("--csv", self.folder / "out.csv")
            self.assertEqual((code, error), (0, ""))
            columns, row = (self.folder / "out.csv").read_text().splitlines()
            self.assertEqual(columns, head.strip() + f",simulated_{unit},error")
            simulated[unit] = float(row.split(",")[6])
        self.assertEqual(simulated["cycles"], int(simulated["cycles"]))
        self.assertAlmostEqual(simulated["cycles"] / 700, simulated["us"], delta=1e-3 * simulated["us"])  # 700 MHz

    def test_says_what_becomes_of_the_errors_where_a_number_is_changed(self):
        self.file.write_text(HEAD + "polybench,mvt,polybench_mvt,n=32;block_x=8,10,0\n")
        code, out, error = self.table("--change", "crossbar.flit=8B", "--change", "crossbar.flit=40B")
        self.assertEqual((code, error), (0, ""))
        changed = out[out.index("| changed |"):].splitlines()[2:]
        self.assertEqual([line.split(" | ")[0] for line in changed],
                         ["| nothing", "| crossbar.flit=8B", "| crossbar.flit=40B"])
        self.assertEqual(changed[0].split(" | ")[1:], changed[2].split(" | ")[1:])  # the platform has flits of 40 bytes
        self.assertNotEqual(changed[0].split(" | ")[1:], changed[1].split(" | ")[1:])

    def test_a_setting_of_the_platform_reaches_the_runs(self):
        self.file.write_text(HEAD + "polybench,mvt,polybench_mvt,n=32;block_x=8,10,0\n")
        self.assertNotEqual(self.table()[1], self.table("--set", "crossbar.flit=8B")[1])


class ErrorTableRefusals(Table):
    def refusal(self, text, *words, code=2):
        self.file.write_text(text)
        found, out, error = self.table(*words)
        self.assertEqual((found, out, error.count("\n")), (code, "", 1), error)
        return error

    def test_names_the_line_of_what_it_cannot_read(self):
        good = "s,b,l,n=1,2,0\n"
        for row, message in (("s,b,l,n=1,2\n", ":3: 5 columns instead of 6"),
                             ("s,b,l,n,2,0\n", ":3: parameters have the form n=48;block_x=8, not 'n'"),
                             ("s,b,l,n=2,-1,0\n", ":3: us is a time above 0, not '-1'"),
                             ("s,b,l,n=2,nan,0\n", ":3: us is a time above 0, not 'nan'"),
                             ("s,b,l,n=2,2us,0\n", ":3: us is a time above 0, not '2us'"),
                             ("s,b,l,n=2,2,yes\n", ":3: launch_bound is 0 or 1, not 'yes'"),
                             (good, ":3: l n=1 stands there twice")):
            self.assertIn(message, self.refusal(HEAD + good + row))
        self.assertIn("the head of the table is not suite,", self.refusal("# nothing\n"))
        self.assertIn(":2: cycles is a time above 0, not '0'", self.refusal(CYCLES + "s,b,l,n=2,0,0\n"))
        other = CYCLES.replace("bound", "bound,accel_sim")
        self.assertIn(":2: accel_sim is a time above 0, not 'x'", self.refusal(other + "s,b,l,n=2,2,0,x\n"))
        self.assertIn(":2: 6 columns instead of 7", self.refusal(other + "s,b,l,n=2,2,0\n"))
        self.assertIn("there are no points", self.refusal(HEAD))
        self.assertIn("no suite or benchmark 'c'; there are b, s", self.refusal(HEAD + good, "--only", "c"))
        self.assertIn("no point took the card at most 1 us", self.refusal(HEAD + good, "--longest", "1"))

    def test_names_the_point_whose_simulation_fails(self):
        error = self.refusal(HEAD + "polybench,mvt,polybench_mvt,m=32,10,0\n", code=3)
        self.assertIn("error_table: polybench_mvt m=32: ", error)


class RecordedPrograms(unittest.TestCase):
    def test_have_launch_files_with_their_parameters(self):
        points = []
        for name, count in RECORDED.items():
            of_file = measured.read(CARDS / name)
            self.assertEqual(len(of_file), count, name)
            points += of_file
        for launch, names in {(point.launch, tuple(name for name, _ in point.parameters)) for point in points}:
            text = (ROOT / f"stimuli/launches/{launch}.yaml").read_text()
            parameters = text[text.index("parameters:"):text.index("buffers:")]
            for name in names:
                self.assertRegex(parameters, rf"\b{name}: ", launch)


if __name__ == "__main__":
    sys.exit(unittest.main())
