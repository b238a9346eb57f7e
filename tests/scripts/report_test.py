#!/usr/bin/python3
"""scripts/report as a user calls it: its page, its plots, its refusals."""

import html.parser
import os
import pathlib
import re
import shutil
import sqlite3
import sys
import unittest
import xml.etree.ElementTree

sys.dont_write_bytecode = True
from made_up import MadeUp, ReportTest, run  # noqa: E402
from showcase import PLOTS, pairs, showcase  # noqa: E402

PARTIAL = "partial: 5 of 6 runs"
ANTT = "average normalised turnaround time"
HOSTILE = ['<script>alert("1")</script>', "a'b\"c&d;--", "$x^{2$", "Ünïcödé 織機 \U0001f9f5", "x" * 400,
           "\x01bell\x7f", "</td></table>", "runs/../../etc", "javascript:alert(1)", "../up", "%2e%2e", "a\nb"]


def small(**changes):
    """Six samples of one axis and two seeds."""
    given = {"axes": {"sm.count": ["4", "8", "13"]}, "seeds": [1, 2],
             "numbers": lambda values, _: {"antt": 10 + int(values["sm.count"]) + values["seed"] / 8},
             "plots": [("bars", "sm.count", "antt", "")], **changes}
    return MadeUp(**given)


def one_failed(**changes):
    return small(failed=lambda values, _: ("failed", "it fell over") if (values["sm.count"], values["seed"]) == ("8", 2)
                 else None, **changes)


class Page(html.parser.HTMLParser):
    """Cells of tables as (section, heading, text, links); every link; titles, headings and captions."""

    def __init__(self, text):
        super().__init__()
        self.section, self.open, self.tags, self.links, self.cells, self.texts = "", [], [], [], [], {}
        self.heads, self.column = {}, 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append(tag)
        if tag == "section":
            self.section = attributes["id"]
        if tag in ("title", "h1", "caption", "th", "td", "p"):
            self.open.append((tag, [], []))
        if tag == "tr":
            self.column = 0
        if tag == "a":
            self.links.append(attributes["href"])
            if self.open:
                self.open[-1][2].append(attributes["href"])

    def handle_data(self, data):
        if self.open:
            self.open[-1][1].append(data)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1][0] != tag:
            return
        _, pieces, links = self.open.pop()
        text = "".join(pieces)
        self.texts.setdefault(tag, []).append(text)
        if tag == "th":
            self.heads.setdefault(self.section, []).append(text)
        if tag == "td":
            self.cells.append((self.section, self.heads[self.section][self.column], text, links))
            self.column += 1

    def column_of(self, section, start):
        return [(text, links) for at, head, text, links in self.cells if at == section and head.startswith(start)]


