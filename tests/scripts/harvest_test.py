#!/usr/bin/python3
"""scripts/harvest without a GPU, its program under heddle capture, and scripts/harvest_page over recorded files."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from made_up import ROOT  # noqa: E402

HARVEST = ROOT / "scripts" / "harvest"
PAGE = ROOT / "scripts" / "harvest_page"
EXAMPLE = ROOT / "tests/data/hardware/example_card.csv"
PROGRAM = pathlib.Path(os.environ.get("HEDDLE_PROGRAM", ROOT / "build/heddle"))
NVCC = shutil.which("nvcc") or ("/usr/local/cuda/bin/nvcc" if pathlib.Path("/usr/local/cuda/bin/nvcc").exists() else "")
FULL = os.environ.get("HEDDLE_TEST_SIZE") == "full"


def run(*words, **environment):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False,
                          env={**os.environ, **environment}, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="heddle-harvest-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def executable(self, name, text):
        path = self.folder / name
        path.write_text(f"#!/bin/bash\n{text}\n")
        path.chmod(0o755)
        return path


class HarvestScript(Folder):
    def test_tells_its_plan_without_a_compiler_or_a_gpu(self):
        code, out, error = run(HARVEST, "--plan", NVCC="/nonexistent")
        self.assertEqual((code, error), (0, ""))
        parts = re.findall(r'\{"(\w+)", harvest::measure', (ROOT / "scripts/harvest_program/main.cu").read_text())
        self.assertEqual(re.findall(r"^(\w+)  +\w", out, re.MULTILINE), parts)
        self.assertEqual(len(parts), 9)

    def test_says_once_that_there_is_no_compiler(self):
        code, out, error = run(HARVEST, NVCC="/nonexistent")
        self.assertEqual((code, out), (2, ""))
        self.assertEqual(error, "scripts/harvest: there is no nvcc here; install the CUDA toolkit, or name the "
                                "compiler with NVCC=/path/to/nvcc\n")

    def test_says_once_that_there_is_no_gpu(self):
        nvcc = self.executable("nvcc", "exit 1")
        self.executable("nvidia-smi", "echo 'No devices were found'; exit 6")
        code, out, error = run(HARVEST, NVCC=nvcc, PATH=f"{self.folder}:{os.environ['PATH']}")
        self.assertEqual((code, out), (2, ""))
        self.assertEqual(error, "scripts/harvest: there is no GPU that the driver finds: nvidia-smi -L fails\n")

    def test_shows_why_a_compiler_fails(self):
        nvcc = self.executable("nvcc", "echo 'unsupported GNU version' >&2; exit 1")
        self.executable("nvidia-smi", "exit 0")
        code, _, error = run(HARVEST, NVCC=nvcc, PATH=f"{self.folder}:{os.environ['PATH']}")
        self.assertEqual(code, 2)
        self.assertIn("unsupported GNU version\nscripts/harvest: ", error)
        self.assertIn("does not compile scripts/harvest_program", error)

    def test_runs_what_it_compiled_with_its_words(self):
        program = "#!/bin/bash\\necho ran \\\"\\$@\\\""
        nvcc = self.executable("nvcc", f'[[ $* == *-arch=native* ]] || exit 1\nprintf "{program}\\n" >"${{@: -1}}"\n'
                                       'chmod +x "${@: -1}"')
        self.executable("nvidia-smi", "exit 0")
        code, out, error = run(HARVEST, "--out", "a b.csv", NVCC=nvcc, PATH=f"{self.folder}:{os.environ['PATH']}")
        self.assertEqual((code, out), (0, "ran --out a b.csv\n"), error)


class HarvestProgram(Folder):
    """The program itself, whose kernels check their own results, executed functionally."""

    def test_measures_checks_its_results_and_writes_what_heddle_reads(self):
        program, file = self.folder / "harvest", self.folder / "card.csv"
        code, _, error = run(HARVEST, HARVEST_PROGRAM=program, NVCC=NVCC,
                             NVCC_FLAGS="-arch=compute_75 -code=compute_75 -cudart shared")
        self.assertEqual(code, 0, error)
        capture = [PROGRAM, "capture", "-o", self.folder / "a.hcap", "--platform", "t4", "--", program]
        code, _, error = run(*capture, "--quick", "--only", "launches,memory,kernels,pairs", "--out", file)
        self.assertEqual(code, 0, error)
        code, out, error = run(PROGRAM, "import", "harvest", file, "-o", self.folder / "card.yaml", "--json")
        self.assertEqual(code, 0, error)
        rows = {(row["what"], *row["parameters"].values()): row for row in json.loads(out)["rows"]}
        self.assertEqual(len(rows), 89)
        self.assertIn(("pair", "triad", "matrix_multiply_tiled", "priorities", "second"), rows)
        self.assertIn(("latency", "global", "16384"), rows)
        self.assertIn(("bandwidth", "copy", "40", "8192"), rows)
        # Under capture a kernel takes 1 us and a cycle for each warp instruction of an SM.
        queued = rows[("launch", "queued")]
        self.assertAlmostEqual(queued["value"], 1.0, delta=0.01)
        self.assertEqual(queued["repetitions"], 3)
        for words, message in ((["--only", "memmory"], "there is no part 'memmory'"), (["--minuts"], "unknown option"),
                               (["--minutes", "0"], "--minutes takes a number up to 60, not '0'")):
            code, _, error = run(program, *words)
            self.assertEqual((code, error.count("\n")), (3, 1), error)
            self.assertIn(message, error)


class HarvestPage(Folder):
    KEPT = ("clock", "launch", "latency,memory=shared", "latency,memory=global footprint=16384,",
            "bandwidth,memory=dram sms=1 ", "dispatch,blocks=64 threads=32", "kernel,name=vector_add n=65536",
            "kernel,name=reduction n=65536", "time_slice", "pair,first=multiply_add second=triad way=processes")

    def setUp(self):
        super().setUp()
        lines = EXAMPLE.read_text().splitlines(keepends=True)
        self.head = [line for line in lines if line.startswith(("#", "what"))]
        kept = [line for line in lines if line.startswith(("#", "what", *self.KEPT))]
        small = ["alone,name=multiply_add n=2048 blocks=8 threads=256 rounds=64,5,us,21,5,6\n",
                 "alone,name=triad n=4096 blocks=8,4,us,21,4,5\n",
                 "pair,first=multiply_add second=triad way=streams part=first,6,us,21,5,7\n",
                 "pair,first=multiply_add second=triad way=streams part=second,7,us,21,6,8\n",
                 "occupancy,memory=dram warps=1 each=4096,20,GB/s,21,19,21\n",
                 "bandwidth,memory=copy sms=1 each=4096,20,GB/s,21,19,21\n",
                 "program,name=2dconv size=32 block_x=8 launches=1,5,us,21,4,6\n",
                 "program,name=gemm size=2048 block_x=8 launches=1,14395,us,21,14259,14505\n"]
        self.file = self.folder / "card.csv"
        self.file.write_text("".join([*kept, *small]))

    def page(self, *words):
        return run(PAGE, self.file, self.folder / "page", "--heddle", PROGRAM, "--jobs", "2", *words)

    def test_puts_the_card_beside_heddle(self):
        code, out, error = self.page()
        self.assertEqual((code, error), (0, ""))
        self.assertEqual(out, f"harvest_page: {self.folder / 'page/index.html'}\n")
        page = (self.folder / "page/index.html").read_text(encoding="utf-8")
        rows = json.loads((self.folder / "page/harvest.json").read_text())["rows"]
        for text in ("<h1>example card (made up)</h1>", "vector_add: n 65536", "Time slices of two processes",
                     "multiply_add beside triad, streams, second", "multiply_add beside triad, processes, first",
                     "data:image/svg+xml"):
            self.assertIn(text, page)
        self.assertNotIn("mathdefault", page)
        simulated = {(row["what"], *row["parameters"].values()): row["simulated"] for row in rows}
        # The latencies of the platform come from this file, which says 17.5 and 24 ns.
        self.assertAlmostEqual(simulated[("latency", "shared")], 17.5, delta=0.05 * 17.5)
        self.assertAlmostEqual(simulated[("latency", "global", "16384")], 24, delta=0.05 * 24)
        first, second = (simulated[("pair", "multiply_add", "triad", "streams", part)] for part in ("first", "second"))
        # The second of two kernels ends after the first, and not before it would alone.
        self.assertGreater(second, simulated[("alone", "triad", "4096", "8")] * 0.99)
        self.assertGreater(first, simulated[("alone", "multiply_add", "2048", "8", "256", "64")] * 0.99)
        # Two launches of the reduction take more than the launches alone: 1.5 us each by the platform.
        self.assertGreater(simulated[("kernel", "reduction", "65536", "32")], 3)
        # The empty kernel of 64 blocks is the only one here, so that nothing is known of the card's events.
        self.assertGreater(simulated[("program", "2dconv", "32", "8", "1")], 1.5)
        self.assertGreater(simulated[("occupancy", "dram", "1", "4096")], 0)
        for row in (("program", "gemm", "2048", "8", "1"), ("bandwidth", "copy", "1", "4096"), ("launch", "call")):
            self.assertIsNone(simulated[row])
        self.assertIsNone(simulated[("pair", "multiply_add", "triad", "processes", "first")])
        measured = next(row for row in rows if row["parameters"] == {"memory": "shared"})
        ratio = simulated[("latency", "shared")] / measured["value"]
        self.assertIn(f'<span class="near">{ratio:.2f}</span>', page)

    def test_adds_what_events_take_on_the_card_to_all_kernels(self):
        def simulated(*lines):
            self.file.write_text("".join([*self.head, *lines]))
            code, _, error = self.page("--only", "kernel")
            self.assertEqual((code, error), (0, ""))
            rows = json.loads((self.folder / "page/harvest.json").read_text())["rows"]
            return next(row["simulated"] for row in rows if row["what"] == "kernel")

        kernel = "kernel,name=vector_add n=4096,9,us,21,8,10\n"
        alone = simulated(kernel)
        more = [simulated(f"dispatch,blocks=1 threads=32,{us},us,21,{us},{us}\n", kernel) - alone for us in (5, 7)]
        self.assertAlmostEqual(more[1] - more[0], 2, places=6)
        self.assertGreater(more[0], 0)

    def test_plans_and_refuses_with_one_message(self):
        code, out, _ = self.page("--plan")
        self.assertEqual((code, out), (0, "22 measurements, 15 simulations\n"))
        for words, message in ((["--only", "kernels"], "has no rows of 'kernels'"),
                               (["--base", "k2000"], "'k2000' is not in platforms")):
            code, out, error = self.page(*words)
            self.assertEqual((code, out, error.count("\n")), (2, "", 1), error)
            self.assertIn(message, error)
        self.file.write_text(self.file.read_text().replace("harvest: 1", "harvest: 9"))
        code, out, error = self.page()
        self.assertEqual((code, out, error.count("\n")), (2, "", 1), error)
        self.assertIn("card.csv:1: is of version '9' of the format", error)


if __name__ == "__main__":
    if HarvestProgram.__name__ in sys.argv and not (NVCC and FULL):
        print("skipped: it needs nvcc, and minutes to compile (HEDDLE_TEST_SIZE=full)")
        sys.exit(77)
    sys.exit(unittest.main())
