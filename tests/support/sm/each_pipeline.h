#pragma once
// What holds for SMs of every pipeline is tested on one of each: HEDDLE_EACH_PIPELINE(Suite) behind the
// tests, which are TEST_P(Suite, ...).

#include <gtest/gtest.h>

#include "tests/support/sm/subcore_sm.h"

namespace heddle::test {

class EachPipeline : public testing::TestWithParam<PipelineKind> {
 protected:
  CycleSmSpec sm() const { return GetParam() == PipelineKind::kSubcore ? subcore_sm() : gtx480_sm(); }
  CycleSmSpec sm_with_stalls() const {  // of kernels
    CycleSmSpec spec = sm();
    spec.kernel_stalls = true;
    return spec;
  }
};

#define HEDDLE_EACH_PIPELINE(Suite)                                                               \
  INSTANTIATE_TEST_SUITE_P(Pipelines, Suite,                                                      \
                           testing::Values(PipelineKind::kCollector, PipelineKind::kSubcore),     \
                           [](const testing::TestParamInfo<PipelineKind>& of) {                   \
                             return of.param == PipelineKind::kSubcore ? "subcore" : "collector"; \
                           })

}  // namespace heddle::test
