// Feeds damaged inputs to the readers of traces, kernel lists, platforms, applications, PTX, launch files,
// fat binaries, captured programs, CUDA programs and machine code. PTX and captured programs that are
// accepted are executed, and PTX is linked. A reader may refuse an input with config::Error. Any other
// exception is a failure.
//
//   heddle_reader_fuzz SECONDS SEED [NUMBER | FILE]    only input NUMBER, or only inputs named FILE
//
// The input that is being read is in $TMPDIR/heddle-fuzz-PID/. The folder stays after a failure and after a
// crash.

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "models/core/base/random.h"
#include "models/core/config/config.h"
#include "platforms/load/platform_loader.h"
#include "stimuli/application/application.h"
#include "stimuli/capture/format/capture_file.h"
#include "stimuli/capture/format/device_code.h"
#include "stimuli/capture/format/fat_binary.h"
#include "stimuli/capture/format/machine_code_file.h"
#include "stimuli/capture/format/program_file.h"
#include "stimuli/capture/format/ptx_linker.h"
#include "stimuli/capture/format/runtime_calls.h"
#include "stimuli/capture/format/vendor_library.h"
#include "stimuli/capture/replay/capture_application.h"
#include "stimuli/functional/functional_host.h"
#include "stimuli/launch/launch_reader.h"
#include "stimuli/ptx/analysis/module_loader.h"
#include "stimuli/ptx/analysis/register_estimate.h"
#include "stimuli/ptx/statements/forms.h"
#include "stimuli/traceg/trace_application.h"
#include "stimuli/traceg/trace_program.h"
#include "tests/fuzz/fuzz_samples.h"
#include "tests/fuzz/ptx_execution.h"
#include "tests/support/capture/captures.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

constexpr double kMostSeconds = 10;  // for one input, in a build with sanitizers
class Mutator {
 public:
  Mutator(Random& random, const Samples& samples) : random_(random), samples_(samples) {}

  std::string make() {
    std::string text = pick();
    for (std::uint64_t left = random_.below(6); left > 0; --left) mutate(text);
    return text;
  }

 private:
  const std::string& pick() { return samples_[random_.below(samples_.size())]; }
  std::size_t place(const std::string& text) { return random_.below(text.size() + 1); }

  void mutate(std::string& text) {
    if (text.empty()) text = pick();
    switch (random_.below(7)) {
      case 0:
        text[random_.below(text.size())] = static_cast<char>(random_.below(256));
        break;
      case 1: {
        char& byte = text[random_.below(text.size())];
        byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << random_.below(8)));
        break;
      }
      case 2:
        text.resize(place(text));
        break;
      case 3: {
        const std::string& other = pick();
        text = text.substr(0, place(text)) + other.substr(place(other));
        break;
      }
      case 4:
        replace_number(text);
        break;
      case 5: {  // repeats a line at another place
        const std::string line = line_at(text, place(text));
        text.insert(line_start(text, place(text)), line);
        break;
      }
      default: {
        const std::size_t start = line_start(text, place(text));
        text.erase(start, line_at(text, start).size());
      }
    }
  }

  void replace_number(std::string& text) {
    static constexpr const char* kNumbers[] = {"0",
                                               "1",
                                               "-1",
                                               "31",
                                               "32",
                                               "33",
                                               "255",
                                               "256",
                                               "1024",
                                               "65536",
                                               "4294967295",
                                               "4294967296",
                                               "9223372036854775807",
                                               "9223372036854775808",
                                               "18446744073709551616",
                                               "1e308",
                                               "nan",
                                               "ffffffff",
                                               "0x7f0000ffffff",
                                               "99999999999999999999999"};
    const std::size_t start = text.find_first_of("0123456789", place(text));
    if (start == std::string::npos) return;
    const std::size_t end = std::min(text.find_first_not_of("0123456789abcdefx", start), text.size());
    text.replace(start, end - start, kNumbers[random_.below(std::size(kNumbers))]);
  }

  static std::size_t line_start(const std::string& text, std::size_t at) {
    const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    return before == std::string::npos ? 0 : before + 1;
  }
  static std::string line_at(const std::string& text, std::size_t at) {
    const std::size_t start = line_start(text, at);
    return text.substr(start, std::min(text.find('\n', start), text.size() - 1) - start + 1);
  }

  Random& random_;
  const Samples& samples_;
};

