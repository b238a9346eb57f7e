#pragma once
// A Memo keeps what was made for a key, so that it is made once. Several threads may ask it.

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

namespace heddle {

template <class Key, class Value>
class Memo {
 public:
  // It begins anew when it holds `most` values.
  explicit Memo(std::size_t most) : most_(most) {}

  // Returns what make() has returned for the key. Who asks for a value that is being made waits for it.
  // Nothing is kept of a make() that throws.
  template <class Make>
  std::shared_ptr<const Value> get(const Key& key, const Make& make) {
    const std::shared_ptr<Entry> entry = entry_of(key);
    const std::lock_guard<std::mutex> lock(entry->mutex);
    if (entry->value == nullptr) entry->value = std::make_shared<const Value>(make());
    return entry->value;
  }

 private:
  struct Entry {
    std::mutex mutex;
    std::shared_ptr<const Value> value;
  };

  std::shared_ptr<Entry> entry_of(const Key& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (entries_.size() >= most_ && entries_.count(key) == 0) entries_.clear();
    std::shared_ptr<Entry>& entry = entries_[key];
    if (entry == nullptr) entry = std::make_shared<Entry>();
    return entry;
  }

  const std::size_t most_;
  std::mutex mutex_;
  std::map<Key, std::shared_ptr<Entry>> entries_;
};

}  // namespace heddle
