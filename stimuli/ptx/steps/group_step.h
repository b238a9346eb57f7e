#pragma once
// The decoded operands of wgmma.mma_async.

#include <vector>

#include "stimuli/ptx/lanes/lane_group_product.h"
#include "stimuli/ptx/steps/step.h"

namespace heddle::ptx {

class RowTable;

// The operands of a step of kind kGroupProduct. The descriptors are the same in all lanes.
struct GroupStep {
  FragmentTable a_table;  // empty: a lies in shared memory
  FragmentTable d_table;
  std::vector<Row> a;  // registers
  std::vector<Row> d;
  Row a_descriptor;
  Row b_descriptor;
  Row adds;  // a predicate that says whether the product is added to d
  bool adds_negated = false;
  bool a_is_k_major = true;
  bool b_is_k_major = true;
  GroupScales scales;  // without `adds`
};

GroupStep group_step_of(const Function& function, const Statement& statement, RowTable& rows);

}  // namespace heddle::ptx
