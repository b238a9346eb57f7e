"""Every component of models/ that is an sc_module or has a tick() has a reset(), and every policy interface has one."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLASS = re.compile(r"^(?:class|struct)(?: alignas\(\w+\))? (\w+)(?: final)?([^;{]*)\{", re.MULTILINE)
TICK = re.compile(r"\btick\(Cycle[^)]*\)[^;{]*[;{]")
RESET = re.compile(r"\bvoid reset\(\)")


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def classes(text):
    """Name, base classes and body of every class at the outermost level of a header."""
    for found in CLASS.finditer(text):
        depth = 1
        end = found.end()
        while depth > 0:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        yield found.group(1), found.group(2), text[found.end():end]


def is_component(bases, body):
    ticks = any(not re.search(r"=\s*0\s*;", tick) for tick in TICK.findall(body))
    return ticks or "sc_module" in bases


def headers(folder):
    return sorted((ROOT / folder).rglob("*.h"))


class Reset(unittest.TestCase):
    def test_components_have_a_reset(self):
        components = 0
        for header in headers("models"):
            for name, bases, body in classes(without_comments(header.read_text())):
                if not is_component(bases, body):
                    continue
                components += 1
                with self.subTest(header=str(header.relative_to(ROOT)), component=name):
                    self.assertRegex(body, RESET)
        self.assertGreaterEqual(components, 15)

    def test_policy_interfaces_have_a_reset(self):
        interfaces = 0
        for header in headers("policies"):
            if not header.name.startswith("i_"):
                continue
            for name, _, body in classes(without_comments(header.read_text())):
                if "kDecision" not in body:
                    continue
                interfaces += 1
                with self.subTest(header=str(header.relative_to(ROOT)), interface=name):
                    self.assertRegex(body, r"virtual void reset\(\)")
        self.assertGreaterEqual(interfaces, 7)


if __name__ == "__main__":
    unittest.main()
