#pragma once
// BandwidthShares divides the bandwidths of L2 and DRAM among kernels, the SMs that save or restore blocks,
// and copies. Shares are max-min fair: a share grows until its user has what it asks for, or until the
// bandwidth is used up and no other user has more.
//
//   a kernel    asks for its blocks on all SMs times the bytes of a block over its residence, less what the
//               ports of the SMs do not let through (KernelLaunch::port_load). Its blocks get on at the rate
//               of its share over what it asks for, the lower one of L2 and DRAM, also if it is alone: one
//               that asks for more than all is slowed down by itself.
//   an SM       that stores or loads saved blocks takes as much of DRAM as it gets.
//   a copy      asks for the rate of its link, or of copies within device memory. It does not use L2.
//
// Kernels with products of matrices (KernelLaunch::product_load) also share the power: their blocks get on at
// most at the clock that BandwidthSpec::boost_sms leaves them. SMs whose blocks wait for bandwidth count as
// far as they get on. What the lower clock leaves of the bandwidth goes to no one else.
//
// L2 is divided first, because requests pass it first: what L2 does not let through does not ask for DRAM.
// All numbers are integers with kRateBits binary digits behind the point.

#include <cstdint>
#include <memory>
#include <vector>

#include "models/core/base/ids.h"
#include "models/core/base/recycler.h"
#include "models/core/kernel/bandwidth.h"
#include "models/core/kernel/kernel.h"

namespace heddle {

// Returns the largest share of max-min fair shares: users that ask for less get what they ask for, all others
// get the result. `endless` users ask without limit. The result is the largest number if all have what they
// ask for. `demands` is sorted afterwards.
std::uint64_t fair_share(std::uint64_t capacity, std::vector<std::uint64_t>& demands, std::uint64_t endless);

class BandwidthShares {
 public:
  BandwidthShares(const BandwidthSpec& spec, double core_hz, std::uint32_t ksrs, std::uint32_t sms,
                  std::uint32_t copies);

  void reset();

  // These are the inputs of a cycle, in any order.
  void load(KsrId ksr, const KernelLaunch& launch);  // of a kernel without a block
  void add_block(SmId sm, KsrId ksr);
  void remove_block(SmId sm, KsrId ksr);
  void begin_transfer(SmId sm);
  void end_transfer(SmId sm);
  void set_copy(std::uint32_t copy, std::uint64_t bytes_per_second);

  // Whether no kernel has a block and no SM moves states, as after the last block of all kernels.
  bool idle() const;

  // Divides the bandwidths anew if the inputs have changed since. A change of the table is a new version.
  // At most one call is made in a cycle.
  void update();

  // Returns the present table, which never changes.
  const std::shared_ptr<const BandwidthTable>& table() const { return table_; }
  std::uint64_t version() const { return version_; }  // 1 or more
  std::uint32_t copy_rate(std::uint32_t copy) const { return copies_[copy].rate; }
  std::uint64_t dram_capacity() const { return dram_; }  // bytes per core cycle, kRateBits behind the point
  std::uint32_t product_clock() const { return product_clock_; }  // at most kFullRate, of the full core clock

 private:
  struct Kernel {
    std::uint64_t dram = 0;  // of a block at full speed, bytes per core cycle
    std::uint64_t l2 = 0;
    std::uint16_t port_load = 0;  // of a block
    std::uint16_t product_load = 0;
    std::uint64_t blocks = 0;       // on all SMs
    std::uint64_t flow = 0;         // the rates of its blocks at the ports of their SMs, summed
    std::uint32_t rate_of_l2 = 0;   // what L2 lets through
    std::uint64_t dram_demand = 0;  // bytes per core cycle, of what L2 lets through

    bool takes_part() const { return (dram | l2 | product_load) != 0; }
  };
  // The blocks of one kernel on one SM.
  struct Resident {
    KsrId ksr;
    std::uint64_t blocks = 0;
    std::uint64_t seen = 0;  // of `blocks`, and their part of Kernel::flow
    std::uint64_t flow = 0;
  };
  struct Sm {
    std::vector<Resident> residents;  // of kernels that take part
    std::uint32_t transfers = 0;      // its saves and restores
    bool changed = false;             // it is among `changed_`
  };
  struct Copy {
    std::uint64_t demand = 0;  // bytes per core cycle
    std::uint32_t rate = 0;
  };

  Resident& resident(SmId sm, KsrId ksr);
  void settle();
  void divide_port_of(Sm& sm);
  void divide_l2();
  std::uint64_t divide_dram();
  void limit_power(std::vector<std::uint32_t>& rates);
  static std::uint64_t asked(std::uint64_t of_block, std::uint64_t flow);
  static std::uint32_t rate_of(std::uint64_t share, std::uint64_t demand);

  const BandwidthSpec spec_;
  const double core_hz_;
  const std::uint64_t dram_;     // bytes per core cycle
  const std::uint64_t l2_;       // 0: no limit
  const std::uint64_t power_;    // BandwidthSpec::boost_sms in 1 / (kFullProducts * kFullRate); 0: no limit
  std::vector<Kernel> kernels_;  // by KSR
  std::vector<Sm> sms_;
  std::vector<Copy> copies_;
  std::uint64_t moving_ = 0;            // SMs with transfers
  std::vector<std::uint32_t> changed_;  // SMs whose blocks have changed
  bool is_due_ = false;                 // the bandwidths are to be divided anew
  std::vector<PortUser> users_;         // of one port
  std::vector<std::uint64_t> demands_;  // of one division
  Recycler<BandwidthTable> tables_;
  std::uint32_t product_clock_ = 0;
  std::shared_ptr<const BandwidthTable> table_;
  std::uint64_t version_ = 1;
};

}  // namespace heddle
