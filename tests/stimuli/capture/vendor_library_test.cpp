// Libraries of NVIDIA's are known by the names of their files.

#include "stimuli/capture/format/vendor_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::capture {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(VendorLibrary, IsRefusedWithWhatToDo) {
  for (const char* name :
       {"libcublas.so.12", "libcublasLt.so.11", "libcufft.so.11", "libcudnn_ops_infer.so.8",
        "libcusparse.so.12", "libcusolverMg.so.11", "libnppif.so.12"})
    EXPECT_THAT(refusal_of_library(name), StartsWith(std::string(name) + ", which is not supported: "))
        << name;
  EXPECT_THAT(refusal_of_library("libcurand.so.10"), HasSubstr("curand_kernel.h"));
  EXPECT_THAT(refusal_of_library("libnvrtc.so.12"), HasSubstr("compile them with nvcc"));
  EXPECT_THAT(refusal_of_library("libnccl.so.2"), HasSubstr("shows the program one"));
  EXPECT_THAT(refusal_of_library("/opt/cuda/lib64/libcufft.so"), StartsWith("libcufft.so, which"));
}

TEST(VendorLibrary, OthersAreNot) {
  for (const char* name :
       {"libcudart.so.12", "libcuda.so.1", "libc.so.6", "libcublas.txt", "my_libcublas.so", ""})
    EXPECT_EQ(refusal_of_library(name), "") << name;
}

}  // namespace
}  // namespace heddle::capture
