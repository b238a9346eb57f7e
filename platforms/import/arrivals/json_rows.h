#pragma once
// Rows of JSON: the elements of a list, or values one behind the other, such as one on each line. The
// elements are objects, whose first one names the columns, or numbers and texts. A cell of a number or a text
// is its text; one of another value, or of a key that an object does not have, is empty. Keys that the first
// object does not have are not read.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "platforms/import/arrivals/row_reader.h"

namespace heddle::imported {

class JsonRows final : public RowReader {
 public:
  explicit JsonRows(TextInput& input);
  ~JsonRows() override;

  bool next(Cells& cells) override;

 private:
  std::string place() const override;
  bool read_element();
  bool skip_to_element();
  void take_element();
  void take_structure();
  void take_text();
  void take();
  void set_cell(const std::string& key, std::string& cell) const;

  bool is_list_ = false;
  bool is_object_ = false;    // the elements are objects
  bool has_element_ = false;  // the first one is read, and not handed out
  std::uint64_t count_ = 0;   // of elements that were read
  std::size_t line_ = 1;      // on which the last element begins
  std::string text_;          // of the element
  std::unique_ptr<nlohmann::ordered_json> element_;
  std::vector<std::string> cells_;
};

}  // namespace heddle::imported
