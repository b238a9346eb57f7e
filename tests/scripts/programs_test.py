"""scripts/capture_programs over the programs of stimuli/capture/examples, and over programs that fail."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "stimuli/capture/examples"
BUILD = pathlib.Path(os.environ.get("HEDDLE_PROGRAM", ROOT / "build/heddle")).parent
ROW = re.compile(r"(\S+) +(right|FAILED) +(\d+|-) +(\d+|-) +(\d+|-) +(\d+|-) +(\d+|-)")

PROGRAM = """#include <cuda_runtime.h>
#include <cstdio>
__global__ void store(int* at) { *at = VALUE; }
int main() {
  int *device, host = 0;
  cudaMalloc(&device, sizeof host);
  store<<<BLOCKS, 1>>>(device);
  cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost);
  const bool right = CONDITION;
  std::printf("store: %s\\n", right ? "right" : "WRONG");
  return RETURN;
}
"""


def capture(*arguments):
    return subprocess.run([ROOT / "scripts/capture_programs", "--build", BUILD, *arguments], capture_output=True,
                          text=True, check=False)


def rows(text):
    return [match.groups() for match in map(ROW.fullmatch, text.splitlines()) if match]


class Programs(unittest.TestCase):
    def test_each_program_is_right_in_both_orders_and_in_its_replay(self):
        done = capture("--jobs", "2")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        files = [str(file.relative_to(EXAMPLES)) for file in sorted(EXAMPLES.glob("*/*.cu"))]
        self.assertEqual([row[0] for row in rows(done.stdout)], files)
        self.assertGreaterEqual(len(files), 43)
        for name, result, *numbers in rows(done.stdout):
            self.assertEqual(result, "right", name)
            self.assertTrue(all(int(number) > 0 for number in numbers), name)
        self.assertEqual(done.stdout.splitlines()[-1], f"{len(files)} of {len(files)} programs are right")


class Failures(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="heddle-programs-test-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, value="7", blocks="1", condition="host == 7", status="right ? 0 : 1"):
        text = PROGRAM
        for word, by in (("VALUE", value), ("BLOCKS", blocks), ("CONDITION", condition), ("RETURN", status)):
            text = text.replace(word, by)
        (self.folder / name).write_text(text)
        return self.folder / name

    def test_a_program_whose_result_is_wrong_is_named_and_the_others_have_their_rows(self):
        files = [self.write("good.cu"), self.write("wrong.cu", value="8"),
                 self.write("silent.cu", value="8", status="0"), self.write("broken.cu", value="nothing"),
                 self.write("last.cu")]
        done = capture("--jobs", "2", *files)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual([row[:2] for row in rows(done.stdout)],
                         [("good.cu", "right"), ("wrong.cu", "FAILED"), ("silent.cu", "FAILED"),
                          ("broken.cu", "FAILED"), ("last.cu", "right")])
        self.assertEqual(rows(done.stdout)[0][2:4], ("1", "1"))
        self.assertIn("wrong.cu: capture: exit status", done.stdout)
        self.assertIn("silent.cu: capture: the program does not say that its result is right", done.stdout)
        self.assertIn("broken.cu: compilation: exit status", done.stdout)
        self.assertTrue(done.stdout.endswith("2 of 5 programs are right\n"))

    def test_a_result_that_depends_on_the_order_of_blocks_fails(self):
        racy = self.write("racy.cu", value="static_cast<int>(blockIdx.x)", blocks="40", condition="host >= 0")
        done = capture(racy)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("racy.cu: functional execution --order interleaved: exit status", done.stdout)

    def test_a_file_that_is_absent_is_refused(self):
        done = capture(self.folder / "absent.cu")
        self.assertEqual(done.returncode, 2)
        self.assertIn("absent.cu is no file", done.stderr)


if __name__ == "__main__":
    if shutil.which("clang++") is None:
        print("skipped: there is no clang++ here, with which programs are compiled")
        sys.exit(77)
    unittest.main()
