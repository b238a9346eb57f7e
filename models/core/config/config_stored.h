#pragma once
// The build parses the YAML files of platforms/ and stimuli/ and writes their syntax trees to one file,
// documents.bin. A run finds the tree of a YAML file there by the hash of its text, and does not parse it
// again. yaml-cpp parses every text that is not in documents.bin, such as a file that a user has changed.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/core/config/config_tree.h"

namespace heddle::config::detail {

// Returns the content of the file for documents with these texts. A text with a problem is left out.
std::string stored_form(const std::vector<std::string>& texts);

class StoredDocuments {
 public:
  // `content` must outlive this object. A content of another version has no documents.
  explicit StoredDocuments(std::string_view content);

  // Returns the document as the parser returns it, without a name. Returns null if the text is not there, or
  // if the bytes of its tree are not those that stored_form() has written.
  std::shared_ptr<State> find(std::string_view text) const;

  std::size_t size() const { return count_; }

 private:
  std::string_view content_;
  std::size_t count_ = 0;
};

// Returns the documents that come with Heddle, which are none if the file is not there.
const StoredDocuments& stored_documents();

}  // namespace heddle::config::detail
