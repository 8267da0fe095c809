#include "tests/warm/planner_reference.h"

#include <algorithm>
#include <cmath>

namespace torqsched {
namespace {

double PerNs(const WarmBandwidth& b) {
  return static_cast<double>(b.bytes) / static_cast<double>(b.ns);
}

struct Block {
  bool touched = false;
  bool by_engine = false;
  double clock = 0;
};

struct Transfer {
  uint32_t region = 0;
  double issued_ns = 0;
  double position = 0;
};

// Transfers of one scope, in order.
struct Queue {
  std::vector<Transfer> transfers;
  size_t current = 0;
};

struct Reading {
  uint32_t region = 0;
  double bytes = 0;
  bool forced_cold = false;
  double position = 0;
};

class Literal {
 public:
  Literal(const WarmHardware& hardware, const WarmTimeline& timeline,
          const std::vector<WarmScope>& scopes, double step, double block)
      : h_(hardware), t_(timeline), scopes_(scopes), step_(step), block_(block) {
    for (const WarmRegion& region : t_.regions) {
      blocks_.emplace_back(
          static_cast<size_t>(std::ceil(static_cast<double>(region.bytes) / block_)) + 1);
    }
  }

  ReferenceOutcome Run() {
    Anchor(kLayerEntry);
    for (uint32_t s = 0; s < t_.kinds[0].stages.size(); ++s) {
      const WarmStage& stage = t_.kinds[0].stages[s];
      while (stage.all_vector_cores && now_ < issue_free_) Step(nullptr, 0);
      RunStage(stage);
      outcome_.stage_end_ns.push_back(now_);
      Anchor(s);
    }
    outcome_.end_ns = now_;
    return outcome_;
  }

 private:
  enum Kind { kNone, kPass, kPull, kHelp, kCompete, kChase };

  void Anchor(uint32_t anchor) {
    std::vector<Queue*> fresh;
    const size_t first = queues_.size();
    for (const WarmScope& scope : scopes_) {
      if (scope.anchor != anchor) continue;
      queues_.emplace_back();
      for (const uint32_t region : scope.regions) {
        queues_.back().transfers.push_back({region, 0, 0});
        warmed_.push_back(region);
      }
    }
    if (first == queues_.size()) return;
    const double startup =
        h_.startup == WarmStartup::kOnce ? 0 : static_cast<double>(h_.startup_ns);
    issue_free_ = std::max(issue_free_, now_ + startup);
    for (size_t j = 0; j < warmed_.size(); ++j) {
      for (size_t q = first; q < queues_.size(); ++q) {
        if (j >= queues_[q].transfers.size()) continue;
        issue_free_ += static_cast<double>(h_.issue_ns);
        queues_[q].transfers[j].issued_ns = issue_free_;
      }
    }
  }

  bool InL2(const Block& block) const {
    return block.touched && clock_ - block.clock < static_cast<double>(h_.l2_bytes);
  }
  Block& BlockAt(uint32_t region, double position) {
    return blocks_[region][static_cast<size_t>(position / block_)];
  }

  void RunStage(const WarmStage& stage) {
    region_bytes_ = 0;
    for (const WarmRead& read : stage.reads) region_bytes_ += BytesOf(read);
    const double cold = static_cast<double>(stage.duration_ns);
    double hit = cold;
    if (stage.resident_ns.has_value()) {
      hit = static_cast<double>(*stage.resident_ns);
    } else if (region_bytes_ > 0) {
      hit = std::max(0.0, cold - region_bytes_ * static_cast<double>(h_.hit_saving_ns) /
                                     static_cast<double>(h_.hit_saving_bytes));
    }
    const double units = region_bytes_ > 0 ? region_bytes_ : cold;
    cold_cost_ = cold / units;
    hit_cost_ = region_bytes_ > 0 ? hit / units : cold_cost_;
    other_ratio_ = static_cast<double>(stage.other_bytes) / units;
    const double bus = 1 / PerNs(h_.memory);
    other_bus_ = std::min(hit_cost_, other_ratio_ * bus);
    cold_bus_ = std::min(bus, cold_cost_ - other_bus_);
    if (stage.reads.empty()) {
      readings_.clear();
      done_ = 0;
      size_ = cold;
      while (done_ < size_) Step(&stage, size_);
      return;
    }
    for (size_t i = 0; i < stage.reads.size();) {
      readings_.clear();
      size_ = 0;
      do {
        Reading reading{stage.reads[i].region, BytesOf(stage.reads[i]), false, 0};
        reading.forced_cold = h_.landing == WarmLanding::kFull && !AllInL2(reading) &&
                              std::count(warmed_.begin(), warmed_.end(), reading.region) > 0;
        size_ += reading.bytes;
        readings_.push_back(reading);
        ++i;
      } while (i < stage.reads.size() && stage.reads[i].beside_previous);
      done_ = 0;
      while (done_ < size_) Step(&stage, size_);
    }
  }

