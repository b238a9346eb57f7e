#pragma once
// A reader describes each key while it reads the key. The table of all keys is made from these descriptions.

#include <string>
#include <utility>

namespace heddle::config {

// A key of a section. Document::keys() lists a key that has a description once it has been read:
//   section.integer({"count", "SMs of the GPU"}, {1, 1024});
struct Key {
  Key(const char* key) : name(key) {}
  Key(std::string key) : name(std::move(key)) {}
  Key(std::string key, std::string text, std::string of = {})
      : name(std::move(key)), description(std::move(text)), unit(std::move(of)) {}

  std::string name;
  std::string description;  // one line without a full stop; an empty one keeps the key out of keys()
  std::string unit;         // of a plain number, such as "threads"; empty for a quantity
};

// A KeyDescription is what the reader of a key has stated about it.
struct KeyDescription {
  std::string path;  // "sm.count"
  std::string type;  // "integer", "size", "one of", ...
  std::string unit;
  std::string fallback;  // the default in the syntax of a file, or "required"
  std::string range;     // "1 .. 1024", "breadth, packed"; empty if any value is allowed
  std::string description;
};

inline constexpr const char* kRequired = "required";

}  // namespace heddle::config
