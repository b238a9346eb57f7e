#pragma once
// What a reader says of a key while it reads it: enough for a table of all keys that nobody writes by hand.

#include <string>
#include <utility>

namespace heddle::config {

// A key of a section. One that comes with a description is noted in Document::keys() when it is read:
//   section.integer({"count", "SMs of the GPU"}, {1, 1024});
struct Key {
  Key(const char* key) : name(key) {}
  Key(std::string key) : name(std::move(key)) {}
  Key(std::string key, std::string text, std::string of = {})
      : name(std::move(key)), description(std::move(text)), unit(std::move(of)) {}

  std::string name;
  std::string description;  // one line without a full stop; empty: the key is not noted
  std::string unit;         // of a plain number, as "threads"; a quantity brings its own
};

// A key as its reader described it.
struct KeyDescription {
  std::string path;  // "sm.count"
  std::string type;  // "integer", "size", "one of", ...
  std::string unit;
  std::string fallback;  // the default as a file would have it, or "required"
  std::string range;     // "1 .. 1024", "breadth, packed"; empty: any
  std::string description;
};

inline constexpr const char* kRequired = "required";

}  // namespace heddle::config
