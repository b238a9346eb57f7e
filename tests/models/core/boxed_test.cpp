#include "models/core/base/boxed.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace heddle::test {
namespace {

struct Incomplete;
struct Owner {  // copied, moved and destroyed without the definition of what it holds
  std::vector<Boxed<Incomplete>> all;
};
struct Incomplete {
  std::string text;
};

TEST(Boxed, IsCopiedWithItsOwner) {
  Owner first;
  first.all.emplace_back(Incomplete{"first"});
  Owner second = first;
  (*second.all[0]).text = "second";
  EXPECT_EQ((*first.all[0]).text, "first");
  first = second;
  EXPECT_EQ((*first.all[0]).text, "second");
  EXPECT_NE(&*first.all[0], &*second.all[0]);
}

TEST(Boxed, MovesItsValueWithoutACopy) {
  Boxed<Incomplete> from(Incomplete{"value"});
  const Incomplete* const place = &*from;
  const Boxed<Incomplete> to(std::move(from));
  EXPECT_EQ(&*to, place);
}

}  // namespace
}  // namespace heddle::test
