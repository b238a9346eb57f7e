#!/usr/bin/python3
"""scripts/card_page over runs that never ran: its numbers in closed form, what is missing, what it
refuses."""

import json
import sqlite3
import sys
import unittest

sys.dont_write_bytecode = True
from made_up import ROOT, SCHEMA, ReportTest, run  # noqa: E402

PAGE = ROOT / "scripts" / "card_page"
KERNELS = ('CREATE TABLE kernels(run TEXT, launch NUMERIC, "loaded [cycle]" NUMERIC, '
           '"start [cycle]" NUMERIC, "end [cycle]" NUMERIC, "duration [ns]" NUMERIC)')
HEAD = "# Made up\n# for a test.\nsuite,benchmark,launch,parameters,us,launch_bound\n"
ROWS = ("s,one,l,n=1;m=8,10,1\n"
        "s,one,l,n=2;m=8,20,0\n"
        "t,two,k,n=1,40,0\n")
# Of each row: (loaded, start, end) of its launches, in cycles of 0.5 ns: 10.8, 16 and 40 us.
WHOLE = [[(0, 2000, 21600)], [(0, 0, 20000), (20000, 21000, 32000)], [(100, 1100, 80100)]]
SLOW = [[(0, 2000, 42000)], [(0, 0, 20000), (20000, 21000, 32000)], [(100, 1100, 84100)]]  # 21, 16, 42 us
NS = 0.5


