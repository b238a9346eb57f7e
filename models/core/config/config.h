#pragma once
// This file declares the strict YAML reader. A Document is read once, through typed getters. Every problem is
// recorded with its place (`file:line:column`, full key path), and finish() reports all of them together.
//
//   config::Document document = config::Document::load("k20.yaml");
//   document.set("sm.count=8");                       // the command line's --set, same rules as the file
//   config::Section root = document.root();
//   int count = root.section("sm").integer("count", {1, 1024});
//   document.finish();                                // throws config::Error with every problem
//
// Errors are an unknown key (with the nearest known name), a missing key, a duplicate key, an ill-typed
// value, a value out of range, a missing or wrong unit, and an unreadable or malformed file. A getter that
// fails returns its default (or a zero value), so that reading goes on to find the next problem. A key that
// no getter asked for is unknown. A section that a getter asked for but that was never read as a section is
// unused unless it is empty. Both are errors.

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/core/config/config_key.h"

namespace heddle::config {

// An Error has every problem of one document, one a line: "file:line:column: a.b.c: message".
class Error : public std::runtime_error {
 public:
  explicit Error(std::vector<std::string> problems);
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  std::vector<std::string> problems_;
};

struct Range {  // inclusive
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

struct RealRange {  // inclusive
  double least = 0;
  double most = std::numeric_limits<double>::max();
};

class Value;
class Section;

namespace detail {
struct Node;   // a value with its place
struct State;  // the problems found so far and the keys asked for
}  // namespace detail

// A Value is a scalar, a list or a section of the document, or none of them if its key has no value. It is
// cheap to copy. Numbers and booleans are unquoted: '8' in quotes is a text.
class Value {
 public:
  bool is_scalar() const;
  bool is_list() const;
  bool is_section() const;

  std::string text() const;
  bool boolean() const;  // true / false, on / off, yes / no
  std::int64_t integer(Range range = {}) const;
  double real(RealRange range = {}) const;
  double frequency_hz() const;                   // "706MHz"; Hz, kHz, MHz, GHz; above zero
  std::uint64_t time_ps() const;                 // "1.5us"; ps, ns, us, ms, s; zero allowed; at most 10^7 s
  std::uint64_t bytes() const;                   // "4KiB"; B, KiB, MiB, GiB, kB, MB, GB; whole bytes
  double bytes_per_second() const;               // "2GB/s"; a byte unit "/s"; above zero
  double energy_fj() const;                      // "12.5pJ"; fJ, pJ, nJ, uJ; zero allowed
  double power_mw() const;                       // "1.5W"; mW, W; zero allowed
  std::uint64_t cycles(Range range = {}) const;  // "1000cycles" ("1cycle" too)
  std::string choice(
      const std::vector<std::string>& known) const;  // one of `known`; the problem names the nearest
  Section section() const;
  std::vector<Value> list() const;
  std::string assigned() const;  // a scalar or list in the syntax of Document::set, after '='

  std::string place() const;  // "file:line:column" (of the key for a section), or "--set key=value"
  std::string path() const;   // "a.b[2].c"
  void problem(const std::string& message) const;  // records a problem at this value's place

 private:
  friend class Section;
  friend class Document;
  Value(std::shared_ptr<detail::State> state, detail::Node* node);
  std::shared_ptr<detail::State> state_;
  detail::Node* node_;  // of state_, never null
};

// A Section is a mapping. Each getter names its key and marks it known. A getter without a default requires
// the key.
class Section {
 public:
  bool has(const std::string& key) const;  // marks the key known
  std::vector<std::string> keys() const;   // in file order; marks nothing

  // value() requires the key, and optional() does not. The value may be of any type. `type`, `range` and
  // `fallback` are texts for the table of keys.
  Value value(const Key& key, const char* type = "", const std::string& range = {}) const;
  std::optional<Value> optional(const Key& key, const char* type = "",
                                const std::string& fallback = "none") const;

