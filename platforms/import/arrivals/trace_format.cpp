#include "platforms/import/arrivals/trace_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace heddle::imported {

namespace {

// Traces of Azure: github.com/Azure/AzurePublicDataset.
TraceFormat azure_llm() {
  TraceFormat format;
  format.name = "azure-llm";
  format.what = "Azure LLM inference traces of 2023, 2024 and 2025 (multimodal)";
  format.columns = {"TIMESTAMP", "ContextTokens", "GeneratedTokens"};
  format.time = "TIMESTAMP";
  format.unit = TimeUnit::kDate;
  format.lengths = {{"ContextTokens", "prompt"}, {"GeneratedTokens", "output"}, {"NumImages", "images"}};
  return format;
}

TraceFormat azure_functions_2019() {
  TraceFormat format;
  format.name = "azure-functions-2019";
  format.what = "Azure Functions trace of 2019, invocations of a day by minute";
  format.columns = {"HashApp", "HashFunction", "Trigger", "1"};
  format.function = "HashFunction";
  format.app = "HashApp";
  format.has_counts = true;
  return format;
}

TraceFormat azure_functions_2021() {
  TraceFormat format;
  format.name = "azure-functions-2021";
  format.what = "Azure Functions invocation trace of 2021";
  format.columns = {"app", "func", "end_timestamp", "duration"};
  format.time = "end_timestamp";
  format.duration = "duration";
  format.function = "func";
  format.app = "app";
  return format;
}

// github.com/HPMLL/BurstGPT; its later files have the columns `Session ID` and `Elapsed time`, too.
TraceFormat burst_gpt() {
  TraceFormat format;
  format.name = "burstgpt";
  format.what = "BurstGPT";
  format.columns = {"Timestamp", "Model", "Request tokens", "Response tokens"};
  format.time = "Timestamp";
  format.lengths = {{"Request tokens", "prompt"}, {"Response tokens", "output"}};
  format.failed = "Response tokens";
  format.model = "Model";
  return format;
}

// github.com/kvcache-ai/Mooncake; `hash_ids`, which names blocks of prompts, is not read.
TraceFormat mooncake() {
  TraceFormat format;
  format.name = "mooncake";
  format.what = "Mooncake";
  format.columns = {"timestamp", "input_length", "output_length"};
  format.time = "timestamp";
  format.unit = TimeUnit::kMs;
  format.lengths = {{"input_length", "prompt"}, {"output_length", "output"}};
  return format;
}

}  // namespace

const std::vector<TraceFormat>& trace_formats() {
  static const std::vector<TraceFormat> all{azure_llm(), burst_gpt(), mooncake(), azure_functions_2019(),
                                            azure_functions_2021()};
  return all;
}

std::vector<std::string> trace_format_names() {
  std::vector<std::string> names;
  for (const TraceFormat& format : trace_formats()) names.push_back(format.name);
  names.emplace_back(kTableFormat);
  return names;
}

const TraceFormat* recognise_format(const std::vector<std::string>& names) {
  for (const TraceFormat& format : trace_formats()) {
    const auto is_there = [&](const std::string& column) {
      return std::find(names.begin(), names.end(), column) != names.end();
    };
    if (std::all_of(format.columns.begin(), format.columns.end(), is_there)) return &format;
  }
  return nullptr;
}

std::vector<std::string> described_formats() {
  std::vector<std::string> all;
  for (const TraceFormat& format : trace_formats())
    all.push_back(fmt::format("{} ({}{})", format.name, fmt::join(format.columns, ", "),
                              format.has_counts ? ", 2, ..." : ""));
  return all;
}

}  // namespace heddle::imported
