#include "platforms/campaign/store/record_codec.h"

#include "platforms/campaign/store/record_fields.h"

namespace heddle {

struct StateFile {
  static constexpr const char* kSchema = "heddle-state-1";

  std::string schema = kSchema;
  RunRecord record;
};

template <class Io>
void fields(Io& io, io_ref<Io, StateFile> file) {
  io.field("schema", file.schema);
  fields(io, file.record);
}

std::string record_text(const RunRecord& record) {
  StateFile file;
  file.record = record;
  return json_file_of(file);
}

RunRecord read_record(const std::string& text) {
  const auto file = read_json<StateFile>(text);
  if (file.schema != StateFile::kSchema)
    throw CodecError(fmt::format("schema: must be {}, not {}", StateFile::kSchema, file.schema));
  return file.record;
}

}  // namespace heddle
