#pragma once
// Makes synthetic kernels from YAML, and returns the instructions that their warps issue.

#include <fmt/format.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "models/core/config/config.h"
#include "stimuli/application/application.h"
#include "stimuli/synthetic/synthetic_program.h"

namespace heddle::test {

struct KernelText {
  std::string code;  // a YAML list in one line
  std::uint64_t blocks = 1;
  std::uint32_t threads = 32;
  std::uint32_t registers = 64;
  std::string shared = "0B";
  std::string more{};  // further keys of the application, such as its buffers
  std::uint64_t seed = 1;
};

inline std::string application_text(const KernelText& text) {
  return fmt::format(
      "application: a\ndescription: d\nsource: s\n{}kernels:\n  k:\n    blocks: {}\n    threads: {}\n"
      "    registers: {}\n    shared_memory: {}\n    seed: {}\n    code: {}\nprogram: [{{launch: k}}]\n",
      text.more, text.blocks, text.threads, text.registers, text.shared, text.seed, text.code);
}

inline Application application_of(const std::string& yaml) {
  const config::Document document = config::Document::parse(yaml, "k.yaml");
  HostSpec host;
  host.touch_bytes_per_second = 1e9;
  Application application = read_application(document.root(), host);
  document.finish();
  return application;
}

inline std::unique_ptr<KernelProgram> program_of(const KernelText& text, bool with_phases = false) {
  return application_of(application_text(text)).program.kernels[0].program({with_phases, {}});
}

// Returns the instructions of one warp in order.
inline std::vector<IssuedInstruction> issues_of(BlockStream& stream, std::uint32_t warp) {
  std::vector<IssuedInstruction> issues;
  while (stream.peek(warp, 0) != nullptr) {
    issues.emplace_back();
    stream.issue(warp, issues.back());
  }
  return issues;
}

// Returns the instructions of every warp in order. The warps are ordered by block, then by warp.
inline std::vector<std::vector<IssuedInstruction>> issues_of(const KernelText& text,
                                                             bool with_phases = false) {
  // The returned instructions point into these programs.
  static std::vector<std::unique_ptr<KernelProgram>> kept;
  kept.push_back(program_of(text, with_phases));
  const std::unique_ptr<KernelProgram>& program = kept.back();
  std::vector<std::vector<IssuedInstruction>> issues;
  for (std::uint64_t block = 0; block < text.blocks; ++block) {
    BlockStream& stream = program->start(BlockId{block});
    for (std::uint32_t warp = 0; warp < (text.threads + kLanes - 1) / kLanes; ++warp)
      issues.push_back(issues_of(stream, warp));
    program->finish(stream);
  }
  return issues;
}

inline std::vector<Address> addresses_of(const IssuedInstruction& issued) {
  std::vector<Address> addresses;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane)
    if (((issued.mask >> lane) & 1) != 0) addresses.push_back(issued.addresses[lane]);
  return addresses;
}

inline std::set<std::uint64_t> lines_of(const IssuedInstruction& issued) {
  std::set<std::uint64_t> lines;
  for (const Address address : addresses_of(issued))
    for (std::uint64_t line = address / 128; line <= (address + issued.code->bytes - 1) / 128; ++line)
      lines.insert(line);
  return lines;
}

// Returns the memory instructions of all warps, one warp after another.
inline std::vector<IssuedInstruction> accesses_of(const KernelText& text) {
  std::vector<IssuedInstruction> accesses;
  for (const auto& warp : issues_of(text))
    for (const IssuedInstruction& issued : warp)
      if (is_memory(issued.code->operation)) accesses.push_back(issued);
  return accesses;
}

}  // namespace heddle::test
