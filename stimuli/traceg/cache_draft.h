#pragma once
// A file of the user's cache while it is written. It has no name until it is complete, where the file system
// can do so, so that nothing is left of it if this process is killed.

#include <cstddef>
#include <cstdint>
#include <string>

namespace heddle {

// A cache that cannot be written costs time only: nothing fails, and is_good() is false from the first call
// on that has not done its work. Any number of processes may write the same file at once; the last one that
// publishes it replaces it.
class CacheDraft {
 public:
  explicit CacheDraft(std::string file);  // makes the folder of the file, too
  ~CacheDraft();
  CacheDraft(const CacheDraft&) = delete;
  CacheDraft& operator=(const CacheDraft&) = delete;

  void write(const void* data, std::size_t bytes, std::uint64_t offset);
  void publish();  // gives the file its name
  bool is_good() const { return descriptor_ >= 0; }
  void give_up();  // closes the file, which is lost

 private:
  std::string unused_name() const;
  void open_named();

  std::string file_;
  std::string draft_;  // the path of the draft; empty while it has none
  int descriptor_ = -1;
};

}  // namespace heddle