void expect(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

// Runs the trace one block at a time, and checks the guarantees of models/core/kernel/instruction.h.
void run_trace(const std::string& file, const TraceLimits& limits) {
  TraceProgram program(file, limits);
  std::uint64_t sum = 0;
  for (std::uint64_t block = 0; block < program.header().blocks; ++block) {
    BlockStream& stream = program.start(BlockId{block});
    for (std::uint32_t warp = 0; warp < program.header().warps(); ++warp) {
      IssuedInstruction issued;
      while (const Instruction* code = stream.peek(warp, 0)) {
        stream.peek(warp, static_cast<std::uint32_t>(sum % 5));
        stream.issue(warp, issued);
        expect(issued.code == code, "peek and issue differ");
        expect(code->destinations().size() <= Instruction::kMostDestinations &&
                   code->sources().size() <= Instruction::kMostSources,
               "registers");
        if (!is_memory(code->operation)) continue;
        expect(code->bytes >= 1 && code->bytes <= 16 && code->space != MemorySpace::kNone, "memory access");
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
          if ((issued.mask >> lane & 1U) == 0) continue;
          expect(issued.addresses[lane] >> 57U == 0, "address");
          sum += issued.addresses[lane];
        }
      }
      expect(issued.code != nullptr && issued.code->operation == Operation::kExit, "no exit");
    }
    program.finish(stream);
  }
}

// Visits the whole module, and checks the guarantees of stimuli/ptx/statements/statement.h.
void analyse(const ptx::Module& module) {
  ptx::register_estimates(module);
  for (const ptx::Function& function : module.functions) {
    for (const ptx::Statement& at : function.code) {
      expect(at.form < ptx::forms().size() && ptx::forms()[at.form].opcode == at.opcode, "form");
      expect(at.operand + at.operands <= function.operands.size(), "operands");
      if (at.opcode == ptx::Opcode::kBra) expect(at.target < function.code.size(), "target");
      if (at.opcode == ptx::Opcode::kCall)
        expect(at.target < (at.has(ptx::kIndirect) ? module.prototypes.size() : module.functions.size()),
               "callee");
    }
    for (const ptx::Operand& operand : function.operands) {
      if (operand.kind == ptx::OperandKind::kRegister)
        expect(operand.index < function.registers.size(), "register");
      if (operand.kind == ptx::OperandKind::kVector)
        expect(operand.index + operand.count <= function.operands.size(), "elements");
      if (operand.kind == ptx::OperandKind::kVariable)
        expect(operand.index < module.variables.size(), "variable");
    }
  }
}

// Returns whether the calls ask for no more than a replay has time and memory for.
bool is_small(const capture::Capture& captured) {
  constexpr std::uint64_t kMost = 1U << 16U;
  std::uint64_t sum = 0;
  for (const capture::CapturedCall& call : captured.calls) {
    for (const std::uint64_t count :
         {call.rows.bytes, call.rows.count, call.rows.pitch, call.other.pitch, std::uint64_t{call.grid.x},
          std::uint64_t{call.grid.y}, std::uint64_t{call.grid.z}, std::uint64_t{call.shared}}) {
      if (count > kMost) return false;
    }
    sum += call.rows.total() + call.grid.count();
    if (sum > kMost) return false;
  }
  return true;
}

// Executes the kernels of a captured program, unless that takes too long. A replay that fails is expected.
void replay(const std::string& bytes, const std::string& file) {
  const auto captured = std::make_shared<const capture::Capture>(capture::read_capture(bytes, file));
  const Application application = capture::capture_application(captured, file);
  if (!is_small(*captured)) return;
  try {
    FunctionalHost(application.program, captured->order).run();
  } catch (const std::runtime_error&) {
  }
}

// Reads what `heddle list` shows of a CUDA program, and the libraries that a capture looks at.
void read_program(const std::string& bytes, const std::string& file) {
  const capture::ProgramFile program = capture::read_program_file(bytes, file);
  for (const std::string& needed : program.needed) capture::refusal_of_library(needed);
  const capture::DeviceCode code = capture::device_code_of(bytes, file);
  for (const auto* containers : {&code.containers, &code.parts})
    for (const std::string_view container : *containers)
      for (const capture::FatBinaryEntry& entry : capture::read_fat_binary(container, file))
        if (entry.ptx) ptx::parse_module(capture::text_of(entry, file), file, ptx::Refusal::kFunction);
  if (program.elf) {
    capture::calls_of_program(bytes, file);
    capture::runtime_calls(bytes, file);
  }
  capture::runtime_of(program, file);
}

