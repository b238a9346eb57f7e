#include "policies/sm_partitioner/sharers.h"

#include <gmock/gmock.h>

#include "tests/support/machine/test_machine.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

// Kernels are named by launch number. A number that is missing belongs to a kernel that has ended.
class SharersTest : public testing::Test {
 protected:
  SharersTest() { machine_.contexts.resize(3); }
  void open(std::uint32_t context, bool is = true) { machine_.contexts[context].open = is; }
  void comes(std::uint64_t kernel, std::uint32_t context) {
    KernelView view;
    view.kernel = KernelId{kernel};
    view.context = ContextId{context};
    view.ksr = KsrId{static_cast<std::uint32_t>(kernel)};
    view.unissued = 1;
    machine_.kernels.push_back(view);
  }
  void ends(std::uint64_t kernel) {
    std::vector<KernelView>& kernels = machine_.kernels;
    for (std::size_t i = 0; i < kernels.size(); ++i)
      if (kernels[i].kernel == KernelId{kernel})
        kernels.erase(kernels.begin() + static_cast<std::ptrdiff_t>(i));
  }
  // Updates the sharers and returns their places in order: "0" if kernel 0 holds the place, and "(0)" if
  // kernel 0 has left it. The kinds of changes are in news_.
  std::vector<std::string> follow(Sharers& sharers) {
    const Sharers::Changes changes = sharers.update(machine_);
    news_ = fmt::format("{}{}{}", changes.added ? "c" : "", changes.removed ? "l" : "",
                        changes.replaced ? "f" : "");
    std::vector<std::string> result;
    for (const Sharer& sharer : sharers.list())
      result.push_back(fmt::format(sharer.present ? "{}" : "({})", sharer.kernel.kernel.value));
    return result;
  }

  MachineView machine_;
  std::string news_;
};

TEST_F(SharersTest, AnOpenContextsNextKernelTakesThePlaceOfTheOneThatEnded) {
  Sharers sharers(true);
  open(0);
  comes(0, 0);
  comes(1, 1);
  EXPECT_THAT(follow(sharers), ElementsAre("0", "1"));
  EXPECT_EQ(news_, "c");
  EXPECT_FALSE(sharers.is_reserved(machine_, sharers.list()[0])) << "it has a block to issue";
  ends(0);
  EXPECT_THAT(follow(sharers), ElementsAre("(0)", "1"));
  EXPECT_EQ(news_, "");
  EXPECT_TRUE(sharers.is_reserved(machine_, sharers.list()[0]));
  const std::uint64_t place = sharers.list()[0].place;
  comes(2, 0);
  EXPECT_THAT(follow(sharers), ElementsAre("2", "1"));
  EXPECT_EQ(news_, "f");
  EXPECT_EQ(sharers.list()[0].place, place);
  ends(2);
  comes(3, 0);  // at once
  EXPECT_THAT(follow(sharers), ElementsAre("3", "1"));
  EXPECT_EQ(news_, "f");
}

TEST_F(SharersTest, APlaceGoesWhenTheContextClosesOrWasNeverOpenOrNothingIsReserved) {
  for (const bool reserve : {true, false}) {
    machine_.kernels.clear();
    Sharers sharers(reserve);
    open(0);
    comes(0, 0);
    comes(1, 1);
    follow(sharers);
    ends(0);
    ends(1);
    follow(sharers);
    EXPECT_EQ(news_, "l");
    EXPECT_EQ(sharers.list().size(), reserve ? 1 : 0);
    open(0, false);
    follow(sharers);
    EXPECT_TRUE(sharers.list().empty());
  }
}

TEST_F(SharersTest, AContextReservesOnePlaceAndOnlyWhileItHasNoKernel) {
  Sharers sharers(true);
  open(0);
  comes(0, 0);
  comes(1, 0);
  comes(2, 0);
  follow(sharers);
  ends(0);
  EXPECT_THAT(follow(sharers), ElementsAre("1", "2"));
  ends(1);
  ends(2);
  EXPECT_THAT(follow(sharers), ElementsAre("(1)"));
  comes(3, 0);
  comes(4, 0);
  EXPECT_THAT(follow(sharers), ElementsAre("3", "4"));
  EXPECT_EQ(news_, "cf");
  EXPECT_NE(sharers.list()[0].place, sharers.list()[1].place);
}

TEST_F(SharersTest, AContextThatNeverHadAKernelReservesNothing) {
  Sharers sharers(true);
  for (std::uint32_t context = 0; context < 3; ++context) open(context);
  EXPECT_TRUE(follow(sharers).empty());
}

// ---- the policies that reserve

class Reserving {
 public:
  Reserving(const char* policy, bool reserve, std::size_t sms, std::size_t contexts)
      : machine_(sms, std::vector<ContextView>(contexts, {0, 0, true})),
        policy_(PolicyRegistry<SmPartitioner>::make({policy, {{"reserve", reserve ? 1.0 : 0.0}}})) {}

