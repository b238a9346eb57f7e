#!/usr/bin/python3
"""What a campaign's page tells of servers: their requests in a table, and unfairness over time."""

import contextlib
import sqlite3
import sys
import unittest

sys.dont_write_bytecode = True
from made_up import MadeUp, ROOT, ReportTest  # noqa: E402

sys.path.insert(0, str(ROOT / "scripts"))
from heddle_report import accounts, aggregate, database, tables, unfairness, words  # noqa: E402

NUMBERS = (("requests_arrived", 100, "request"), ("deadlines_met", 0.75, "ratio"),
           ("normalised_throughput", 0.9, "ratio"))
PERCENTILES = (("response_p99_ps", 7.5e9, "ps"), ("response_p99_low_ps", 7e9, "ps"),
               ("response_p99_high_ps", 8e9, "ps"))
WINDOWS = [(0, 10, 2), (10, 20, 3), (30, 40, 1)]


class NamesOfMetrics(unittest.TestCase):
    def test_say_which_server_they_are_of(self):
        self.assertEqual(words.of("ttft_p95_ps"), "p95 time to the first token")
        self.assertEqual(words.of("ttft_p95_ps.1"), "p95 time to the first token, application 1")
        self.assertEqual(words.of("ttft_p95_ps.last"), "p95 time to the first token, last server")
        self.assertEqual(words.of("nothing.last"), "nothing.last")

    def test_percentiles_of_one_server_have_its_interval(self):
        metrics = {"tbt_p99_low_ps.last": 1, "tbt_p99_high_ps.last": 3, "tbt_p99_low_ps.0": 5, "tbt_p99_high_ps.0": 6}
        self.assertEqual(aggregate.interval_of(metrics, "tbt_p99_ps.last"), (1, 3))
        self.assertEqual(aggregate.interval_of(metrics, "tbt_p99_ps.0"), (5, 6))
        self.assertIsNone(aggregate.interval_of(metrics, "tbt_p99_ps.1"))


