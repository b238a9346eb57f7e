// The PTX instructions that have a lane function for arithmetic.

#include <gtest/gtest.h>

#include <set>

#include "tests/support/ptx/ptx_lanes.h"

namespace heddle::ptx {
namespace {

// Memory, control flow, and exchange between lanes.
const std::set<std::string_view> kNoArithmetic = {
    "activemask", "applypriority", "brkpt",    "discard", "elect",     "griddepcontrol", "pmevent",
    "atom",       "bar",           "cp",       "barrier", "bra",       "call",           "cvta",
    "exit",       "fence",         "isspacep", "ld",      "ldu",       "ldmatrix",       "match",
    "stmatrix",   "mbarrier",      "membar",   "mma",     "nanosleep", "prefetch",       "prefetchu",
    "red",        "redux",         "ret",      "shfl",    "st",        "suld",           "sust",
    "tex",        "tld4",          "trap",     "vote",    "wmma",      "getctarank",     "mapa",
    "setmaxnreg", "wgmma"};

TEST(PtxLaneForms, EverySpellingOfArithmeticHasAFunctionAndNothingElseHas) {
  for (const Form& form : forms()) {
    for (std::size_t turn = 0; turn < turns_of(form); ++turn) {
      const std::string text = sample_of(form, turn).text;
      const Module module = parse(kernel(text));
      const Function& function = function_of(module, "k");
      const Statement& statement = function.code[0];
      const LaneOperation operation = lane_operation(statement, function.operands_of(statement));
      EXPECT_EQ(static_cast<bool>(operation), kNoArithmetic.count(form.mnemonic) == 0) << text;
    }
  }
}

}  // namespace
}  // namespace heddle::ptx
