// Texture references, which programs of CUDA 11 have, are captured and replayed.

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/platforms/cli/capture/capture.h"

namespace heddle::test {
namespace {

// Texture references exist in CUDA 11 and not in CUDA 13. The runtime of CUDA 11 binds this one.
const char* const kTextureReference = R"(
#include <cuda_runtime.h>
#include <cstdio>
struct textureReference {
  int normalized;
  int filterMode;
  int addressMode[3];
  cudaChannelFormatDesc channelDesc;
  int more[16];
};
template <class T, int dim, int mode>
struct __attribute__((device_builtin_texture_type)) texture : textureReference {};
texture<float, 1, 0> image;
extern "C" int cudaBindTexture(std::size_t*, const textureReference*, const void*, const cudaChannelFormatDesc*, std::size_t);
extern "C" int cudaUnbindTexture(const textureReference*);
__global__ void fetch(float* result) {
  const int i = threadIdx.x;
  float value, g, b, a;
  asm volatile("tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [image, {%4}];" : "=f"(value), "=f"(g), "=f"(b), "=f"(a) : "r"(31 - i));
  result[i] = value;
}
int main() {
  float host[32];
  for (int i = 0; i < 32; ++i) host[i] = i * 0.5f;
  float *data, *result;
  cudaMalloc(&data, sizeof host);
  cudaMalloc(&result, sizeof host);
  cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
  const cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
  std::size_t offset = 1;
  image.addressMode[0] = 1;
  if (cudaBindTexture(&offset, &image, data, &channel, sizeof host) != 0 || offset != 0) return 2;
  fetch<<<1, 32>>>(result);
  cudaMemcpy(host, result, sizeof host, cudaMemcpyDeviceToHost);
  cudaUnbindTexture(&image);
  for (int i = 0; i < 32; ++i)
    if (host[i] != (31 - i) * 0.5f) return 1;
  std::printf("right\n");
}
)";

// Registers texture references as nvcc's host code does, by qualified names.
const char* const kQualifiedNames = R"(
#include <dlfcn.h>
extern "C" void __cudaRegisterTexture(void** binary, const void* host, const void** device, const char* name, int dimensions, int normalized, int external) {
  const auto next = reinterpret_cast<decltype(&__cudaRegisterTexture)>(dlsym(RTLD_NEXT, "__cudaRegisterTexture"));
  static char qualified[100];
  std::snprintf(qualified, sizeof qualified, "::%s", name);
  next(binary, host, device, qualified, dimensions, normalized, external);
}
)";

TEST_F(CaptureTest, TextureReferencesOfCuda11AreReplayed) {
  for (const char* names : {"", kQualifiedNames}) {
    compile_text("reversed", std::string(kTextureReference) + names, "libcudart.so.11.0");
    if (IsSkipped()) return;
    const Outcome outcome = capture("reversed");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(has(outcome.out, "right")) << outcome.out;
    EXPECT_EQ(run("reversed.hcap --platform k20")["runs"][0]["applications"][0]["kernels_launched"], 1);
  }
}

// nvcc registers a reference in a namespace by its qualified name, and its PTX has the mangled one.
TEST_F(CaptureTest, TextureReferencesInNamespacesAreFound) {
  std::string program = std::string(kTextureReference) + kQualifiedNames;
  const auto replace = [&](const std::string& what, const std::string& by) {
    for (std::size_t at = program.find(what); at != std::string::npos;
         at = program.find(what, at + by.size()))
      program.replace(at, what.size(), by);
  };
  replace("texture<float, 1, 0> image;", "namespace maps { texture<float, 1, 0> image; }");
  replace("[image, {%4}]", "[_ZN4maps5imageE, {%4}]");
  replace("image.addressMode", "maps::image.addressMode");
  replace("&image", "&maps::image");
  replace("\"::%s\", name", "\"::maps::image\"");
  compile_text("spaces", program, "libcudart.so.11.0");
  if (IsSkipped()) return;
  const Outcome outcome = capture("spaces");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "right")) << outcome.out;
}

}  // namespace
}  // namespace heddle::test