  double BytesOf(const WarmRead& read) const {
    return static_cast<double>(read.bytes != 0 ? read.bytes : t_.regions[read.region].bytes);
  }

  bool AllInL2(const Reading& reading) {
    for (double at = 0; at < reading.bytes; at += block_) {
      if (!InL2(BlockAt(reading.region, at))) return false;
    }
    return true;
  }

  // One step with the stage running (null: none).
  void Step(const WarmStage* stage, double size) {
    const size_t n = stage == nullptr ? 0 : readings_.size();
    std::vector<char>& hit = hit_;
    std::vector<int>& helper = helper_;
    hit.assign(n, 0);
    helper.assign(n, -1);
    double cold_share = 0;
    for (size_t i = 0; i < n; ++i) {
      readings_[i].position =
          std::min(readings_[i].bytes - 1e-6, done_ * readings_[i].bytes / size);
      hit[i] =
          !readings_[i].forced_cold && InL2(BlockAt(readings_[i].region, readings_[i].position));
      if (!hit[i]) cold_share += readings_[i].bytes / size;
    }
    std::vector<Kind>& kinds = kinds_;
    std::vector<int>& reader = reader_;
    kinds.assign(queues_.size(), kNone);
    reader.assign(queues_.size(), -1);
    size_t streams = 0;
    for (size_t q = 0; q < queues_.size(); ++q) {
      Queue& queue = queues_[q];
      if (queue.current == queue.transfers.size()) continue;
      Transfer& transfer = queue.transfers[queue.current];
      if (now_ < transfer.issued_ns) continue;
      ++streams;
      for (size_t i = 0; i < n; ++i) {
        if (readings_[i].region == transfer.region) reader[q] = static_cast<int>(i);
      }
      const double ahead = reader[q] < 0 ? 1e18 : transfer.position - readings_[reader[q]].position;
      if (ahead < -block_) {
        kinds[q] = kChase;
      } else if (InL2(BlockAt(transfer.region, transfer.position)) && ahead > block_) {
        kinds[q] = kPass;
      } else if (reader[q] >= 0 && !hit[reader[q]] && !readings_[reader[q]].forced_cold &&
                 helper[reader[q]] < 0 && ahead <= block_) {
        kinds[q] = kHelp;
        helper[reader[q]] = static_cast<int>(q);
      } else {
        kinds[q] = InL2(BlockAt(transfer.region, transfer.position)) ? kPass : kPull;
      }
    }
    const bool collective = stage != nullptr && stage->collective && h_.collective_shares_engine;
    const auto stream_rate = [this](size_t k) {
      const size_t listed = std::min(k, h_.engine.size());
      return PerNs(h_.engine[listed - 1]) / static_cast<double>(k);
    };
    const size_t k = streams + (collective ? 1 : 0);
    const double stream = k > 0 ? stream_rate(k) : 0;
    const double memory = PerNs(h_.memory);
    const double sw = h_.stage_weight;
    const double ew = h_.engine_weight;
    double pulling = 0;
    double helping = 0;
    double phi = 1;
    const auto share = [&]() {
      pulling = helping = 0;
      for (const Kind kind : kinds) {
        pulling += kind == kPull || kind == kHelp || kind == kCompete;
        helping += kind == kHelp;
      }
      const double foreign = stream * (pulling - helping);
      phi = std::max(foreign > 0 ? sw / (sw + ew) : 1, 1 - std::min(1.0, foreign / memory));
    };
    share();
    double helper_rate = std::min(stream, memory * ew / (sw + ew));
    double speed = 0;
    double own = 0;
    const auto price = [&]() {
      const double extra = 1 / phi - 1;
      const double hit_cost = hit_cost_ + extra * other_bus_;
      const double cold_cost = cold_cost_ + extra * (other_bus_ + cold_bus_);
      double cost = (1 - cold_share) * hit_cost + cold_share * cold_cost;
      double helped = 0;
      for (size_t i = 0; i < n; ++i) {
        if (helper[i] >= 0) {
          helped += std::min(helper_rate, readings_[i].bytes / size / hit_cost);
        }
      }
      cost /= 1 + helped * (cold_cost - hit_cost);
      if (collective && streams > 0) cost *= stream_rate(1) / stream_rate(streams + 1);
      speed = 1 / cost;
      own = std::max(0.0, cold_share * speed - helped) + other_ratio_ * speed;
    };
    if (h_.late == WarmLate::kCompetes && helping > 0) {
      // As rivals first: who is slower than its reader even so competes.
      const std::vector<int> helpers = helper;
      for (Kind& kind : kinds) kind = kind == kHelp ? kCompete : kind;
      helper.assign(n, -1);
      share();
      price();
      const double rate = std::min(stream, std::max(0.0, memory - own) / pulling);
      for (size_t i = 0; i < n; ++i) {
        if (helpers[i] < 0 || rate * (1 + 1.0 / 1024) < speed * readings_[i].bytes / size) continue;
        helper[i] = helpers[i];
        kinds[helpers[i]] = kHelp;
      }
      share();
    }
    if (stage != nullptr) price();
    const double left = pulling > 0 ? std::max(0.0, memory - own) / pulling : 0;
    const double pull_rate = std::min(stream, left);
    helper_rate = pull_rate;
    if (stage != nullptr && helping > 0) price();
    const double in_vain = static_cast<double>(std::count(kinds.begin(), kinds.end(), kCompete));
    double clock_rate = own + pull_rate * (pulling - in_vain);
    for (size_t i = 0; i < n; ++i) {
      const Block& block = BlockAt(readings_[i].region, readings_[i].position);
      if (hit[i] && !block.by_engine) clock_rate += speed * readings_[i].bytes / size;
    }
    double step = step_;
    if (stage != nullptr) step = std::min(step, (size - done_) / speed + 1e-9);
    Move(stage, kinds, reader, hit, step, speed, pull_rate, size);
    clock_ += clock_rate * step;
    now_ += step;
  }

