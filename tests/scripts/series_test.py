#!/usr/bin/python3
"""Series in a report: their values over time, and their panels."""

import math
import os
import re
import sqlite3
import sys
import unittest
import zlib

sys.dont_write_bytecode = True
from made_up import ROOT, MadeUp, ReportTest, run  # noqa: E402

sys.path.insert(0, str(ROOT / "scripts"))
from heddle_report import panels  # noqa: E402
from heddle_report.series import MOST_STEPS, SeriesReader, split  # noqa: E402

ENDS = [1000, 2000, 2500]
COLUMNS = [("applications.bfs.walk.warp_instructions", "instruction", "counter", [4000, 0, 1000]),
           ("applications.spmv.row.warp_instructions", "instruction", "counter", [0, 2000, 0]),
           ("gpu.dram0.row_hit_rate", "1", "formula", [0.5, None, 1]),
           ("gpu.dram1.row_hit_rate", "1", "formula", [0.25, None, None]),
           ("gpu.fill", "1", "formula", [0.5, 0.5, 0.75]),
           ("gpu.dma0.bytes_up", "byte", "counter", [0, 0, 0])]


def of_point(values, _):
    """Numbers that each point has for itself, so that no axis changes nothing."""
    return {"antt": 1 + zlib.crc32(repr(sorted(values.items())).encode()) / 2 ** 32}


def sampled(axes=None, ends=ENDS, columns=COLUMNS, **changes):
    """Four points, each with a series."""
    return MadeUp(axes or {"policy": ["token", "fcfs"], "sm.count": ["4", "8"]}, of_point,
                  series=(ends, columns), **changes)


class SeriesValues(ReportTest):
    def reader(self, made_up):
        made_up.write(self.directory)
        database = sqlite3.connect(self.directory / "results.sqlite")
        self.addCleanup(database.close)
        return SeriesReader(database.execute)

    def test_a_counter_is_its_growth_in_a_cycle_and_others_are_as_they_are(self):
        reader = self.reader(sampled())
        self.assertEqual(len(reader.runs), 4)
        line = reader.line(3, 1, "counter")
        self.assertEqual((line.edges, line.values), ([0, 1000, 2000, 2500], [4, 0, 2]))
        values = reader.line(3, 3, "formula").values
        self.assertEqual((values[0], math.isnan(values[1]), values[2]), (0.5, True, 1))
        self.assertIsNone(reader.line(3, 99, "counter"))

    def test_neighbouring_intervals_are_taken_together_where_there_are_many(self):
        many = 4 * MOST_STEPS - 2
        ends = [10 * (i + 1) for i in range(many)]
        reader = self.reader(sampled(ends=ends, columns=[("a", "block", "counter", range(many)),
                                                         ("b", "1", "formula", ([1, 3, None, None] * many)[:many])]))
        line = reader.line(1, 1, "counter")
        self.assertEqual((len(line.values), line.together, line.edges[1], line.edges[-1]),
                         (MOST_STEPS, 4, 40, ends[-1]))
        grown = sum(value * (end - begin) for value, begin, end in zip(line.values, line.edges, line.edges[1:]))
        self.assertAlmostEqual(grown, sum(range(many)))

    def test_paths_that_differ_in_a_kernel_or_a_block_are_one_statistic(self):
        found = {statistic.pattern: [path.name for path in statistic.paths]
                 for statistic in self.reader(sampled()).statistics()}
        self.assertEqual(found, {"applications.*.warp_instructions": ["bfs.walk", "spmv.row"],
                                 "gpu.dram*.row_hit_rate": ["dram0", "dram1"], "gpu.fill": [""],
                                 "gpu.dma*.bytes_up": ["dma0"]})
        self.assertEqual(split("gpu.l2_miss_rate", {"gpu.l2_miss_rate"}), ("gpu.l2_miss_rate", ""))
        self.assertEqual(split("gpu.l2.x", {"gpu.l1.x", "gpu.l2.x"}), ("gpu.l2.x", ""))


