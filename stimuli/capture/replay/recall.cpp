#include "stimuli/capture/replay/recall.h"

#include <stdexcept>

#include "stimuli/capture/replay/capture_application.h"
#include "stimuli/capture/replay/replay_script.h"
#include "stimuli/functional/functional_host.h"

namespace heddle::capture {

std::vector<std::byte> bytes_under_capture(const std::shared_ptr<const Capture>& capture,
                                           const std::string& name, std::size_t call) {
  ReplayedProgram replayed = replayed_program(capture, name);
  Recall recall;
  recall.call = call;
  ApiProgram& program = replayed.application.program;
  program.make_script = [&] { return make_recall_script(replayed.replay, recall); };
  try {
    FunctionalHost(program, capture->order).run();
  } catch (const RecallEnd&) {
    if (digest_of(recall.bytes.data(), recall.bytes.size()) == capture->calls[call].digest)
      return recall.bytes;
  } catch (const std::runtime_error&) {
    // A kernel may fail where it did not under capture, if the platform or Heddle has changed since.
  }
  return {};
}

}  // namespace heddle::capture