  void Move(const WarmStage* stage, const std::vector<Kind>& kinds, const std::vector<int>& reader,
            const std::vector<char>& hit, double step, double speed, double pull_rate,
            double size) {
    std::vector<double>& after = after_;
    after.assign(readings_.size(), 0);
    if (stage != nullptr) {
      done_ += speed * step;
      for (size_t i = 0; i < readings_.size(); ++i) {
        after[i] = std::min(readings_[i].bytes, done_ * readings_[i].bytes / size);
      }
    }
    for (size_t q = 0; q < queues_.size(); ++q) {
      if (kinds[q] == kNone) continue;
      Queue& queue = queues_[q];
      Transfer& transfer = queue.transfers[queue.current];
      const double bytes = static_cast<double>(t_.regions[transfer.region].bytes);
      const bool pulls = kinds[q] == kPull || kinds[q] == kHelp || kinds[q] == kCompete;
      const double moved = (pulls ? pull_rate : PerNs(h_.engine_hits)) * step;
      const double from = transfer.position;
      double to = std::min(bytes, from + moved);
      if (kinds[q] == kChase) to = std::min(to, after[reader[q]]);
      if (kinds[q] == kPull) Touch(transfer.region, from, to, true);
      if (pulls) outcome_.pulled_bytes += to - from;
      if (kinds[q] == kHelp || kinds[q] == kCompete) {
        const double at = after[reader[q]];
        if (kinds[q] == kHelp) outcome_.hit_bytes += std::min(to - from, std::max(0.0, at - from));
        if (to > at) Touch(transfer.region, at, to, true);
        to = std::max(to, at);
      }
      transfer.position = to;
      if (transfer.position >= bytes - 1e-6) ++queue.current;
    }
    if (stage == nullptr) return;
    for (size_t i = 0; i < readings_.size(); ++i) {
      const Reading& reading = readings_[i];
      if (hit[i] && BlockAt(reading.region, reading.position).by_engine) {
        outcome_.hit_bytes += after[i] - reading.position;
      }
      Touch(reading.region, reading.position, after[i], false);
    }
  }

  // Blocks whose last byte is in the range.
  void Touch(uint32_t region, double from, double to, bool by_engine) {
    const size_t first = static_cast<size_t>(from / block_);
    const size_t last = static_cast<size_t>(to / block_);
    const double bytes = static_cast<double>(t_.regions[region].bytes);
    const size_t end = to >= bytes - 1e-6 ? blocks_[region].size() : last;
    for (size_t b = first; b < end; ++b) blocks_[region][b] = {true, by_engine, clock_};
  }

  const WarmHardware& h_;
  const WarmTimeline& t_;
  const std::vector<WarmScope>& scopes_;
  const double step_;
  const double block_;
  std::vector<std::vector<Block>> blocks_;
  std::vector<Queue> queues_;
  std::vector<uint32_t> warmed_;
  std::vector<Reading> readings_;
  double now_ = 0;
  double clock_ = 0;
  double issue_free_ = 0;
  double region_bytes_ = 0;
  double cold_cost_ = 0;
  double hit_cost_ = 0;
  double other_ratio_ = 0;
  double other_bus_ = 0;
  double cold_bus_ = 0;
  double done_ = 0;
  double size_ = 0;
  ReferenceOutcome outcome_;
  // Of one step; kept for their memory.
  std::vector<char> hit_;
  std::vector<int> helper_;
  std::vector<Kind> kinds_;
  std::vector<int> reader_;
  std::vector<double> after_;
};

}  // namespace

ReferenceOutcome SimulateLiterally(const WarmHardware& hardware, const WarmTimeline& timeline,
                                   const std::vector<WarmScope>& scopes, double step_ns,
                                   double block_bytes) {
  return Literal(hardware, timeline, scopes, step_ns, block_bytes).Run();
}

}  // namespace torqsched
