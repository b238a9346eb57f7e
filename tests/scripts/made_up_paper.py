"""Papers that nobody wrote, over made-up campaigns, as heddle reproduce leaves them."""

import html.parser
import json

from made_up import ROOT, MadeUp, ReportTest, run

PAGE = ROOT / "scripts" / "reproduce_page"
SLOW = {"host.bandwidth": "slow"}
WEIGHT = {"base": 1, "new": 2, "newer": 3}


def numbers(values, variant):
    """The size times, of mixes 0 and 1: base 1 and 3, new 2 and 24, newer 3 and 81; tenfold where the host is slow."""
    index = int(values["mix.index"])
    slow = 10 if values.get("host.bandwidth") == "slow" else 1
    return {"antt": slow * int(values["mix.size"]) * WEIGHT[variant] ** (1 + 2 * index) * (1, 3)[index]}


def slowdowns(values, variant):
    """Of zeta 2, 4 under new; of alpha 8, 1 under new, and half of both in mix 1."""
    half = 1 + int(values["mix.index"])
    return {"zeta": {"new": 4}.get(variant, 2) / half, "alpha": {"new": 1}.get(variant, 8) / half}


def campaign(**changes):
    """Two hosts, two sizes, two mixes, three variants."""
    return MadeUp(**{"axes": {"host.bandwidth": ["fast", "slow"], "mix.size": ["2", "4"], "mix.index": ["0", "1"]},
                     "numbers": numbers, "slowdowns": slowdowns, "variants": tuple(WEIGHT), "name": "mixes",
                     **changes})


def one_failed(values, variant):
    return ("failed", "it fell over") if (values["mix.size"], values["mix.index"], variant) == (
        "2", "1", "base") else None


def theirs(row="2", column="new", over="base", value=6.5, words=""):
    return {"row": row, "column": column, "over": over, "value": value, "words": words}


def figure(**changes):
    return {"figure": "Figure 1", "title": "Slowdown", "finding": "It slows down.", "campaigns": ["mixes"],
            "value": "antt", "statistic": "mean", "across": "", "mean": "arithmetic",
            "rows": "mix.size", "columns": "variant", "over": "base",
            "ratio": "of-means", "speed_up": False, "best": {}, "normalise": {}, "mean_row": False, "plot": "bars",
            "against": "", "where": {}, "reason": "Ours is made up.",
            "theirs": [theirs()],
            **changes}


def arm(name="ours", where=None, reason=""):
    return {"name": name, "where": {"host.bandwidth": "fast"} if where is None else where, "reason": reason}


def paper(*figures, **changes):
    return {"paper": "looms", "title": "On Looms", "source": "A journal", "command": "heddle reproduce looms",
            "window": None, "left_out": [], "arms": [arm()], "figures": list(figures) or [figure()], **changes}


class Tables(html.parser.HTMLParser):
    """Of a page: tables by caption, each a list of rows of cells (text, links), the heads first; all links."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.links, self.identities, self.tags, self.texts = {}, [], set(), [], {}
        self.rows, self.cell, self.open = None, None, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append(tag)
        self.identities.add(attributes.get("id"))
        if tag == "table":
            self.rows = []
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.cell = ([], [])
        if tag == "a":
            self.links.append(attributes["href"])
            if self.cell:
                self.cell[1].append(attributes["href"])
        if tag in ("title", "h1", "h2", "h3", "caption", "dd", "p"):
            self.open.append((tag, []))

    def handle_data(self, data):
        for into in [pieces for _, pieces in self.open[-1:]] + ([self.cell[0]] if self.cell else []):
            into.append(data)

    def handle_endtag(self, tag):
        if self.open and self.open[-1][0] == tag:
            self.texts.setdefault(tag, []).append("".join(self.open.pop()[1]))
        if tag == "caption":
            self.tables[self.texts["caption"][-1]] = self.rows
        if tag in ("td", "th"):
            self.rows[-1].append(("".join(self.cell[0]), self.cell[1]))
            self.cell = None

    def texts_of(self, caption):
        return [[text for text, _ in row] for row in self.tables[caption]]


class PaperTest(ReportTest):
    """self.directory is what the page is of."""

    def write(self, given, made_up=None, make_runs=False):
        """A paper and its campaign `mixes`."""
        directory = self.directory / given["paper"]
        (directory / "mixes" / "results.sqlite").unlink(missing_ok=True)
        (made_up or campaign()).write(directory / "mixes", make_runs)
        (directory / "paper.json").write_text(json.dumps(given))
        return directory

    def reproduce(self, *options):
        """The program, as run()."""
        return run([PAGE, self.directory, *options], self.forked)

    def page(self):
        return Tables((self.directory / "index.html").read_text(encoding="utf-8"))
