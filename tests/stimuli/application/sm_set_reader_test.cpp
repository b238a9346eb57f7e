// On which SMs launches of an application in YAML run, and how the set follows the parameters of a request.

#include "stimuli/application/sm_set_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "stimuli/application/application.h"

namespace heddle {
namespace {

using testing::HasSubstr;
using Set = std::vector<std::uint32_t>;

Application read(const std::string& sms) {
  const config::Document document = config::Document::parse(
      "application: mine\nmeasured_on: k20-cusched\nkernels: {k: {blocks: 8, threads: 256, time: 45us}}\n"
      "arrivals: {kind: poisson, rate: 10Hz, requests: 5}\n"
      "parameters: {n: {distribution: constant, value: 3}}\n"
      "program: [{launch: k, sms: " +
          sms + "}, {launch: k, sms: {from: 0, to: 1}}]\n",
      "mine.yaml");
  Application application = read_application(document.root(), HostSpec());
  document.finish();
  return application;
}

Set set_of(const ApiProgram& program, std::size_t call) {
  return program.sm_sets.at(program.calls[call].sm_set - 1);
}

std::string problem_of(const std::string& sms) {
  try {
    read(sms);
  } catch (const config::Error& error) {
    return error.what();
  }
  return "";
}

TEST(SmSetReader, BothEndsAreIncludedAndEqualSetsAreOne) {
  const Application application = read("{from: 0, to: 1}");
  EXPECT_EQ(set_of(application.program, 0), (Set{0, 1}));
  EXPECT_EQ(application.program.sm_sets.size(), 1U);
}

TEST(SmSetReader, TheEndFollowsTheParametersOfARequest) {
  Application application = read("{from: 4, to: 4 + n, most: 9}");
  EXPECT_EQ(set_of(application.program, 0), (Set{4, 5, 6, 7}));
  application.program.set_request({5}, application.program);
  EXPECT_EQ(set_of(application.program, 0), (Set{4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(set_of(application.program, 1), (Set{0, 1}));
  EXPECT_THROW(application.program.set_request({6}, application.program), std::runtime_error);
}

TEST(SmSetReader, TheBeginFollowsTheParametersOfARequest) {
  Application application = read("{from: 12 - n, least: 8, to: 12}");
  EXPECT_EQ(set_of(application.program, 0), (Set{9, 10, 11, 12}));
  application.program.set_request({0}, application.program);
  EXPECT_EQ(set_of(application.program, 0), (Set{12}));
}

TEST(SmSetReader, WhatCannotBeHasOneErrorWithItsPlace) {
  EXPECT_THAT(problem_of("{from: 3, to: 2}"), HasSubstr("below 'from'"));
  EXPECT_THAT(problem_of("{from: n, to: 4 + n}"), HasSubstr("only one end"));
  EXPECT_THAT(problem_of("{from: 4, to: 4 + n, most: 3}"), HasSubstr("wrong side"));
  EXPECT_THAT(problem_of("{from: 4, to: 4 + n}"), HasSubstr("most"));
}

}  // namespace
}  // namespace heddle
