#pragma once
// The BlockSaver saves blocks of a Residence to swap space and goes on with them. The resources of a block
// that leaves are free when memory has answered its stores. So no SM can load what is not yet stored, and a
// hand-over takes the time of the stores.

#include "models/core/base/recycler.h"
#include "models/core/kernel/kernel.h"
#include "models/core/kernel/saved_block.h"
#include "models/sm/residence/resident_table.h"
#include "policies/resource_manager/i_resource_manager.h"

namespace heddle {

class Residence;

class BlockSaver {
 public:
  explicit BlockSaver(Residence& residence) : residence_(residence) {}
  void reset() { moving_ = 0; }

  // The block, which is resident, is to leave for this area of swap space.
  void save(ResidentBlock& block, std::uint32_t area, Cycle now);
  // Puts what has been saved of the block into a block slot, and loads its state.
  void go_on(ResidentBlock& block, const SavedBlock& saved, Cycle now);
  // A warp of the block has nothing in flight any more. Starts the next stage of a block that leaves or goes
  // on once that holds for all its warps.
  void advance(ResidentBlock& block, Cycle now);
  // The block neither leaves nor goes on from now on.
  void forget(ResidentBlock& block) {
    set_stage(block, SwapStage::kNone);
    block.saved.reset();
  }

  bool has_blocks() const { return moving_ > 0; }  // which leave or go on

 private:
  void set_stage(ResidentBlock& block, SwapStage stage);
  bool is_quiet(const ResidentBlock& block) const;
  void store_state(ResidentBlock& block, Cycle now);
  void load_state(const ResidentBlock& block, const SavedBlock& saved);
  void leave(ResidentBlock& block, Cycle now);
  void note_warps(const ResidentBlock& block, SavedBlock& saved) const;
  // Queues transfers of lines of the block. The warp waits for them.
  void move_lines(const ResidentBlock& block, std::uint32_t slot, bool is_load, Address address,
                  std::uint32_t lines);
  std::uint32_t held_registers(const ResidentBlock& block) const;  // bytes that a warp of the launch holds
  HeldBytes held_by_warp(const ResidentBlock& block, std::uint32_t slot) const;
  // Returns the bytes that are saved of the warp. The function adds the bytes of its dead registers, which
  // are not saved, to SavedBlock::dead_bytes.
  HeldBytes saved_of_warp(ResidentBlock& block, std::uint32_t slot) const;
  HeldBytes held_by_block(const ResidentBlock& block) const;

  Residence& residence_;
  std::uint32_t moving_ = 0;  // blocks in a SwapStage other than kNone
  Recycler<SavedBlock> states_;
};

}  // namespace heddle
