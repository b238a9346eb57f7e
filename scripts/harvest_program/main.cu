// Measures a GPU for Heddle: scripts/harvest compiles and runs this program. It changes no setting of the
// card and needs no library but the CUDA runtime.

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "scripts/harvest_program/parts.h"

namespace {

using harvest::Session;

struct Part {
  const char* name;
  void (*measure)(Session&);
};

// scripts/harvest --plan says what each of them measures.
constexpr Part kParts[] = {
    {"launches", harvest::measure_launches},  {"memory", harvest::measure_memory},
    {"atomics", harvest::measure_atomics},    {"instructions", harvest::measure_instructions},
    {"kernels", harvest::measure_kernels},    {"programs", harvest::measure_programs},
    {"pairs", harvest::measure_pairs},        {"starts", harvest::measure_starts},
    {"processes", harvest::measure_processes}};

bool is_chosen(const std::string& only, const char* name) {
  return only.empty() || ("," + only + ",").find("," + std::string(name) + ",") != std::string::npos;
}

void check_names(const std::string& only) {
  for (std::size_t at = 0; at < only.size();) {
    const std::size_t end = std::min(only.find(',', at), only.size());
    const std::string name = only.substr(at, end - at);
    bool known = false;
    for (const Part& part : kParts) known = known || name == part.name;
    if (!known) harvest::fail("--only: there is no part '" + name + "'; --plan names them");
    at = end + 1;
  }
}

int measure(const harvest::Options& options, const std::string& only) {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0)
    harvest::fail(std::string("there is no GPU that CUDA can use: ") +
                  (error != cudaSuccess ? cudaGetErrorString(error) : "the driver finds none"));
  Session session(options);
  for (const Part& part : kParts) {
    if (!is_chosen(only, part.name)) continue;
    const double start = session.seconds();
    std::fprintf(stderr, "harvest: %-12s ", part.name);
    part.measure(session);
    std::fprintf(stderr, "%.1f s\n", session.seconds() - start);
  }
  if (session.left_out() > 0)
    std::fprintf(stderr, "harvest: %u measurements are left out, because the time of --minutes was over\n",
                 session.left_out());
  std::fprintf(stderr, "harvest: %s is written\n", options.file.c_str());
  return 0;
}

double minutes_of(const char* word) {
  char* end = nullptr;
  const double minutes = std::strtod(word, &end);
  if (end == word || *end != '\0' || !(minutes > 0 && minutes <= 60))
    harvest::fail(std::string("--minutes takes a number up to 60, not '") + word + "'");
  return minutes;
}

}  // namespace

int main(int count, char** words) {
  if (count == 4 && std::strcmp(words[1], "--child") == 0)
    return harvest::run_child(words[2], std::strcmp(words[3], "quick") == 0);
  harvest::Options options;
  std::string only;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const auto value = [&] {
      if (i + 1 >= count) harvest::fail(word + " takes a value");
      return words[++i];
    };
    if (word == "--minutes")
      options.minutes = minutes_of(value());
    else if (word == "-o" || word == "--out")
      options.file = value();
    else if (word == "--only")
      only = value();
    else if (word == "--quick")
      options.quick = true;
    else
      harvest::fail("unknown option '" + word + "'; scripts/harvest --help names them");
  }
  check_names(only);
  return measure(options, only);
}
