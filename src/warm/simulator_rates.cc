// Between two events: who reads and pulls what, how fast, and when that ends.
#include <algorithm>

#include "src/warm/simulator.h"

namespace torqsched::warm {
namespace {

constexpr uint32_t kNone = 0xffffffff;
constexpr int64_t kNever = kMostTicks;
// Stage and engine are at the same byte where they are at most so far apart.
constexpr int64_t kSameByte = int64_t{1} << kUnitBits;
// Rates that share a bus evenly differ by less than one part of so many.
constexpr uint64_t kAlike = 1024;

}  // namespace

int64_t Simulator::Age(const TouchedPiece& piece, int64_t position) const {
  return clock_ - RegionContents::ClockAt(piece, position);
}

bool Simulator::InL2(const TouchedPiece& piece, int64_t position) const {
  return Age(piece, position) < capacity_;
}

// The clock at which its bytes were touched rises along a piece: what has left L2 is its head.
int64_t Simulator::FirstInL2(const TouchedPiece& piece) const {
  if (InL2(piece, piece.begin)) return piece.begin;
  if (clock_ - piece.last_clock >= capacity_) return piece.end;
  const uint64_t clocks = static_cast<uint64_t>(piece.last_clock - piece.first_clock);
  const uint64_t gone = static_cast<uint64_t>(clock_ - capacity_ - piece.first_clock) + 1;
  return piece.begin +
         static_cast<int64_t>(Scale(static_cast<uint64_t>(piece.end - piece.begin),
                                    std::min(gone, clocks), std::max<uint64_t>(1, clocks)));
}

void Simulator::LookAtStages() {
  for (size_t i = 0; i < running_count_; ++i) {
    Running& running = running_[i];
    for (Member& member : running.members) {
      const int64_t grains = member.read->grains;
      member.position = running.members.size() == 1
                            ? running.done
                            : static_cast<int64_t>(Scale(running.done, grains, running.size));
      const RegionContents& contents = instances_[member.instance].contents;
      const TouchedPiece* piece = contents.At(member.position);
      member.touched = piece != nullptr;
      member.piece = piece != nullptr ? *piece : TouchedPiece();
      member.hit = piece != nullptr && !member.forced_cold && InL2(*piece, member.position);
      member.bound = piece != nullptr ? std::min(piece->end, grains)
                                      : contents.NextBegin(member.position, grains);
      member.helper = kNone;
      member.edge = kNone;
    }
  }
}

Simulator::Member* Simulator::ReaderOf(uint32_t instance, Running** reader) {
  for (size_t i = 0; i < running_count_; ++i) {
    for (Member& member : running_[i].members) {
      if (member.instance != instance) continue;
      *reader = &running_[i];
      return &member;
    }
  }
  return nullptr;
}

void Simulator::LookAtScopes() {
  streams_ = 0;
  for (uint32_t i = 0; i < scopes_.size(); ++i) {
    Scope& scope = scopes_[i];
    scope.flow = Flow::kIdle;
    scope.reader = nullptr;
    scope.member = nullptr;
    const WarmOutcome& outcome = result_.outcomes[scope.first_outcome + scope.current];
    if (now_ < outcome.issued) continue;
    ++streams_;
    const Instance& instance = instances_[outcome.instance];
    scope.member = ReaderOf(outcome.instance, &scope.reader);
    Member* member = scope.member;
    if (member != nullptr && scope.position < member->position - kSameByte) {
      scope.flow = Flow::kChases;
      scope.bound = member->position;
      continue;
    }
    const TouchedPiece* piece = instance.contents.At(scope.position);
    scope.touched = piece != nullptr;
    if (piece != nullptr) scope.piece = *piece;
    scope.bound =
        piece != nullptr ? piece->end : instance.contents.NextBegin(scope.position, instance.size);
    if (piece != nullptr && InL2(*piece, scope.position)) {
      scope.flow = Flow::kPasses;
    } else if (member != nullptr && !member->hit && !member->forced_cold &&
               member->helper == kNone && scope.position <= member->position + kSameByte) {
      scope.flow = Flow::kHelps;
      member->helper = i;
    } else {
      scope.flow = Flow::kPulls;
      if (member != nullptr && member->hit && member->piece.end >= scope.position - kSameByte &&
          member->piece.end <= scope.position + kSameByte) {
        member->edge = i;
      }
    }
  }
}

// Bytes a ns that the stage would read of the region, if it hit where it does not: cost is that of
// a byte of the group, penalty of a cold byte.
uint64_t Simulator::PaceIfHit(const Member& member, uint64_t cost, uint64_t penalty) {
  const uint64_t saved = std::min(cost - 1, Times(member.read->share, penalty));
  return Times(member.read->share, Inverse(cost - saved));
}

void Simulator::PriceRunning(Running* running, uint64_t phi, uint64_t helper_rate) {
  const PreparedStage& stage = *running->ready;
  const uint64_t extra = Inverse(phi) - kOne;
  const uint64_t hit = stage.hit_cost + Times(extra, stage.other_bus);
  const uint64_t cold = stage.cold_cost + Times(extra, stage.other_bus + stage.cold_bus);
  uint64_t cost = Times(kOne - running->cold_share, hit) + Times(running->cold_share, cold);
  uint64_t helped = 0;
  for (const Member& member : running->members) {
    // An engine that is faster than the stage would hit runs ahead of it.
    if (member.helper != kNone) {
      helped += std::min(helper_rate, PaceIfHit(member, std::max<uint64_t>(1, cost), cold - hit));
    }
  }
  // Of the bytes that it reads in a ns, `helped` cost a hit in place of a cold byte.
  if (helped > 0) cost = Scale(cost, kOne, kOne + Times(helped, cold - hit));
  const WarmHardware& hardware = prepared_.hardware;
  if (stage.collective && hardware.collective_shares_engine && streams_ > 0) {
    cost = Scale(cost, prepared_.StreamRate(1), prepared_.StreamRate(streams_ + 1));
  }
  running->cost = std::max<uint64_t>(1, cost);
  running->speed = Inverse(running->cost);
  const uint64_t cold_rate = Times(running->cold_share, running->speed);
  running->own_rate =
      cold_rate - std::min(cold_rate, helped) + Times(stage.other_ratio, running->speed);
}

// What each running stage would take of an empty bus.
void Simulator::FindDemands() {
  for (size_t i = 0; i < running_count_; ++i) {
    Running& running = running_[i];
    running.cold_share = 0;
    for (const Member& member : running.members) {
      if (!member.hit) running.cold_share += member.read->share;
    }
    // Shares are rounded down; a group that is cold is so wholly.
    if (running.cold_share + running.members.size() >= kOne) running.cold_share = kOne;
    running.helpers = 0;
    PriceRunning(&running, kOne, 0);
    running.demand = running.own_rate;
  }
}

// Prices all stages, and what each pulling scope gets. An engine that is faster than its reader
// would hit is ahead of it at once, and a rival: the helpers of a stage are those that are not.
uint64_t Simulator::PriceAll(uint64_t stream, size_t pulling, uint64_t helper_rate) {
  const uint64_t memory = prepared_.memory_rate;
  const uint64_t stage_weight = prepared_.hardware.stage_weight;
  const uint64_t engine_weight = prepared_.hardware.engine_weight;
  uint64_t demands = 0;
  size_t wanting = 0;
  for (size_t i = 0; i < running_count_; ++i) {
    demands += running_[i].demand;
    wanting += running_[i].demand > 0 ? 1 : 0;
  }
  uint64_t used = 0;
  for (size_t i = 0; i < running_count_; ++i) {
    Running& running = running_[i];
    const uint64_t engine = stream * (pulling - running.helpers);
    const uint64_t others = demands - running.demand;
    const size_t rivals = wanting - (running.demand > 0 ? 1 : 0);
    const uint64_t wanted = Scale(engine + others, kOne, memory, 2 * kOne);
    const uint64_t guaranteed =
        kOne * stage_weight / (stage_weight * (1 + rivals) + (engine > 0 ? engine_weight : 0));
    running.phi = std::max(guaranteed, kOne - std::min(kOne, wanted));
    if (pulling > 0 || running.phi < kOne) PriceRunning(&running, running.phi, helper_rate);
    used += running.own_rate;
  }
  return pulling > 0 ? std::min(stream, (memory - std::min(memory, used)) / pulling) : 0;
}

// Counts the helpers of each stage, if they pull at this rate; whether there are other ones now.
bool Simulator::CountHelpers(uint64_t rate) {
  bool changed = false;
  for (size_t i = 0; i < running_count_; ++i) {
    Running& running = running_[i];
    const PreparedStage& stage = *running.ready;
    const uint64_t cost = Times(kOne - running.cold_share, stage.hit_cost) +
                          Times(running.cold_share, stage.cold_cost);
    size_t helpers = 0;
    for (const Member& member : running.members) {
      if (member.helper == kNone) continue;
      const uint64_t pace =
          PaceIfHit(member, std::max<uint64_t>(1, cost), stage.cold_cost - stage.hit_cost);
      if (rate <= pace) ++helpers;
    }
    changed |= helpers != running.helpers;
    running.helpers = helpers;
  }
  return changed;
}

// Of the scopes that pull at their readers' very bytes, those that compete there: as rivals they
// are slower than their readers. One that is not would be ahead at once, and helps.
void Simulator::SetRivalsApart(uint64_t stream, size_t pulling, uint64_t least) {
  bool some = false;
  for (Scope& scope : scopes_) {
    if (scope.flow != Flow::kHelps) continue;
    scope.flow = Flow::kCompetes;
    scope.member->helper = kNone;
    some = true;
  }
  if (!some) return;
  const uint64_t pull_rate = PriceAll(stream, pulling, least);
  for (uint32_t i = 0; i < scopes_.size(); ++i) {
    Scope& scope = scopes_[i];
    if (scope.flow != Flow::kCompetes) continue;
    const uint64_t pace = Times(scope.member->read->share, scope.reader->speed);
    if (pull_rate + pull_rate / kAlike < pace) continue;
    scope.flow = Flow::kHelps;
    scope.member->helper = i;
  }
}

void Simulator::ShareBus() {
  const WarmHardware& hardware = prepared_.hardware;
  FindDemands();
  bool collective = false;
  for (size_t i = 0; i < running_count_; ++i) collective |= running_[i].ready->collective;
  size_t pulling = 0;
  for (const Scope& scope : scopes_) {
    if (scope.flow == Flow::kPulls || scope.flow == Flow::kHelps) ++pulling;
  }
  const size_t streams = streams_ + (collective && hardware.collective_shares_engine ? 1 : 0);
  const uint64_t stream = streams > 0 ? prepared_.StreamRate(streams) : 0;
  const uint64_t part = Scale(prepared_.memory_rate, hardware.engine_weight,
                              uint64_t{hardware.engine_weight} + hardware.stage_weight);
  const uint64_t least = std::min(stream, part);
  if (hardware.late == WarmLate::kCompetes) SetRivalsApart(stream, pulling, least);
  CountHelpers(least);
  uint64_t pull_rate = PriceAll(stream, pulling, least);
  // What the stage leaves may be enough to run ahead of it.
  if (CountHelpers(std::max(least, pull_rate))) pull_rate = PriceAll(stream, pulling, least);
  SetRates(pull_rate);
}

void Simulator::SetRates(uint64_t pull_rate) {
  clock_rate_ = 0;
  for (Scope& scope : scopes_) {
    const bool in_vain = scope.flow == Flow::kCompetes;
    const bool pulls = scope.flow == Flow::kPulls || scope.flow == Flow::kHelps || in_vain;
    scope.rate = scope.flow == Flow::kIdle ? 0 : pulls ? pull_rate : prepared_.engine_hit_rate;
    // What it pulls in vain the reader brings into L2.
    if (pulls && !in_vain) clock_rate_ += pull_rate;
    if (scope.flow == Flow::kHelps) PriceRunning(scope.reader, scope.reader->phi, pull_rate);
  }
  for (size_t i = 0; i < running_count_; ++i) {
    const Running& running = running_[i];
    clock_rate_ += running.own_rate;
    for (const Member& member : running.members) {
      if (member.hit && !member.piece.by_engine) {
        clock_rate_ += Times(member.read->share, running.speed);
      }
    }
  }
}

// When, before it has moved from the position to the bound, a byte is in L2 that was not at the
// position, or the other way round: its age is linear in time.
int64_t Simulator::CrossingOf(int64_t ticks_to_bound, const TouchedPiece& piece, int64_t position,
                              int64_t bound) const {
  const int64_t age = Age(piece, position);
  const int64_t clock = clock_ + GrainsAtRate(ticks_to_bound, clock_rate_);
  const int64_t end_age = clock - RegionContents::ClockAt(piece, bound);
  if ((age < capacity_) == (end_age < capacity_)) return kNever;
  const uint64_t from = static_cast<uint64_t>(age < capacity_ ? capacity_ - age : age - capacity_);
  const uint64_t change = static_cast<uint64_t>(age < end_age ? end_age - age : age - end_age);
  return static_cast<int64_t>(Scale(ticks_to_bound, from, change, kMostTicks)) + 1;
}

// When the stage has caught up with the scope that pulls ahead of it, or is so far behind it that
// what it comes to has left L2.
int64_t Simulator::NextBehind(const Running& running, const Member& member,
                              const Scope& scope) const {
  const uint64_t pace =
      running.members.size() == 1 ? running.speed : Times(member.read->share, running.speed);
  if (pace > scope.rate) {
    const int64_t ahead = std::max<int64_t>(1, scope.position - member.position);
    return TicksAtRate(ahead, pace - scope.rate);
  }
  if (scope.rate == 0) return kNever;
  // A byte's age when it is read grows as the distance does.
  const uint64_t ageing = Scale(clock_rate_, scope.rate - pace, scope.rate);
  const int64_t age = member.touched ? std::max<int64_t>(0, Age(member.piece, member.position)) : 0;
  return ageing > 0 && age < capacity_ ? TicksAtRate(capacity_ - age, ageing) : kNever;
}

int64_t Simulator::NextOfRunning(const Running& running) const {
  int64_t next = TicksAtCost(running.size - running.done, running.cost);
  for (const Member& member : running.members) {
    const int64_t bound =
        running.members.size() == 1
            ? member.bound
            : static_cast<int64_t>(Scale(member.bound, running.size, member.read->grains)) + 1;
    const int64_t ticks = TicksAtCost(std::max<int64_t>(1, bound - running.done), running.cost);
    if (member.edge != kNone) {
      // Its piece grows while it is read.
      next =
          std::min(next, std::max(NextBehind(running, member, scopes_[member.edge]), int64_t{1}));
      continue;
    }
    next = std::min(next, ticks);
    if (member.helper != kNone && scopes_[member.helper].rate > running.speed) {
      next = std::min(next, NextBehind(running, member, scopes_[member.helper]));
    }
    if (member.touched && !member.forced_cold) {
      next = std::min(next, CrossingOf(ticks, member.piece, member.position, member.bound));
    }
  }
  return next;
}

int64_t Simulator::NextOfScope(const Scope& scope) const {
  if (scope.flow == Flow::kIdle) {
    return result_.outcomes[scope.first_outcome + scope.current].issued - now_;
  }
  const int64_t left = std::max<int64_t>(1, scope.bound - scope.position);
  if (scope.flow == Flow::kChases) {
    const Running& reader = *scope.reader;
    const uint64_t speed =
        reader.members.size() == 1 ? reader.speed : Times(scope.member->read->share, reader.speed);
    return scope.rate > speed ? TicksAtRate(left, scope.rate - speed) : kNever;
  }
  if (scope.rate == 0) return kNever;
  const int64_t ticks = TicksAtRate(left, scope.rate);
  if (!scope.touched) return ticks;
  return std::min(ticks, CrossingOf(ticks, scope.piece, scope.position, scope.bound));
}

int64_t Simulator::NextEvent() const {
  int64_t next = kNever;
  for (size_t i = 0; i < running_count_; ++i) next = std::min(next, NextOfRunning(running_[i]));
  for (const Scope& scope : scopes_) next = std::min(next, NextOfScope(scope));
  if (waits_for_issue_) next = std::min(next, issue_free_at_ - now_);
  return std::max<int64_t>(1, next);
}

}  // namespace torqsched::warm
