#pragma once
// A ClockDomain is one clock of the GPU: an integer cycle, an SC_METHOD and a timing wheel. A block sleeps
// until a cycle that it asked for. A domain with nothing due costs the SystemC kernel nothing. Several clocks
// may share one method: their edges at the same time then cost one call by the kernel, whatever their
// frequencies.
//
// The blocks of a clock that are Divided do their own work of a cycle at the same time, on the threads of a
// WorkerPool if there is one. Look-ahead is what makes that possible: whatever a block hands to another takes
// effect one cycle later or more (models/core/link), so that within a cycle no block depends on another.
// Blocks that are not Divided tick first, then all Divided blocks work, and then they hand on what they have
// for others, one after another in the order in which they were added. This order is the same for every
// number of threads, and so are the results.

#include <exception>
#include <systemc>
#include <vector>

#include "models/core/base/counter.h"
#include "models/core/base/ids.h"
#include "models/core/base/worker_pool.h"
#include "models/core/time/timing_wheel.h"

namespace heddle {

// A ClockDomain ticks every block that is Clocked. Within a cycle blocks may be ticked in any order: what one
// block sends another takes effect at least one cycle later.
class Clocked {
 public:
  virtual ~Clocked() = default;
  virtual void tick(Cycle now) = 0;
};

// The tick of a Divided block has two parts.
class Divided {
 public:
  virtual ~Divided() = default;

  // Does what concerns this block alone. It changes nothing outside of the block, reads nothing that another
  // block may change in work(), and may run on any thread. Returns the cycle of the next tick if no input
  // comes before, or kFinishes if finish() is to be called.
  virtual Cycle work(Cycle now) = 0;
  // Hands what work() has left to other blocks. Returns the cycle of the next tick.
  virtual Cycle finish(Cycle now) = 0;

  static constexpr Cycle kFinishes{0};
};

// A ClockDomain tells its WorkMeter when the work of divided blocks begins and ends. Measurements on one
// thread use it.
class WorkMeter {
 public:
  virtual ~WorkMeter() = default;
  virtual void begin_cycle() = 0;                  // the work of the blocks that are due begins
  virtual void end_block(std::size_t block) = 0;   // that of one has ended: its number among the divided
  virtual void end_cycle(std::size_t blocks) = 0;  // that of all has ended; the number of divided blocks
};

class ClockDomain : public sc_core::sc_module {
 public:
  using Sleeper = TimingWheel::Sleeper;

  // The period is rounded to the time resolution; frequency_hz() gives the frequency after rounding.
  ClockDomain(sc_core::sc_module_name name, double frequency_hz);
  // The clock shares the method of `first`, which has a method of its own.
  ClockDomain(sc_core::sc_module_name name, double frequency_hz, ClockDomain& first);

  // Blocks are added before the start of simulation.
  Sleeper add(Clocked& block);
  Sleeper add(Divided& block);

  // The sleepers of divided blocks, by the order in which they were added.
  std::size_t divided_blocks() const { return places_.size(); }
  static Sleeper divided_sleeper(std::size_t block) { return kDivided | block; }

  // From now on the divided blocks work on the threads of the pool in each cycle in which at least `fewest`
  // of these blocks are due. The function gives each thread a run of neighbouring blocks. The owner of the
  // clock calls it after the last call of add().
  void share(WorkerPool& pool, std::size_t fewest);
  bool is_shared() const { return pool_ != nullptr; }  // whether share() was called
  void measure(WorkMeter& meter) { meter_ = &meter; }  // without a pool

  // The SystemC kernel costs more than most edges do. From now on the clocks that share the method go from
  // edge to edge by themselves, up to the time `limit`, for as long as nothing else is to happen in the
  // simulation before the next edge or at it. The kernel's time then stays behind present(). Blocks of these
  // clocks must not read the kernel's time; they annotate calls of modules without a clock with ahead(), and
  // notify an event by notify(). A limit of 0 ends it. The call is of the clock that owns the method.
  void go_ahead_until(const sc_core::sc_time& limit) { ahead_limit_ = limit.value(); }
  // Returns the time of the edge in progress, or else the kernel's.
  sc_core::sc_time present() const { return sc_core::sc_time::from_value(present_value()); }
  // Returns how far present() is ahead of the kernel's time.
  sc_core::sc_time ahead() const { return sc_core::sc_time::from_value(present_value() - time_.value()); }
  void notify(sc_core::sc_event& event) const { event.notify(ahead()); }  // at present()

  // Drops every wake of this clock and of all clocks that share its method, and makes the present time their
  // cycle 0. The call is made while no process runs: before or between calls of sc_start().
  void reset();

