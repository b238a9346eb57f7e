#pragma once
// Random traces with every layout of lines and every form of addresses. Warps often repeat what another warp
// executed.

#include <fmt/format.h>

#include <string>
#include <vector>

#include "models/core/base/random.h"
#include "tests/support/trace_text.h"

namespace heddle::test {

class RandomTrace {
 public:
  explicit RandomTrace(std::uint64_t seed) : random_(seed) {
    tracer_ = std::vector<int>{2, 4, 5}[random_.below(3)];
    has_lines_ = random_.below(2) == 0;
    blocks_ = 1 + random_.below(6);
    warps_ = 1 + random_.below(4);
    pool_.resize(1 + random_.below(5));
    for (std::vector<std::uint64_t>& order : pool_)
      for (std::uint64_t i = random_.below(40); i > 0; --i) order.push_back(random_.below(30));
  }

  std::uint64_t blocks() const { return blocks_; }
  std::uint64_t warps() const { return warps_; }

  std::string text() {
    std::string text = trace_header({fmt::format("grid dim = ({},1,1)", blocks_),
                                     fmt::format("block dim = ({},1,1)", 32 * warps_),
                                     fmt::format("accelsim tracer version = {}", tracer_),
                                     fmt::format("enable lineinfo = {}", has_lines_ ? 1 : 0)});
    for (std::uint64_t block = 0; block < blocks_; ++block) {
      std::vector<std::uint32_t> order;
      for (std::uint32_t warp = 0; warp < warps_; ++warp) order.push_back(warp);
      if (random_.below(4) == 0) random_.shuffle(order);
      std::vector<std::string> warps;
      for (const std::uint32_t warp : order) warps.push_back(trace_warp(warp, instructions(block, warp)));
      text += trace_block(fmt::format("{},0,0", block), warps);
    }
    return text;
  }

 private:
  std::vector<std::string> instructions(std::uint64_t block, std::uint32_t warp) {
    std::string start = tracer_ < 3 ? fmt::format("{} 0 0 {} ", block, warp) : "";
    if (has_lines_) start += "7 ";
    std::vector<std::string> lines;
    for (const std::uint64_t pc : pool_[random_.below(pool_.size())])
      lines.push_back(start + instruction(pc) + end());
    lines.push_back(start + "1000 ffffffff 0 EXIT 0 0" + end());
    return lines;
  }

  std::string end() const { return tracer_ >= 5 ? " 3" : ""; }

  std::string instruction(std::uint64_t pc) {
    const std::uint32_t mask = random_.below(3) > 0 ? ~0U : static_cast<std::uint32_t>(random_.next());
    switch (pc % 5) {
      case 0:
        return fmt::format("{:04x} {:08x} 1 R{} FADD 2 R2 R{} 0", 16 * pc, mask, pc, pc / 2);
      case 1:
        return fmt::format("{:04x} {:08x} 1 R{} LDG.E 1 R2 4{}", 16 * pc, mask, pc, addresses(mask, 0));
      case 2:
        return fmt::format("{:04x} {:08x} 1 R{} LD.E.64 1 R2 8{}", 16 * pc, mask, pc,
                           addresses(mask, random_.below(3)));
      case 3:
        return fmt::format("{:04x} {:08x} 0 STS 2 R2 R3 4{}", 16 * pc, mask, addresses(mask, 1));
      default:
        return fmt::format("{:04x} {:08x} 1 R{} {} 1 R{} 0", 16 * pc, mask, pc,
                           random_.below(2) == 0 ? "IADD3" : "MUFU.RCP", random_.below(3));
    }
  }

  // `window`: 0 for global memory, 1 for the shared window, 2 for the local one.
  std::string addresses(std::uint32_t mask, std::uint64_t window) {
    const std::uint64_t base = std::vector<std::uint64_t>{0x100000, 0x7f0000000000, 0x7f1000000000}[window] +
                               4 * random_.below(1000);
    const std::uint64_t run = mask == 0 ? 0 : mask >> static_cast<unsigned>(__builtin_ctz(mask));
    const bool is_run = (run & (run + 1)) == 0;
    const std::uint64_t mode = random_.below(3);
    if (mode == 1 && is_run) return fmt::format(" 1 0x{:x} {}", base, 4 * random_.below(3));
    const int lanes = __builtin_popcount(mask);
    std::string text = fmt::format(" {}", mode == 0 ? 0 : 2);
    if (mode != 0) text += fmt::format(" 0x{:x}", base);
    for (int lane = mode == 0 ? 0 : 1; lane < lanes; ++lane)
      text += mode == 0 ? fmt::format(" 0x{:x}", base + 4 * random_.below(500))
                        : fmt::format(" {}", 4 * random_.below(50));
    return text;
  }

  Random random_;
  int tracer_ = 4;
  bool has_lines_ = false;
  std::uint64_t blocks_ = 1;
  std::uint64_t warps_ = 1;
  std::vector<std::vector<std::uint64_t>> pool_;  // the PCs that warps execute, over 16
};

}  // namespace heddle::test
