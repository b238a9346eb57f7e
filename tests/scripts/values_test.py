#!/usr/bin/python3
"""Values of axes in their order, and numbers as a reader sees them."""

import sys
import unittest

sys.dont_write_bytecode = True
from made_up import ROOT  # noqa: E402

sys.path.insert(0, str(ROOT / "scripts"))
from heddle_report.values import NO_VALUE, Scale, ordered, printable, quantities, short  # noqa: E402


class ReportValues(unittest.TestCase):
    def test_numbers_sort_by_size(self):
        self.assertEqual(ordered(["13", "4", "8", "4", "1e1"]), ["4", "8", "1e1", "13"])
        self.assertEqual(ordered(["0.5", "-1", ".25"]), ["-1", ".25", "0.5"])

    def test_quantities_of_one_kind_sort_by_size_across_units(self):
        self.assertEqual(ordered(["1MiB", "16KiB", "2KiB", "64kB"]), ["2KiB", "16KiB", "64kB", "1MiB"])
        self.assertEqual(ordered(["1GHz", "924MHz"]), ["924MHz", "1GHz"])
        self.assertEqual(ordered(["2ms", "30us", "1s"]), ["30us", "2ms", "1s"])
        self.assertEqual(ordered(["5000cycles", "1cycle"]), ["1cycle", "5000cycles"])

    def test_all_else_keeps_the_order_of_its_appearance(self):
        for texts in (["token", "fcfs-s", "4"], ["2MHz", "1KiB"], ["2x", "1x"], ["16 KiBs", "2"], ["nan", "1"],
                      ["1e999", "1"]):
            self.assertEqual(ordered(texts + texts), texts)
            self.assertIsNone(quantities(texts))
        self.assertIsNone(quantities([]))

    def test_no_value_comes_last(self):
        self.assertEqual(ordered([NO_VALUE, "8", "4"]), ["4", "8", NO_VALUE])

    def test_a_column_has_one_unit_and_one_precision(self):
        times = Scale("turnaround_ps", "ps", [1.5e9, 2.5e12])
        self.assertEqual((times.label, times.text(2.5e12), times.text(1.5e9)), ("turnaround (s)", "2.500", "0.0015"))
        counts = Scale("cycles", "cycles", [7, 1234567])
        self.assertEqual([counts.text(7), counts.text(1234567)], ["7", "1,234,567"])
        ratios = Scale("antt", "ratio", [24.574, 3.1])
        self.assertEqual([ratios.text(24.574), ratios.text(3.1)], ["24.574", "3.100"])

    def test_what_is_small_beside_the_rest_does_not_become_zero(self):
        scale = Scale("x", "", [20000.5, 0.004, 0])
        self.assertEqual([scale.text(value) for value in (20000.5, 0.004, 0)], ["20,000", "0.004", "0"])

    def test_long_names_keep_their_ends(self):
        cut = short("a" * 50 + "b" * 50, 11)
        self.assertEqual((len(cut), cut), (11, "aaaaa…bbbbb"))

    def test_control_characters_are_replaced(self):
        self.assertEqual(printable("a\x00b\x1bc\x7f\ud800é"), "a\ufffdb\ufffdc\ufffd\ufffdé")


if __name__ == "__main__":
    unittest.main()
