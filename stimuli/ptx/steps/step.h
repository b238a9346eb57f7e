#pragma once
// A step is a statement that is decoded for execution: its kind, and the rows of a warp's storage that hold
// its operands. A row holds a value for each lane; the row of a predicate is one word with a bit for each
// lane.

#include <array>
#include <cstdint>
#include <vector>

#include "models/core/kernel/instruction.h"
#include "stimuli/ptx/lanes/lane_arithmetic.h"
#include "stimuli/ptx/lanes/lane_atomic.h"
#include "stimuli/ptx/lanes/lane_matrix.h"
#include "stimuli/ptx/lanes/lane_memory.h"
#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

// The offset of a row counts bytes from this base. An absent operand has the base kNull.
enum class RowBase : std::uint8_t { kFrame, kWarp, kConstant, kNull };
constexpr std::size_t kRowBases = 4;

struct Row {
  std::uint32_t offset = 0;
  RowBase base = RowBase::kNull;  // kNull: the operand is absent
  bool wide = false;              // a lane has 64 bits, not 32
};

struct Step {
  enum class Kind : std::uint8_t {
    kLanes,    // `lanes` executes the step
    kNothing,  // the step affects performance or memory order only
    kLoad,
    kStore,
    kAtomic,
    kBranch,
    kCall,
    kIndirectCall,  // the first source holds the address of the function
    kReturn,
    kExit,
    kTrap,
    kBarrier,
    kWarpBarrier,
    kShuffle,
    kVote,
    kMatch,
    kReduce,
    kActiveMask,
    kElect,
    kTexture,
    kSurfaceLoad,
    kSurfaceStore,
    kConvertAddress,    // cvta: the start of a window is added, or subtracted with `.to`
    kTestAddressSpace,  // isspacep
    kMatrixLoad,        // ldmatrix, and a part of wmma.load
    kMatrixStore,       // a part of wmma.store
    kMatrixProduct,
    kGroupProduct,       // the part of a warp in a product of its warpgroup
    kGroupCommit,        // wgmma.commit_group
    kGroupWait,          // wgmma.wait_group
    kPhaseBarrier,       // mbarrier; the first source is the address, except in mbarrier.pending_count
    kAsynchronousStore,  // st.async and red.async; the destination is the address of the barrier, which is
                         // read
    kBulkCopy,       // the sources are the addresses in device and shared memory, the bytes, and the barrier
    kTensorCopy,     // the sources are the addresses of the map, in shared memory and of the barrier, and the
                     // blocks of a multicast; the destinations are the coordinates
    kClusterArrive,  // barrier.cluster.arrive
    kClusterWait,    // barrier.cluster.wait
    kClusterAddress,    // mapa and getctarank
    kRegisterCount,     // setmaxnreg
    kAsynchronousCopy,  // the sources are the addresses in global and shared memory, then the bytes to read
  };
  static constexpr std::uint32_t kUnguarded = ~std::uint32_t{0};
  // Values of `members`.
  static constexpr std::uint8_t kNoMembers = 0xff;   // each lane executes the step on its own
  static constexpr std::uint8_t kAllMembers = 0xfe;  // the whole warp does so together

  Kind kind = Kind::kNothing;
  bool guard_negated = false;
  bool reads_clock = false;
  bool negated = false;          // vote and bar.red read the negated predicate
  bool yields = false;           // a branch back to the start of a loop in which lanes wait for others
  bool computes_folded = false;  // FunctionCode::folded has steps that are executed with this one
  bool is_plain = false;         // `lanes` is all that is to execute
  bool is_small = false;  // `lanes` reads no clock, and has one destination and three sources at the most
  std::uint8_t destinations = 0;
  std::uint8_t sources = 0;
  std::uint8_t members = kNoMembers;  // the source that has the lanes that execute the step together
  std::uint32_t guard = kUnguarded;   // offset of the guard predicate in the frame
  std::uint32_t index = 0;            // in EntryCode::accesses, calls, matrices or groups
  std::uint32_t target = 0;  // branch: step; call: function; indirect call: prototype; texture: variable
  std::uint32_t reconvergence = 0;
  std::array<Row, 5> destination;  // memory and textures: the elements; tensors: the coordinates, read;
                                   // stores that arrive at a barrier: its address, read
  std::array<Row, 5>
      source;  // memory: the address, then the elements; textures: the handle, then the coordinates
  LaneOperation lanes;
  const Statement* statement = nullptr;
};

// The memory access of a step of kind kLoad, kStore or kAtomic.
struct Access {
  Space space = Space::kGlobal;
  std::uint8_t bytes = 4;           // per element
  std::uint8_t width = 1;           // number of elements
  bool uniform = false;             // all lanes read a parameter of the launch at `offset`
  bool in_cluster = false;          // shared memory: it may be that of another block of the cluster
  bool frame_relative = false;      // local memory: `offset` counts from the start of the call's memory
  std::uint64_t offset = 0;         // added to the address; it is the address where the operand has no row
  std::uint64_t shared_offset = 0;  // copies: the same for the address in shared memory
  std::uint64_t barrier_offset =
      0;  // kAsynchronousStore, kBulkCopy, kTensorCopy: the same for that of the barrier object
  std::array<LoadLanes, 4> load{};  // by element, because the registers may differ in width
  std::array<StoreLanes, 4> store{};
  AtomicLanes atomic = nullptr;
  AtomicLanes shared_atomic = nullptr;
  // The instruction that the SM sees of a generic access, which depends on the space of the address.
  std::array<Instruction, 3> resolved;  // global, shared, local
};

// The fragments of a step of kind kMatrixLoad, kMatrixStore or kMatrixProduct.
struct MatrixStep {
  static constexpr std::size_t kMostRegisters = 8;
  using Rows = std::array<Row, kMostRegisters>;

  ProductTables tables;    // product
  FragmentTable fragment;  // load and store
  FragmentAccess access;   // of the step's part of the fragment
  Rows d;                  // product; load: the registers of the part
  Rows a;
  Rows b;
  Rows c;       // product; store: the registers of the part
  Row address;  // kNull: the address is `offset`
  std::uint64_t offset = 0;
  Row stride;                        // in elements; kNull: `default_stride`
  std::uint32_t default_stride = 0;  // the length of a row or column
  Space space = Space::kGlobal;
  std::array<Instruction, 3> resolved;  // as Access::resolved
};

// Returns the kind of the step that executes the statement.
Step::Kind kind_of(const Statement& statement);
// Returns the value of Step::members for a step whose kind and sources are known.
std::uint8_t members_of(const Step& step);

// Returns the bytes of one call's local memory, rounded up so that the next call's is aligned for every
// access.
inline std::uint64_t local_frame_bytes(const Function& function) {
  constexpr std::uint64_t kAlignment = 16;
  return (std::uint64_t{function.local_bytes} + kAlignment - 1) / kAlignment * kAlignment;
}

// The arguments and the results of a step of kind kCall or kIndirectCall.
struct CallSite {
  struct Argument {
    Row row;                   // of a register or an immediate value
    bool in_area = false;      // the bytes lie in the caller's parameter area, not in `row`
    std::uint32_t offset = 0;  // in the caller's parameter area
    std::uint32_t callee = 0;  // offset in the callee's parameter area
    std::uint32_t bytes = 0;
  };
  std::vector<Argument> arguments;
  std::vector<Argument> results;
};

}  // namespace heddle::ptx