def write_campaign(directory, launches, rows=ROWS, failed=()):
    """results.sqlite, as heddle batch collect leaves it. failed: places of rows whose run is not ok."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "results.sqlite").unlink(missing_ok=True)
    database = sqlite3.connect(directory / "results.sqlite")
    database.executescript(SCHEMA)
    if launches is None:
        database.execute("CREATE TABLE kernels(run TEXT, launch NUMERIC)")  # as long as no run has ended
        launches = []
    else:
        database.execute(KERNELS)
    for place, of_row in enumerate(launches):
        cells = rows.splitlines()[place].split(",")
        name, state = f"{place:04x}", "failed" if place in failed else "ok"
        pairs = (pair.split("=") for pair in cells[3].split(";"))
        given = [(f"parameters.{key}", value) for key, value in pairs]
        for key, value in [("experiment", f"{cells[2]}.yaml"), ("platform", "made-up"), *given]:
            database.execute("INSERT INTO parameters VALUES(?,?,?)", (place + 1, key, value))
        database.execute("INSERT INTO runs VALUES(?,?,0,?,NULL,?)", (name, "", state, f"runs/{name}"))
        database.execute("INSERT INTO samples VALUES(?,?,'base',?,?)",
                         (place + 1, place + 1, name, state == "ok"))
        database.execute("INSERT INTO provenance VALUES(?,'revision','abc123')", (name,))
        for number, (loaded, start, end) in enumerate(of_row if state == "ok" else ()):
            database.execute("INSERT INTO kernels VALUES(?,?,?,?,?,?)",
                             (name, number, loaded, start, end, NS * (end - start)))
    database.commit()
    database.close()


class CardTest(ReportTest):
    def write(self, head=HEAD, rows=ROWS, whole=WHOLE, slow=SLOW, failed=(), **changes):
        (self.directory / "card.csv").write_text(head + rows)
        (self.directory / "made-up.yaml").write_text("platform: made-up\n")
        count = len(rows.splitlines())
        card = {"card": "small", "title": "A <small> card", "table": str(self.directory / "card.csv"),
                "platform": "made-up", "platform_file": str(self.directory / "made-up.yaml"),
                "points": list(range(count)), "points_words": f"all {count} of them",
                "changed": list(range(count)), "changed_words": "the same",
                "command": "heddle reproduce small",
                "mechanisms": [{"name": "slow", "change": "a.b=1", "meaning": "It is slow."}], **changes}
        (self.directory / "card.json").write_text(json.dumps(card))
        write_campaign(self.directory / "points", whole, rows, failed)
        write_campaign(self.directory / "slow", slow, rows)

    def draw(self, *options):
        return run([PAGE, self.directory, *options], forked=True)

    def bytes_there(self):
        return {path: path.read_bytes() for path in self.directory.glob("**/*") if path.is_file()}

    def table(self):
        return (self.directory / "table.md").read_text()

    def index(self):
        return (self.directory / "index.html").read_text()


class CardPage(CardTest):
    def test_numbers_are_those_of_the_launches(self):
        self.write()
        code, out, error = self.draw()
        self.assertEqual((code, error), (0, ""))
        for row in ("| one | n=1 m=8 | 10.000 | 10.800 | +8.0 |",
                    "| one | n=2 m=8 | 20.000 | 16.000 | -20.0 |",
                    "| two | n=1 | 40.000 | 40.000 | +0.0 |", "| s | 2 | 14.0 | -6.0 | -20.0 | +8.0 | 50 |",
                    "| one | 2 | 14.0 | -6.0 | -20.0 | +8.0 | 50 |",
                    "| all | 3 | 9.3 | -4.0 | -20.0 | +8.0 | 67 |",
                    "| all that are not launch-bound | 2 | 10.0 | -10.0 | -20.0 | +0.0 | 50 |"):
            self.assertIn(row, self.table())
        self.assertIn("| all | 3 | 9.3 | -4.0 | -20.0 | +8.0 | 67 |", out)
        self.assertIn("| a.b=1 | 3 | 9.3 | 45.0 | +31.7 | -20.0 | +110.0 |", out)

    def test_each_mechanism_is_beside_the_same_points_with_it(self):
        self.write(slow=SLOW[:2])
        self.assertEqual(self.draw()[0], 0)
        self.assertIn("| slow | a.b=1 | It is slow. | 2 | 14.0 | 65.0 | +45.0 | -20.0 | +110.0 | "
                      "one n=1 m=8: +8.0 to +110.0 % |", self.table())
        self.assertIn("Partial: 5 of 6 runs.", self.index())

    def test_a_mechanism_without_an_effect_says_so(self):
        self.write(slow=WHOLE)
        self.assertEqual(self.draw()[0], 0)
        self.assertIn("| 3 | 9.3 | 9.3 | -4.0 | -20.0 | +8.0 | nothing |", self.table())

    def test_the_page_says_what_it_is_of(self):
        self.write()
        self.assertEqual(self.draw()[0], 0)
        page = self.index()
        for words in ("A &lt;small&gt; card", "heddle reproduce small", "abc123 (6 runs)",
                      "made-up.yaml, SHA-1 ",
                      ">Made up for a test.</p>", "all 3 of them.", "<code>a.b=1</code>",
                      'href="points/runs/0000/"', 'href="points/runs/0000/platform.yaml"',
                      'href="slow/report.html"'):
            self.assertIn(words, page)
        self.assertNotIn("Partial", page)
        self.assertEqual(sorted(path.name for path in (self.directory / "plots").glob("*.svg")),
                         ["points-1.svg", "points-2.svg", "points-3.svg"])  # all of them, and each suite

    def test_a_run_that_is_missing_is_named_and_left_out(self):
        self.write(failed=(1,), slow=None)
        code, _, error = self.draw()
        self.assertEqual((code, error), (0, ""))
        self.assertIn("| all | 2 | 4.0 | +4.0 | +0.0 | +8.0 | 100 |", self.table())
        self.assertIn("Partial: 2 of 6 runs; the others are left out.", self.table())
        self.assertIn("<td>points</td><td>one</td><td>n=2 m=8</td><td>failed</td>", self.index())
        self.assertIn("<td>slow</td><td>two</td><td>n=1</td><td>not started</td>", self.index())

    def test_accel_sim_is_beside_the_points_that_it_has(self):
        head = "suite,benchmark,launch,parameters,cycles,launch_bound,accel_sim\n"
        rows = "a,one,l,n=1,20000,0,30000\na,two,l,n=2,40000,0,40000\n"
        self.write(head, rows, WHOLE[:2], SLOW[:2])
        self.assertEqual(self.draw()[0], 0)
        self.assertIn("| one | n=1 | 20000 | 21600 | +8.0 | 30000 | +50.0 |", self.table())
        self.assertIn("| Heddle | 2 | 14.0 | -6.0 | -20.0 | +8.0 | 50 |\n"
                      "| Accel-Sim | 2 | 25.0 | +25.0 | +0.0 | +50.0 | 50 |", self.table())
        self.assertIn("<b>25.0 %</b> mean absolute error of Accel-Sim", self.index())

    def test_the_same_runs_give_the_same_bytes(self):
        self.write()
        self.draw()
        before = self.bytes_there()
        self.draw()
        self.assertEqual(before, self.bytes_there())


class CardRefusals(CardTest):
    def refusal(self, code=2, *options):
        found, out, error = self.draw(*options)
        self.assertEqual((found, out, error.count("\n")), (code, "", 1), error)
        self.assertFalse((self.directory / "index.html").exists())
        return error

    def test_files_that_are_missing_or_damaged(self):
        self.assertIn("card.json", self.refusal())
        self.write()
        good = (self.directory / "card.json").read_text()
        for text, message in (("{", "card.json: "), ("[]", "it is no object"),
                              (good.replace('"title"', '"titles"'), "'title'"),
                              (good.replace("[0, 1, 2]", "[0, 1, 3]"), "the table has 3 points"),
                              (good.replace('"slow"', '"../slow"'), "is no campaign's name")):
            (self.directory / "card.json").write_text(text)
            self.assertIn(message, self.refusal())

    def test_a_table_that_does_not_read(self):
        self.write(rows=ROWS.replace("10,1", "-10,1"))
        self.assertIn("card.csv:4: us is a time above 0, not '-10'", self.refusal())

    def test_a_campaign_without_results(self):
        self.write()
        (self.directory / "slow" / "results.sqlite").unlink()
        self.assertIn("results.sqlite", self.refusal())
        self.write(whole=None)
        self.assertIn("no run of the campaign points is ok", self.refusal(3))

    def test_strict_wants_every_run(self):
        self.write(failed=(0,))
        self.assertIn("refused: partial: 5 of 6 runs", self.refusal(3, "--strict"))


if __name__ == "__main__":
    sys.exit(unittest.main())
