#include "scripts/harvest_program/session.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "scripts/harvest_program/works.h"

namespace harvest {

namespace {

constexpr std::size_t kMostSamples = 21;
constexpr std::size_t kLeastSamples = 3;
constexpr double kSecondsOfAMeasurement = 1.5;

__global__ void spin(unsigned long long cycles) {
  const long long start = clock64();
  while (static_cast<unsigned long long>(clock64() - start) < cycles) {
  }
}

int attribute(cudaDeviceAttr name) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, name, 0) == cudaSuccess) return value;
  cudaGetLastError();  // an attribute that the driver does not know is left out of the head
  return 0;
}

std::string version_of(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

void fail(const std::string& message) {
  std::fprintf(stderr, "harvest: %s\n", message.c_str());
  std::exit(3);
}

void require(cudaError_t error, const char* what) {
  if (error != cudaSuccess) fail(std::string(what) + ": " + cudaGetErrorString(error));
}

void hold(cudaStream_t stream, unsigned long long cycles) {
  spin<<<1, 1, 0, stream>>>(cycles);
  require(cudaGetLastError(), "launch of a kernel");
}

Session::Session(const Options& options) : options_(options) {
  sms_ = static_cast<unsigned>(attribute(cudaDevAttrMultiProcessorCount));
  l2_bytes_ = static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize));
  if (l2_bytes_ == 0) fail("the driver does not tell the size of L2");
  const std::string beside = options_.file + ".partial";
  out_ = std::fopen(beside.c_str(), "w");
  if (out_ == nullptr) fail("cannot write " + beside);
  write_head();
  // Twice the size of L2, as a multiple of what stream_read reads in a step.
  other_vectors_ = static_cast<unsigned>((2 * l2_bytes_ / sizeof(float4) / kStreamStep + 1) * kStreamStep);
  require(cudaMalloc(&other_, other_vectors_ * sizeof(float4)), "memory to empty L2");
  require(cudaMemset(other_, 0, other_vectors_ * sizeof(float4)), "memory to empty L2");
  require(cudaMalloc(&sums_, other_vectors_ / 4 * sizeof(float)), "memory to empty L2");
  require(cudaEventCreate(&begin_), "event");
  require(cudaEventCreate(&end_), "event");
}

// The file has its name when it is whole.
Session::~Session() {
  const bool written = std::fclose(out_) == 0;
  if (!written || std::rename((options_.file + ".partial").c_str(), options_.file.c_str()) != 0)
    fail("cannot write " + options_.file);
}

void Session::write_head() {
  cudaDeviceProp properties{};
  require(cudaGetDeviceProperties(&properties, 0), "properties of the GPU");
  int driver = 0;
  int runtime = 0;
  require(cudaDriverGetVersion(&driver), "version of the driver");
  require(cudaRuntimeGetVersion(&runtime), "version of the runtime");
  const std::time_t now = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  std::fprintf(out_, "# heddle-harvest: 1\n# card: %s\n# compute_capability: %d.%d\n", properties.name,
               attribute(cudaDevAttrComputeCapabilityMajor), attribute(cudaDevAttrComputeCapabilityMinor));
  const auto number = [this](const char* key, double value) {
    if (value > 0) std::fprintf(out_, "# %s: %.10g\n", key, value);
  };
  number("sms", sms_);
  number("core_clock_mhz", attribute(cudaDevAttrClockRate) / 1e3);
  number("memory_clock_mhz", attribute(cudaDevAttrMemoryClockRate) / 1e3);
  number("memory_bus_bits", attribute(cudaDevAttrGlobalMemoryBusWidth));
  number("memory_mib", static_cast<double>(properties.totalGlobalMem >> 20U));
  number("l2_kib", static_cast<double>(l2_bytes_ >> 10U));
  number("threads_per_sm", attribute(cudaDevAttrMaxThreadsPerMultiProcessor));
  number("blocks_per_sm", attribute(cudaDevAttrMaxBlocksPerMultiprocessor));
  number("registers_per_sm", attribute(cudaDevAttrMaxRegistersPerMultiprocessor));
  number("shared_kib_per_sm", attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) / 1024.0);
  std::fprintf(out_, "# driver: %s\n# runtime: %s\n# date: %s\n", version_of(driver).c_str(),
               version_of(runtime).c_str(), date);
  std::fprintf(out_, "what,parameters,value,unit,repetitions,least,most\n");
}

void Session::row(const std::string& what, const std::string& parameters, const char* unit,
                  std::vector<double> samples) {
  if (samples.empty()) return;
  std::sort(samples.begin(), samples.end());
  const std::size_t half = samples.size() / 2;
  const double median = samples.size() % 2 == 1 ? samples[half] : (samples[half - 1] + samples[half]) / 2;
  std::fprintf(out_, "%s,%s,%.6g,%s,%zu,%.6g,%.6g\n", what.c_str(), parameters.c_str(), median, unit,
               samples.size(), samples.front(), samples.back());
  std::fflush(out_);
}

bool Session::is_over() {
  const bool over = seconds() > 60 * options_.minutes;
  if (over) ++left_out_;
  return over;
}

std::vector<double> Session::repeat(const std::function<double()>& sample) {
  std::vector<double> samples;
  if (is_over()) return samples;
  sample();
  const std::size_t most = options_.quick ? kLeastSamples : kMostSamples;
  const double start = seconds();
  while (samples.size() < most &&
         (samples.size() < kLeastSamples || seconds() - start < kSecondsOfAMeasurement))
    samples.push_back(sample());
  return samples;
}

double Session::time_us(const Launch& launch, Caches caches, unsigned long long held_cycles) {
  if (caches == Caches::kCold) flush();
  hold(nullptr, held_cycles);
  require(cudaEventRecord(begin_), "event");
  launch(nullptr);
  require(cudaEventRecord(end_), "event");
  require(cudaEventSynchronize(end_), "kernel");
  float milliseconds = 0;
  require(cudaEventElapsedTime(&milliseconds, begin_, end_), "event");
  return 1e3 * milliseconds;
}

void Session::flush() {
  enqueue_stream_read(other_, sums_, other_vectors_, kStreamStep, other_vectors_ / kStreamStep, nullptr);
  require(cudaDeviceSynchronize(), "kernel that empties L2");
}

}  // namespace harvest
