#!/usr/bin/python3
"""scripts/reproduce_page as a user calls it, and its numbers against closed forms."""

import json
import math
import pathlib
import re
import sys
import unittest
import urllib.parse
import xml.etree.ElementTree

sys.dont_write_bytecode = True
from made_up import REPORT, ROOT, run  # noqa: E402
from made_up_paper import SLOW, PaperTest, arm, campaign, figure, one_failed, paper, theirs  # noqa: E402
from report_test import HOSTILE  # noqa: E402

sys.path.insert(0, str(ROOT / "scripts"))
from heddle_report import compare, paper_table  # noqa: E402
from heddle_report.paper import PaperError, load  # noqa: E402

PARTIAL = "partial: 24 of 26 runs"


class PaperNumbers(PaperTest):
    def result(self, made_up=None, arms=(arm(),), **changes):
        given = paper(figure(**changes), arms=list(arms))
        loaded = load(self.write(given, made_up) / "paper.json")
        return compare.Result(loaded, loaded.figures[0])

    def cell(self, row="2", column="new", made_up=None, arms=(arm(),), **changes):
        """(value, count) of the last arm."""
        number = self.result(made_up, arms, **{"theirs": [], **changes}).tables[-1][row, column]
        return number.value, number.count

    def expect(self, value, count, **asked):
        found = self.cell(**asked)
        self.assertAlmostEqual(found[0], value, places=12, msg=asked)
        self.assertEqual(found[1], count, asked)

    def test_means(self):
        # mix.size 4 of new: 8 and 96 = 4 * (2, 24)
        for mean, value in (("arithmetic", 52), ("geometric", math.sqrt(8 * 96)), ("median", 52)):
            self.expect(value, 2, row="4", over="", mean=mean)
        self.expect(81, 3, over="", mean="median", column="newer",  # 0, 81 and 324
                    rows="mix.index", row="1", where={"mix.index": "1"}, arms=[arm(where={})],
                    made_up=campaign(axes={"mix.size": ["4", "1", "0"], "mix.index": ["1"]}))

    def test_ratios_of_means(self):
        self.expect(26 / 4, 2)
        self.expect(4 / 26, 2, speed_up=True)
        self.expect(math.sqrt(2 * 24) / math.sqrt(1 * 3), 2, mean="geometric")
        self.expect((3 + 81) / (1 + 3), 2, column="newer", mean="median")

    def test_means_of_ratios(self):
        self.expect((2 + 8) / 2, 2, ratio="of-values")
        self.expect((1 / 2 + 1 / 8) / 2, 2, ratio="of-values", speed_up=True)
        self.expect(4, 2, ratio="of-values", mean="geometric")
        self.expect((3 + 27) / 2, 2, ratio="of-values", column="newer", mean="median")

    def test_means_of_ratios_have_their_median_beside_them(self):
        def median(**changes):
            return self.result(**{"theirs": [], **changes}).tables[0]["2", "newer"].median
        axes = {"host.bandwidth": ["fast"], "mix.size": ["2"], "mix.index": ["0", "1", "2"]}
        weights = {"base": 1, "new": 2, "newer": 3}
        three = campaign(axes=axes, numbers=lambda values, variant: {
            "antt": weights[variant] ** int(values["mix.index"])})
        self.assertEqual(median(ratio="of-values", made_up=three), 3)  # of 1, 3 and 9
        self.assertIsNone(median(ratio="of-values", mean="median", made_up=three))
        self.assertIsNone(median(made_up=three))
        self.write(paper(figure(ratio="of-values", theirs=[theirs(value=6)])))
        self.assertEqual(self.reproduce()[0], 0)
        self.assertIn("| 5.00 (−17%; median 5.00) |", (self.directory / "table.md").read_text(encoding="utf-8"))

    def test_the_largest_or_the_least_of_ratios_has_their_mean_beside_it(self):
        self.expect(8, 2, ratio="of-values", statistic="most")  # of 2 and 8
        self.expect(2, 2, ratio="of-values", statistic="least")
        self.expect(1 / 2, 2, ratio="of-values", statistic="most", speed_up=True)
        self.expect(96, 2, row="4", over="", statistic="most")
        self.write(paper(figure(ratio="of-values", statistic="most", theirs=[theirs(value=8)])))
        self.assertEqual(self.reproduce()[0], 0)
        self.assertIn("| 8.00 (±0%; mean 5.00) |", (self.directory / "table.md").read_text(encoding="utf-8"))

    def test_fairness_names_the_application_that_is_slowed_most_often_the_most(self):
        fair = campaign(numbers=lambda *_: {"fairness": 0.5}, units={"fairness": "ratio"})
        result = self.result(made_up=fair, value="fairness", over="", theirs=[])
        self.assertEqual(result.worst_off(0, "2", "base"), ("alpha", 2, 2))
        self.assertEqual(result.worst_off(0, "2", "new"), ("zeta", 2, 2))
        self.assertIsNone(self.result(over="", theirs=[]).worst_off(0, "2", "new"))

    def test_ratios_pair_samples_of_one_point_and_leave_out_those_without_a_partner(self):
        for ratio in ("of-values", "of-means"):
            self.expect(2, 1, ratio=ratio, made_up=campaign(failed=one_failed))

    def test_ratios_of_means_of_columns_that_share_no_point_are_over_all_of_each(self):
        made_up = campaign(axes={"sms": ["1", "2"], "mix.size": ["2"], "mix.index": ["0", "1"]},
                           variants=("base",))
        given = paper(figure(columns="sms", over="1", theirs=[], where={"mix.size": "2"}), arms=[arm(where={})])
        loaded = load(self.write(given, made_up) / "paper.json")
        for sample in loaded.campaigns["mixes"].samples:  # as axes side by side have it
            sample.values["mix.index"] += " of " + sample.values["sms"]
            sample.metrics["antt"] *= int(sample.values["sms"])
        number = compare.Result(loaded, loaded.figures[0]).tables[0]["2", "2"]
        self.assertEqual(number, compare.Number(2, 2))

    def test_applications_are_paired_with_themselves(self):
        shown = {"rows": "application", "value": "ntt", "ratio": "of-values", "where": {"mix.size": "2"}}

        def cell(row, column="new", **changes):
            loaded = load(self.write(paper(figure(**shown, theirs=[]) | changes)) / "paper.json")
            number = compare.Result(loaded, loaded.figures[0]).tables[0][row, column]
            return number.value, number.count
        self.assertEqual(cell("zeta"), (2, 2))
        self.assertEqual(cell("alpha"), (1 / 8, 2))
        self.assertEqual(cell("alpha", speed_up=True), (8, 2))
        self.assertEqual(cell("alpha", "base", over=""), ((8 + 4) / 2, 2))
        self.assertEqual(cell("2", rows="mix.size"), ((2 + 1 / 8) / 2, 4))  # all of them together

    def test_columns_may_be_an_axis(self):
        # slow is ten times fast, sample by sample: of all three variants and two mixes
        self.expect(10, 6, column="slow", columns="host.bandwidth", over="fast", ratio="of-values",
                    arms=[arm(where={})])
        self.expect(10, 2, column="slow", row="new", columns="host.bandwidth", over="fast", rows="variant",
                    where={"mix.size": "4"}, arms=[arm(where={})])

    def test_an_arm_takes_its_samples_and_what_is_not_varied_counts_for_nothing(self):
        self.expect(26, 2, over="")
        self.expect(260, 2, over="", arms=[arm("slow", {"host.bandwidth": "slow"})])
        self.expect(26, 2, over="", arms=[arm(where={"host.bandwidth": "fast", "l2.size": "1MiB"})])
        self.expect(4, 1, over="", where={"mix.index": "0", "no.key": "x"})
        self.assertEqual(self.cell(arms=[arm(where={"host.bandwidth": "neither"})]), (None, 0))

    def test_what_has_no_mean_or_ratio_has_no_number(self):
        zero = {"numbers": lambda values, variant: {"antt": int(values["mix.index"])}}
        for asked in ({"mean": "geometric", "over": ""}, {"ratio": "of-values"}, {"mean": "geometric"}):
            self.assertEqual(self.cell(made_up=campaign(**zero), **asked), (None, 2), asked)
        self.assertEqual(self.cell(made_up=campaign(numbers=lambda *_: {"antt": 1e308}), over=""), (None, 2))

    def test_theirs_have_a_column_of_their_own_to_be_over(self):
        result = self.result(over="", theirs=[theirs(), theirs(over="newer"), theirs(over="", value=13)])
        self.assertEqual([c.ours[0].value for c in result.comparisons], [26 / 4, 26 / 84, 26])
        self.assertEqual([c.words for c in result.comparisons],
                         ["new over base, mix.size 2", "new over newer, mix.size 2", "new, mix.size 2"])

    def test_theirs_have_words_of_their_own_where_they_give_some(self):
        result = self.result(theirs=[theirs(words="two looms, estimated 6"), theirs()])
        self.assertEqual([c.words for c in result.comparisons],
                         ["two looms, estimated 6", "new over base, mix.size 2"])
        self.assertEqual(result.comparisons[0].ours, result.comparisons[1].ours)

    def test_all_samples_may_be_one_row(self):
        self.expect((2 + 4) * (2 + 24) / 4, 4, rows="all", row="all", over="")
        self.assertEqual(self.result(rows="all", theirs=[theirs(row="all")]).comparisons[0].words,
                         "new over base, all of them")

    def test_the_best_of_an_axis_is_a_column_of_its_own(self):
        best = {"column": "oracle", "of": "mix.index"}
        self.expect(162, 1, column="oracle", over="", best=best)  # newer in mix 1
        self.expect(2 * 24, 1, column="new", over="", best=best)
        self.expect(2, 1, column="oracle", over="", best=best, speed_up=True)  # base in mix 0
        self.expect(162 / 6, 1, column="oracle", best=best)
        pairs = {"rows": "host.bandwidth", "row": "fast", "best": best, "column": "oracle", "over": ""}
        self.expect((162 + 324) / 2, 2, **pairs)  # of both sizes, each its own best

    def test_a_range_is_the_most_over_the_least_less_one(self):
        # of base 2 and 6, of new 4 and 48
        self.expect(6 / 2 - 1, 2, column="base", over="", statistic="range")
        self.expect(48 / 4 - 1, 2, over="", statistic="range")
        self.expect(0, 1, over="", statistic="range", where={"mix.index": "1"})
        zero = campaign(numbers=lambda values, variant: {"antt": int(values["mix.index"])})
        self.assertEqual(self.cell(made_up=zero, over="", statistic="range"), (None, 2))
        self.assertEqual(self.cell(over="", statistic="range", arms=[arm(where={"host.bandwidth": "neither"})]),
                         (None, 0))

    def test_the_least_value_has_a_ratio_to_that_of_another_column(self):
        self.expect(4, 2, over="", statistic="least")
        self.expect(4 / 2, 2, statistic="least")
        self.expect(2 / 4, 2, statistic="least", speed_up=True)

    def test_porting_takes_the_worst_of_all_points_that_are_tuned_elsewhere(self):
        times = {"fast": {"0": 10, "1": 10.5, "2": 20, "3": 10.6}, "slow": {"0": 40, "1": 30, "2": 10, "3": 90}}

        def ported(failed=lambda *_: None, variants=("base",)):
            return campaign(axes={"host.bandwidth": ["fast", "slow"], "mix.index": ["0", "1", "2", "3"]},
                            numbers=lambda values, _: {"antt": times[values["host.bandwidth"]][values["mix.index"]]},
                            failed=failed, variants=variants)

        def without_the_worst(values, _):
            return ("failed", "") if (values["host.bandwidth"], values["mix.index"]) == ("slow", "0") else None
        asked = {"rows": "all", "row": "all", "column": "base", "over": "", "arms": [arm(where={})],
                 "across": "host.bandwidth"}
        # Tuned on fast are points 0 and 1, but not 3; on slow they take 4 and 3 times the best.
        self.expect(3, 8, statistic="porting-growth", made_up=ported(), **asked)
        self.expect(3 / 4, 8, statistic="porting-loss", made_up=ported(), **asked)
        # A point that the other machine does not run counts for nothing.
        self.expect(2, 7, statistic="porting-growth", made_up=ported(without_the_worst), **asked)
        # There is no porting with one machine.
        alone = {**asked, "arms": [arm(where={"host.bandwidth": "fast"})]}
        self.assertEqual(self.cell(statistic="porting-loss", made_up=ported(), **alone), (None, 4))

    def test_values_may_be_divided_by_the_least_or_most_of_their_group(self):
        normalise = {"per": "mix.size", "to": "most", "column": "base"}
        # Of base the most is 6 where the size is 2, and 12 where it is 4.
        self.expect((4 / 6 + 48 / 6) / 2, 2, over="", normalise=normalise)
        self.expect((6 / 4 + 6 / 48) / 2, 2, over="", normalise=normalise, speed_up=True)
        self.expect((8 / 12 + 96 / 12) / 2, 2, row="4", over="", normalise=normalise)
        self.expect((4 / 2 + 48 / 2) / 2, 2, over="", normalise={**normalise, "to": "least", "column": ""})
        self.expect((4 / 6 + 48 / 162) / 2, 2, over="",
                    normalise={"per": "mix.index", "to": "most", "column": ""}, where={"mix.size": "2"})
        self.assertEqual(paper_table.quantity(self.result(over="", normalise=normalise, theirs=[])),
                         "antt ÷ the most of base, per mix.size, arithmetic mean")

    def test_a_last_row_may_be_the_mean_of_the_others(self):
        result = self.result(over="", mean_row=True, theirs=[theirs(row="mean", over="", value=39)])
        self.assertEqual(result.rows, ["2", "4", "mean"])
        self.assertEqual(result.comparisons[0].ours, [compare.Number((26 + 52) / 2, 2)])
        half = campaign(failed=lambda values, _: ("failed", "") if values["mix.size"] == "4" else None)
        self.expect(26, 1, row="mean", over="", mean_row=True, made_up=half)
        self.expect(26 / 4, 2, row="mean", mean_row=True)

    def test_a_figure_may_be_of_several_campaigns(self):
        given = paper(figure(campaigns=["mixes", "others"], rows="kind", over="", theirs=[], where={}),
                      arms=[arm(where={})])
        directory = self.write(given, campaign(axes={"kind": ["first"], "mix.size": ["2"], "mix.index": ["0", "1"]}))
        others = campaign(axes={"kind": ["second"], "mix.index": ["0"]}, name="others", numbers=lambda *_: {"antt": 7})
        others.write(directory / "others", make_runs=False)
        (directory / "others" / "report.html").write_text("")
        loaded = load(directory / "paper.json")
        result = compare.Result(loaded, loaded.figures[0])
        self.assertEqual([(row, result.number(0, row, "new")) for row in result.rows],
                         [("first", compare.Number(26, 2)), ("second", compare.Number(7, 1))])
        self.assertEqual(result.campaign.partial, "")
        self.assertEqual([result.campaigns_of(row) for row in ("first", "second", "mean")],
                         [["mixes"], ["others"], ["mixes", "others"]])
        self.assertEqual(self.reproduce()[0], 0)
        page = self.page()
        self.assertEqual([links for text, links in page.tables["Ours: antt, arithmetic mean"][2] if text == "7"],
                         [["looms/others/report.html#samples"]] * 3)
        self.assertIn("Campaigns mixes: report, results.csv; others: report, results.csv", page.texts["p"])

    def test_differences_are_signed_and_tell_the_other_way(self):
        # ours is 6.5
        for value, text in ((6.5, "±0%"), (6.25, "+4%"), (7, "−7%"), (3.25, "×2"), (0.5, "×13, the other way"),
                            (0, "")):
            [comparison] = self.result(theirs=[theirs(value=value)]).comparisons
            self.assertEqual(paper_table.difference_text(comparison, comparison.ours[0]), text)

    def test_rows_sort_by_size_applications_by_name_and_variants_stay(self):
        result = self.result(theirs=[])
        self.assertEqual((result.rows, result.columns, result.shown_columns),
                         (["2", "4"], ["base", "new", "newer"], ["new", "newer"]))
        self.assertEqual(self.result(rows="application", value="ntt", theirs=[]).rows, ["alpha", "zeta"])

    def test_what_no_sample_has_is_an_error_that_names_what_there_is(self):
        for message, changes in (
                ("Figure 1: theirs: no sample has mix.size '3'; known: 2, 4", {"theirs": [theirs(row="3")]}),
                ("no sample has variant 'old'; known: base, new, newer", {"theirs": [theirs(column="old")]}),
                ("theirs: over: no sample has variant 'old'; known: base", {"theirs": [theirs(over="old")]}),
                ("over: no sample has variant 'old'; known: base", {"over": "old"}),
                ("rows: 'sm.count'; known: host.bandwidth, mix.size", {"rows": "sm.count"}),
                ("columns: 'application'; known: host.bandwidth", {"columns": "application"}),
                ("value: 'stp'; known: antt, ntt, turnaround_ps", {"value": "stp"}),
                ("rows are applications, and 'antt' is not of one", {"rows": "application"}),
                ("where: no sample has mix.index '7'; known: 0, 1", {"where": {"mix.index": "7"}})):
            with self.assertRaises(PaperError) as raised:
                self.result(**changes)
            self.assertIn(message, str(raised.exception))

    def test_a_row_of_which_nothing_is_complete_is_known(self):
        result = self.result(campaign(failed=lambda values, _: ("queued", "") if values["mix.size"] == "4" else None),
                             theirs=[theirs(row="4")])
        self.assertEqual(result.comparisons[0].ours, [compare.Number(None, 0)])


