"""Values of axes as quantities in their order, and numbers as texts."""

import math
import re

NO_VALUE = "–"
QUANTITY = re.compile(r"([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)\s*([A-Za-z/%]*)")
# Unit: what it measures, and how many of the smallest it is. As Heddle's YAML has them.
UNITS = {"": ("", 1), "%": ("%", 1), "cycle": ("cycles", 1), "cycles": ("cycles", 1),
         "Hz": ("Hz", 1), "kHz": ("Hz", 1e3), "MHz": ("Hz", 1e6), "GHz": ("Hz", 1e9),
         "ps": ("ps", 1), "ns": ("ps", 1e3), "us": ("ps", 1e6), "ms": ("ps", 1e9), "s": ("ps", 1e12)}
for _unit, _bytes in {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "kB": 1e3, "MB": 1e6, "GB": 1e9}.items():
    UNITS[_unit] = ("B", _bytes)
    UNITS[_unit + "/s"] = ("B/s", _bytes)
TIMES = [("ps", 1), ("ns", 1e3), ("µs", 1e6), ("ms", 1e9), ("s", 1e12)]


def quantity(text):
    """(what it measures, size in the smallest unit) of "16KiB", "924MHz", "0.5"; None of anything else."""
    match = QUANTITY.fullmatch(text.strip())
    if not match or match[2] not in UNITS:
        return None
    kind, factor = UNITS[match[2]]
    size = float(match[1]) * factor
    return (kind, size) if math.isfinite(size) else None


def quantities(texts):
    """Sizes of texts that all measure the same; None where one is no number or measures something else."""
    found = [quantity(text) for text in texts]
    if not found or None in found or len({kind for kind, _ in found}) > 1:
        return None
    return [size for _, size in found]


def ordered(texts):
    """Each text once: by size where all are quantities, else as they first appear."""
    distinct = list(dict.fromkeys(texts))
    numbered = [text for text in distinct if text != NO_VALUE]
    sizes = quantities(numbered)
    if sizes is None:
        return distinct
    return [text for _, text in sorted(zip(sizes, numbered))] + [text for text in distinct if text == NO_VALUE]


def printable(text):
    """Without control characters, which neither HTML nor SVG may hold."""
    return "".join(c if c >= " " and c not in "\x7f\ufffe\uffff" and not 0xD800 <= ord(c) <= 0xDFFF else "\ufffd"
                   for c in text)


def short(text, most):
    """Cut in the middle where longer than `most`: names tend to differ at their ends."""
    text = printable(text)
    return text if len(text) <= most else text[:(most - 1) // 2] + "…" + text[-(most // 2):]


class Scale:
    """How the numbers of one metric are written: one unit and one precision for all of them."""

    def __init__(self, name, unit, numbers):
        """numbers: all that will be written; times in ps get the largest unit that keeps the largest above 1."""
        largest = max((abs(number) for number in numbers), default=0)
        self.factor, self.unit, self.name = 1, unit, name
        if unit == "ps":
            self.unit, self.factor = [time for time in TIMES if time[1] <= max(largest, 1)][-1]
            self.name = name.removesuffix("_ps")
        scaled = largest / self.factor
        whole = self.factor == 1 and all(number == int(number) for number in numbers if math.isfinite(number))
        self.decimals = 0 if whole or scaled >= 10000 else 1 if scaled >= 1000 else 2 if scaled >= 100 else 3

    def text(self, number):
        scaled = number / self.factor
        written = f"{scaled:,.{self.decimals}f}"
        lost = scaled != 0 and abs(scaled) < 5 * 10 ** -self.decimals and self.decimals
        return f"{scaled:.3g}" if lost or scaled != 0 and float(written.replace(",", "")) == 0 else written

    @property
    def label(self):
        """"turnaround (ms)"."""
        return f"{self.name} ({self.unit})" if self.unit else self.name
