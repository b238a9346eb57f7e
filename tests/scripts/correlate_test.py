#!/usr/bin/python3
"""scripts/correlate_page as heddle correlate calls it: its page, its plots, its refusals."""

import json
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from made_up import ROOT, run  # noqa: E402

PAGE = ROOT / "scripts" / "correlate_page"
HOSTILE = '<script>alert("1")</script>$x^{2$</td>'


def pair(name, result, rtl, model, windows=(), **changes):
    return {"name": name, "rtl_expression": "delta(top.a)", "model_expression": "gpu.a",
            "tolerance": {"absolute": 0, "relative": 0}, "result": result, "rtl": rtl, "model": model,
            "relative_error": None, "unknown_cycle": None, "windows_off": 0, "pearson": None,
            "mean_relative_error": None, "worst_window": None,
            "windows": [{"begin": begin, "end": end, "rtl": of_rtl, "model": of_model}
                        for begin, end, of_rtl, of_model in windows], **changes}


def correlation(pairs, **changes):
    coverage = {"known": 4, "mapped": 2, "exercised": 1, "unmapped_with_reason": 1, "open": ["top.spare"]}
    return {"schema": "heddle-correlation-1", "name": "l2", "rtl_format": "vcd", "rtl_cycles": 12345, "windows": 2,
            "windows_are_compared": True, "results": {}, "pairs": pairs,
            "coverage": {"rtl": coverage, "model": {**coverage, "open": []}}, **changes}


class CorrelatePage(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="heddle-correlate-"))
        self.addCleanup(shutil.rmtree, self.directory)

    def page(self, data):
        (self.directory / "correlation.json").write_text(data if isinstance(data, str) else json.dumps(data))
        code, out, error = run([PAGE, self.directory], forked=True)
        self.assertEqual((code, out, error), (0, "", ""))
        return (self.directory / "report.html").read_text(encoding="utf-8")

    def two(self):
        windows = [(0, 100, 10, 12), (100, 200, 4000, 3900)]
        return [pair("hits", "off", 4010, 3912, windows, windows_off=1, pearson=0.98765, mean_relative_error=0.1125,
                     worst_window=0, relative_error=0.02443), pair("misses", "unknown", None, 7, unknown_cycle=17)]

    def test_shows_pairs_windows_and_coverage(self):
        page = self.page(correlation(self.two()))
        for text in ("<h1>l2</h1>", "4,010", "3,912", "2.44", "1 of 2", "0.98765", "11.25",
                     "cycles 0 to 100: 10 and 12", "x or z in cycle 17", "75.0 %", "50.0 %", "top.spare",
                     "<b>12,345</b> cycles of the RTL", "Pearson&#x27;s r 0.9877"):
            self.assertIn(text, page)
        self.assertEqual(sorted(path.name for path in (self.directory / "plots").iterdir()),
                         ["pair-001.png", "pair-001.svg", "pairs.png", "pairs.svg"])
        svg = (self.directory / "plots" / "pair-001.svg").read_text(encoding="utf-8")
        texts = re.findall(r"<!-- (.*?) -->", svg)
        self.assertIn("hits", texts)
        self.assertIn("RTL, logarithmic", texts)

    def test_is_the_same_bytes_each_time(self):
        first = self.page(correlation(self.two()))
        plots = {path.name: path.read_bytes() for path in (self.directory / "plots").iterdir()}
        self.assertEqual(self.page(correlation(self.two())), first)
        self.assertEqual({path.name: path.read_bytes() for path in (self.directory / "plots").iterdir()}, plots)

    def test_removes_plots_of_before_and_nothing_else(self):
        self.page(correlation(self.two()))
        (self.directory / "plots" / "mine.png").write_text("kept")
        page = self.page(correlation([pair("misses", "unknown", None, 7)]))
        self.assertEqual([path.name for path in (self.directory / "plots").iterdir()], ["mine.png"])
        self.assertNotIn("<img", page)

    def test_names_are_texts(self):
        page = self.page(correlation([pair(HOSTILE, "agree", 1, 1, [(0, 1, 1, 1)])], name=HOSTILE))
        self.assertNotIn("<script", page)

    def test_a_damaged_file_is_one_message(self):
        whole = json.dumps(correlation(self.two()))
        for text, reason in ((whole[:-9], "is damaged"), ("[]", "is damaged"), ("{}", "is not of the schema"),
                             (whole.replace('"off"', '"of"'), "is damaged"),
                             (whole.replace('"pairs"', '"x"'), "is damaged")):
            (self.directory / "correlation.json").write_text(text)
            code, out, error = run([PAGE, self.directory], forked=True)
            self.assertEqual((code, out, error.count("\n")), (2, "", 1), error)
            self.assertIn(reason, error)
            self.assertIn("correlation.json", error)
            self.assertFalse((self.directory / "report.html").exists())


if __name__ == "__main__":
    sys.exit(unittest.main())