class PaperPage(PaperTest):
    def shown(self, *options):
        code, _, error = self.reproduce(*options)
        self.assertEqual((code, error), (0, ""), error)
        return self.page()

    def test_the_main_table_has_theirs_and_every_arm(self):
        self.write(paper(figure(theirs=[theirs(), theirs(row="4", value=0.2)]),
                         figure(figure="Figure 2", title="Bars", theirs=[]), arms=[arm(), arm("slow", SLOW)]))
        rows = self.shown().texts_of("Theirs and ours")
        self.assertEqual(rows[0], ["Figure", "Compared", "Theirs", "Ours", "Slow"])
        self.assertEqual(rows[1], ["loomsOn Looms"])
        self.assertEqual(rows[2], ["Figure 1Slowdown", "new over base, mix.size 2", "6.50", "6.50±0%", "6.50±0%"])
        self.assertEqual(rows[3], ["", "new over base, mix.size 4", "0.20"] + ["6.50×32.5, the other way"] * 2)
        self.assertEqual(rows[4], ["Figure 2Bars", "antt ÷ antt of base, arithmetic means", "no number",
                                   "table", "table"])

    def test_the_head_counts_how_many_of_each_arm_are_near(self):
        self.write(paper(figure(theirs=[theirs(), theirs(value=6), theirs(value=5)]),
                         arms=[arm(), arm("none", {"host.bandwidth": "neither"})]))
        self.shown()
        self.assertIn("<li><b>2 of 3</b> within 10%: ours</li><li><b>3 of 3</b> missing: none</li>",
                      (self.directory / "index.html").read_text(encoding="utf-8"))

    def test_a_short_form_says_what_it_leaves_out_and_counts_it_as_missing(self):
        numbers = [theirs(), theirs(row="8", value=6), theirs(column="newest", value=5)]
        self.write(paper(figure(theirs=numbers), left_out=["mixes: 8 of 12 points, mix.size: [2, 4]"]))
        rows = self.shown().texts_of("Theirs and ours")
        self.assertEqual([row[-1] for row in rows[2:]], ["6.50±0%", "missing", "missing"])
        text = (self.directory / "index.html").read_text(encoding="utf-8")
        self.assertIn("<li><b>1 of 1</b> within 10%: ours</li><li><b>2 of 3</b> missing: ours</li>", text)
        self.assertIn("The short form. What it leaves out is missing here: mixes: 8 of 12 points, mix.size: [2, 4].",
                      text)
        self.assertIn("| 6.00 | missing |", (self.directory / "table.md").read_text(encoding="utf-8"))

    def test_a_figure_has_its_numbers_by_arm_and_how_many_they_are_over(self):
        self.write(paper(figure(over=""), arms=[arm(), arm("slow", SLOW)]), campaign(failed=one_failed))
        page = self.shown()
        mixes = f" ({PARTIAL})"
        rows = page.texts_of(f"Ours: antt, arithmetic mean{mixes}")
        self.assertEqual(rows[0], ["", "ours", "slow"])
        columns = [f"{name}{PARTIAL}" for name in ("base", "new", "newer")] + ["n"]
        self.assertEqual(rows[1], ["mix.size", *columns, *columns])
        self.assertEqual(rows[2], ["2", "2n = 1", "26n = 2", "84n = 2", "1 to 2",
                                   "20n = 1", "260n = 2", "840n = 2", "1 to 2"])
        self.assertEqual(rows[3][:5], ["4", "8", "52", "168", "2"])
        self.assertEqual(page.texts_of(f"Figure 1, theirs and ours{mixes}")[1][1:],
                         ["6.50", "2.00−69%", "1", "2.00−69%", "1"])

    def test_the_finding_the_reasons_and_the_command_are_told(self):
        self.write(paper(window=2000000, arms=[arm(), arm("slow", SLOW, "Hosts are slow.")]))
        page = self.shown()
        self.assertEqual(page.texts["dd"], ["host.bandwidth fast", "host.bandwidth slow. Hosts are slow.",
                                            "It slows down.", "Ours is made up."])
        self.assertIn("Repeat it: heddle reproduce looms Runs of 2,000,000 cycles each.", page.texts["p"])

    def test_every_link_leads_to_what_is_there(self):
        directory = self.write(paper(figure(), figure(rows="application", value="ntt", theirs=[])), make_runs=True)
        self.assertEqual(run([REPORT, directory / "mixes"], forked=True)[0], 0)
        page = self.shown()
        self.assertGreater(len(page.links), 20)
        for section in ("samples", "applications"):
            self.assertIn(f"looms/mixes/report.html#{section}", page.links)
        for link in page.links:
            path, _, anchor = urllib.parse.unquote(link).partition("#")
            target = self.directory / path if path else self.directory / "index.html"
            self.assertTrue(target.is_file(), link)
            if anchor:
                self.assertIn(f'id="{anchor}"', target.read_text(encoding="utf-8"), link)

    def test_every_number_of_ours_leads_to_its_runs(self):
        directory = self.write(paper())
        (directory / "mixes" / "report.html").write_text("")
        page = self.shown()
        for caption, first in (("Theirs and ours", 3), ("Figure 1, theirs and ours", 2),
                               ("Ours: antt ÷ antt of base, arithmetic means", 1)):
            found = [links for row in page.tables[caption] for text, links in row[first:] if re.match(r"\d+\.", text)]
            self.assertGreater(len(found), 0)
            self.assertEqual(found, [["looms/mixes/report.html#samples"]] * len(found))

    def test_without_a_report_nothing_leads_to_one(self):
        self.write(paper())
        self.assertFalse([link for link in self.shown().links if "report.html" in link])

    def test_papers_are_sorted_and_arms_of_all_have_a_column(self):
        self.write(paper(paper="zeta", arms=[arm("theirs too")]))
        self.write(paper(paper="alpha"))
        rows = self.shown().texts_of("Theirs and ours")
        self.assertEqual(rows[0][3:], ["Ours", "Theirs too"])
        self.assertEqual([row[3:] for row in rows[1:]], [[], ["6.50±0%", "–"], [], ["–", "6.50±0%"]])
        self.assertEqual([rows[1][0], rows[3][0]], ["alphaOn Looms", "zetaOn Looms"])

    def test_markdown_and_text_say_the_same(self):
        self.write(paper(figure(theirs=[theirs(), theirs(row="4")]), arms=[arm("our|s")]))
        _, out, _ = self.reproduce()
        self.assertEqual((self.directory / "table.md").read_text(encoding="utf-8"), (
            "| Paper | Figure | Compared | Theirs | Our\\|s |\n| --- | --- | --- | ---: | ---: |\n"
            "| looms | Figure 1: Slowdown | new over base, mix.size 2 | 6.50 | 6.50 (±0%) |\n"
            "|  |  | new over base, mix.size 4 | 6.50 | 6.50 (±0%) |\n"))
        self.assertEqual(out, (
            "Paper  Figure              Compared                   Theirs       Our|s\n"
            "-----  ------------------  -------------------------  ------  ----------\n"
            "looms  Figure 1: Slowdown  new over base, mix.size 2    6.50  6.50 (±0%)\n"
            "                           new over base, mix.size 4    6.50  6.50 (±0%)\n"
            f"\nreproduce_page: {self.directory}/index.html\n"))

    def test_a_figure_without_theirs_has_the_means_of_its_columns_in_the_text(self):
        self.write(paper(figure(over="", theirs=[], mean_row=True, where={}), figure(figure="Figure 2", theirs=[])))
        _, out, _ = self.reproduce()
        rows = [row.split("  ") for row in out.splitlines()[2:6]]
        rows = [[cell.strip() for cell in row if cell.strip()] for row in rows]
        self.assertEqual(rows[0], ["looms", "Figure 1: Slowdown", "base, mean", "no number", "6"])
        self.assertEqual(rows[1], ["new, mean", "no number", "39"])
        self.assertEqual(rows[-1], ["Figure 2: Slowdown", "no number", "on the page"])

    def test_numbers_that_are_no_ratios_have_the_unit_of_the_metric(self):
        self.write(paper(figure(over="", theirs=[theirs(over="", value=26e9)])), campaign(
            numbers=lambda *_: {"antt": 13e9}, units={"antt": "ps"}))
        self.assertEqual(self.shown().texts_of("Theirs and ours")[2][2:], ["26.000 ms", "13.000−50%"])

    def test_what_is_partial_says_so_in_every_title(self):
        self.write(paper(), campaign(failed=one_failed))
        self.write(paper(paper="whole"))
        page = self.shown()
        both = "partial: 50 of 52 runs"
        self.assertEqual((page.texts["title"], page.texts["h1"]), ([f"Papers, theirs beside ours ({both})"],) * 2)
        self.assertEqual(page.texts["h2"][1:], [f"looms: On Looms ({PARTIAL})", "whole: On Looms"])
        self.assertEqual(page.texts["h3"], [f"Figure 1: Slowdown ({PARTIAL})", "Figure 1: Slowdown"])
        rows = page.texts_of(f"Theirs and ours ({both})")
        self.assertEqual((rows[0][3], rows[2][0], rows[4][0]),
                         (f"Ours{both}", f"Figure 1Slowdown{PARTIAL}", "Figure 1Slowdown"))
        self.assertIn(f"| Figure 1: Slowdown ({PARTIAL}) |", (self.directory / "table.md").read_text(encoding="utf-8"))
        svg = (self.directory / "looms" / "figures" / "01.svg").read_text(encoding="utf-8")
        self.assertIn(f"<!-- ({PARTIAL}) -->", svg)

    def test_a_figure_without_numbers_says_so_in_its_place(self):
        self.write(paper(), campaign(failed=lambda *_: ("queued", "")))
        code, _, error = self.reproduce()
        self.assertEqual(code, 0)
        self.assertEqual(error, "reproduce_page: looms: Figure 1 is not drawn: no complete sample has its numbers "
                         "(partial: 2 of 26 runs)\n")
        self.assertTrue(any("is not drawn" in text for text in self.page().texts["p"]))

    def test_the_same_results_give_the_same_bytes(self):
        self.forked = False
        self.write(paper(figure(), figure(rows="application", value="turnaround_ps", theirs=[]),
                         arms=[arm(), arm("slow", SLOW)]), campaign(failed=one_failed))
        kept = []
        for _ in range(2):
            self.shown()
            written = [self.directory / "index.html", self.directory / "table.md",
                       *sorted((self.directory / "looms" / "figures").iterdir())]
            kept.append({path.name: path.read_bytes() for path in written})
            self.assertEqual(list(kept[-1])[2:], ["01.png", "01.svg", "02.png", "02.svg"])
        self.assertEqual(kept[0], kept[1])

    def test_curves_and_boxes_are_drawn_of_the_same_numbers(self):
        self.write(paper(figure(over="", theirs=[], plot="curves"), figure(over="", theirs=[], plot="box"),
                         figure(over="", theirs=[], plot="scatter", against="ntt")))
        self.shown()
        first, second, third = ((self.directory / "looms" / "figures" / name).read_text(encoding="utf-8")
                                for name in ("01.svg", "02.svg", "03.svg"))
        for svg in (first, second):
            for text in ("base", "newer", "mix.size", "4"):
                self.assertIn(f"<!-- {text} -->", svg)
        captions = re.findall(r"<figcaption>(.*?) <span", (self.directory / "index.html").read_text(encoding="utf-8"))
        self.assertTrue(captions[0].startswith("Points: antt, arithmetic mean."), captions)
        self.assertTrue(captions[1].startswith("Boxes: quartiles and median;"), captions)
        for text in ("<!-- base -->", "<!-- newer -->", "ntt"):
            self.assertIn(text, third)
        self.assertTrue(captions[2].startswith("Points, along y: antt, arithmetic mean. Along x: ntt"), captions)

    def test_plots_hold_the_names_and_those_of_before_are_removed(self):
        directory = self.write(paper())
        (directory / "figures").mkdir()
        for name in ("07.svg", "notes.txt"):
            (directory / "figures" / name).write_text("")
        self.shown()
        self.assertEqual(sorted(path.name for path in (directory / "figures").iterdir()),
                         ["01.png", "01.svg", "notes.txt"])
        texts = re.findall(r"<!-- (.*?) -->", (directory / "figures" / "01.svg").read_text(encoding="utf-8"))
        for text in ("Figure 1: Slowdown", "new", "newer", "theirs", "mix.size", "antt over base"):
            self.assertIn(text, texts)
        self.assertNotIn("base", texts)

    def test_hostile_texts_are_text(self):
        for number, text in enumerate(HOSTILE):
            given = paper(figure(figure=text, title=text, finding=text, reason=text, columns="k", rows="variant",
                                 over="b", theirs=[theirs(row="base", column=text, over="b", value=1)]),
                          title=text, source=text, command=text, arms=[arm(text, {"k": text, "l": text}, text),
                                                                       arm("all", {})])
            directory = self.directory / f"{number}"
            campaign(axes={"k": [text, "b"]}, numbers=lambda *_: {"antt": 1}, slowdowns=lambda *_: {text: 1},
                     name=text, question=text).write(directory / "mixes", make_runs=False)
            (directory / "paper.json").write_text(json.dumps({**given, "paper": text}))
        page = self.shown()
        self.assertFalse({"script", "i", "u", "hr", "iframe"} & set(page.tags))
        self.assertIsNone(re.search(r'(?:src|href)="(?!data:|\d+/|#)', (self.directory / "index.html").read_text()))
        self.assertEqual((self.directory / "table.md").read_text().count("\n"), 2 + len(HOSTILE))
        for plot in self.directory.glob("*/figures/*.svg"):
            xml.etree.ElementTree.parse(plot)

    def test_a_terminal_that_lacks_a_letter_gets_another(self):
        self.write(paper(figure(title="織機")))
        code, out, error = run(["env", "PYTHONIOENCODING=ascii", ROOT / "scripts" / "reproduce_page", self.directory])
        self.assertEqual((code, error), (0, ""), error)
        self.assertIn("Figure 1: ??", out)


