#!/usr/bin/python3
"""What a campaign's page tells of servers: their requests in a table, and unfairness over time."""

import contextlib
import sqlite3
import sys
import unittest

sys.dont_write_bytecode = True
from made_up import MadeUp, ROOT, ReportTest  # noqa: E402

sys.path.insert(0, str(ROOT / "scripts"))
from heddle_report import database, tables, unfairness  # noqa: E402

NUMBERS = (("requests_arrived", 100, "request"), ("response_p99_ps", 7.5e9, "ps"), ("deadlines_met", 0.75, "ratio"),
           ("normalised_throughput", 0.9, "ratio"))
WINDOWS = [(0, 10, 2), (10, 20, 3), (30, 40, 1)]


class ServersOfAPage(ReportTest):
    def write(self, numbers=NUMBERS, windows=WINDOWS):
        """Two points; the first application of each is a server."""
        MadeUp(axes={"sm": ["4", "8"]}, numbers=lambda *_: {"antt": 1}, plots=[("bars", "application", "deadlines_met",
                                                                                "sm")],
               slowdowns=lambda *_: {"server": 2, "job": 3}).write(self.directory)
        with contextlib.closing(sqlite3.connect(self.directory / "results.sqlite")) as opened, opened:
            opened.execute("CREATE TABLE unfairness(sample, begin_ps, end_ps, value)")
            for sample in (1, 2):
                opened.executemany("INSERT INTO application_metrics VALUES(?, 0, 'server', ?, ?, ?)",
                                   [(sample, *number) for number in numbers])
                opened.executemany("INSERT INTO unfairness VALUES(?, ?, ?, ?)",
                                   [(sample, *window) for window in windows])

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
        table = tables.servers(database.load(self.directory))
        self.assertEqual(table.count, 2)
        self.assertEqual(len(table.columns), 3 + len(NUMBERS))
        self.assertIn(">server<", table.rows[0])
        self.assertIn(">7.500<", table.rows[0])
        self.assertIn(">0.750<", table.rows[0])

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
