"""Every command of every README runs, every file they name is there, and figures stand in tests/RESULTS.md alone.

Runs in a folder that looks like a clone with a build in it. Commands that take more than seconds run in scripts/soak
only (HEDDLE_TEST_SIZE=full); at the short size a command beside each shows that the command line is understood.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("HEDDLE_PROGRAM", ROOT / "build/heddle"))
FULL = os.environ.get("HEDDLE_TEST_SIZE") == "full"
PAGES = ("README.md", "models/README.md", "models/SM.md", "models/TRACE.md", "models/MEMORY.md",
         "models/DECISIONS.md", "models/LIMITS.md", "policies/README.md", "policies/POLICIES.md", "stimuli/README.md",
         "stimuli/APPLICATIONS.md", "stimuli/CAPTURE.md", "stimuli/CUDA_CALLS.md", "stimuli/HARVEST.md",
         "stimuli/KERNELS.md", "stimuli/PTX_FORMS.md", "stimuli/RTL.md", "platforms/README.md",
         "platforms/CAMPAIGNS.md", "platforms/RTL.md", "scripts/README.md", "scripts/OUTPUT.md", "tests/README.md")
MOST_README_BYTES = 12 * 1024

# What stands for a command at the short size; the commands of the gate run the gate's own stages.
SHORT = {
    "scripts/quickstart": "scripts/quickstart --help",
    "scripts/test": "scripts/test --help",
    "scripts/soak": "scripts/soak --help",
    "scripts/gate": "scripts/gate --help",
    "scripts/compilers": "scripts/compilers --help",
    "scripts/benchmark": "scripts/benchmark --help",
    "build/heddle reproduce cusched": "build/heddle check stimuli/papers/cusched.yaml",
    "build/heddle reproduce cruz": "build/heddle check stimuli/papers/cruz.yaml",
    "build/heddle reproduce perf-sat": "build/heddle check stimuli/papers/perf-sat.yaml",
    "build/heddle reproduce xsched": "build/heddle check stimuli/papers/xsched.yaml",
    "build/heddle reproduce zorua --short": "build/heddle check stimuli/papers/zorua.yaml",
    "build/heddle reproduce warped-slicer --window 200000": "build/heddle check stimuli/papers/warped-slicer.yaml",
    # Both go on with what a paper above has begun.
    "build/heddle reproduce --resume": "build/heddle reproduce --help",
    "build/heddle reproduce --page": "build/heddle reproduce --help",
    "build/heddle reproduce tenants-h100": "build/heddle check stimuli/papers/tenants-h100.yaml",
    "build/heddle reproduce h100 --short": "build/heddle reproduce h100 --short --plan",
    "build/heddle reproduce h100": "build/heddle reproduce h100 --plan",
    "build/heddle reproduce a100": "build/heddle reproduce a100 --plan",
    "build/heddle reproduce zorua --plan": "build/heddle reproduce zorua --short --plan",
    "build/heddle reproduce cusched --plan": "build/heddle reproduce cusched --short --plan",
    "build/heddle bench": "build/heddle bench --quick",
    "build/heddle run answers-beside-lbm": "build/heddle run smaller/answers-beside-lbm.yaml",
    "build/heddle run instances": "build/heddle run smaller/instances.yaml",
    "build/heddle batch run schedulers-by-sms": "build/heddle batch run smaller/schedulers-by-sms.yaml",
    # One run in place of one for each policy.
    "build/heddle run parboil-mix --set mix.size=8 --json":
        "build/heddle run parboil-mix --set mix.size=8 --policy sm_partitioner=token --json",
    "build/heddle run parboil-mix --set rtl.t=token_unit --policy sm_partitioner=rtl.t":
        "build/heddle run parboil-mix --set rtl.t=token_unit --policy sm_partitioner=rtl.t --set mix.size=2",
    # It needs a GPU; the test Harvest runs its program under capture.
    "scripts/harvest --out card.csv": "scripts/harvest --plan",
    "scripts/harvest_page card.csv card": "scripts/harvest_page card.csv card --plan",
    # The test CudaPrograms has all programs.
    "scripts/capture_programs --jobs 2": "scripts/capture_programs stimuli/capture/examples/streams/relay.cu",
    # The tests BatchOnSlurm submit campaigns to a Slurm of their own.
    "build/heddle batch submit schedulers-by-sms": "build/heddle batch submit --help",
}
NEVER_HERE = ("scripts/harvest --out card.csv", "scripts/quickstart", "scripts/test", "scripts/soak",
              "scripts/gate", "scripts/compilers", "build/heddle batch submit schedulers-by-sms")

# Files of stimuli, what the short size replaces in them, and with what.
SMALLER = {
    "applications/answers": {"requests: 500": "requests: 60", "warm_up: 100": "warm_up: 10"},
    "applications/large-answers": {"requests: 220": "requests: 40", "warm_up: 20": "warm_up: 4"},
    "experiments/answers-beside-lbm": {"application: answers,": "application: answers.yaml,"},
    "experiments/instances": {"application: large-answers,": "application: large-answers.yaml,"},
    "campaigns/schedulers-by-sms": {"mix.index: [0, 1]": "mix.index: [0]", "[4, 8, 13]": "[4, 13]",
                                    "[fcfs-s, fcfs-m, token]": "[fcfs-s, token]"},
}

REQUESTS = "".join(f"{'W' if i % 3 == 0 else 'R'} 0x{i * 0x940:x}\n" for i in range(200))
PAIR = """\
experiment: pair
platform: k20-cusched
applications: [sgemm, spmv]
"""
# The counter of this waveform agrees with every run.
WAVEFORM = """\
$timescale 1 ns $end
$scope module top $end
$var wire 1 ! clk $end
$var wire 8 " blocks [7:0] $end
$upscope $end
$enddefinitions $end
#0
0!
b0 "
#5
1!
b1 "
#10
0!
"""
MAP = """\
clock: {signal: top.clk}
tolerance: {absolute: 1000000000}
pairs:
  - {name: blocks, rtl: delta(top.blocks), model: sum(gpu.sm*.blocks_done)}
