#pragma once
// The CallReader reads the `program` of a launch file, which is a list of calls.
//
//   - launch: entry                   takes grid, block, cluster, arguments, shared_memory: 4 * n,
//                                     registers: 32; in entry_{n} the number of the parameter stands in the
//                                     name
//   - set: go_on[0] = 0               sets a word of a buffer, on the host and then on the device
//   - set: first = first + 16         sets a variable
//   - repeat: n / 16                  takes body: [...]
//   - until: go_on[0] == 0            takes body, which runs at least once, and most: the most rounds
//   - swap: [a, b]                    exchanges the device addresses of two buffers
//   - copy_up: a                      copy_down: a; `to` and `from` name a variable of the module
//   - copy_across: a                  takes to: b and bytes: 4KiB; both buffers are on the device
//   - fill: a                         takes with: 0xff, the value of every byte, and bytes: 4KiB
//   - cpu: 1.5ms    record: event    wait: event    synchronise: all
//
// Launches, copies, fills, records, waits, sets and loops that read words may name a `stream`. Before the
// program, the buffers that it uses are allocated and their contents are copied to the device. After the
// program, when all streams have completed, the buffers that are checked are copied to the host, and all
// buffers are freed.

#include <string>
#include <vector>

#include "models/host/api_program.h"
#include "stimuli/application/stream_reader.h"
#include "stimuli/launch/launch_step_reader.h"

namespace heddle {

class CallReader {
 public:
  // The codes, buffers, textures, variables and check of the plan must be complete, and so must
  // program.buffers. The arguments must outlive the reader.
  CallReader(LaunchPlan& plan, ApiProgram& program, const Scope& scope)
      : plan_(plan), program_(program), values_(scope), steps_(plan, program, scope), streams_(program) {}

  // Fills the steps and actions of the plan and the rest of the program. Problems are recorded.
  void read(const config::Section& root);

 private:
  void read_list(const config::Value& list);
  void read_call(const config::Value& call);
  void read_one(const std::string& verb, const config::Section& section, const config::Value& value,
                ApiCall& call);
  void read_set(const config::Section& section, const config::Value& value);
  void read_repeat(const config::Section& section, const config::Value& value);
  void read_until(const config::Section& section, const config::Value& value);
  void read_swap(const config::Value& value, ApiCall& call);
  void read_copy(bool up, const config::Section& section, const config::Value& value, ApiCall& call);
  void read_copy_across(const config::Section& section, const config::Value& value, ApiCall& call);
  void read_fill(const config::Section& section, const config::Value& value, ApiCall& call);

  // Returns the index of the buffer of that name and marks it as used if `used`. After a problem the result
  // is the number of buffers.
  std::uint32_t buffer_named(const config::Value& value, const std::string& name, bool used = true);
  void copy_words_down(const Expression& expression, std::uint32_t stream, const config::Value& value);
  ApiCall word_copy(const BufferWord& word, std::uint32_t stream) const;
  std::uint32_t add_action(LaunchAction action, const config::Value& value);
  void add(const ApiCall& call, const config::Value& value);
  void surround(const config::Value& program);  // adds the calls before and after the program
  void add_check_copies(const config::Value& program);

  LaunchPlan& plan_;
  ApiProgram& program_;
  LaunchValues values_;
  LaunchStepReader steps_;
  StreamReader streams_;
  std::vector<std::string> places_;  // by index of the call
  bool launches_ = false;
  bool is_reached_ = true;     // false in the body of a loop of zero rounds
  std::uint64_t repeats_ = 1;  // the product of the rounds of the enclosing loops
};

}  // namespace heddle
