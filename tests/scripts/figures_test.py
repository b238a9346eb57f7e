"""Figures that are quoted outside tests/RESULTS.md stand there, too.

Looked at are the numbers with two or more decimals in the sentences of the papers' pages (stimuli/papers) and of the
pages of the folders. A number of a paper itself stands in the paper's data instead.
"""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NUMBER = re.compile(r"(?<![\w.=])\d+\.\d{2,}(?!\.?\w)")


def sentences(file):
    """The text of a page without its examples, or the explanations of a paper."""
    text = file.read_text()
    if file.suffix == ".md":
        text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
        text = re.sub(r"`[^`]*`", "", text)
        return "\n".join(line for line in text.splitlines() if not line.startswith("    "))
    return "\n".join(re.findall(r"^ *reason: *>?-?((?:.*\n)(?:(?: {6,}.*)?\n)*)", text, re.MULTILINE))


class QuotedFigures(unittest.TestCase):
    def test_stand_in_the_results(self):
        measured = (ROOT / "tests/RESULTS.md").read_text()
        known = set(NUMBER.findall(measured))
        for data in (ROOT / "tests/data/papers").glob("*.yaml"):
            known |= set(NUMBER.findall(data.read_text()))
        quoted = 0
        for file in [*ROOT.glob("stimuli/papers/*.yaml"), *ROOT.glob("README.md"), *ROOT.glob("*/*.md")]:
            for number in NUMBER.findall(sentences(file)):
                quoted += 1
                self.assertIn(number, known, f"{file.relative_to(ROOT)} quotes {number}")
        self.assertGreater(quoted, 0)


if __name__ == "__main__":
    sys.exit(unittest.main())
