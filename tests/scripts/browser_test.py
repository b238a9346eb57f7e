#!/usr/bin/python3
"""A report in a real browser. Exit code 77 where there is none, which only Debian 12 does not excuse."""

import os
import platform
import sys
import unittest

sys.dont_write_bytecode = True
import chromium  # noqa: E402
from made_up import MadeUp, ReportTest  # noqa: E402
from made_up_paper import SLOW, PaperTest, arm, campaign, figure, one_failed, paper, theirs  # noqa: E402
from showcase import PLOTS, pairs, showcase  # noqa: E402

SKIPPED = 77  # as tests/CMakeLists.txt says
DESKTOP, PHONE = 1280, 375  # widths in CSS pixels
PLACES = """[...document.querySelectorAll(".plot")].map(plot => {
  const box = plot.getBoundingClientRect();
  return [box.x + scrollX, box.y + scrollY, box.width, box.height];
})"""
LEAST_COLOURS = 40  # of a plot that is drawn, edges smoothed
LEAST_INK = 0.02    # share of its pixels that are not white


class InABrowser(ReportTest):
    @classmethod
    def setUpClass(cls):
        cls.browser = chromium.Chromium(chromium.find())
        cls.enterClassContext(cls.browser)

    def colours(self, place):
        """(distinct colours, share that is not white) of a rectangle."""
        pixels = (255 * self.browser.pixels(place)).astype(int)
        packed = pixels[:, :, 0] << 16 | pixels[:, :, 1] << 8 | pixels[:, :, 2]
        return len(set(packed.flat)), float((pixels.min(axis=2) < 250).mean())

    def expect_plots(self, count):
        places = self.browser.value(PLACES)
        self.assertEqual(len(places), count)
        for place in places:
            colours, ink = self.colours(place)
            self.assertGreater(colours, LEAST_COLOURS, place)
            self.assertGreater(ink, LEAST_INK, place)
            self.assertGreater(place[2], 300)

    def expect_no_sideways_scroll(self, width):
        """The window's width, not innerWidth: a phone's grows with a page that is too wide."""
        self.assertLessEqual(self.browser.value("document.scrollingElement.scrollWidth"), width)

    def expect_no_error_and_no_request_but(self, page):
        self.assertEqual(self.browser.told("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled",
                                           "Network.loadingFailed"), [])
        asked = {told["request"]["url"] for told in self.browser.told("Network.requestWillBeSent")}
        self.assertIn(page.as_uri(), asked)
        self.assertEqual({url for url in asked - {page.as_uri()} if not url.startswith("data:")}, set())


class ReportInABrowser(InABrowser):
    def open(self, made_up, width):
        if not (self.directory / "results.sqlite").exists():
            made_up.write(self.directory)
            self.assertEqual(self.report()[0], 0)
        self.browser.open((self.directory / "report.html").as_uri(), width)

    def test_it_opens_without_an_error_and_asks_for_nothing_else(self):
        self.open(showcase(partial=True), DESKTOP)
        self.expect_no_error_and_no_request_but(self.directory / "report.html")

    def test_a_name_that_is_markup_loads_and_runs_nothing(self):
        evil = '<img src="http://localhost:9/x" onerror="document.title=1"><script>document.title=1</script>'
        self.open(MadeUp({evil: [evil, "b"]}, lambda *_: {"antt": 1}, name=evil, question=evil,
                         plots=[("bars", evil, "antt", "")]), DESKTOP)
        self.assertEqual(self.browser.value("[document.title, document.images.length]"), [evil, 1])
        self.assertEqual([told["request"]["url"][:5] for told in self.browser.told("Network.requestWillBeSent")],
                         ["file:", "data:"])

    def test_every_kind_of_plot_is_drawn_on_a_desktop_and_on_a_phone(self):
        for made_up, count in ((showcase(), len(PLOTS) - 1), (pairs(), 1)):
            for width in (DESKTOP, PHONE):
                self.open(made_up, width)
                self.expect_plots(count)
                self.expect_no_sideways_scroll(width)
            (self.directory / "results.sqlite").unlink()

    def test_a_plot_that_is_not_drawn_would_be_noticed(self):
        self.open(pairs(), DESKTOP)
        self.browser.value("document.querySelectorAll('.plot').forEach(plot => { plot.style.opacity = 0 })")
        [place] = self.browser.value(PLACES)
        self.assertEqual(self.colours(place), (1, 0.0))

    def test_wide_tables_scroll_in_their_own_box(self):
        metrics = {f"gpu.sm_cycles.bucket_{i}": 1e9 for i in range(30)}
        self.open(MadeUp({"a-key-" + "k" * 200: ["v" * 300, "w"], "other": [str(i) for i in range(40)]},
                         lambda *_: metrics, name="n" * 200, question="q" * 300, seeds=[1, 2],
                         plots=[("heat-map", "other", "a-key-" + "k" * 200, "gpu.sm_cycles.bucket_1")]), PHONE)
        self.expect_no_sideways_scroll(PHONE)
        self.assertTrue(self.browser.value('[...document.querySelectorAll("#samples .table")].every('
                                           "box => box.scrollWidth > box.clientWidth)"))

    def test_the_browser_leaves_nothing(self):
        with chromium.Chromium(chromium.find()) as other:
            self.assertTrue(os.path.exists(other.home))
            self.assertGreater(len(other.living()), 1)
        self.assertFalse(os.path.exists(other.home))
        self.assertEqual(other.living(), [])


class PapersInABrowser(InABrowser, PaperTest):
    def open(self, width):
        if not (self.directory / "index.html").exists():
            self.assertEqual(self.reproduce()[0], 0)
        self.browser.open((self.directory / "index.html").as_uri(), width)

    def write_two(self):
        arms = [arm(), arm("ours, where the host is slow and copies nothing twice", SLOW, "Why it is so. " * 20)]
        figures = [figure(theirs=[theirs(), theirs(row="4", over="newer", value=0.1)]),
                   figure(rows="application", value="turnaround_ps", theirs=[], finding="words " * 100)]
        self.write(paper(*figures, arms=arms), campaign(failed=one_failed))
        self.write(paper(*figures, paper="second", title="t" * 300, source="s" * 300))

    def test_it_opens_without_an_error_and_asks_for_nothing_else(self):
        self.write_two()
        self.open(DESKTOP)
        self.expect_no_error_and_no_request_but(self.directory / "index.html")

    def test_plots_are_drawn_on_a_desktop_and_on_a_phone(self):
        self.write_two()
        for width in (DESKTOP, PHONE):
            self.open(width)
            self.expect_plots(4)
            self.expect_no_sideways_scroll(width)

    def test_a_phone_shows_theirs_and_ours_without_scrolling_sideways(self):
        self.write_two()
        for width in (DESKTOP, PHONE):
            self.open(width)
            self.assertTrue(self.browser.value(
                '(box => box.scrollWidth <= box.clientWidth)(document.querySelector("#papers .table"))'))
            right = self.browser.value('[...document.querySelectorAll("#papers td:last-child")].map('
                                       "cell => Math.round(cell.getBoundingClientRect().right))")
            self.assertEqual(len(set(right)), 1, right)


def is_debian_12():
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return False
    return (release.get("ID"), release.get("VERSION_ID")) == ("debian", "12")


if __name__ == "__main__":
    if not chromium.find() and not is_debian_12():
        print(f"skipped: none of {', '.join(chromium.PROGRAMS)} is here")
        sys.exit(SKIPPED)
    unittest.main()
