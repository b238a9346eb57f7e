#include "policies/command_arbiter/i_command_arbiter.h"

#include <gtest/gtest.h>

#include "tests/support/schedules.h"

namespace heddle {
namespace {

constexpr std::size_t kNone = 2;  // of two heads

FrontEndView two_heads(bool older_ready, std::uint32_t older_context, std::uint32_t younger_context) {
  FrontEndView view;
  view.heads.push_back({QueueId{0}, ContextId{younger_context}, 8, true});
  view.heads.push_back({QueueId{3}, ContextId{older_context}, 5, older_ready});
  view.last_context = ContextId{older_context};
  view.outstanding = 1;
  return view;
}

std::size_t choose(const std::string& policy, const FrontEndView& view) {
  return make_policy<CommandArbiter>(policy)->choose(view);
}

TEST(SingleQueue, ACommandThatMustWaitHoldsUpAnIndependentOneBehindIt) {
  EXPECT_EQ(choose("single-queue", two_heads(false, 0, 0)), kNone);
  EXPECT_EQ(choose("single-queue", two_heads(true, 0, 0)), 1);
}

TEST(HyperQ, ACommandThatMustWaitHoldsUpNobody) {
  EXPECT_EQ(choose("hyper-q", two_heads(false, 0, 0)), 0);
  EXPECT_EQ(choose("hyper-q", two_heads(true, 0, 0)), 1);
}

TEST(HyperQ, NothingReadyIsNoChoice) {
  FrontEndView view = two_heads(false, 0, 0);
  view.heads[0].ready = false;
  EXPECT_EQ(choose("hyper-q", view), kNone);
}

TEST(SingleQueue, AnotherContextWaitsUntilEverythingOutstandingIsComplete) {
  FrontEndView view = two_heads(true, 1, 0);
  view.last_context = ContextId{0};
  EXPECT_EQ(choose("single-queue", view), kNone);
  view.outstanding = 0;
  EXPECT_EQ(choose("single-queue", view), 1);
}

TEST(SingleQueue, TheActiveContextsOwnCommandDoesNotOvertakeTheOneThatWaits) {
  FrontEndView view = two_heads(true, 1, 0);
  view.last_context = ContextId{0};
  ASSERT_TRUE(view.heads[0].ready);  // the head of context 0, which is younger
  EXPECT_EQ(choose("single-queue", view), kNone);
}

TEST(HyperQ, AnotherContextDoesNotWait) {
  FrontEndView view = two_heads(true, 1, 0);
  view.last_context = ContextId{0};
  EXPECT_EQ(choose("hyper-q", view), 1);
}

TEST(SingleQueue, TheFirstCommandOfAllHasNoContextToWaitFor) {
  FrontEndView view = two_heads(true, 1, 0);
  view.last_context = ContextId::none();
  EXPECT_EQ(choose("single-queue", view), 1);
}

}  // namespace
}  // namespace heddle