void read(Reader reader, const std::string& text, const std::string& file, Random& random) {
  const std::uint64_t limit = random.below(3) == 0 ? random.below(2000) : std::uint64_t{1} << 24U;
  switch (reader) {
    case Reader::kTrace:
    case Reader::kXzTrace:
      return run_trace(file, {limit, limit});
    case Reader::kList:
      read_trace_application(file);
      return;
    case Reader::kPlatform: {
      config::Document document = config::Document::parse(text, file);
      read_platform(document.root());
      return document.finish();
    }
    case Reader::kApplication: {
      static const GpuSpec platform = load_platform("k20-cusched");
      config::Document document = config::Document::parse(text, file);
      Application application = read_application(document.root(), platform.host);
      document.finish();
      check_fits(document.root(), application, platform);
      set_residence(document.root(), application, platform, platform);
      return;
    }
    case Reader::kPtx: {
      const ptx::Module module = ptx::load_module(file);
      analyse(module);
      return execute_some(module);
    }
    case Reader::kLaunch: {
      config::Document document = config::Document::parse(text, file);
      const LaunchFile launch = read_launch_file(document.root(), file);
      document.finish();
      expect(!launch.program.kernels.empty() && !launch.plan->steps.empty(), "launches");
      return;
    }
    case Reader::kFatBinary: {
      const auto entries = capture::read_fat_binary(text, file);
      capture::choose_ptx(entries, 35, file);
      for (const capture::FatBinaryEntry& entry : entries) capture::text_of(entry, file);
      return;
    }
    case Reader::kCapture: {  // only the calls are damaged, because checksums protect the file around them
      static const std::vector<std::string> blobs = capture::twice_blobs();
      return replay(capture::wrapped_capture(text, blobs), file);
    }
    case Reader::kCaptureFile:
      return replay(text, file);
    case Reader::kProgram:
      return read_program(text, file);
    case Reader::kMachineCode:
      capture::registers_of_machine_code(text, file);
      return;
    case Reader::kLinked:
      ptx::parse_module(capture::link_ptx({kLinkedText, text}, file), file, ptx::Refusal::kFunction);
      return;
  }
}

struct Tally {
  std::uint64_t inputs = 0;
  std::uint64_t accepted = 0;
};

// Returns the reader of an input, and sets `random` to the source of that input.
Reader draw_reader(std::uint64_t seed, std::uint64_t number, Random& random) {
  random = Random(seed).fork(std::to_string(number));
  return static_cast<Reader>(random.below(kReaders));
}

// Tries one input. Reports a failure on stderr and returns false.
bool try_one(std::uint64_t seed, std::uint64_t number, const std::vector<Samples>& samples,
             const fs::path& folder, std::vector<Tally>& tallies) {
  Random random(seed);
  const Reader reader = draw_reader(seed, number, random);
  const std::size_t index = static_cast<std::size_t>(reader);
  const std::string text = Mutator(random, samples[index]).make();
  const std::string file = (folder / kFileNames[index]).string();
  std::ofstream(file, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
  const auto started = std::chrono::steady_clock::now();
  ++tallies[index].inputs;
  std::string failure;
  try {
    read(reader, text, file, random);
    ++tallies[index].accepted;
  } catch (const config::Error& error) {
    const bool of_trace = reader == Reader::kTrace || reader == Reader::kXzTrace || reader == Reader::kList;
    if (error.problems().empty() || (of_trace && error.problems().size() != 1)) failure = "not one problem";
  } catch (const std::exception& error) {
    failure = error.what();
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  if (failure.empty() && took.count() > kMostSeconds) failure = fmt::format("it took {:.1f} s", took.count());
  if (failure.empty()) return true;
  std::cerr << fmt::format("seed {} input {}, {}: {}\n", seed, number, file, failure);
  return false;
}

bool is_wanted(std::uint64_t seed, std::uint64_t number, const char* file) {
  Random random(seed);
  return file == nullptr ||
         std::string_view(kFileNames[static_cast<std::size_t>(draw_reader(seed, number, random))]) == file;
}

// `only` is a number, a file name, or null for all inputs.
int fuzz(double seconds, std::uint64_t seed, const char* only) {
  const std::vector<Samples> samples = load_samples();
  const fs::path folder = fs::temp_directory_path() / fmt::format("heddle-fuzz-{}", getpid());
  fs::create_directories(folder);
  // Kernel lists name this file.
  std::ofstream(folder / "kernel-1.traceg") << samples[0][0];
  std::vector<Tally> tallies(kReaders);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  bool good = true;
  const bool one = only != nullptr && std::isdigit(static_cast<unsigned char>(only[0])) != 0;
  if (one) {
    good = try_one(seed, std::strtoull(only, nullptr, 10), samples, folder, tallies);
  } else {
    for (std::uint64_t number = 0; good && std::chrono::steady_clock::now() < end; ++number)
      good = !is_wanted(seed, number, only) || try_one(seed, number, samples, folder, tallies);
  }
  for (std::size_t i = 0; i < kReaders; ++i)
    std::cout << fmt::format("{}: {} inputs, {} accepted\n", kFileNames[i], tallies[i].inputs,
                             tallies[i].accepted);
  if (good) fs::remove_all(folder);
  return good ? 0 : 1;
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) {
    std::cerr << "usage: heddle_reader_fuzz SECONDS SEED [NUMBER | FILE]\n";
    return 2;
  }
  return heddle::fuzz(std::strtod(argv[1], nullptr), std::strtoull(argv[2], nullptr, 10),
                      argc == 4 ? argv[3] : nullptr);
}
