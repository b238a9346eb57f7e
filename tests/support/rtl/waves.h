#pragma once
// These functions read waveforms back. GTKWave's own programs convert them, and the text that comes out is
// parsed.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <istream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace heddle::test {

struct WaveSignal {
  std::string type;  // wire, integer or real
  unsigned width = 0;
  // Times and values: those of bits without leading zeros. If a signal changes more than once at a time, the
  // last value counts. A signal that has no value yet has no change.
  std::vector<std::pair<std::uint64_t, std::string>> changes;

  bool operator==(const WaveSignal& other) const {
    return type == other.type && width == other.width && changes == other.changes;
  }
};

struct Waves {
  std::map<std::string, WaveSignal> signals;  // by path: scopes and name, joined by dots
  std::uint64_t end = 0;                      // the last time
};

inline std::string without_zeros(const std::string& bits) {
  const std::size_t first = bits.find('1');
  return first == std::string::npos ? "0" : bits.substr(first);
}

inline void add_change(WaveSignal& signal, std::uint64_t time, const std::string& value) {
  if (value.find('x') != std::string::npos) return;
  if (!signal.changes.empty() && signal.changes.back().first == time) signal.changes.pop_back();
  if (signal.changes.empty() || signal.changes.back().second != value)
    signal.changes.emplace_back(time, value);
}

// Reads the declarations of a value change dump, and returns the path of each symbol.
inline std::map<std::string, std::string> read_declarations(std::istream& in, Waves& waves) {
  std::map<std::string, std::string> paths;
  std::string scope;
  for (std::string word; in >> word && word != "$enddefinitions";) {
    std::string type, name, symbol;
    unsigned width = 0;
    if (word == "$scope" && in >> type >> name) scope += name + ".";
    if (word == "$upscope") scope.erase(scope.rfind('.', scope.size() - 2) + 1);
    if (word != "$var" || !(in >> type >> width >> symbol >> name)) continue;
    paths[symbol] = scope + name;
    waves.signals[scope + name] = {type, width, {}};
  }
  return paths;
}

inline Waves read_vcd(std::istream& in) {
  Waves waves;
  const std::map<std::string, std::string> paths = read_declarations(in, waves);
  std::map<std::string, WaveSignal*> signals;
  for (const auto& [symbol, path] : paths) signals[symbol] = &waves.signals.at(path);
  for (std::string word, symbol; in >> word;) {
    if (word[0] == '#') waves.end = std::stoull(word.substr(1));
    if (word[0] == '#' || word[0] == '$') continue;
    if (word[0] == 'b' && in >> symbol) {
      add_change(*signals.at(symbol), waves.end, without_zeros(word.substr(1)));
    } else if (word[0] == 'r' && in >> symbol) {
      add_change(*signals.at(symbol), waves.end, word.substr(1));
    } else {
      add_change(*signals.at(word.substr(1)), waves.end, word.substr(0, 1));
    }
  }
  return waves;
}

// Reads a file of either format. An .fst file is read by fst2vcd of the package gtkwave.
inline Waves read_waves(const std::filesystem::path& file) {
  std::filesystem::path text = file;
  if (file.extension() == ".fst") {
    text += ".as.vcd";
    const std::string command = "fst2vcd -f '" + file.string() + "' -o '" + text.string() + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }
  std::ifstream in(text);
  EXPECT_TRUE(in.is_open()) << text;
  return read_vcd(in);
}

}  // namespace heddle::test