class ServersOfAPage(ReportTest):
    def write(self, numbers=NUMBERS + PERCENTILES, windows=WINDOWS, plots=(), requests=()):
        """Two points; the first application of each is a server."""
        MadeUp(axes={"sm": ["4", "8"]}, numbers=lambda *_: {"antt": 1},
               plots=[("bars", "application", "deadlines_met", "sm"), *plots],
               slowdowns=lambda *_: {"server": 2, "job": 3}).write(self.directory)
        with contextlib.closing(sqlite3.connect(self.directory / "results.sqlite")) as opened, opened:
            opened.execute("CREATE TABLE unfairness(sample, begin_ps, end_ps, value)")
            for sample in (1, 2):
                opened.executemany("INSERT INTO application_metrics VALUES(?, 0, 'server', ?, ?, ?)",
                                   [(sample, *number) for number in numbers])
                opened.executemany("INSERT INTO unfairness VALUES(?, ?, ?, ?)",
                                   [(sample, *window) for window in windows])
            if requests:
                titles = ("run", "process", "request", "arrival [ps]", "start [ps]", "end [ps]", "outcome",
                          "queue [ps]", "executing [ps]", "copy_wait.server [ps]", "copy_wait.job [ps]",
                          "queue.executing [ps]", "queue.copy_wait.job [ps]", "mostly [ps]")
                opened.execute("CREATE TABLE requests({})".format(", ".join(f'"{title}"' for title in titles)))
                runs = [run for run, in opened.execute("SELECT run FROM samples ORDER BY sample")]
                for run in runs:
                    opened.executemany(f"INSERT INTO requests VALUES({', '.join('?' * len(titles))})",
                                       [(run, 0, number, *row) for number, row in enumerate(requests)])

    def test_the_page_has_their_requests_and_the_unfairness(self):
        self.write()
        self.assertEqual(self.report()[0], 0)
        text = self.page()
        self.assertIn("Requests of every server", text)
        self.assertIn("Unfairness over time", text)
        self.assertTrue((self.directory / "plots" / "unfairness.svg").is_file())
        self.assertNotIn("is not drawn", text)  # a plot of a metric of servers by application

    def test_a_server_has_a_row_with_the_numbers_that_there_are(self):
        self.write()
        table, = tables.servers(database.load(self.directory))
        self.assertEqual(table.count, 2)
        self.assertEqual(len(table.columns), 3 + len(NUMBERS))
        self.assertIn(">server<", table.rows[0])
        self.assertIn(">0.750<", table.rows[0])

    def test_a_percentile_stands_with_its_interval(self):
        self.write()
        table = tables.server_times(database.load(self.directory), "response", "Response times")
        self.assertEqual(len(table.columns), 3 + 1)
        self.assertIn(">7.500<small>7.000 – 8.000</small><", table.rows[0])

    def test_bars_of_a_percentile_name_what_does_not_differ(self):
        self.write(plots=[("bars", "sm", "response_p99_ps", "")])
        self.report()
        self.assertIn("Error bars: 95 % interval of the percentile.", self.page())
        self.assertIn("None of them differ: all intervals overlap.", self.page())

    # 99 requests of 100 ps, and one that waits 900 ps for a copy of the job behind another that does.
    REQUESTS = [(0, 0, 100, "served", 0, 90, 10, 0, 0, 0, 90)] * 99 + [
        (0, 600, 1000, "served", 600, 100, 0, 300, 0, 600, 900), (5, None, 5, "shed", *[None] * 7)]

    def test_accounts_are_means_of_all_and_of_the_slowest(self):
        self.write(requests=self.REQUESTS)
        campaign = database.load(self.directory)
        every, slowest = campaign.accounts[campaign.samples[0].run.id, 0]
        self.assertEqual((every.requests, slowest.requests), (100, 1))
        self.assertAlmostEqual(every.response, 109)
        self.assertAlmostEqual(every.parts["copy_wait", ""][1], 9.9)  # of the server itself
        self.assertEqual(slowest.parts, {("executing", ""): (0, 100), ("copy_wait", "job"): (600, 300)})
        self.assertEqual(slowest.words(), "90 % waits for a copy of job")
        for account in (every, slowest):
            self.assertAlmostEqual(sum(map(sum, account.parts.values())), account.response)
        bars, left_out = accounts.rows_of(campaign)
        self.assertEqual(([label for label, _ in bars], left_out),
                         (["4: all", "slowest 1 %", "8: all", "slowest 1 %"], 0))

    def test_the_page_has_the_accounts_as_stacked_bars(self):
        self.write(requests=self.REQUESTS)
        self.assertEqual(self.report()[0], 0)
        self.assertTrue((self.directory / "plots" / "accounts.svg").is_file())
        self.assertIn("Where the time of requests goes", self.page())

    def test_the_distribution_of_requests_shows_its_tail(self):
        self.write(requests=self.REQUESTS, plots=[("cdf", "response_ps", "", "sm")])
        self.assertEqual(self.report()[0], 0)
        self.assertIn("The axis is logarithmic in the share above", self.page())
        shown = self.texts_in("02-cdf")
        for text in ("0 %", "50 %", "90 %", "99 %"):
            self.assertIn(text, shown)

    def test_without_servers_there_is_neither(self):
        self.write(numbers=(), windows=())
        self.assertEqual(self.report()[0], 0)
        text = self.page()
        self.assertNotIn("Requests of every server", text)
        self.assertFalse((self.directory / "plots" / "unfairness.svg").exists())

    def test_a_window_without_a_value_is_a_gap_and_many_windows_are_means(self):
        edges, values = unfairness.steps_of(WINDOWS)
        self.assertEqual(edges, [0, 10, 20, 30, 40])
        self.assertEqual([values[0], values[1], values[3]], [2, 3, 1])
        self.assertNotEqual(values[2], values[2])  # NaN
        self.assertEqual(unfairness.steps_of([(i, i + 1, i % 2) for i in range(8)], 4), ([0, 2, 4, 6, 8], [0.5] * 4))


if __name__ == "__main__":
    unittest.main()
