"""pandas reads stats.csv and series.csv with the lines of scripts/OUTPUT.md."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

try:
    import pandas
except ImportError:
    sys.exit(77)  # skipped

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ["HEDDLE_PROGRAM"]


def line_of(file):
    """The expression of the page that reads this file, without what draws it."""
    page = (ROOT / "scripts/OUTPUT.md").read_text()
    return re.search(rf'^    (pandas\.read_csv\("[^"]*{file}".*?)(\.plot\(\))?$', page, re.MULTILINE).group(1)


class Pandas(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        command = [PROGRAM, "run", "vector_add", "--platform", "gtx480", "--stats", "full", "--interval", "100cycles",
                   "--quiet", "--out", cls.folder.name + "/kept"]
        subprocess.run(command, check=True, capture_output=True, cwd=ROOT)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def read(self, file):
        place = f'"{self.folder.name}/kept/1-fcfs-s/{file}"'
        return eval(re.sub(rf'"[^"]*{file}"', place, line_of(file)), {"pandas": pandas})

    def test_statistics(self):
        blocks = self.read("stats.csv")
        self.assertEqual(len(blocks), 15)  # SMs
        table = pandas.read_csv(self.folder.name + "/kept/1-fcfs-s/stats.csv", index_col="path")
        self.assertEqual(list(table.columns), ["value", "unit", "description"])
        self.assertEqual(blocks.sum(), table.value["applications.vector_add.vector_add.blocks_done"])
        self.assertGreater(blocks.sum(), 0)
        self.assertFalse(table.unit.isna().any() or table.description.isna().any())

    def test_series(self):
        occupancy = self.read("series.csv")
        self.assertGreater(len(occupancy), 5)
        self.assertGreater(occupancy.max(), 0)


if __name__ == "__main__":
    unittest.main()
