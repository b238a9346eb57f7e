// Feeds damaged inputs to the readers of traces, kernel lists, platforms, applications, PTX, launch files,
// fat binaries and captured programs, and executes PTX that is accepted. A reader may refuse an input with
// config::Error. Any other exception is a failure.
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
#include <iterator>
#include <string>
#include <vector>

#include "models/core/base/random.h"
#include "models/core/config/config.h"
#include "platforms/load/platform_loader.h"
#include "stimuli/application/application.h"
#include "stimuli/capture/format/fat_binary.h"
#include "stimuli/capture/replay/capture_application.h"
#include "stimuli/launch/launch_reader.h"
#include "stimuli/ptx/analysis/module_loader.h"
#include "stimuli/ptx/analysis/register_estimate.h"
#include "stimuli/ptx/text/forms.h"
#include "stimuli/traceg/trace_application.h"
#include "stimuli/traceg/trace_program.h"
#include "tests/fuzz/ptx_execution.h"
#include "tests/support/captures.h"
#include "tests/support/fat_binaries.h"
#include "tests/support/paths.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

constexpr double kMostSeconds = 10;  // for one input, in a build with sanitizers
constexpr std::size_t kMostSampleBytes = 12000;

enum class Reader : std::uint8_t {
  kTrace,
  kXzTrace,
  kList,
  kPlatform,
  kApplication,
  kPtx,
  kLaunch,
  kFatBinary,
  kCapture
};
constexpr std::size_t kReaders = 9;
constexpr const char* kFileNames[kReaders] = {"kernel.traceg", "kernel.traceg.xz", "kernelslist.g",
                                              "platform.yaml", "application.yaml", "kernel.ptx",
                                              "launch.yaml",   "code.fatbin",      "program.hcap"};

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string decoded(const std::string& file, std::size_t most) {
  TextSource source(file);
  std::string text;
  for (std::string_view line; text.size() < most && source.find(line); source.take())
    text.append(line).append("\n");
  return text;
}

// Returns a trace with all forms of addresses and all memory spaces, in three blocks of two warps.
std::string hand_written(const char* binary, const char* tracer) {
  const bool immediates = tracer[0] == '5';
  std::string text = fmt::format(
      "-kernel name = f<int>\n-kernel id = 1\n-grid dim = (3,1,1)\n-block dim = (16,2,2)\n-shmem = "
      "64\n-nregs = 8\n"
      "-binary version = {}\n-cuda stream id = 2\n-shmem base_addr = 0x00007f0000000000\n"
      "-local mem base_addr = 0x00007f1000000000\n-accelsim tracer version = {}\n#traces format = PC\n",
      binary, tracer);
  const char* lines[] = {"0000 ffffffff 1 R1 MOV 0 0",
                         "0010 0000000f 1 R1 LD.E 1 R2 4 2 0x7f0000000100 4 -8 12",
                         "0010 00000001 1 R1 LD.E 1 R2 4 0 0x7f1000000200",
                         "0020 00000ff0 1 R1 LDG.E.CG 1 R2 4 1 0xc0000000 -4",
                         "0030 ffffffff 1 R255 FFMA 3 R1 R255 R2 0",
                         "0040 00000000 0 ST.E.64 2 R1 R2 8 1 0x0 0",
                         "0010 00000003 1 R1 LD.E 1 R2 4 0 0x10 0x7f1000000200",
                         "0050 ffffffff 0 BAR.SYNC 0 0",
                         "0060 0000ffff 0 EXIT 0 0"};
  for (int block = 0; block < 3; ++block) {
    text += fmt::format("\n#BEGIN_TB\n\nthread block = {},0,0\n", block);
    for (int warp = 0; warp < 2; ++warp) {
      text += fmt::format("\nwarp = {}\ninsts = {}\n", warp, std::size(lines));
      for (const char* line : lines)
        text += (tracer[0] == '2' ? fmt::format("{} 0 0 {} ", block, warp) : "") + line +
                (immediates ? " -1 \n" : " \n");
    }
    text += "\n#END_TB\n";
  }
  return text;
}

using Samples = std::vector<std::string>;

std::vector<Samples> load_samples() {
  const fs::path source = heddle::test::source_directory();
  std::vector<Samples> samples(kReaders);
  samples[0] = {hand_written("35", "2"), hand_written("70", "3"), hand_written("86", "5")};
  for (const char* name : {"vecadd4k", "nvbit-romnn_vectoradd", "triad1m"}) {
    const fs::path folder = source / "stimuli/traces" / name;
    const std::string trace = (folder / "kernel-1.traceg.xz").string();
    samples[0].push_back(decoded(trace, kMostSampleBytes));
    if (fs::file_size(trace) < kMostSampleBytes) samples[1].push_back(read_file(trace));
    samples[2].push_back(read_file(folder / "kernelslist.g"));
  }
  samples[2].emplace_back("MemcpyHtoD,0x10,4\nMemcpyDtoH,0x10,4\nkernel.traceg\n");
  for (const char* name : {"k20", "gtx480"})
    samples[3].push_back(read_file(source / "platforms" / (std::string(name) + ".yaml")));
  for (const char* file : {"bfs.yaml", "histo.yaml", "sgemm.yaml"})
    samples[4].push_back(read_file(source / "stimuli/applications" / file));
  for (const char* name : {"basic.sm_35", "basic.sm_75", "control.sm_35", "control.sm_75"})
    samples[5].push_back(read_file(source / "tests/data/ptx" / (std::string(name) + ".ptx")));
  for (const char* name :
       {"vector_add", "lu_decomposition", "breadth_first_search", "two_point_correlation"}) {
    std::string text = read_file(source / "stimuli/launches" / (std::string(name) + ".yaml"));
    const std::string folder = "../kernels/";
    text.replace(text.find(folder), folder.size(), (source / "stimuli/kernels/").string());
    samples[6].push_back(text);
  }
  for (const Packing packing : {Packing::kPlain, Packing::kLz4, Packing::kZstd})
    samples[7].push_back(fat_binary(fat_entry(2, 50, "code", Packing::kPlain) +
                                    fat_entry(1, 35, capture::kDoubleText, packing)));
  samples[8].push_back(capture::packed_calls(capture::twice_calls()));
  for (const std::string& text : executed_samples()) samples[5].push_back(text);
  return samples;
}

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
        expect(code->destinations <= code->destination.size() && code->sources <= code->source.size(),
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

// Visits the whole module, and checks the guarantees of stimuli/ptx/text/statement.h.
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
      set_residence(document.root(), application, platform);
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
      const std::string whole = capture::wrapped_capture(text, blobs);
      auto captured = std::make_shared<const capture::Capture>(capture::read_capture(whole, file));
      capture::capture_application(captured, file);
      return;
    }
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
