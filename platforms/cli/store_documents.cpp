// The program of the build that parses the documents which come with Heddle:
//
//   heddle_store_documents FILE FOLDER...
//
// It writes the trees of all documents below the folders to the file (models/core/config/config_stored.h).

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/core/config/config_stored.h"
#include "models/core/config/input_file.h"

namespace {

namespace fs = std::filesystem;

std::vector<std::string> texts_below(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  texts.reserve(files.size());
  for (const fs::path& file : files) texts.push_back(heddle::config::read_file(file.string()));
  return texts;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) throw std::invalid_argument("heddle_store_documents FILE FOLDER...");
  std::vector<std::string> texts;
  for (int i = 2; i < argc; ++i)
    for (std::string& text : texts_below(argv[i])) texts.push_back(std::move(text));
  const std::string content = heddle::config::detail::stored_form(texts);
  std::ofstream out(argv[1], std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  return out ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