class ReportPage(ReportTest):
    def written(self, made_up, *options):
        made_up.write(self.directory)
        code, _, error = self.report(*options)
        self.assertEqual((code, error), (0, ""))
        return Page(self.page())

    def test_every_number_of_a_sample_is_a_link_to_its_run(self):
        made_up = small(slowdowns=lambda values, _: {"bfs": 2.5, "spmv": values["seed"]})
        page = self.written(made_up)
        runs = [f"runs/{sample[3]}/" for sample in made_up.samples]
        numbers = [f"{10 + sms + seed / 8:.3f}" for sms in (4, 8, 13) for seed in (1, 2)]
        self.assertEqual(page.column_of("samples", ANTT), [(n, [run]) for n, run in zip(numbers, runs)])
        self.assertEqual([links for _, links in page.column_of("samples", "sample")], [[run] for run in runs])
        ntt = page.column_of("applications", "normalised turnaround time")
        self.assertEqual(ntt[:4], [("2.500", runs[:1]), ("1.000", runs[:1]),
                                   ("2.500", runs[1:2]), ("2.000", runs[1:2])])
        alone = [link for _, [link] in page.column_of("applications", "alone")]
        self.assertEqual(alone, ["runs/alone-0/", "runs/alone-1/"] * 6)

    def test_every_link_leads_to_what_is_there(self):
        page = self.written(one_failed(slowdowns=lambda *_: {"bfs": 2}))
        self.assertGreater(len(page.links), 20)
        for link in page.links:
            if not link.startswith("#"):
                self.assertTrue((self.directory / link).exists(), link)

    def test_means_say_how_many_they_are_of(self):
        page = self.written(one_failed())
        self.assertEqual([text for text, _ in page.column_of("means", "n")], ["2", "1 of 2", "2"])
        self.assertEqual(page.column_of("means", ANTT),
                         [("14.188 ± 0.088", []), ("18.125", ["runs/00000003/"]), ("23.188 ± 0.088", [])])
        self.assertEqual(page.column_of("means", "runs")[0], ("1 2", ["runs/00000001/", "runs/00000002/"]))
        self.assertIn("Arithmetic means", page.texts["caption"][0])

    def test_a_partial_campaign_says_so_in_every_title_and_column_of_means(self):
        page = self.written(one_failed())
        self.assertEqual((page.texts["title"], page.texts["h1"]), ([f"made-up ({PARTIAL})"],) * 2)
        self.assertIn(f"({PARTIAL})", page.texts["caption"][0])
        self.assertEqual([PARTIAL in head for head in page.heads["means"]], [False, False, True, False])
        self.assertIn(f"({PARTIAL})", self.texts_in("01-bars"))
        self.assertIn(f'alt="Average normalised turnaround time by sm.count ({PARTIAL})"', self.page())

    def test_a_complete_campaign_never_says_partial(self):
        self.written(small())
        self.assertNotIn("partial:", self.page())
        self.assertNotIn("partial:", " ".join(self.texts_in("01-bars")))

    def test_failures_stand_with_their_reason_and_log(self):
        page = self.written(one_failed())
        self.assertEqual(page.column_of("failures", "state"), [("failed", [])])
        self.assertEqual(page.column_of("failures", "reason"), [("it fell over", [])])
        self.assertEqual(page.column_of("failures", "log"), [("log", ["runs/00000004/log"])])
        self.assertEqual(page.column_of("samples", ANTT)[3], ("–", []))

    def test_hostile_names_are_text(self):
        def hostile_timeout(values, _):
            return ("timeout", "<hr>") if values["key"] == "%2e%2e" else None

        plots = [("bars", "key", "antt", "<b>$"), ("heat-map", "key", "<b>$", "antt")]

        def numbers(values, _):
            return {"antt": 1.5 + HOSTILE.index(values["key"])}

        page = self.written(MadeUp({"key": HOSTILE, "<b>$": ["1"]}, numbers, name="'\"<i>$",
                                   question="</title><script>", plots=plots, slowdowns=lambda *_: {"<u>": 1},
                                   failed=hostile_timeout))
        self.assertFalse({"script", "i", "u", "hr", "iframe"} & set(page.tags))
        self.assertEqual(page.texts["h1"], ["'\"<i>$ (partial: 12 of 13 runs)"])
        shown = [text for text, _ in page.column_of("samples", "key")]
        self.assertEqual(shown, [re.sub(r"[\x00-\x1f\x7f]", "\ufffd", text) for text in HOSTILE])
        for plot in (self.directory / "plots").glob("*.svg"):
            xml.etree.ElementTree.parse(plot)

    def test_nothing_is_loaded_from_elsewhere(self):
        self.written(showcase())
        self.assertIsNone(re.search(r'(?:src|href)="(?!data:|runs/|plots/|#|results\.csv")', self.page()))
        self.assertNotIn("<script", self.page())

    def test_provenance_is_summed_up(self):
        page = self.written(small())
        told = dict(zip((text for text, _ in page.column_of("provenance", "what")),
                        (text for text, _ in page.column_of("provenance", "value"))))
        self.assertEqual(told["version"], "0.1.0 (6 runs)")
        seconds = sum(3 + (number * 7919 % 97) / 20 for number in range(6))
        self.assertEqual(told["wall time of all runs"], f"{seconds:.1f} s")

    def test_large_tables_are_cut_and_say_where_the_rest_is(self):
        page = self.written(MadeUp({"a": [str(i) for i in range(600)]}, lambda values, _: {"antt": int(values["a"])}))
        self.assertEqual(len(page.column_of("samples", ANTT)), 500)
        notes = [text for text in page.texts["p"] if text.startswith("The first 500 of 600 rows. ")]
        self.assertEqual(len(notes), 2)
        self.assertIn("results.csv", page.links)