  TestMachine& machine() { return machine_; }
  std::vector<int> holders() { return machine_.holders(*policy_); }
  std::vector<std::string> slices() { return machine_.slices(*policy_); }
  void run_out(std::size_t kernel) { machine_.view().kernels[kernel].unissued = 0; }
  // Ends the oldest kernel, which then has no block on any SM.
  void oldest_ends() {
    const KsrId ksr = machine_.view().kernels.front().ksr;
    for (SmView& sm : machine_.view().sms)
      for (std::size_t i = sm.slices.size(); i-- > 0;)
        if (sm.slices[i].slice.kernel == ksr)
          sm.slices.erase(sm.slices.begin() + static_cast<std::ptrdiff_t>(i));
    machine_.view().kernels.erase(machine_.view().kernels.begin());
  }
  void launches(std::uint32_t context, std::uint32_t number) {
    KernelView view = machine_.view().kernels.front();
    view.ksr = KsrId{number};
    view.kernel = KernelId{number};
    view.context = ContextId{context};
    view.unissued = 9;
    machine_.view().kernels.push_back(view);
  }
  void close(std::size_t context) { machine_.view().contexts[context].open = false; }

 private:
  TestMachine machine_;
  std::unique_ptr<SmPartitioner> policy_;
};

TEST(EvenReserve, AnOpenContextCountsBetweenItsKernels) {
  for (const bool reserve : {true, false}) {
    Reserving even("even", reserve, 2, 2);
    even.machine().kernel(0, 9, 8);
    even.machine().kernel(1, 9, 8);
    EXPECT_THAT(even.slices(), ElementsAre("0:4 1:4", "0:4 1:4"));
    even.run_out(0);  // the blocks of the kernel run on other SMs
    EXPECT_THAT(even.slices(), ElementsAre(reserve ? "1:4" : "1:8", reserve ? "1:4" : "1:8"));
    even.oldest_ends();
    EXPECT_THAT(even.slices(), ElementsAre(reserve ? "1:4" : "1:8", reserve ? "1:4" : "1:8"));
    even.close(0);
    EXPECT_THAT(even.slices(), ElementsAre("1:8", "1:8"));
  }
}

TEST(EvenReserve, NobodyIsLeftWithoutABlockForSomebodyWhoIsAway) {
  Reserving even("even", true, 1, 2);
  even.machine().kernel(0, 9, 1);
  EXPECT_THAT(even.slices(), ElementsAre("0:1"));
  even.machine().kernel(1, 9, 1);
  even.oldest_ends();
  EXPECT_THAT(even.slices(), ElementsAre("1:1"));
}

TEST(SpatialReserve, TheSmsOfAnOpenContextStayFreeForItsNextKernel) {
  for (const bool reserve : {true, false}) {
    Reserving spatial("spatial", reserve, 4, 3);
    const int first = spatial.machine().kernel(0, 9);
    const int second = spatial.machine().kernel(1, 9);
    spatial.machine().runs(0, first, 1).runs(1, first, 1).runs(2, second, 1).runs(3, second, 1);
    EXPECT_THAT(spatial.holders(), ElementsAre(0, 0, 1, 1));
    spatial.oldest_ends();
    const int nobody = reserve ? TestMachine::kNobody : 1;
    EXPECT_THAT(spatial.holders(), ElementsAre(nobody, nobody, 1, 1));
    spatial.launches(0, 2);
    EXPECT_THAT(spatial.holders(), ElementsAre(2, 2, 1, 1));
    spatial.machine().view().kernels.pop_back();
    EXPECT_THAT(spatial.holders(), ElementsAre(nobody, nobody, 1, 1));
    spatial.close(0);
    EXPECT_THAT(spatial.holders(), ElementsAre(1, 1, 1, 1));
  }
}

TEST(SpatialReserve, AContextThatIsAwayKeepsNoMoreThanItsShare) {
  Reserving spatial("spatial", true, 4, 2);
  const int first = spatial.machine().kernel(0, 9);
  for (std::size_t sm = 0; sm < 4; ++sm) spatial.machine().runs(sm, first, 1);
  EXPECT_THAT(spatial.holders(), ElementsAre(0, 0, 0, 0));
  spatial.machine().kernel(1, 9);
  spatial.oldest_ends();
  EXPECT_THAT(spatial.holders(), ElementsAre(TestMachine::kNobody, TestMachine::kNobody, 1, 1));
}

// The kernel of context 2 can be the one that the next kernels of contexts 0 and 1 wait for in their queue.
TEST(SpatialReserve, ContextsThatAreAwayGiveWayToAKernelThatWouldElseHaveNoSm) {
  constexpr int kNobody = TestMachine::kNobody;
  Reserving spatial("spatial", true, 2, 3);
  const int first = spatial.machine().kernel(0, 9);
  const int second = spatial.machine().kernel(1, 9);
  spatial.machine().runs(0, first, 1).runs(1, second, 1);
  EXPECT_THAT(spatial.holders(), ElementsAre(0, 1));
  spatial.launches(2, 2);
  EXPECT_THAT(spatial.holders(), ElementsAre(0, 1));
  spatial.oldest_ends();
  EXPECT_THAT(spatial.holders(), ElementsAre(2, 1)) << "context 0 is away";
  spatial.oldest_ends();
  EXPECT_THAT(spatial.holders(), ElementsAre(2, kNobody)) << "the older context of the two keeps its SM";
  spatial.launches(1, 3);
  EXPECT_THAT(spatial.holders(), ElementsAre(3, 2)) << "context 0 gives way to both";
  spatial.launches(0, 4);
  EXPECT_THAT(spatial.holders(), ElementsAre(4, 3)) << "all contexts are there: the oldest places come first";
}

}  // namespace
}  // namespace heddle
