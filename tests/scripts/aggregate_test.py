#!/usr/bin/python3
"""Means, deviations, geometric means and cliffs against closed forms."""

import contextlib
import math
import sqlite3
import sys

sys.dont_write_bytecode = True
from made_up import MadeUp, ROOT, ReportTest  # noqa: E402

sys.path.insert(0, str(ROOT / "scripts"))
from heddle_report import aggregate, database  # noqa: E402

OFFSET = {1: -1, 2: 0, 3: 1}


def antt(values, variant):
    return {"antt": 10 * int(values["sm"]) * (2 if variant == "b" else 1) + int(values["mix"]) + OFFSET[values["seed"]]}


def antt_of_one(*_):
    return {"antt": 1}


class Aggregates(ReportTest):
    def load(self, **changes):
        given = {"axes": {"sm": ["8", "2"], "mix": ["0", "4"]}, "numbers": antt, "seeds": [1, 2, 3],
                 "variants": ("a", "b"), **changes}
        MadeUp(**given).write(self.directory, make_runs=False)
        return database.load(self.directory)

    def test_means_are_over_all_that_is_not_named_and_deviations_over_seeds_alone(self):
        grid = aggregate.grid(self.load(), "sm", "variant", "antt")
        self.assertEqual((grid.columns, grid.rows), (["2", "8"], ["a", "b"]))
        cell = grid.cells["8", "b"]
        self.assertEqual((cell.mean, cell.count, cell.deviation), (162, 6, 1))  # the mix adds 2 and no deviation

    def test_without_seeds_there_is_no_deviation(self):
        campaign = self.load(seeds=(), numbers=lambda values, variant: {"antt": int(values["mix"])})
        self.assertIsNone(aggregate.grid(campaign, "sm", "", "antt").cells["2", ""].deviation)

    def test_what_goes_with_a_named_axis_is_not_left_over(self):
        campaign = self.load(axes={"sm": ["8", "2"], "twice": ["16"], "mix": ["0", "4"]}, variants=("a",))
        for sample in campaign.samples:
            sample.values["twice"] = str(2 * int(sample.values["sm"]))
            sample.variant = "v" + sample.values["sm"]
        self.assertEqual(aggregate.left_over(campaign, ("sm", "antt")), [("mix", 2), ("seed", 3)])
        self.assertEqual(aggregate.left_over(campaign, ("mix", "antt", "seed")),
                         [("sm", 2), ("twice", 2), ("variant", 2)])

    def test_combinations_are_means_over_seeds(self):
        axes, rows = aggregate.combinations(self.load())
        self.assertEqual((axes, len(rows)), (["sm", "mix"], 8))
        self.assertEqual((rows[0].values, rows[0].variant), (("8", "0"), "a"))
        self.assertEqual(rows[0].summaries["antt"], aggregate.Summary(80, 3, 1))

    def test_what_failed_is_in_no_mean(self):
        campaign = self.load(failed=lambda values, _: ("failed", "x") if values["seed"] == 3 else None)
        cell = aggregate.grid(campaign, "sm", "variant", "antt").cells["2", "a"]
        self.assertEqual((cell.mean, cell.count), (21.5, 4))
        self.assertAlmostEqual(cell.deviation, math.sqrt(0.5))

    def test_metrics_of_requests_count_every_request_that_was_served(self):
        MadeUp(axes={"sm": ["8"]}, numbers=antt_of_one, variants=("a", "b"),
               plots=[("cdf", "response_ps", "", "variant")],
               slowdowns=lambda *_: {"server": 2, "job": 3}).write(self.directory, make_runs=False)
        with contextlib.closing(sqlite3.connect(self.directory / "results.sqlite")) as tables, tables:
            tables.execute('CREATE TABLE requests(run, process, request, "arrival [ps]", "start [ps]", "end [ps]", '
                           'outcome)')
            for row in ((0, 1, 10, 20, 50, "served"), (0, 2, 30, 50, 60, "served"), (0, 3, 40, 0, 45, "shed")):
                tables.execute("INSERT INTO requests SELECT DISTINCT run, ?, ?, ?, ?, ?, ? FROM samples "
                               "WHERE variant = 'b'", row)
        campaign = database.load(self.directory)
        self.assertEqual(aggregate.groups(campaign, "application", "variant", "response_ps"),
                         {("server", "b"): ([40, 30], ["", ""])})
        self.assertEqual(aggregate.groups(campaign, "", "", "queueing_ps")["", ""][0], [10, 20])
        self.assertEqual(aggregate.groups(campaign, "", "", "service_ps")["", ""][0], [30, 10])
        self.assertEqual(aggregate.groups(campaign, "application", "", "ntt"),
                         {("server", ""): ([2, 2], ["", ""]), ("job", ""): ([3, 3], ["", ""])})

    def test_hand_overs_are_counted_one_by_one_with_the_application_that_left_and_the_way(self):
        MadeUp(axes={"sm": ["8"]}, numbers=antt_of_one, variants=("a", "b"),
               plots=[("cdf", "handover_ps", "", "way")],
               slowdowns=lambda *_: {"server": 2, "job": 3}).write(self.directory, make_runs=False)
        with contextlib.closing(sqlite3.connect(self.directory / "results.sqlite")) as tables, tables:
            tables.execute('CREATE TABLE handovers(run, handover, application, way, "latency [ns]")')
            for row in ((0, "job", "drain", 5.0), (1, "job", "flush", 1.5), (2, "server", "drain", 2.0)):
                tables.execute("INSERT INTO handovers SELECT DISTINCT run, ?, ?, ?, ? FROM samples "
                               "WHERE variant = 'b'", row)
        campaign = database.load(self.directory)
        self.assertEqual(aggregate.groups(campaign, "", "way", "handover_ps"),
                         {("", "drain"): ([5000, 2000], ["", ""]), ("", "flush"): ([1500], [""])})
        self.assertEqual(aggregate.groups(campaign, "application", "variant", "handover_ps"),
                         {("job", "b"): ([5000, 1500], ["", ""]), ("server", "b"): ([2000], [""])})
        with self.assertRaisesRegex(aggregate.PlotError, "none of a hand-over's"):
            aggregate.groups(campaign, "ntt", "", "handover_ps")
        with self.assertRaisesRegex(aggregate.PlotError, "of hand-overs alone"):
            aggregate.groups(campaign, "way", "", "antt")

    def test_metrics_of_applications_count_every_application(self):
        campaign = self.load(slowdowns=lambda values, _: {"bfs": 2, "spmv": int(values["sm"])})
        cell = aggregate.grid(campaign, "sm", "", "ntt").cells["8", ""]
        self.assertEqual((cell.mean, cell.count), (5, 24))

    def test_an_axis_is_idle_where_all_numbers_are_equal_all_else_being_equal(self):
        campaign = self.load(numbers=lambda values, variant: {"antt": int(values["sm"]) + (variant == "b")})
        self.assertEqual(aggregate.idle_axes(campaign), [("mix", 2), ("seed", 3)])

    def test_an_axis_that_changes_a_number_of_an_application_is_not_idle(self):
        campaign = self.load(numbers=antt_of_one, slowdowns=lambda values, _: {"bfs": int(values["mix"])})
        self.assertEqual(aggregate.idle_axes(campaign), [("sm", 2), ("seed", 3)])

    def test_a_percentile_has_its_interval_and_several_samples_the_mean_of_the_ends(self):
        def numbers(values, _):
            base = 10 * int(values["sm"]) + values["seed"]
            return {"response_p99_ps.0": base, "response_p99_low_ps.0": base - 4, "response_p99_high_ps.0": base + 6}
        grid = aggregate.grid(self.load(numbers=numbers), "sm", "", "response_p99_ps.0")
        self.assertEqual(grid.cells["2", ""].interval, (18, 28))
        self.assertEqual(grid.cells["8", ""].interval, (78, 88))
        self.assertFalse(grid.cells["2", ""].overlaps(grid.cells["8", ""]))
        self.assertTrue(grid.cells["2", ""].overlaps(grid.cells["2", ""]))
        self.assertIsNone(aggregate.summarise([1, 2], ["1", "2"]).interval)

    def test_geometric_means_are_over_workloads_alone(self):
        self.assertTrue(all(map(aggregate.are_workloads, ("application", "mix.index", "parameters.n", "seed"))))
        self.assertFalse(any(map(aggregate.are_workloads, ("variant", "sm.count", "policy.sm_partitioner", "mixed"))))

    def test_geometric_means_are_over_the_columns_that_every_row_has(self):
        grid = aggregate.Grid(["1", "2", "3"], ["a", "b"], {
            ("1", "a"): aggregate.Summary(2, 1), ("2", "a"): aggregate.Summary(8, 1),
            ("3", "a"): aggregate.Summary(1000, 1), ("1", "b"): aggregate.Summary(3, 1),
            ("2", "b"): aggregate.Summary(12, 1)})
        shared, means = aggregate.geometric_means(grid)
        self.assertEqual(shared, ["1", "2"])
        self.assertAlmostEqual(means["a"], 4)
        self.assertAlmostEqual(means["b"], 6)

    def test_there_is_no_geometric_mean_of_what_is_not_above_zero(self):
        grid = aggregate.Grid(["1"], ["a"], {("1", "a"): aggregate.Summary(0, 1)})
        self.assertEqual(aggregate.geometric_means(grid), (["1"], {}))

    def test_the_steepest_change_is_by_fraction_of_the_larger_neighbour(self):
        self.assertEqual(aggregate.steepest([100, 90, 45, 20]), aggregate.Cliff(2, -25 / 45))
        self.assertEqual(aggregate.steepest([1, 4, 5]), aggregate.Cliff(0, 0.75))
        self.assertEqual(aggregate.steepest([8, 4, 2]), aggregate.Cliff(0, -0.5))  # the first of equals

    def test_less_than_the_stated_fraction_is_no_cliff(self):
        self.assertIsNone(aggregate.steepest([100, 75.1, 75]))
        self.assertEqual(aggregate.steepest([100, 75]), aggregate.Cliff(0, -0.25))
        self.assertIsNone(aggregate.steepest([0, 0]))
        self.assertIsNone(aggregate.steepest([5]))

    def test_what_nobody_varies_cannot_be_plotted(self):
        campaign = self.load()
        with self.assertRaisesRegex(aggregate.PlotError, "'jitter' is neither varied nor a metric"):
            aggregate.grid(campaign, "jitter", "", "antt")
        with self.assertRaisesRegex(aggregate.PlotError, "'sm', is no metric"):
            aggregate.grid(campaign, "mix", "", "sm")


if __name__ == "__main__":
    import unittest
    unittest.main()