class PaperRefusals(PaperTest):
    def expect(self, code, message, *options):
        """That much is told in one line, and no page is there."""
        found, out, error = self.reproduce(*options)
        self.assertEqual((found, out, error.count("\n")), (code, "", 1), error)
        self.assertIn(message, error)
        self.assertEqual([path for name in ("index.html", "table.md", "looms/figures")
                          if (path := self.directory / name).is_file()], [])

    def test_strict_refuses_what_is_partial_and_writes_nothing(self):
        self.write(paper(), campaign(failed=one_failed))
        self.expect(3, f"looms/mixes: refused: {PARTIAL}", "--strict")
        self.assertFalse((self.directory / "looms" / "figures").exists())

    def test_strict_takes_what_is_whole(self):
        self.write(paper())
        self.assertEqual(self.reproduce("--strict")[0], 0)

    def test_no_paper(self):
        self.expect(2, "there is no */paper.json; heddle reproduce writes it")

    def test_no_campaign(self):
        self.write(paper(figure(campaigns=["others"])))
        self.expect(2, "looms/others/results.sqlite: there is no such file")

    def test_an_unknown_row(self):
        self.write(paper(figure(theirs=[theirs(row="3")])))
        self.expect(2, "looms/paper.json: Figure 1: theirs: no sample has mix.size '3'; known: 2, 4")

    def test_what_is_not_as_documented(self):
        for message, given in (
                ("the paper has an unknown 'date'", paper(date="today")),
                ("the paper: 'title' is no text", paper(title=3)),
                ("the paper: 'window' is no whole number", paper(window=1.5)),
                ("a figure has no 'theirs'", paper({key: value for key, value in figure().items() if key != "theirs"})),
                ("a figure: 'speed_up' is no true or false", paper(figure(speed_up=1))),
                ("a figure is no object", paper("Figure 1")),
                ("an arm: 'where' is no object of texts", paper(arms=[arm(where={"mix.size": 2})])),
                ("Figure 1: one of theirs: 'value' is no number", paper(figure(theirs=[theirs(value="1")]))),
                ("Figure 1: one of theirs: 'value' is no number", paper(figure(theirs=[theirs(value=math.nan)]))),
                ("Figure 1: mean 'harmonic' is none of arithmetic, geometric, median", paper(figure(mean="harmonic"))),
                ("Figure 1: ratio 'x' is none of of-means, of-values", paper(figure(ratio="x"))),
                ("Figure 1: statistic 'x' is none of mean, least, most, range", paper(figure(statistic="x"))),
                ("Figure 1: plot 'x' is none of bars, curves, box, scatter", paper(figure(plot="x"))),
                ("Figure 1: 'normalise' has what it is per", paper(figure(normalise={"per": "mix.size"}))),
                ("a figure: 'campaigns' is no list", paper(figure(campaigns=[]))),
                ("Figure 1: '../mixes' is no campaign's name", paper(figure(campaigns=["../mixes"]))),
                ("there are two arms 'ours'", paper(arms=[arm(), arm()])),
                ("there is no arm", paper(arms=[])),
                ("there is no figure", paper(figures=[]))):
            (self.directory / "looms").mkdir(exist_ok=True)
            (self.directory / "looms" / "paper.json").write_text(json.dumps(given))
            self.expect(2, f"looms/paper.json: {message}")

    def test_what_is_no_json(self):
        (self.directory / "looms").mkdir()
        for data in (b"", b"{", b"\xff", b"[" * 100000):
            (self.directory / "looms" / "paper.json").write_bytes(data)
            self.expect(2, "looms/paper.json: ")

    def test_a_file_in_the_way_of_the_plots(self):
        directory = self.write(paper())
        (directory / "figures").write_text("")
        found, out, error = self.reproduce()
        self.assertEqual((found, out, error.count("cannot write")), (3, "", 1))
        self.assertEqual([path for path in pathlib.Path(self.directory).rglob("*.partial-*")], [])


if __name__ == "__main__":
    unittest.main()