class ReportPlots(ReportTest):
    def test_every_kind_is_written_as_svg_and_png(self):
        showcase().write(self.directory / "a")
        pairs().write(self.directory / "b")
        names = set()
        for self.directory in (self.directory / "a", self.directory / "b"):
            self.assertEqual(self.report()[0], 0)
            for plot in (self.directory / "plots").iterdir():
                names.add(plot.name.split("-", 1)[1])
                if plot.suffix == ".png":
                    self.assertEqual(plot.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
                else:
                    self.assertTrue(xml.etree.ElementTree.parse(plot).getroot().tag.endswith("svg"))
        self.directory = self.directory.parent
        self.assertEqual(names, {f"{plot[0]}.{kind}" for plot in PLOTS for kind in ("svg", "png")})

    def test_the_same_results_give_the_same_bytes(self):
        self.forked = False
        showcase(partial=True).write(self.directory)
        kept = []
        for _ in range(2):
            self.assertEqual(self.report()[0], 0)
            written = [self.directory / "report.html", *sorted((self.directory / "plots").iterdir())]
            kept.append({path.name: path.read_bytes() for path in written})
            self.assertEqual(len(written), 11)
        self.assertEqual(kept[0], kept[1])

    def captions(self, *plots, **changes):
        made_up = small(plots=plots, **changes)
        made_up.write(self.directory)
        code, _, error = self.report()
        found = re.findall(r"<figcaption><b>Plot \d+\. </b>(.*?) <span", self.page())
        return code, error, found

    def test_captions_say_what_is_averaged_over_what(self):
        code, _, [bars, cdf] = self.captions(("bars", "sm.count", "antt", ""), ("cdf", "antt", "", "sm.count"))
        self.assertEqual(code, 0)
        self.assertEqual(bars, "Each bar: arithmetic mean over seed (2 values); n = 2 per bar. Error bars: standard "
                         "deviation over seeds.")  # no mean over the numbers of SMs that are compared
        self.assertIn("n = 2 per curve", cdf)

    def test_bars_have_a_geometric_mean_over_workloads(self):
        _, _, [bars] = self.captions(("bars", "application", "ntt", "sm.count"),
                                     slowdowns=lambda values, _: {"bfs": 2, "spmv": int(values["sm.count"])})
        self.assertIn(" gmean: geometric mean over the values of application.", bars)

    def test_an_axis_that_changes_nothing_is_told_on_the_page_and_on_the_screen(self):
        small(numbers=lambda values, _: {"antt": values["seed"]}).write(self.directory)
        code, _, error = self.report()
        self.assertEqual(code, 0)
        told = "sm.count changes nothing: all 3 of its values give the same numbers, all else being equal"
        self.assertEqual(error, f"report: {told}\n")
        self.assertIn(told, self.page())

    def test_curves_state_the_fraction_of_a_cliff_and_label_it(self):
        _, _, [caption] = self.captions(("curves", "sm.count", "antt", ""), seeds=(), numbers=lambda values, _: {
            "antt": {"4": 10, "8": 9.9, "13": 4.95}[values["sm.count"]]})
        self.assertIn("at least 25% of the larger", caption)
        self.assertIn("−50%", self.texts_in("01-curves"))

    def test_a_plot_without_numbers_says_so_in_its_place(self):
        code, error, found = self.captions(("bars", "sm.count", "antt", ""), failed=lambda *_: ("queued", ""))
        self.assertEqual((code, found), (0, []))
        self.assertEqual(error, "report: plot 1 (bars) is not drawn: no complete sample has its numbers (partial: "
                         "0 of 6 runs)\n")
        self.assertIn("is not drawn", self.page())

    def test_plots_of_before_are_removed_and_nothing_else(self):
        small(plots=[("box", "sm.count", "antt", "")]).write(self.directory)
        (self.directory / "plots").mkdir()
        for name in ("07-bars.svg", "07-bars.png", "mine-01-bars.svg", "notes.txt"):
            (self.directory / "plots" / name).write_text("")
        self.assertEqual(self.report()[0], 0)
        self.assertEqual(sorted(path.name for path in (self.directory / "plots").iterdir()),
                         ["01-box.png", "01-box.svg", "mine-01-bars.svg", "notes.txt"])


class ReportRefusals(ReportTest):
    def expect(self, code, message, *options):
        """That much is told in one line, and no page is there."""
        found, out, error = self.report(*options)
        self.assertEqual((found, out, error.count("\n")), (code, "", 1), error)
        self.assertIn(message, error)
        self.assertFalse((self.directory / "report.html").exists())

    def test_strict_refuses_a_partial_campaign_and_writes_nothing(self):
        one_failed().write(self.directory)
        self.expect(3, f"refused: {PARTIAL}", "--strict")
        self.assertFalse((self.directory / "plots").exists())

    def test_strict_takes_a_complete_one(self):
        small().write(self.directory)
        self.assertEqual(self.report("--strict")[0], 0)

    def test_no_results(self):
        self.expect(2, "results.sqlite: there is no such file; heddle batch collect writes it")

    def test_no_database(self):
        (self.directory / "results.sqlite").write_text("not a database, but long enough to be one" * 100)
        self.expect(2, "file is not a database")

    def test_another_schema(self):
        small().write(self.directory)
        self.change("UPDATE campaign SET schema = 'heddle-results-2'")
        self.expect(2, "is of the schema heddle-results-2; this program reads heddle-results-1")

    def test_a_table_too_few(self):
        small().write(self.directory)
        self.change("DROP TABLE samples")
        self.expect(2, "samples")

    def test_an_unknown_plot(self):
        small(plots=[("pie", "sm.count", "antt", "")]).write(self.directory)
        self.expect(2, "plot 1: 'pie' is none of bars, heat-map, curves, box, cdf, timeline")

    def test_a_run_outside_the_campaign(self):
        for directory in ("../elsewhere", "/etc", "runs/../../x"):
            small().write(self.directory / "c")
            whole, self.directory = self.directory, self.directory / "c"
            self.change(f"UPDATE runs SET directory = '{directory}' WHERE id = '00000002'")
            self.expect(2, f"'{directory}' is not below the campaign")
            self.directory = whole
            shutil.rmtree(self.directory / "c")

    def test_a_file_in_the_way_of_the_plots(self):
        small().write(self.directory)
        (self.directory / "plots").write_text("")
        self.expect(3, "cannot write")
        self.assertEqual([path.name for path in self.directory.glob("*partial*")], [])

    def test_a_page_that_cannot_be_replaced_stays(self):
        small().write(self.directory)
        (self.directory / "report.html").mkdir()
        code, _, error = self.report()
        self.assertEqual((code, error.count("cannot write")), (3, 1))
        self.assertEqual([path.name for path in self.directory.glob("*.partial-*")], [])

    def change(self, statement):
        connection = sqlite3.connect(pathlib.Path(self.directory) / "results.sqlite")
        connection.execute("PRAGMA writable_schema = 1")
        connection.execute(statement)
        connection.commit()
        connection.close()


CAMPAIGN = """campaign: pair
experiment: parboil-mix
axes:
  - product: {mix.size: [2], policy.sm_partitioner: [fcfs-m, token]}
plots:
  - {kind: bars, x: policy.sm_partitioner, y: antt}
  - {kind: timeline}
"""


@unittest.skipUnless("HEDDLE_PROGRAM" in os.environ, "needs heddle itself, as ctest names it")
class ReportVerb(ReportTest):
    """heddle batch report, of runs."""

    def heddle(self, *words):
        return run([os.environ["HEDDLE_PROGRAM"], "batch", *words])

    def setUp(self):
        super().setUp()
        (self.directory / "pair.yaml").write_text(CAMPAIGN, encoding="utf-8")
        self.results = self.directory / "kept"
        code, _, error = self.heddle("run", self.directory / "pair.yaml", "--dir", self.results, "--quiet")
        self.assertEqual(code, 0, error)

    def test_it_collects_and_writes_the_page_and_every_link_leads_to_a_run(self):
        code, out, error = self.heddle("report", self.results)
        self.assertEqual((code, out, error), (0, f"report: {self.results}/report.html\n", ""))
        page = (self.results / "report.html").read_text(encoding="utf-8")
        links = set(re.findall(r'href="(runs/[^"]*)"', page))
        self.assertEqual(len({link.split("/")[1] for link in links}), 4)
        for link in links:
            self.assertTrue((self.results / link).exists(), link)
        self.assertEqual(len(list((self.results / "plots").iterdir())), 4)

    def test_a_part_says_so_or_with_strict_is_refused(self):
        shutil.rmtree(next((self.results / "runs").iterdir()))
        code, out, error = self.heddle("report", "--strict", self.results)
        self.assertEqual((code, out), (3, ""))
        self.assertIn("partial: 3 of 4 runs ok; missing: 1 queued; nothing was written", error)
        self.assertFalse((self.results / "report.html").exists())
        self.assertEqual(self.heddle("report", self.results)[0], 0)
        page = (self.results / "report.html").read_text(encoding="utf-8")
        self.assertRegex(page, r"<title>[^<]*3 of 4 runs")


if __name__ == "__main__":
    unittest.main()