class SeriesPanels(ReportTest):
    def written(self, made_up):
        made_up.write(self.directory)
        self.assertEqual(self.report()[0::2], (0, ""))
        return self.page()

    def plots(self):
        return sorted(path.name for path in (self.directory / "plots").iterdir() if path.suffix == ".svg")

    def test_each_statistic_is_a_figure_with_a_panel_for_each_point(self):
        page = self.written(sampled())
        self.assertEqual(self.plots(), ["series-01-warp_instructions.svg", "series-02-gpu-dram-row_hit_rate.svg",
                                        "series-03-gpu-fill.svg"])
        for plot in self.plots():
            titles = [text for text in self.texts_in(plot.removesuffix(".svg")) if "sm.count=" in text]
            self.assertEqual(sorted(titles), sorted(f"{policy}, sm.count={count}" for policy in ("token", "fcfs")
                                                    for count in (4, 8)))
        shown = self.texts_in("series-01-warp_instructions")
        for text in ("IPC by kernel over time", "instruction per cycle", "bfs.walk", "spmv.row"):
            self.assertIn(text, shown)
        self.assertIn("Rows of panels: policy; columns: sm.count.", page)
        self.assertIn("not drawn: gpu.dma*.bytes_up.", page)
        self.assertNotIn("hidden", page)  # a column of the view of series is no metric
        self.assertEqual(re.findall(r'<figure id="series-(\d)"', page), ["1", "2", "3"])

    def test_a_campaign_without_series_has_no_such_section(self):
        page = self.written(MadeUp({"sm.count": ["4"]}, lambda *_: {"antt": 1.5}))
        self.assertNotIn('id="series', page)
        self.assertNotIn("#series", page)

    def test_what_no_panel_shows_is_stated(self):
        counts = [str(count) for count in range(1, panels.MOST_COLUMNS + 3)]
        page = self.written(sampled({"policy": ["token", "fcfs"], "sm.count": counts}, columns=COLUMNS[:1],
                                    seeds=[1, 2]))
        self.assertIn("4 more points are left out: there are at most 6 x 5 panels.", page)
        self.assertIn("Of several seeds the first is shown.", page)
        titles = [text for text in self.texts_in("series-01-warp_instructions") if "sm.count=" in text]
        self.assertEqual(len(titles), 2 * panels.MOST_COLUMNS)

    def test_a_run_that_failed_has_no_panel(self):
        self.written(sampled(columns=COLUMNS[:1], failed=lambda values, _: ("failed", "why") if values == {
            "policy": "fcfs", "sm.count": "8", "seed": values["seed"]} else None))
        titles = [text for text in self.texts_in("series-01-warp_instructions") if "sm.count=" in text]
        self.assertEqual(len(titles), 3)

    def test_the_same_results_give_the_same_bytes_and_old_figures_go(self):
        self.forked = False
        self.written(sampled())
        kept = {path.name: path.read_bytes() for path in (self.directory / "plots").iterdir()}
        (self.directory / "plots" / "series-09-gpu-occupancy.svg").write_text("")
        self.assertEqual(self.report()[0], 0)
        self.assertEqual({path.name: path.read_bytes() for path in (self.directory / "plots").iterdir()}, kept)


CAMPAIGN = """campaign: sampled
experiment: parboil-mix
axes:
  - product: {mix.size: [2], policy.sm_partitioner: [fcfs-m, token]}
interval: 2ms
series: ['applications.*.blocks_done', gpu.occupancy]
"""


@unittest.skipUnless("HEDDLE_PROGRAM" in os.environ, "needs heddle itself, as ctest names it")
class SeriesOfRuns(ReportTest):
    def test_a_campaign_with_an_interval_has_panels_in_its_report(self):
        (self.directory / "c.yaml").write_text(CAMPAIGN, encoding="utf-8")
        results = self.directory / "kept"
        for words in (("run", self.directory / "c.yaml", "--dir", results, "--quiet"), ("report", results)):
            code, _, error = run([os.environ["HEDDLE_PROGRAM"], "batch", *words])
            self.assertEqual((code, error), (0, ""))
        names = sorted(path.name for path in (results / "plots").glob("*.svg"))
        self.assertEqual(names, ["series-01-blocks_done.svg", "series-02-gpu-occupancy.svg"])
        self.assertEqual((results / "report.html").read_text(encoding="utf-8").count('<figure id="series-'), 2)


if __name__ == "__main__":
    unittest.main()
