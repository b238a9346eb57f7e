// The references of Rodinia's programs.

#include "tests/support/kernel_buffers.h"

#include <gmock/gmock.h>

namespace heddle::kernels {
namespace {

using testing::ElementsAre;

void run(std::string_view name, Buffers& buffers, const Scalars& scalars) {
  find_reference(name).run(buffers, scalars);
}

TEST(KernelReferences, BackpropAddsOuterProductsOfTheLayersValues) {
  Buffers buffers;
  put<float>(buffers, "input_values", {1, 2});
  put<float>(buffers, "hidden_values", {0, 0});
  put<float>(buffers, "output_values", {0});
  put<float>(buffers, "hidden_weights", {3, 4});
  put<float>(buffers, "output_weights", {2});
  put<float>(buffers, "hidden_changes", {8, 0});
  put<float>(buffers, "output_changes", {0});
  run("rodinia_backprop", buffers,
      {{"inputs", whole(2)},
       {"hidden", whole(1)},
       {"outputs", whole(1)},
       {"rounds", whole(1)},
       {"steps", whole(0)},
       {"rate", 0.5},
       {"momentum", 0.25}});
  EXPECT_THAT(get<float>(buffers, "hidden_values"), ElementsAre(11, 0));
  EXPECT_THAT(get<float>(buffers, "output_values"), ElementsAre(22));
  EXPECT_THAT(get<float>(buffers, "hidden_changes"), ElementsAre(7.5, 0));
  EXPECT_THAT(get<float>(buffers, "hidden_weights"), ElementsAre(10.5, 4));
  EXPECT_THAT(get<float>(buffers, "output_changes"), ElementsAre(121));
  EXPECT_THAT(get<float>(buffers, "output_weights"), ElementsAre(123));
}

}  // namespace
}  // namespace heddle::kernels
