#pragma once
// A StimuliFile writes what passes the ports of an L2 slice or a DRAM channel during a run, as stimuli and
// expected answers of a test bench. A line is a request or an answer, with these columns between blanks, the
// same in both, so that $fscanf(file, "%s %d %d %s %h %d %h %d", ...) reads each:
//
//   request or answer
//   cycle of the block's clock in which the block can see the request, or the answer leaves
//   number of the request, from 0 on, which the answer repeats
//   read, write or atomic
//   address of its first byte, in hexadecimal digits
//   its bytes
//   of a write a bit for each byte that is written, the first in the lowest bit, in hexadecimal digits; else
//   0 of an answer whether the slice found the line, 0 or 1; of a request the lanes of an atomic, or 0

#include <functional>
#include <string>

#include "models/core/link/memory_tap.h"
#include "models/gpu/gpu.h"
#include "platforms/run/job.h"
#include "platforms/run/output.h"
#include "platforms/run/run_files.h"

namespace heddle {

// The places of a machine at which stimuli can be written, in order.
std::vector<std::string> stimuli_places(const GpuSpec& gpu);

class StimuliFile final : public MemoryObserver, public RunFile {
 public:
  // Throws OutputError if the file cannot be made.
  StimuliFile(const StimuliRequest& request, const GpuSpec& gpu);

  void watch(const Gpu& gpu);  // before the run
  void finish() override;

  void request(tlm::tlm_generic_payload& payload, const sc_core::sc_time& time) override;
  void response(tlm::tlm_generic_payload& payload, const sc_core::sc_time& time) override;

 private:
  void write(const char* what, const tlm::tlm_generic_payload& payload, Cycle cycle, std::uint64_t number,
             const std::string& enables, std::uint32_t last);

  const StimuliRequest request_;
  const std::function<Address(Address)> address_;
  const ClockDomain* clock_ = nullptr;
  OutputFile out_;
  std::uint64_t requests_ = 0;
};

}  // namespace heddle
