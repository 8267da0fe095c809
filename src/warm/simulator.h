// The model: stages and warms on one memory bus, as fluids, event by event.
//
// The idea: between two events all rates are constant. An event is a stage that begins or ends, a
// region that is issued, an end of a stretch of bytes that are in L2 (or are not), a byte that
// falls out of L2 just before it would be read. At each event the rates are computed anew:
//
//   - A stage reads the regions of its group in the order of their bytes, at a pace that follows
//     from what each byte costs it (prepared.h): in L2, or cold.
//   - A scope issues its regions one by one (hardware.issue_ns each) and holds a vector core until
//     the last is issued. The engine takes one issue at a time: scopes that overlap issue one after
//     the other, those of one anchor in turn (facts, alternative_TLOAD: with more channels issues
//     do not get faster). Its transfers run in the order of issue, each from the first byte on, as
//     fast as the engine and what the stages leave of the bus allow. What is in L2 already passes
//     at engine_hits, without the bus. So every byte is pulled once: what the stage has read itself
//     the engine passes, what the engine has pulled the stage hits.
//   - A stage that reads at the very byte that the engine pulls is helped by it: it reads the
//     engine's bytes as hits and its own as cold ones, and is not slowed by it. (An engine faster
//     than the stage would hit runs ahead of it, and is a rival as any other.) With hardware.late
//     kCompetes an engine that is slower there than the stage pulls in vain, and is a rival, too.
//   - Otherwise a stage that wants the bus and an engine that wants it share it: the engine takes
//     what it wants, but leaves the stage its weight's part. The stage's bus time grows by what it
//     lost (its share phi is that of prepared.h); the engine gets what the stages do not use.
//   - An all-to-all is one more stream of the engine, slowed as a stream is by the others.
//   - A stage that needs all vector cores begins when no scope that has begun is still issuing.
//   - With parallel_stages > 1, stages begin as soon as those they wait for have ended, in order;
//     a layer begins when the one before it has ended.
//
// What it leaves out: sets of the cache, banks and channels of the memory, cores and their queues,
// variance. It is a model of order and of size, not a clock.
//
// Invariants: (1) a byte is pulled over the bus by exactly one user, but for what competes late;
// (2) with nothing warm and nothing resident a stage alone takes its duration, with all resident
// its resident_ns, each up to a rounding of far below a nanosecond; (3) every event advances a
// stage, a scope or the clock; at most some two hundred in a row begin and end nothing.
//
// Cost: events times what runs at once; events are linear in stages, reads and warms, but for
// regions that many stages touch in many pieces (at most RegionContents::kMostPieces). A simulator
// keeps its memory from run to run. Source: the page, and `tension` of facts.json.
#ifndef TORQSCHED_SRC_WARM_SIMULATOR_H_
#define TORQSCHED_SRC_WARM_SIMULATOR_H_

#include <cstdint>
#include <vector>

#include "src/warm/contents.h"
#include "src/warm/prepared.h"

