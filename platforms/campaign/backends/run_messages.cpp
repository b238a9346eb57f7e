#include "platforms/campaign/backends/run_messages.h"

#include "platforms/campaign/store/record_fields.h"

namespace heddle {

template <class Io>
void fields(Io& io, io_ref<Io, RunMessage> message) {
  io.optional("fraction", message.fraction);
  io.optional("ended", message.ended);
  io.optional("unwritten", message.unwritten);
}

std::string line_of(const RunMessage& message) {
  return json_line_of(message);
}

RunMessage read_run_message(const std::string& line) {
  auto message = read_json<RunMessage>(line);
  const int members =
      int{message.fraction.has_value()} + int{message.ended.has_value()} + int{message.unwritten.has_value()};
  if (members != 1) throw CodecError("must have one of fraction, ended and unwritten");
  return message;
}

}  // namespace heddle