  // Asks for a tick at `cycle`, which is later than the present one. The earliest cycle that was asked for
  // counts. A Clocked block may ask for the work of a Divided one in the present cycle.
  void wake_at(Sleeper sleeper, Cycle cycle) {
    if ((sleeper & kDivided) == 0)
      undivided_.wake_at(sleeper, cycle);
    else
      wake_divided(sleeper & ~kDivided, cycle);
    if (cycle < due_) hasten(cycle);
  }

  // Returns the cycle of the last edge at or before the present time, which is that of a tick in progress.
  Cycle now() const { return last_edge(present_value()); }
  // Returns the first edge at or after `time`.
  Cycle edge_at(const sc_core::sc_time& time) const {
    const Cycle last = last_edge(time.value());
    return edge_time_ == time.value() ? last : last + 1;
  }
  // Returns the time of a cycle since the start of simulation.
  sc_core::sc_time time_of(Cycle cycle) const { return sc_core::sc_time::from_value(time_value(cycle)); }
  double frequency_hz() const;

  // The host pays for these. The clock that owns the method counts `calls` for all clocks that share it.
  struct Activity {
    Counter calls;  // times at which a clock has an edge in which a block is due
    Counter wakes;  // cycles in which a block was due
    Counter ticks;  // calls of Clocked::tick() and Divided::work()
  };
  Activity& activity() { return activity_; }
  bool owns_method() const { return &first_ == this; }

 private:
  ClockDomain(const sc_core::sc_module_name& name, double frequency_hz, ClockDomain* first);

  static constexpr Sleeper kDivided = Sleeper{1} << 32U;  // a bit in the numbers of divided blocks

  // A Wakes is a timing wheel with the earliest cycle at which one of its sleepers is due.
  struct Wakes {
    void wake_at(Sleeper sleeper, Cycle cycle) {
      wheel.wake_at(sleeper, cycle);
      if (cycle < due) due = cycle;
    }
    TimingWheel wheel;
    Cycle due = Cycle::never();
  };
  // A Part has the divided blocks that one thread works on.
  struct alignas(64) Part {
    Wakes wakes;
    std::vector<Divided*> blocks;    // by sleeper of the wheel
    std::vector<Sleeper> finishing;  // of the wheel, in this cycle
    std::uint64_t ticks = 0;         // in this cycle
    std::exception_ptr failure;
  };
  struct Place {
    std::uint32_t part = 0;
    std::uint32_t sleeper = 0;  // of the part's wheel
  };

  void wake_divided(std::size_t block, Cycle cycle) {
    const Place& place = places_[block];
    parts_[place.part].wakes.wake_at(place.sleeper, cycle);
  }
  void place(Divided& block, std::size_t number);  // in the part of this number
  void tick_divided();
  void tick_shared();  // on the threads of the pool
  void work(Part& part);
  void finish(Part& part);
  void restart();
  std::uint64_t time_value(Cycle cycle) const { return origin_ + cycle.value * period_; }
  void run();  // ticks every clock that shares the method and has something due now
  // Returns whether the clocks go on to the edge at this time without the kernel.
  bool goes_ahead_to(std::uint64_t time) const;
  std::uint64_t present_value() const { return first_.running_ ? first_.present_ : time_.value(); }
  void edge();  // ticks the blocks of this clock
  void hasten(Cycle cycle);
  void notify(std::uint64_t time);
  // Returns the last edge at or before `time`. It divides only when the time has moved on to another cycle.
  Cycle last_edge(std::uint64_t time) const {
    if (time - edge_time_ >= period_) {
      edge_ = Cycle{(time - origin_) / period_};
      edge_time_ = time_value(edge_);
    }
    return edge_;
  }

  Wakes undivided_;
  std::vector<Clocked*> blocks_;
  std::vector<Place> places_;  // by divided block
  std::vector<Part> parts_;    // empty without divided blocks; each has a run of them
  WorkerPool* pool_ = nullptr;
  std::size_t fewest_ = 0;
  WorkMeter* meter_ = nullptr;
  std::uint64_t period_;          // the period and all times are in units of the time resolution
  const sc_core::sc_time& time_;  // the kernel's present time
  std::uint64_t origin_ = 0;      // the time of cycle 0: the start of simulation or the last reset
  mutable Cycle edge_{0};         // the edge that was asked for last, and its time
  mutable std::uint64_t edge_time_ = 0;
  Cycle due_ = Cycle::never();  // the edge at which a block is due; the present one during its ticks
  std::uint64_t due_time_ = kNever;

  // These are in use in the clock that owns the method.
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  ClockDomain& first_;
  std::vector<ClockDomain*> sharing_;
  sc_core::sc_event call_;
  std::uint64_t notified_ = kNever;  // when the kernel will call run()
  bool running_ = false;
  std::uint64_t present_ = 0;      // the time of the edges in progress
  std::uint64_t ahead_limit_ = 0;  // of go_ahead_until()
  const sc_core::sc_simcontext* kernel_ = sc_core::sc_get_curr_simcontext();

  Activity activity_;
};

}  // namespace heddle
