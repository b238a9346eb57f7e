#pragma once
// Traces of requests as files, in the formats of public ones.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "models/core/config/config.h"
#include "platforms/import/arrivals/arrival_import.h"

namespace heddle::imported {

constexpr const char* kAzure2023 =
    "TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
    "2023-11-16 18:15:46.6805900,374,44\r\n"
    "2023-11-16 18:15:50.9951690,396,109\r\n"
    "2023-11-16 18:16:50.9951691,879,55\r\n";
constexpr const char* kBurstGpt =
    "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
    "5,ChatGPT,472,18,490,Conversation log\n"
    "45,ChatGPT,1087,0,1087,Conversation log\n"
    "118,GPT-4,417,276,693,API log\n"
    "120.5,ChatGPT,1360,647,2007,API log\n";
constexpr const char* kMooncake =
    "{\"timestamp\": 27482, \"input_length\": 6955, \"output_length\": 52, \"hash_ids\": [46, 47, 2353]}\n"
    "{\"timestamp\": 30535, \"input_length\": 6472, \"output_length\": 26, \"hash_ids\": []}\n";

class TraceFiles : public testing::Test {
 protected:
  TraceFiles()
      : folder_(std::filesystem::temp_directory_path() / fmt::format("heddle-arrivals-{}", getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~TraceFiles() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return (folder_ / "trace").string(); }

  void write(const std::string& text) const { std::ofstream(path(), std::ios::binary) << text; }

  // Packs the text, and keeps the first `bytes` of what comes out.
  void write_packed(const std::string& text, std::size_t bytes = std::string::npos) const {
    gzFile_s* const out = gzopen(path().c_str(), "wb");
    ASSERT_NE(out, nullptr);
    ASSERT_EQ(gzwrite(out, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
    ASSERT_EQ(gzclose(out), Z_OK);
    if (bytes != std::string::npos) std::filesystem::resize_file(path(), bytes);
  }

  ArrivalImport import(const std::string& text, const ArrivalOptions& options = {}) const {
    write(text);
    return import_arrivals(path(), options);
  }

  // Returns the message without the path of the file, or "none".
  std::string problem_of_file(const ArrivalOptions& options = {}) const {
    try {
      import_arrivals(path(), options);
    } catch (const config::Error& error) {
      const std::string message = error.what();
      return message.rfind(path(), 0) == 0 ? message.substr(path().size()) : message;
    }
    return "none";
  }
  std::string problem(const std::string& text, const ArrivalOptions& options = {}) const {
    write(text);
    return problem_of_file(options);
  }

  const std::filesystem::path folder_;
};

inline std::vector<std::string> column_names(const ArrivalImport& result) {
  std::vector<std::string> names;
  for (const ArrivalTable::Column& column : result.table.columns) names.push_back(column.name);
  return names;
}

}  // namespace heddle::imported
