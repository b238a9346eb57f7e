#include "platforms/run/job_messages.h"

#include "platforms/run/result/result_codec.h"
#include "platforms/run/result/result_fields.h"

namespace heddle {

template <class Io>
void fields(Io& io, io_ref<Io, JobProgress> progress) {
  io.field("job", progress.job);
  io.field("fraction", progress.fraction);
  io.field("simulated_ms", progress.simulated_ms);
  io.field("cycles_per_second", progress.cycles_per_second);
}

template <class Io>
void fields(Io& io, io_ref<Io, Simulation> simulation) {
  io.field("result", simulation.result);
  io.field("cost", simulation.cost);
}

template <class Io>
void fields(Io& io, io_ref<Io, JobMessage> message) {
  io.optional("progress", message.progress);
  io.optional("failure", message.failure);
  io.optional("done", message.done);
}

std::string line_of(const JobMessage& message) {
  return json_line_of(message);
}

JobMessage read_job_message(const std::string& line) {
  auto message = read_json<JobMessage>(line);
  const int members =
      int{message.progress.has_value()} + int{message.failure.has_value()} + int{message.done.has_value()};
  if (members != 1) throw CodecError("must have one of progress, failure and done");
  if (message.done) check_agreement(message.done->result);
  return message;
}

}  // namespace heddle