namespace torqsched::warm {

// A run of stages of a layer, with the scopes that are anchored at them.
struct SimulatedLayer {
  uint32_t kind = 0;
  uint32_t first_stage = 0;
  uint32_t end_stage = 0;
  std::vector<WarmScope> scopes;  // those anchored outside of the stages never begin
};

struct StageTimes {
  int64_t begin = 0;
  int64_t end = 0;
};

// What became of one region of one scope.
struct WarmOutcome {
  uint32_t layer = 0;         // position in the simulated layers
  uint32_t scope = 0;         // position in its scopes
  uint32_t position = 0;      // in the scope's regions
  uint32_t region = 0;        // position in the timeline's regions
  uint32_t instance = 0;      // of the region, in this run
  int64_t issued = 0;         // when its transfer may begin
  int64_t landed = -1;        // when its last byte had been passed; -1: not in this run
  int64_t read_begin = -1;    // when the first stage after its issue began to read it
  int64_t pulled_before = 0;  // grains that had been pulled by then
  int64_t landed_before = 0;  // of them, grains in L2 then
  int64_t pulled = 0;         // grains over the bus
  int64_t hit = 0;            // grains of them that a stage hit
};

struct FlowPoint {
  int64_t time = 0;
  int64_t pulled = 0;   // grains by the engine since the beginning
  int64_t unread = 0;   // of these, grains that wait for their reader
  int64_t through = 0;  // grains through L2 since the beginning, by anybody
};

struct LandingPoint {
  uint32_t outcome = 0;
  int64_t time = 0;
  int64_t passed = 0;  // grains
};

struct SimulationTrace {
  std::vector<FlowPoint> flow;
  std::vector<LandingPoint> landing;
};

struct SimulationResult {
  bool finished = false;  // false: it would last longer than a clock holds
  int64_t end = 0;
  std::vector<StageTimes> stages;  // of all layers, one after the other
  std::vector<WarmOutcome> outcomes;
  int64_t pulled = 0;       // grains
  int64_t most_unread = 0;  // grains
};

class Simulator {
 public:
  explicit Simulator(const PreparedTimeline& prepared) : prepared_(prepared) {}

  // The layers one after the other, L2 in the state in which the forward's repetition leaves it;
  // trace may be null. The result is valid until the next call.
  const SimulationResult& Run(const std::vector<SimulatedLayer>& layers, SimulationTrace* trace);
  const SimulationResult& result() const { return result_; }

 private:
  struct Instance {
    RegionContents contents;
    int64_t size = 0;
    uint32_t outcome = 0xffffffff;
  };
  // A region that a running stage is reading; from `position` on as at the last event.
  struct Member {
    uint32_t instance = 0;
    const PreparedRead* read = nullptr;
    bool forced_cold = false;  // landing kFull, and it had not landed
    int64_t position = 0;
    bool hit = false;
    bool touched = false;  // `piece` holds the position
    TouchedPiece piece;
    int64_t bound = 0;             // position at which this changes
    uint32_t helper = 0xffffffff;  // the scope that pulls at its very byte
    uint32_t edge = 0xffffffff;    // the scope that pulls where `piece` ends
  };
  struct Running {
    uint32_t layer = 0;
    uint32_t stage = 0;  // position in its kind
    uint32_t times = 0;  // position in result.stages
    const PreparedStage* ready = nullptr;
    uint32_t group = 0;  // position in its kind's groups
    int64_t size = 0;    // grains of the group, or of its units
    int64_t done = 0;
    std::vector<Member> members;
    // As at the last event:
    uint64_t cold_share = 0;  // ratio
    uint64_t demand = 0;      // rate on an empty bus
    size_t helpers = 0;       // scopes that pull at its very byte and are not ahead at once
    uint64_t phi = kOne;      // its part of the bus
    uint64_t cost = 1;
    uint64_t speed = 1;     // 1 / cost
    uint64_t own_rate = 0;  // over the bus
  };
  enum class Flow : uint8_t {
    kIdle,     // its region is not issued yet
    kPasses,   // over what is in L2
    kChases,   // over what its reader has just read, up to where it reads
    kPulls,    // over the bus
    kHelps,    // over the bus, at its reader's very byte, which takes what it brings
    kCompetes  // over the bus, at its reader's very byte, in vain
  };
  struct Scope {
    uint32_t first_outcome = 0;
    uint32_t regions = 0;
    uint32_t current = 0;
    int64_t position = 0;
    Flow flow = Flow::kIdle;
    bool touched = false;  // `piece` holds the position
    TouchedPiece piece;
    int64_t bound = 0;
    uint64_t rate = 0;
    int64_t moved = 0;          // since the last event
    Running* reader = nullptr;  // of its region, as at the last event
    Member* member = nullptr;
  };
  // An instance of this run, if its epoch is this run's.
  struct Slot {
    uint32_t epoch = 0;
    uint32_t instance = 0;
  };

