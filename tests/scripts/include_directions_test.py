"""Folders include only what their CMakeLists.txt allows, and only folders that stand before them."""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE = ("models", "policies", "stimuli", "platforms")
MOST_PARTS = 25  # of a folder; a part is a header, a source, or both under one name


def folder_order():
    """The folders in the order of the top CMakeLists.txt."""
    text = (ROOT / "CMakeLists.txt").read_text()
    batches = re.findall(r"^heddle_batch\(\w+ (?:HOT|COLD)\s+([^)]*)\)", text, re.MULTILINE)
    return [folder for batch in batches for folder in batch.split()]


def allowed(folder):
    """The folders that a folder's CMakeLists.txt names under MAY_INCLUDE."""
    text = (ROOT / folder / "CMakeLists.txt").read_text()
    found = re.search(r"MAY_INCLUDE((?:\s+[a-z_/0-9]+)*)", text)
    return found.group(1).split() if found else []


def sources(folder):
    return sorted(p for p in (ROOT / folder).iterdir() if p.suffix in (".h", ".cpp"))


def includes(source):
    """Folders of the project's headers that a file includes."""
    found = re.findall(r'^\s*#\s*include\s+"([^"]+)"', source.read_text(), re.MULTILINE)
    return sorted({str(pathlib.PurePosixPath(name).parent) for name in found})


def is_below(folder, above):
    return folder == above or folder.startswith(above + "/")


class IncludeDirections(unittest.TestCase):
    def test_every_folder_with_sources_is_a_library(self):
        known = set(folder_order())
        for code in CODE:
            for path in (ROOT / code).rglob("*.cpp"):
                folder = str(path.parent.relative_to(ROOT))
                self.assertIn(folder, known, f"{path} belongs to no library of CMakeLists.txt")

    def test_a_folder_includes_what_it_states(self):
        for folder in folder_order():
            for source in sources(folder):
                for included in includes(source):
                    ok = included == folder or any(is_below(included, a) for a in allowed(folder))
                    self.assertTrue(ok, f"{source.relative_to(ROOT)} includes {included}, "
                                        f"which {folder}/CMakeLists.txt does not allow")

    def test_a_folder_states_no_more_than_it_includes(self):
        for folder in folder_order():
            used = {i for source in sources(folder) for i in includes(source)}
            for above in allowed(folder):
                self.assertTrue(any(is_below(i, above) for i in used),
                                f"{folder}/CMakeLists.txt allows {above}, which nothing there includes")

    def test_includes_go_down(self):
        order = {folder: i for i, folder in enumerate(folder_order())}
        for folder, place in order.items():
            for source in sources(folder):
                for included in includes(source):
                    self.assertIn(included, order,
                                  f"{source.relative_to(ROOT)} includes {included}, which is no library")
                    self.assertLessEqual(order[included], place,
                                         f"{source.relative_to(ROOT)} includes {included}, which stands above it")

    def test_no_folder_has_more_parts_than_one_sees_at_once(self):
        folders = {p.parent for code in CODE + ("tests",) for p in (ROOT / code).rglob("*.cpp")}
        for folder in sorted(folders):
            parts = {p.stem for p in folder.iterdir() if p.suffix in (".h", ".cpp")}
            self.assertLessEqual(len(parts), MOST_PARTS, f"{folder.relative_to(ROOT)} has {len(parts)} parts")


if __name__ == "__main__":
    sys.exit(unittest.main())