  std::string text(const Key& key) const;
  std::string text(const Key& key, const std::string& fallback) const;
  bool boolean(const Key& key) const;
  bool boolean(const Key& key, bool fallback) const;
  std::int64_t integer(const Key& key, Range range = {}) const;
  std::int64_t integer(const Key& key, Range range, std::int64_t fallback) const;
  double real(const Key& key, RealRange range, double fallback) const;
  double frequency_hz(const Key& key, RealRange range = {}) const;
  std::uint64_t time_ps(const Key& key, Range range = {}) const;
  std::uint64_t time_ps(const Key& key, std::uint64_t fallback) const;
  std::uint64_t bytes(const Key& key, Range range = {}) const;
  std::uint64_t bytes(const Key& key, std::uint64_t fallback) const;
  double bytes_per_second(const Key& key, RealRange range = {}) const;
  // Returns 0 if the key is absent. The text `derived` states the value that the reader takes then.
  double bytes_per_second(const Key& key, RealRange range, const std::string& derived) const;
  std::uint64_t cycles(const Key& key, Range range = {}) const;
  std::uint64_t cycles(const Key& key, Range range, std::uint64_t fallback) const;
  std::string choice(const Key& key, const std::vector<std::string>& known) const;
  std::string choice(const Key& key, const std::vector<std::string>& known,
                     const std::string& fallback) const;
  Section section(const std::string& key) const;  // required; an absent or ill-typed section reads as empty
  // An absent section reads as zeros, without a problem.
  Section optional_section(const std::string& key) const;
  std::vector<Value> list(const Key& key) const;  // an absent list is empty

  std::string place() const;
  std::string path() const;
  void problem(const std::string& message) const;

 private:
  friend class Value;
  friend class Document;
  Section(std::shared_ptr<detail::State> state, detail::Node* node);
  std::shared_ptr<detail::State> state_;
  detail::Node* node_;  // of state_, never null
};

class Document {
 public:
  // Both throw an Error at once if the file is unreadable or malformed. The text is UTF-8 with one document
  // of at most 128 MiB, 64 levels and 2^22 values, without anchors, aliases, tags or merge keys.
  static Document load(const std::string& file);
  static Document parse(const std::string& text, const std::string& name);
  // The same for a text that no file holds: messages have the name alone, without lines and keys.
  static Document implied(const std::string& text, const std::string& name);

  // Loads a file that may derive from another one. The key `base` names a file of `folder` (a name or a file,
  // see find_data), and the deriving file holds the differences. Sections merge key by key. Lists, scalars,
  // and sections with `base: none` or another `name` replace those of the base. A new key stands behind the
  // key that it follows in its file. A base may have a base. The keys `own` of the root are never taken
  // from a base. The place of a value names its file. Throws Error if no base is there, or bases in a circle.
  static Document load_derived(const std::string& file, const std::string& folder,
                               const std::vector<std::string>& own);

  // Replaces the name of a file of `folder` (a name or a file, see find_data) at this key of the root by the
  // content of that file, which may have bases as in load_derived. A section at the key whose key `base`
  // names such a file holds the differences from it. Nothing happens if the key is absent or has neither.
  void include(const std::string& key, const std::string& folder);

  // "a.b.c=value" replaces or adds a scalar, "a.b=[x, y]" a flow list and "a.b[1]=value" one list entry. A
  // malformed assignment, or one whose path leads through a scalar, throws an Error.
  // `option` is what the user typed, for messages; empty: --set and the assignment.
  void set(const std::string& assignment, const std::string& option = {});
  // The same for one text, which stands for itself: quotes and brackets in it have no meaning.
  void set_text(const std::string& path, const std::string& text, const std::string& option = {});

  Section root() const;      // an ill-typed root is a problem and reads as empty
  void finish() const;       // throws Error if anything is wrong, unknown keys included
  std::string name() const;  // the file, as given

  // Returns the keys that were read with a description, in the order of the first reads.
  std::vector<KeyDescription> keys() const;

  // Returns every scalar and list of the document with overrides applied, in file order.
  struct Entry {
    std::string path;
    std::string value;  // in the syntax of Document::set
    std::string place;  // "file:line:column" or "--set key=value"
  };
  std::vector<Entry> entries() const;

  // Returns the document with overrides applied as YAML in file order. A run stores it as resolved.
  std::string to_yaml() const;

 private:
  explicit Document(std::shared_ptr<detail::State> state);
  // `chain` has the absolute paths of the files that derive from this one.
  static Document load_chain(const std::string& file, const std::string& folder,
                             const std::vector<std::string>& own, std::vector<std::string> chain);
  std::shared_ptr<detail::State> state_;
};

// Returns the nearest known name, with an edit distance of at most a third of the word's length (rounded up
// from five letters on); else the first that has the word as a part, as float_fma has fma; else nothing.
std::string nearest_name(std::string_view word, const std::vector<std::string>& known);

}  // namespace heddle::config
