"""scripts/house counts the lines and members of classes, and functions, files and pages, beside the last time."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

HEADER = """\
#pragma once
// class Comment { int none_; };
namespace heddle {
class Core final : public Block<Core> {
 public:
  explicit Core(int a) : a_{a}, text_("}") {}   // one line
  int value() const { return a_; }
  static constexpr int kNone = 0;
  using Map = std::map<int, int>;
  enum class Kind { kOne, kTwo };
  struct Part {
    int x = 0, y = 0;
  };
  void tick(std::function<void(int)> call = [] {});

 private:
  int a_;
  std::function<int(int, int)> call_{nullptr};
  std::array<Part, 2> parts_ = {{{1, 2}, {3, 4}}};
  void (*raw_)(int) = nullptr;
  char text_[8];
};
struct alignas(64) Line { char bytes[64]; };
}  // namespace heddle
"""

SOURCE = """\
#include "models/core.h"
#define BRACE {
namespace heddle {
namespace {
class Core {
  int other_;
};
}  // namespace
void Core::tick(std::function<void(int)> call) {
  if (a_ < 0) {
    call('{');
  }
}
template <class T>
int twice(T x) {
  return x < 3 ? 1 : 2;
}
}  // namespace heddle
"""


class HouseOfATinyTree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        files = {"models/core.h": HEADER, "models/core.cpp": SOURCE, "README.md": "# Page\n\nlong line\n"}
        for name, text in files.items():
            (self.root / name).parent.mkdir(exist_ok=True)
            (self.root / name).write_text(text)
        (self.root / "tests").mkdir()

    def rows(self, *options):
        """The rows of each table: (table, name) to numbers."""
        done = subprocess.run([sys.executable, ROOT / "scripts/house", "--root", self.root, *options],
                              capture_output=True, text=True, check=True)
        found, table = {}, ""
        for line in done.stdout.splitlines():
            if line.startswith("## "):
                table = line[3:]
            elif line.startswith("| "):
                name, *numbers = [cell.strip() for cell in line.strip("|").split("|")]
                found[table, name] = numbers
        return found

    def test_a_class_has_the_lines_of_its_functions_in_all_files_and_its_members(self):
        rows = self.rows()
        self.assertEqual(rows["Classes", "Core::Part"], ["0", "2", "1"])
        self.assertEqual(rows["Classes", "Line"], ["0", "1", "1"])
        self.assertEqual(rows["Members", "Line"], ["1", "0"])

    def test_a_class_template_has_the_functions_that_stand_outside_of_it(self):
        (self.root / "models/pair.h").write_text("""namespace heddle {
template <class A, class B>
class Pair {
 public:
  std::vector<A> both();
};
template <class A, class B>
std::vector<A> Pair<A, B>::both() {
  return {};
}
}  // namespace heddle
""")
        self.assertEqual(self.rows()["Classes", "Pair"], ["4", "0", "1"])

    def test_a_class_of_an_unnamed_namespace_is_another(self):
        (self.root / "models/core.cpp").write_text(SOURCE.replace("class Core {\n  int other_;\n};\n", ""))
        self.assertEqual(self.rows()["Classes", "Core"], ["7", "5", "2"])
        (self.root / "models/core.cpp").write_text(SOURCE.replace("class Core {", "class Hidden {"))
        self.assertEqual(self.rows()["Classes", "Hidden"], ["0", "1", "1"])

    def test_functions_have_their_length_and_their_class(self):
        rows = self.rows()
        self.assertEqual(rows["Functions", "Core::tick (models/core.cpp)"], ["5"])
        self.assertEqual(rows["Functions", "twice (models/core.cpp)"], ["4"])
        self.assertEqual(rows["Functions", "Core::value (models/core.h)"], ["1"])

    def test_files_folders_and_pages_have_their_sizes(self):
        rows = self.rows()
        self.assertEqual(rows["Files", "models/core.h"], ["24"])
        self.assertEqual(rows["Folders", "models"], ["1"])
        self.assertEqual(rows["Headers", "models/core.h"], ["1"])
        self.assertEqual(rows["Pages", "README.md"], ["18", "9"])
        self.assertEqual(rows["How many", "classes over 200 lines"], ["0"])

    def test_numbers_stand_beside_those_that_were_kept(self):
        self.rows("--keep")
        self.assertEqual(self.rows()["Classes", "Line"], ["0", "1", "1"])
        (self.root / "models/core.h").write_text(HEADER.replace("char bytes[64];", "char bytes[63], rest;"))
        self.assertEqual(self.rows()["Classes", "Line"], ["0", "2 (+1)", "1"])
        self.assertEqual(self.rows("--keep")["Classes", "Line"], ["0", "2 (+1)", "1"])
        self.assertEqual(self.rows()["Classes", "Line"], ["0", "2", "1"])


if __name__ == "__main__":
    unittest.main()
