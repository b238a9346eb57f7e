#include "models/core/config/config_stored.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "models/core/config/data_path.h"

namespace heddle::config::detail {
namespace {

// documents.bin has a header, then an entry for each document, sorted by hash, and then the trees. A tree has
// a record for each node in the order in which the parser made the nodes, so that a parent precedes its
// children. The keys and texts of all nodes follow the records. The host that builds Heddle determines the
// byte order of the numbers in the file.
constexpr std::uint64_t kVersion = 0x31'00'43'4f'44'44'48'00;  // another one for another content

struct Header {
  std::uint64_t version;
  std::uint64_t count;
};

struct Entry {
  std::uint64_t high, low;  // hash of the document's text
  std::uint64_t offset, size;
  std::uint64_t checksum;  // of the tree
};

struct Record {
  std::uint32_t parent;  // kNoParent: the root
  std::uint32_t text_length;
  std::uint16_t key_length;
  std::uint16_t line, column, key_line, key_column;
  std::uint8_t kind;
  std::uint8_t flags;
};

constexpr std::uint32_t kNoParent = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint8_t kQuoted = 1;
constexpr std::uint8_t kHasKey = 2;

template <class T>
void append(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
T at(std::string_view content, std::size_t offset) {
  T value;
  std::memcpy(&value, content.data() + offset, sizeof value);
  return value;
}

bool is_before(const Entry& entry, const XXH128_hash_t& hash) {
  return std::tie(entry.high, entry.low) < std::tie(hash.high64, hash.low64);
}

bool is_short(std::size_t number) {
  return number <= std::numeric_limits<std::uint16_t>::max();
}

// Returns the tree as bytes. Returns nothing if a line, column or length is too large for a Record.
std::optional<std::string> tree_of(const State& state) {
  std::unordered_map<const Node*, std::uint32_t> numbers{{nullptr, kNoParent}};
  std::string records, texts;
  for (const Node& node : state.nodes) {
    for (const int number : {node.place.line, node.place.column, node.key_place.line, node.key_place.column})
      if (!is_short(static_cast<std::size_t>(number))) return std::nullopt;
    if (!is_short(node.key.size()) || !is_short(node.text.size())) return std::nullopt;
    const auto number = static_cast<std::uint32_t>(numbers.size() - 1);
    numbers.emplace(&node, number);
    const auto place = [](int of) { return static_cast<std::uint16_t>(of); };
    append(
        records,
        Record{numbers.at(node.parent), static_cast<std::uint32_t>(node.text.size()),
               static_cast<std::uint16_t>(node.key.size()), place(node.place.line), place(node.place.column),
               place(node.key_place.line), place(node.key_place.column), static_cast<std::uint8_t>(node.kind),
               static_cast<std::uint8_t>((node.quoted ? kQuoted : 0) | (node.has_key ? kHasKey : 0))});
    texts += node.key;
    texts += node.text;
  }
  std::string tree;
  append(tree, static_cast<std::uint64_t>(state.nodes.size()));
  return tree + records + texts;
}

// Returns the tree of a document that the parser takes without a problem.
std::optional<std::string> tree_of(const std::string& text) try {
  State state;
  parse_yaml(state, text, 0, 1);
  if (!state.problems.empty()) return std::nullopt;
  return tree_of(state);
} catch (const Error&) {
  return std::nullopt;
}

std::shared_ptr<State> document_of(std::string_view tree) {
  auto state = std::make_shared<State>();
  const auto count = static_cast<std::size_t>(at<std::uint64_t>(tree, 0));
  std::vector<Node*> nodes;
  nodes.reserve(count);
  std::string_view texts = tree.substr(sizeof(std::uint64_t) + count * sizeof(Record));
  const auto take = [&](std::size_t length) {
    const std::string_view text = texts.substr(0, length);
    texts.remove_prefix(length);
    return text;
  };
  for (std::size_t i = 0; i < count; ++i) {
    const auto record = at<Record>(tree, sizeof(std::uint64_t) + i * sizeof(Record));
    Node& node = state->add_node();
    node.kind = static_cast<Node::Kind>(record.kind);
    node.quoted = (record.flags & kQuoted) != 0;
    node.has_key = (record.flags & kHasKey) != 0;
    node.place = {0, record.line, record.column};
    node.key_place = {0, record.key_line, record.key_column};
    node.key = take(record.key_length);
    node.text = take(record.text_length);
    if (record.parent != kNoParent) attach(*nodes[record.parent], node);
    nodes.push_back(&node);
  }
  state->root = nodes.front();
  return state;
}

// Maps the file into memory until the process ends, and returns its content. The content is empty if the
// file cannot be mapped.
std::string_view mapped(const std::string& file) {
  const int opened = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (opened < 0) return {};
  struct stat status {};
  void* content = MAP_FAILED;
  if (::fstat(opened, &status) == 0 && status.st_size > 0)
    content = ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, opened, 0);
  ::close(opened);
  if (content == MAP_FAILED) return {};
  return {static_cast<const char*>(content), static_cast<std::size_t>(status.st_size)};
}

}  // namespace

std::string stored_form(const std::vector<std::string>& texts) {
  std::vector<std::pair<Entry, std::string>> documents;
  for (const std::string& text : texts) {
    std::optional<std::string> tree = tree_of(text);
    if (!tree) continue;
    const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
    const std::uint64_t checksum = XXH3_64bits(tree->data(), tree->size());
    documents.emplace_back(Entry{hash.high64, hash.low64, 0, tree->size(), checksum}, std::move(*tree));
  }
  std::sort(documents.begin(), documents.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first.high, a.first.low) < std::tie(b.first.high, b.first.low);
  });
  std::string content;
  append(content, Header{kVersion, documents.size()});
  std::uint64_t offset = sizeof(Header) + documents.size() * sizeof(Entry);
  for (auto& [entry, tree] : documents) {
    entry.offset = offset;
    offset += tree.size();
    append(content, entry);
  }
  for (const auto& [entry, tree] : documents) content += tree;
  return content;
}

StoredDocuments::StoredDocuments(std::string_view content) : content_(content) {
  if (content.size() < sizeof(Header)) return;
  const auto header = at<Header>(content, 0);
  const bool is_whole = header.count <= (content.size() - sizeof(Header)) / sizeof(Entry);
  if (header.version == kVersion && is_whole) count_ = static_cast<std::size_t>(header.count);
}

std::shared_ptr<State> StoredDocuments::find(std::string_view text) const {
  const auto entry_at = [&](std::size_t i) {
    return at<Entry>(content_, sizeof(Header) + i * sizeof(Entry));
  };
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  std::size_t first = 0;
  for (std::size_t count = count_; count > 0;) {
    const std::size_t half = count / 2;
    const bool is_behind = is_before(entry_at(first + half), hash);
    if (is_behind) first += half + 1;
    count = is_behind ? count - half - 1 : half;
  }
  if (first == count_) return nullptr;
  const Entry entry = entry_at(first);
  if (entry.high != hash.high64 || entry.low != hash.low64) return nullptr;
  if (entry.offset > content_.size() || entry.size > content_.size() - entry.offset) return nullptr;
  const std::string_view tree = content_.substr(entry.offset, entry.size);
  if (XXH3_64bits(tree.data(), tree.size()) != entry.checksum) return nullptr;
  return document_of(tree);
}

const StoredDocuments& stored_documents() {
  static const StoredDocuments documents(mapped(stored_documents_file()));
  return documents;
}

}  // namespace heddle::config::detail
