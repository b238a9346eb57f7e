#pragma once
// Executes the steps that convert and test generic addresses: cvta and isspacep.

#include "stimuli/ptx/execute/image.h"
#include "stimuli/ptx/execute/warp_step.h"

namespace heddle::ptx {

void convert_addresses(const WarpStep& at);
void test_address_space(const WarpStep& at, const Image& image);

}  // namespace heddle::ptx
