// The table of the calls that Heddle's CUDA runtime performs and refuses, which is read from its library.

#include "stimuli/capture/format/runtime_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "models/core/config/config.h"
#include "tests/support/paths.h"
#include "tests/support/sanitized.h"

namespace heddle::capture {
namespace {

using testing::Contains;
using testing::Not;

std::string library(const std::string& version) {
  std::ifstream in(test::runtime_directory() + "/libcudart.so." + version, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(RuntimeCalls, AreThoseThatTheLibraryDefinesOrRefuses) {
  for (const char* version : {"11.0", "12", "13"}) {
    const RuntimeCalls calls = runtime_calls(library(version), version);
    for (const char* name : {"cudaMalloc", "cudaMallocManaged", "cudaLaunchCooperativeKernel",
                             "cudaHostGetDevicePointer", "cudaGetErrorString"}) {
      EXPECT_THAT(calls.performed, Contains(name)) << version;
      EXPECT_THAT(calls.refused, Not(Contains(name))) << version;
    }
    EXPECT_THAT(calls.refused, Contains("cudaGraphicsMapResources")) << version;
    EXPECT_THAT(calls.performed, Not(Contains("cudaGraphicsMapResources"))) << version;
    EXPECT_GT(calls.performed.size(), 100u);
    EXPECT_THAT(calls.driver_performed, Contains("cuLaunchKernel")) << version;
    EXPECT_THAT(calls.driver_refused, Contains("cuLinkCreate_v2")) << version;
    EXPECT_THAT(calls.driver_performed, Not(Contains("cuLinkCreate_v2"))) << version;
    EXPECT_THAT(calls.driver_performed, Not(Contains("cudaMalloc"))) << version;
  }
}

std::set<std::string> driver_functions() {
  std::ifstream in(test::source_directory() + "/tests/data/cuda/driver_functions.txt");
  std::set<std::string> names;
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line[0] != '#') names.insert(line);
  return names;
}

// A program that names a function without a symbol is not even loaded.
TEST(RuntimeCalls, EveryFunctionOfTheDriverHasASymbol) {
  const std::set<std::string> known = driver_functions();
  ASSERT_GT(known.size(), 600u);
  for (const char* version : {"11.0", "12", "13"}) {
    const RuntimeCalls calls = runtime_calls(library(version), version);
    std::set<std::string> missing = known;
    for (const auto& names : {calls.driver_performed, calls.driver_refused})
      for (const std::string& name : names) missing.erase(name);
    EXPECT_THAT(missing, testing::IsEmpty()) << version;
  }
}

// The list is that of the header, where there is one.
TEST(RuntimeCalls, TheListHasEveryFunctionOfTheHeader) {
  std::ifstream header("/usr/local/cuda/include/cuda.h");
  if (!header) GTEST_SKIP() << "there is no CUDA here";
  const std::string text{std::istreambuf_iterator<char>(header), std::istreambuf_iterator<char>()};
  const std::set<std::string> known = driver_functions();
  const std::regex declaration("CUDAAPI\\s+(cu[A-Z]\\w*)\\s*\\(");
  std::set<std::string> missing;
  std::size_t declared = 0;
  for (auto found = std::sregex_iterator(text.begin(), text.end(), declaration);
       found != std::sregex_iterator(); ++found, ++declared)
    if (known.count((*found)[1]) == 0) missing.insert((*found)[1]);
  EXPECT_GT(declared, 400u);
  EXPECT_THAT(missing, testing::IsEmpty()) << "a newer CUDA: add them to the list and to names.inc";
}

TEST(RuntimeCalls, OfAnotherFileAreRefused) {
  EXPECT_THROW(runtime_calls("#!/bin/sh\n", "script"), config::Error);
  const std::string whole = library("13");
  EXPECT_THROW(runtime_calls(std::string_view(whole).substr(0, whole.size() / 2), "half"), config::Error);
}

}  // namespace
}  // namespace heddle::capture
