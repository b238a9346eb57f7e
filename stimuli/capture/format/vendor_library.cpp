#include "stimuli/capture/format/vendor_library.h"

namespace heddle::capture {

namespace {

constexpr std::string_view kOwnKernels =
    "its kernels are machine code, and heddle capture executes PTX; put kernels in CUDA C++ in its place";

struct Vendor {
  std::string_view start;  // of the file's name
  std::string_view advice;
};

constexpr Vendor kVendors[] = {
    {"libcublas", kOwnKernels},
    {"libcurand",
     "its kernels are machine code, and heddle capture executes PTX; generate the numbers in kernels, "
     "as with curand_kernel.h, or on the host"},
    {"libcufft", kOwnKernels},
    {"libcudnn", kOwnKernels},
    {"libcusparse", kOwnKernels},
    {"libcusolver", kOwnKernels},
    {"libcutensor", kOwnKernels},
    {"libnpp", kOwnKernels},
    {"libnvjpeg", kOwnKernels},
    {"libnvinfer", kOwnKernels},
    {"libnccl",
     "it connects several GPUs, and heddle capture shows the program one; run the program without it"},
    {"libnvrtc",
     "it compiles kernels while the program runs; compile them with nvcc, into the program or to PTX"},
    {"libnvJitLink", "it links kernels while the program runs; link them with nvcc"},
    {"libnvidia-ml", "it reads the state of a real GPU; run the program without it"},
    {"libcupti", "it measures a real GPU; run the program without it"},
};

}  // namespace

std::string refusal_of_library(std::string_view file) {
  const std::string_view name = file.substr(file.rfind('/') + 1);
  if (name.find(".so") == std::string_view::npos) return "";
  for (const Vendor& vendor : kVendors) {
    if (name.substr(0, vendor.start.size()) != vendor.start) continue;
    std::string text(name);
    text += ", which is not supported: ";
    text += vendor.advice;
    return text;
  }
  return "";
}

}  // namespace heddle::capture
