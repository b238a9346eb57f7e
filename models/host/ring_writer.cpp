#include "models/host/ring_writer.h"

#include <fmt/format.h>

#include <stdexcept>

namespace heddle {

using namespace registers;

void RingWriter::program(std::uint32_t queue) {
  if (!driver_.take_programmed(queue)) return;
  bus_.write_register(registers::queue(queue, kBase), driver_.ring(queue));
  bus_.write_register(registers::queue(queue, kEntries), driver_.entries());
  bus_.write_register(registers::queue(queue, kWriteback), driver_.head_word(queue));
}

std::uint64_t RingWriter::head(std::uint32_t queue) {
  const std::uint64_t head = bus_.load(driver_.head_word(queue));
  if (head == kHalted) throw std::runtime_error{fmt::format("the GPU halted queue {}", queue)};
  return head;
}

bool RingWriter::has_room(std::uint32_t queue) {
  const std::uint64_t taken = head(queue);
  return driver_.tail(queue) - taken < driver_.entries();
}

void RingWriter::write(std::uint32_t queue, const Command& command) {
  std::uint64_t& tail = driver_.tail(queue);
  Address kernel_address = 0;
  if (command.kind == Command::Kind::kLaunch) {
    kernel_address = driver_.kernel_slot(queue, tail);
    bus_.write(kernel_address, encode_kernel(command.launch).data(), kDescriptorBytes);
  }
  bus_.write(driver_.ring(queue) + tail % driver_.entries() * kDescriptorBytes,
             encode_command(command, kernel_address).data(), kDescriptorBytes);
  bus_.write_register(registers::queue(queue, kTail), ++tail);
}

}  // namespace heddle