  void Reset(const std::vector<SimulatedLayer>& layers);
  void EnterLayer();
  bool LayerDone() const;
  uint32_t NewInstance(uint32_t layer, uint32_t local, uint32_t region);
  uint32_t InstanceOf(uint32_t layer, uint32_t local, uint32_t region);
  void StartStages();
  bool TryStart(uint32_t stage);
  void EnterGroup(Running* running);
  void BeginReading(Member* member);
  void EndStage(size_t index);
  void StartScopes(uint32_t anchor);

  int64_t Age(const TouchedPiece& piece, int64_t position) const;
  int64_t FirstInL2(const TouchedPiece& piece) const;  // its end: nothing is
  bool InL2(const TouchedPiece& piece, int64_t position) const;
  Member* ReaderOf(uint32_t instance, Running** reader);
  void LookAtStages();
  void LookAtScopes();
  static uint64_t PaceIfHit(const Member& member, uint64_t cost, uint64_t penalty);
  void PriceRunning(Running* running, uint64_t phi, uint64_t helper_rate);
  void FindDemands();
  uint64_t PriceAll(uint64_t stream, size_t pulling, uint64_t helper_rate);
  bool CountHelpers(uint64_t rate);
  void SetRivalsApart(uint64_t stream, size_t pulling, uint64_t least);
  void ShareBus();
  void SetRates(uint64_t pull_rate);
  int64_t CrossingOf(int64_t ticks_to_bound, const TouchedPiece& piece, int64_t position,
                     int64_t bound) const;
  int64_t NextBehind(const Running& running, const Member& member, const Scope& scope) const;
  int64_t NextOfRunning(const Running& running) const;
  int64_t NextOfScope(const Scope& scope) const;
  int64_t LeastStep();
  int64_t NextEvent() const;
  void AdvanceScope(Scope* scope, int64_t ticks, int64_t clock_after);
  void SettleScope(Scope* scope, int64_t clock_after);
  void AdvanceRunning(Running* running, int64_t ticks, int64_t clock_after);
  void Advance(int64_t ticks);
  void Finish();
  void Note();

  const PreparedTimeline& prepared_;
  const std::vector<SimulatedLayer>* layers_ = nullptr;
  SimulationTrace* trace_ = nullptr;
  SimulationResult result_;

  int64_t now_ = 0;
  int64_t clock_ = 0;  // grains through L2
  int64_t first_clock_ = 0;
  int64_t capacity_ = 0;
  uint64_t clock_rate_ = 0;
  uint64_t quiet_events_ = 0;  // since a group of reads, a stage or a landing began or ended
  int64_t unread_ = 0;
  int64_t issue_free_at_ = 0;  // no scope that has begun issues, nor holds a core, from then on
  bool waits_for_issue_ = false;

  uint32_t layer_ = 0;       // that runs
  uint32_t next_stage_ = 0;  // the lowest of it that has not begun
  uint32_t ended_in_layer_ = 0;
  std::vector<uint32_t> by_anchor_;  // scopes of the running layer
  std::vector<char> begun_;          // by stage of the running layer, less its first
  std::vector<char> ended_;
  std::vector<Running> running_;
  size_t running_count_ = 0;  // the rest of running_ is kept for its memory
  std::vector<Scope> scopes_;
  size_t streams_ = 0;  // of the engine that move

  std::vector<Instance> instances_;
  size_t instance_count_ = 0;       // the rest is kept for its memory
  std::vector<Slot> slots_;         // by layer's base and region's local position
  std::vector<Slot> shared_slots_;  // by region
  uint32_t epoch_ = 0;
  std::vector<uint32_t> times_base_;  // by layer
  std::vector<uint32_t> slot_base_;   // by layer
  std::vector<uint64_t> bytes_at_;    // by layer: bytes of the layers before it
};

}  // namespace torqsched::warm

#endif  // TORQSCHED_SRC_WARM_SIMULATOR_H_