"""


def commands(page):
    """The commands of a page: indented lines that start a program of the project, without their comments."""
    found = []
    for line in (ROOT / page).read_text().splitlines():
        match = re.match(r"^    ((?:build/heddle|scripts/|nvcc |g[+][+] )[^#]*)", line)
        if match:
            found.append(match.group(1).strip())
    return found


def all_commands():
    seen = {}
    for page in PAGES:
        for command in commands(page):
            seen.setdefault(command, page)
    return seen


class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="heddle-pages-"))
        for name in ("models", "platforms", "policies", "stimuli", "scripts", "tests"):
            (cls.folder / name).symlink_to(ROOT / name)
        (cls.folder / "build").symlink_to(PROGRAM.parent)
        (cls.folder / "requests.txt").write_text(REQUESTS)
        (cls.folder / "pair.yaml").write_text(PAIR)
        (cls.folder / "map.yaml").write_text(MAP)
        (cls.folder / "sim.vcd").write_text(WAVEFORM)
        (cls.folder / "trace.csv").write_text("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.68,9,4\n")
        shutil.copy(ROOT / "tests/data/hardware/example_card.csv", cls.folder / "card.csv")
        cls.write_smaller()
        cls.copy_runtime()
        plugin = re.search(r"```cpp\n(.*?)```", (ROOT / "policies/README.md").read_text(), re.DOTALL)
        (cls.folder / "youngest.cpp").write_text(plugin.group(1))
        launch = (ROOT / "stimuli/launches/vector_add.yaml").read_text()
        (cls.folder / "my.yaml").write_text(launch.replace("../kernels", str(ROOT / "stimuli/kernels")))
        for name in ("before", "after"):
            cls.call(f"build/heddle batch run {cls.campaign()} --quiet --dir {name}")
        cls.clang = shutil.which("clang++") is not None
        if cls.clang:
            for name in ("app", "saxpy"):
                subprocess.run([ROOT / "scripts/compile_cuda", "--runtime", PROGRAM.parent / "heddle-cudart",
                                ROOT / "stimuli/capture/examples/streams/relay.cu", "-o", cls.folder / name],
                               check=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)

    @classmethod
    def write_smaller(cls):
        (cls.folder / "smaller").mkdir()
        for name, changes in SMALLER.items():
            text = (ROOT / f"stimuli/{name}.yaml").read_text()
            for old, new in changes.items():
                assert text.count(old) == 1, f"{name}: {old}"
                text = text.replace(old, new)
            (cls.folder / "smaller" / f"{pathlib.Path(name).name}.yaml").write_text(text)

    @classmethod
    def copy_runtime(cls):
        """The objects of Verilator's run-time, which take long to compile, where other tests have made them."""
        cache = cls.folder / "cache/rtl"
        cache.mkdir(parents=True)
        for made in (PROGRAM.parent / "tests/rtl/cache/rtl").glob("*.o"):
            shutil.copy(made, cache)

    @classmethod
    def campaign(cls):
        file = cls.folder / "small.yaml"
        file.write_text("campaign: small\nexperiment: parboil-alone\naxes: [{list: [{sm.count: 4}, {sm.count: 8}]}]\n")
        return file

    @classmethod
    def call(cls, command):
        environment = dict(os.environ, HEDDLE_CACHE=str(cls.folder / "cache"))
        return subprocess.run(["bash", "-c", command], cwd=cls.folder, capture_output=True, text=True, check=False,
                              timeout=7200 if FULL else 800, env=environment, stdin=subprocess.DEVNULL)

    def test_every_command_runs(self):
        ran = 0
        for command, page in all_commands().items():
            if command.startswith("nvcc"):
                continue  # a compiler of NVIDIA's; scripts/compile_cuda stands for it here
            if "capture" in command or ".hcap" in command:
                if not self.clang:
                    continue
            if command in SHORT and (not FULL or command in NEVER_HERE):
                command = SHORT[command]
            with self.subTest(page=page, command=command):
                done = self.call(command)
                self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
                ran += 1
        self.assertGreater(ran, 20)


class Pages(unittest.TestCase):
    def test_the_first_page_is_short(self):
        self.assertLessEqual(len((ROOT / "README.md").read_bytes()), MOST_README_BYTES)

    def test_files_that_a_page_names_are_there(self):
        for page in PAGES:
            text = (ROOT / page).read_text()
            beside = (ROOT / page).parent
            for link in re.findall(r"\]\(([^)#:]+)\)", text):
                self.assertTrue((beside / link).exists(), f"{page} links {link}")
            for path in re.findall(r"`((?:models|policies|platforms|stimuli|tests|scripts)/[\w./-]*\w)`", text):
                self.assertTrue(any((ROOT / f"{path}{ending}").exists() for ending in ("", ".h", ".cpp", ".yaml")),
                                f"{page} names {path}")


if __name__ == "__main__":
    sys.exit(unittest.main())
