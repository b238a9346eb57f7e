#pragma once
// The `program` of a launch file: a list of calls.
//
//   - launch: entry                   with grid, block, arguments, shared_memory: 4 * n, registers: 32
//   - set: go_on[0] = 0               a word of a buffer, on the host and then on the device
//   - set: first = first + 16         a variable
//   - repeat: n / 16                  with body: [...]
//   - until: go_on[0] == 0            with body, done at least once; most: rounds, else the run fails
//   - swap: [a, b]                    they exchange where they lie
//   - copy_up: a                      copy_down: a; `to`, `from`: a variable of the module
//   - copy_across: a                  to: b, on the device; bytes: 4KiB
//   - fill: a                         with: 0xff, in every byte
//   - cpu: 1.5ms    record: event    wait: event    synchronise: all
//
// Launches, copies, fills, records, waits, sets and loops that read words may name a `stream`. Before the
// program buffers that it uses are allocated, and what they hold is copied up; after it, when all streams are
// done, those that are checked are copied down, and all are freed.

#include <string>
#include <vector>

#include "models/host/api_program.h"
#include "stimuli/application/stream_reader.h"
#include "stimuli/launch/argument_reader.h"

namespace heddle {

class CallReader {
 public:
  // The plan's codes, buffers, textures, variables and check are known; program.buffers too.
  CallReader(LaunchPlan& plan, ApiProgram& program, const Scope& scope)
      : plan_(plan), program_(program), values_(scope), arguments_(plan, scope), streams_(program) {}

  void read(const config::Section& root);

 private:
  void read_list(const config::Value& list);
  void read_call(const config::Value& call);
  void read_one(const std::string& verb, const config::Section& section, const config::Value& value,
                ApiCall& call);
  void read_launch(const config::Section& section, const config::Value& value, ApiCall& call);
  LaunchStep read_step(const config::Section& section, std::uint32_t code, std::uint32_t entry);
  std::array<Expression, 3> read_dimensions(const config::Value& value);
  void check_launch(const config::Value& value, const LaunchStep& step, ApiKernel& kernel) const;
  std::uint32_t kernel_of(const LaunchStep& step);
  void read_set(const config::Section& section, const config::Value& value);
  void read_repeat(const config::Section& section, const config::Value& value);
  void read_until(const config::Section& section, const config::Value& value);
  void read_swap(const config::Value& value, ApiCall& call);
  void read_copy(bool up, const config::Section& section, const config::Value& value, ApiCall& call);
  void read_copy_across(const config::Section& section, const config::Value& value, ApiCall& call);
  void read_fill(const config::Section& section, const config::Value& value, ApiCall& call);

  // The buffer of that name, now in use; the plan's size after a problem.
  std::uint32_t buffer_named(const config::Value& value, const std::string& name, bool used = true);
  void copy_words_down(const Expression& expression, std::uint32_t stream, const config::Value& value);
  ApiCall word_copy(const BufferWord& word, std::uint32_t stream) const;
  std::uint32_t add_action(LaunchAction action, const config::Value& value);
  void add(const ApiCall& call, const config::Value& value);
  void surround(const config::Value& program);
  void add_check_copies(const config::Value& program);

  LaunchPlan& plan_;
  ApiProgram& program_;
  LaunchValues values_;
  ArgumentReader arguments_;
  StreamReader streams_;
  std::vector<std::string> places_;                               // by call
  std::vector<std::pair<std::uint32_t, std::uint32_t>> entries_;  // by kernel: code and function
  bool launches_ = false;
  bool is_reached_ = true;     // not where something is repeated zero times
  std::uint64_t repeats_ = 1;  // of the call being read
};

}  // namespace heddle
