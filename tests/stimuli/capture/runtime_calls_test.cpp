// The table of the calls that Heddle's CUDA runtime performs and refuses, which is read from its library.

#include "stimuli/capture/format/runtime_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

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

TEST(RuntimeCalls, OfAnotherFileAreRefused) {
  EXPECT_THROW(runtime_calls("#!/bin/sh\n", "script"), config::Error);
  const std::string whole = library("13");
  EXPECT_THROW(runtime_calls(std::string_view(whole).substr(0, whole.size() / 2), "half"), config::Error);
}

}  // namespace
}  // namespace heddle::capture
