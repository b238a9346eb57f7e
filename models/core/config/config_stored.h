#pragma once
// The documents that come with Heddle are parsed when it is built. Their trees stand in one file, by the hash
// of their texts, so that a run does not parse them again. A text that is not in the file, such as one that a
// user has written or changed, is parsed by yaml-cpp.

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
