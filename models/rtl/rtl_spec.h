#pragma once
// An RtlSpec describes one block in RTL: where its library comes from, what its pins are connected to, and
// what it does in the machine. It is plain data, which the reader of platforms/load makes from YAML.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "policies/parameters.h"

namespace heddle {

// What a library is made from. If `library` is not empty, a ready library is loaded and nothing is made.
struct RtlSource {
  std::string library;             // absolute path
  std::vector<std::string> files;  // absolute paths, in the order in which Verilator reads them
  std::string top;
  std::map<std::string, std::string> parameters;  // of the top module, as Verilator's -G takes them
  std::vector<std::string> includes;              // absolute paths of folders
  std::map<std::string, std::string> defines;     // an empty value defines the name alone
  std::vector<std::string> options;               // further options of Verilator, such as -Wno-WIDTH
  // Of these, a message for each that runs a command or may bring in options that do. The user has to trust
  // the block for them.
  std::vector<std::string> commands;
  std::string directory;  // Verilator runs there, so that relative paths in options are relative to it
  bool waves = false;     // whether instances can write waveforms, which makes every evaluation slower
};

struct RtlClock {
  std::string pin;
  std::string domain;           // "core", "icnt", "l2", "dram" or "pcie"
  std::string place;            // in the file, for messages
  std::uint64_t period_ps = 0;  // the machine's
};

// A reset is active from the first tick on for `cycles` ticks of the first clock. The block then runs for
// `then` ticks before it is used.
struct RtlReset {
  std::string pin;
  bool active_high = true;
  std::uint64_t cycles = 1;
  std::uint64_t then = 0;
  std::string place;
};

// A pin that is made of pins of the block, and is then connected as they are: a field of a wide pin, or
// several pins side by side.
struct RtlVector {
  struct Part {
    std::string pin;
    std::optional<std::uint32_t> high;  // with `low`: the bits of the pin; absent: all
    std::uint32_t low = 0;
  };
  std::string name;
  std::vector<Part> parts;  // the lowest bits first
  std::string place;        // in the file, for messages
};

// What a pin is connected to: a signal of the role, or a constant.
struct RtlPin {
  std::string pin;
  std::string signal;         // empty: the pin is tied
  std::uint32_t element = 0;  // bits of one element, of a signal that has several numbers
  // The pin has the lowest bits of all elements first, then the next bits of all, and so on; else one element
  // after another.
  bool planes = false;
  std::uint64_t constant = 0;  // of a tied input
  std::string place;           // in the file, for messages
  // Of one number: the pin has its bits from this one on, such as the address of a line of 128 bytes from bit
  // 7 on. The bits below are zero.
  std::uint32_t low = 0;
};

struct RtlCounter {
  std::string name;
  std::string signal;                 // a pin or a variable inside the block, by scopes below the top
  std::optional<std::uint32_t> high;  // with `low`: the bits of the signal that count
  std::uint32_t low = 0;
  bool pulse = false;  // counts the ticks in which the bits are not zero; else the value is the count
  std::string place;
};

enum class RtlMode : std::uint8_t { kReplace, kShadow };

// What a block with the role of an interface has beside the others. Cycles are of the role's clock domain.
struct RtlInterfaceSpec {
  std::uint64_t before = 0;  // a fixed delay of requests before the pins, such as the way to the tags
  // Size and alignment of every transfer, a power of two. 0: over AXI4 a burst has the beats that the request
  // needs; else a transfer has the width of the data, and a line if no data are connected.
  std::uint32_t transfer_bytes = 0;
  // Whether the addresses are those within the slice or channel, which are dense; else they are physical.
  bool local_addresses = true;
  std::uint32_t outstanding = 0;  // the most transfers without a response; 0: as many as have a number
  bool write_responses = true;    // whether writes are answered; AXI4 always answers them
  // Whether data are checked to be their addresses; absent: of slices, not of channels, which may never have
  // been written.
  std::optional<bool> check_data;
  std::uint64_t gate_after = 16;       // ticks with nothing outstanding before the block is gated
  std::uint64_t memory_latency = 200;  // of the memory behind the block in shadow mode, 1 or more; a guess
};

// The cycles of one instance that are written as a waveform.
struct RtlDumpSpec {
  std::string file;        // absolute path
  bool fst = false;        // whether the file is an FST, else a VCD
  std::string instance;    // its path in the machine
  std::uint64_t from = 0;  // cycles of the role's clock domain, both included
  std::uint64_t to = 0;
  std::uint64_t period_ps = 0;  // of that domain; the machine's
  std::string place;
};

struct RtlSpec {
  std::string name;
  std::string place;  // "file:line:column" of its section
  std::string file;   // absolute path of the file that describes the block
  RtlSource source;
  bool trusted = false;  // the user has said so; no file can
  std::vector<RtlClock> clocks;
  std::vector<RtlReset> resets;
  std::vector<RtlVector> vectors;
  std::vector<RtlPin> pins;
  std::string role;
  std::vector<std::string> instances;  // globs of paths, such as "sm[0-3].scheduler0"; empty: all
  RtlMode mode = RtlMode::kReplace;
  bool stop_on_divergence = true;
  bool resync = false;
  bool gated = true;          // whether cycles in which nothing is asked pass without a tick
  std::uint64_t latency = 0;  // the most cycles that an answer may take; 0: the role's own
  RtlInterfaceSpec interface;
  std::uint64_t seed = 1;
  // A twin of each instance with this seed gets the same inputs. An output that differs between the twins
  // depends on what the RTL does not reset.
  std::optional<std::uint64_t> second_seed;
  // The policy of the role's decision beside which the block stands. It decides in shadow mode, and for
  // instances that `instances` leaves out. Of a unit it is the policy that asks the unit.
  PolicyChoice model;
  std::vector<RtlCounter> counters;
  std::optional<RtlDumpSpec> dump;
};

}  // namespace heddle
