#pragma once
// Tests of libraries that Verilator makes. They are skipped where Verilator is not installed.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "models/rtl/child_process.h"
#include "models/rtl/rtl_library.h"
#include "platforms/load/read_rtl.h"
#include "platforms/rtl/rtl_build.h"
#include "tests/support/paths.h"
#include "tests/support/rtl/runtime_objects.h"

namespace heddle::test {

// A test has a folder with a copy of tests/data/rtl, and a cache of its own.
class VerilatedTest : public testing::Test {
 protected:
  VerilatedTest() {
    std::string folder = std::filesystem::temp_directory_path() / "heddle-rtl-XXXXXX";
    folder_ = ::mkdtemp(folder.data());
    std::filesystem::copy(source_directory() + "/tests/data/rtl", folder_ / "rtl");
    ::setenv("HEDDLE_CACHE", (folder_ / "cache").c_str(), 1);
    runtime_.emplace(folder_ / "cache");
  }
  ~VerilatedTest() override {
    runtime_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  void SetUp() override {
    if (!run_tool({"verilator", "--version"}).started) GTEST_SKIP() << "Verilator is not installed";
  }

  std::string file(const std::string& name) const { return folder_ / "rtl" / name; }
  std::string read(const std::string& name) const {
    std::ifstream in(file(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(file(name)) << text; }
  // Replaces the first `from` in a file, which has one.
  void edit(const std::string& name, const std::string& from, const std::string& to) const {
    std::string text = read(name);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    write(name, text.replace(at, from.size(), to));
  }

  RtlSpec spec() const { return load_rtl_block(file("arbiter.yaml")); }
  std::shared_ptr<const RtlLibrary> library() const { return RtlLibrary::load(build_rtl_library(spec())); }

  // Returns the library of tests/data/rtl as it is, which is made once for all tests.
  static std::shared_ptr<const RtlLibrary> unchanged_library() {
    ::setenv("HEDDLE_CACHE", lasting_cache().c_str(), 1);
    return RtlLibrary::load(
        build_rtl_library(load_rtl_block(source_directory() + "/tests/data/rtl/arbiter.yaml")));
  }
  // Returns "FILE:LINE:" of the first line of arbiter.sv that has this text.
  std::string line_of(const std::string& text) const {
    const std::string source = read("arbiter.sv");
    const auto end = source.begin() + static_cast<std::ptrdiff_t>(source.find(text));
    return "arbiter.sv:" + std::to_string(1 + std::count(source.begin(), end, '\n')) + ":";
  }

  std::filesystem::path folder_;

 private:
  std::optional<SharedRuntime> runtime_;
};

// The arbiter of tests/data/rtl after its reset, with all inputs zero.
class Arbiter {
 public:
  explicit Arbiter(const RtlLibrary& library, std::uint64_t seed = 1) : block(library.create(seed)) {
    for (RtlSignal& signal : block->signals())
      if (signal.direction() == HEDDLE_RTL_INPUT) signal.clear();
    set("enable_i", 1);
    cycle();
    set("rst_n", 1);
  }
  void set(const std::string& pin, std::uint64_t value) { block->find(pin)->set(value); }
  std::uint64_t get(const std::string& signal) { return block->find(signal)->get(); }
  void eval() { block->eval(); }
  void cycle() {
    set("clk", 0);
    eval();
    set("clk", 1);
    eval();
  }

  std::unique_ptr<RtlInstance> block;
};

}  // namespace heddle::test
