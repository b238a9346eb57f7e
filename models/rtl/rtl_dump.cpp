#include "models/rtl/rtl_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "models/core/base/log.h"
#include "models/rtl/child_process.h"

namespace heddle {

namespace {

// Symbols of the answers in the file. Those of the library are shorter.
constexpr const char* kModel = "~answer~model";
constexpr const char* kRtl = "~answer~rtl";
constexpr const char* kAddress = "~answer~address";
constexpr const char* kDiffers = "~answer~differs";
constexpr int kNumberBits = 64;
constexpr const char* kPacker = "vcd2fst";

std::string binary(std::uint64_t value) {
  return fmt::format("b{:b}", value);
}

// A choice of none has no value.
std::string number(std::uint64_t value, const char* symbol) {
  return fmt::format("{} {}\n", value == RtlEvent::kNone ? "bx" : binary(value), symbol);
}

std::string changes_of(const RtlEvent& event) {
  std::string text = number(event.model, kModel) + number(event.rtl, kRtl);
  if (event.address != RtlEvent::kNone) text += number(event.address, kAddress);
  return text + fmt::format("{}{}\n", event.model == event.rtl ? 0 : 1, kDiffers);
}

std::string declarations() {
  std::string text = "$scope module beside $end\n";
  for (const auto& [symbol, name] : {std::pair{kModel, "model"}, {kRtl, "rtl"}, {kAddress, "address"}})
    text += fmt::format("$var wire {} {} {} [{}:0] $end\n", kNumberBits, symbol, name, kNumberBits - 1);
  return text + fmt::format("$var wire 1 {} differs $end\n$upscope $end\n", kDiffers);
}

// Throws RtlError if the file cannot be written, or exists.
std::unique_ptr<ResultFile> claim(const RtlDumpSpec& spec, const std::string& path) {
  try {
    return std::make_unique<ResultFile>(path, Existing::kRefused, "dump.file");
  } catch (const std::runtime_error& error) {
    throw RtlError(fmt::format("{}: the waveform of {}: {}", spec.place, spec.instance, error.what()));
  }
}

}  // namespace

RtlDump::RtlDump(const RtlDumpSpec& spec, RtlInstance& instance, std::vector<std::string> pins)
    : spec_(spec), instance_(instance), pins_(std::move(pins)) {
  if (spec_.fst && !run_tool({kPacker, "--help"}).started)
    throw RtlError(fmt::format("{}: {} needs the program {}; Debian: apt install gtkwave", spec_.place,
                               spec_.file, kPacker));
  wave_ = claim(spec_, spec_.file);
  view_ = claim(spec_, spec_.file + ".gtkw");
  instance_.trace_open(raw());
}

RtlDump::~RtlDump() {
  try {
    close();
  } catch (const std::exception& error) {
    HEDDLE_LOG(Severity::kError, "rtl", "the waveform of {}: {}", spec_.instance, error.what());
  }
  std::remove(raw().c_str());
  if (spec_.fst) std::remove(text().c_str());
}

void RtlDump::evaluated(Cycle cycle, bool risen) {
  is_used_ = true;
  if (!has(cycle)) return;
  const std::uint64_t half = spec_.period_ps / 2;
  const std::uint64_t edge = time_of(cycle) + half;
  instance_.trace_dump(risen ? edge : edge - half);
}

void RtlDump::answered(const RtlEvent& event) {
  if (has(event.cycle)) events_.push_back(event);
}

void RtlDump::close() {
  instance_.trace_close();
  if (!is_used_) return;
  std::stable_sort(events_.begin(), events_.end(),
                   [](const RtlEvent& a, const RtlEvent& b) { return a.cycle < b.cycle; });
  merge();
  if (spec_.fst) pack();
  write_view();
  wave_->finish();
  view_->finish();
}

void RtlDump::pack() const {
  const ChildOutput output = run_tool({kPacker, text(), wave_->draft()});
  if (const std::filesystem::path folder = std::filesystem::path(spec_.file).parent_path();
      is_disk_full(folder.empty() ? "." : folder.string()))
    throw RtlError(fmt::format("cannot write {}: {}", spec_.file, std::strerror(ENOSPC)));
  if (!output.started || !output.end.empty())
    throw RtlError(fmt::format("{} {} {} {}", kPacker, text(), wave_->draft(),
                               output.started ? output.end : "cannot be started"));
}

// Copies the library's file, adds the declarations, and each answer before the first later time.
void RtlDump::merge() const {
  std::ifstream rtl(raw());
  std::ofstream out(text());
  std::string line;
  std::size_t next = 0;
  const auto answers_before = [&](std::uint64_t time) {
    for (; next < events_.size() && time_of(events_[next].cycle) < time; ++next)
      out << "#" << time_of(events_[next].cycle) << "\n" << changes_of(events_[next]);
  };
  while (std::getline(rtl, line)) {
    if (line.rfind("$enddefinitions", 0) == 0) out << declarations();
    if (line.size() > 1 && line[0] == '#') {
      const std::uint64_t time = std::stoull(line.substr(1));
      answers_before(time);
      out << line << "\n";
      for (; next < events_.size() && time_of(events_[next].cycle) == time; ++next)
        out << changes_of(events_[next]);
      continue;
    }
    out << line << "\n";
  }
  answers_before(RtlEvent::kNone);
  out.close();
  if (!out) throw RtlError(text() + " cannot be written");
}

void RtlDump::write_view() const {
  std::uint64_t marker = spec_.from;
  for (const RtlEvent& event : events_)
    if (event.model != event.rtl) {
      marker = event.cycle.value;
      break;
    }
  std::ofstream view(view_->draft());
  view << fmt::format("[dumpfile] \"{}\"\n[timestart] {}\n*-16.000000 {} -1\n", spec_.file,
                      time_of(Cycle{spec_.from}), time_of(Cycle{marker}));
  constexpr const char* kBinary = "@28\n";
  constexpr const char* kHexadecimal = "@22\n";
  for (const std::string& pin : pins_) {
    const RtlSignal* const signal = instance_.find(pin);
    if (signal->bits() == 1)
      view << kBinary << "TOP." << pin << "\n";
    else
      view << kHexadecimal << fmt::format("TOP.{}[{}:0]\n", pin, signal->bits() - 1);
  }
  view << "@200\n-answers\n" << kHexadecimal;
  for (const char* name : {"model", "rtl", "address"})
    view << fmt::format("beside.{}[{}:0]\n", name, kNumberBits - 1);
  view << kBinary << "beside.differs\n";
  view.close();
  if (!view) throw RtlError(view_->draft() + " cannot be written");
}

}  // namespace heddle
