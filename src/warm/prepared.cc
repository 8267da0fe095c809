#include "src/warm/prepared.h"

#include <algorithm>
#include <numeric>

#include "src/stream/checked.h"

namespace torqsched::warm {
namespace {

uint64_t RateOf(const WarmBandwidth& bandwidth) {
  return std::max<uint64_t>(1, Scale(bandwidth.bytes, kOne, bandwidth.ns));
}

void NumberRegions(const WarmTimeline& timeline, const WarmLayerKind& kind,
                   std::vector<uint32_t>* local_of, PreparedKind* prepared) {
  for (uint32_t s = 0; s < kind.stages.size(); ++s) {
    const WarmStage& stage = kind.stages[s];
    prepared->bytes_before.push_back(prepared->bytes);
    PreparedStage ready;
    ready.first_group = static_cast<uint32_t>(prepared->groups.size());
    ready.collective = stage.collective;
    ready.all_vector_cores = stage.all_vector_cores;
    for (const WarmRead& read : stage.reads) {
      uint32_t& local = (*local_of)[read.region];
      if (local == kNotRead) {
        local = static_cast<uint32_t>(prepared->regions.size());
        prepared->regions.push_back(read.region);
        prepared->first_reader.push_back(s);
        prepared->last_reader.push_back(s);
      }
      prepared->last_reader[local] = s;
      const bool open = prepared->groups.size() > ready.first_group && read.beside_previous;
      if (!open) {
        prepared->groups.push_back({static_cast<uint32_t>(prepared->reads.size()), 0, 0});
      }
      const uint64_t bytes = BytesOf(timeline, read);
      prepared->reads.push_back({local, GrainsOf(bytes), 0});
      ++prepared->groups.back().reads;
      prepared->groups.back().grains += GrainsOf(bytes);
      ready.region_bytes += bytes;
    }
    ready.groups = static_cast<uint32_t>(prepared->groups.size()) - ready.first_group;
    ready.other_grains = GrainsOf(stage.other_bytes);
    prepared->bytes += ready.region_bytes + stage.other_bytes;
    prepared->stages.push_back(ready);
  }
  for (const PreparedGroup& group : prepared->groups) {
    for (uint32_t i = group.first_read; i < group.first_read + group.reads; ++i) {
      prepared->reads[i].share =
          Scale(static_cast<uint64_t>(prepared->reads[i].grains), kOne, group.grains);
    }
  }
  for (const uint32_t region : prepared->regions) (*local_of)[region] = kNotRead;
  prepared->sorted.resize(prepared->regions.size());
  std::iota(prepared->sorted.begin(), prepared->sorted.end(), 0);
  std::sort(prepared->sorted.begin(), prepared->sorted.end(), [prepared](uint32_t a, uint32_t b) {
    return prepared->regions[a] < prepared->regions[b];
  });
}

// Each read of a layer of the kind, in order: the stage, the region's local number, and how many
// bytes have come through L2 since the layer began. Reads side by side begin together.
template <typename Visit>
void ForEachRead(const PreparedKind& kind, const Visit& visit) {
  for (size_t s = 0; s < kind.stages.size(); ++s) {
    const PreparedStage& stage = kind.stages[s];
    uint64_t at = kind.bytes_before[s];
    for (uint32_t g = stage.first_group; g < stage.first_group + stage.groups; ++g) {
      const PreparedGroup& group = kind.groups[g];
      for (uint32_t i = group.first_read; i < group.first_read + group.reads; ++i) {
        visit(s, kind.reads[i].local, at);
      }
      at += static_cast<uint64_t>(group.grains) >> kUnitBits;
    }
  }
}

// A walk over the forward's layers, twice, so that in the second round every region was read. Runs
// that repeat are walked a few times; what is left out moves the clock and the regions of its kinds
// alike, so that no distance changes.
class GapWalk {
 public:
  GapWalk(PreparedTimeline* prepared, size_t regions)
      : prepared_(*prepared), last_read_(regions, kNever) {}

  void Walk() {
    for (const bool record : {false, true}) {
      for (const WarmRun& run : prepared_.timeline->runs) WalkRun(run, record);
    }
  }

 private:
  static constexpr uint64_t kNever = ~uint64_t{0};
  static constexpr uint64_t kRepeatsWalked = 2;

  void WalkRun(const WarmRun& run, bool record) {
    const uint64_t walked = std::min(run.repeats, kRepeatsWalked);
    uint64_t before_last = clock_;
    for (uint64_t i = 0; i < walked; ++i) {
      before_last = clock_;
      for (const uint32_t kind : run.kinds) WalkLayer(kind, record);
    }
    const uint64_t skipped = (clock_ - before_last) * (run.repeats - walked);
    clock_ += skipped;
    for (const uint32_t kind : run.kinds) {
      for (const uint32_t region : prepared_.kinds[kind].regions) Move(region, skipped);
    }
  }

  void Move(uint32_t region, uint64_t skipped) {
    // A kind may stand in its run twice: its regions move once.
    if (last_read_[region] != kNever && last_read_[region] + skipped <= clock_) {
      last_read_[region] += skipped;
    }
  }

  void WalkLayer(uint32_t kind_index, bool record) {
    PreparedKind& kind = prepared_.kinds[kind_index];
    ForEachRead(kind, [&](size_t s, uint32_t local, uint64_t at) {
      if (kind.first_reader[local] == s) Record(&kind, local, clock_ + at, record);
      last_read_[kind.regions[local]] = clock_ + at;
    });
    clock_ += kind.bytes;
  }

  void Record(PreparedKind* kind, uint32_t local, uint64_t at, bool record) {
    const uint32_t region = kind->regions[local];
    const uint64_t last = last_read_[region];
    if (!record || last == kNever || prepared_.timeline->regions[region].per_layer) return;
    const uint64_t gap = at >= last ? at - last : 0;
    kind->gaps[local] = std::max(kind->gaps[local].value_or(0), gap);
  }

  PreparedTimeline& prepared_;
  std::vector<uint64_t> last_read_;
  uint64_t clock_ = 0;
};

// A region of which every layer has its own was last read in the forward before.
void FindOwnGaps(PreparedTimeline* prepared) {
  for (PreparedKind& kind : prepared->kinds) {
    std::vector<uint64_t> first(kind.regions.size(), ~uint64_t{0});
    std::vector<uint64_t> last(kind.regions.size(), 0);
    ForEachRead(kind, [&](size_t, uint32_t local, uint64_t at) {
      first[local] = std::min(first[local], at);
      last[local] = at;
    });
    for (size_t local = 0; local < kind.regions.size(); ++local) {
      if (!prepared->timeline->regions[kind.regions[local]].per_layer) continue;
      const uint64_t span = last[local] - first[local];
      kind.gaps[local] = prepared->forward_bytes - std::min(span, prepared->forward_bytes);
    }
  }
}

void PriceStage(const PreparedTimeline& prepared, const WarmStage& stage, PreparedStage* ready) {
  const WarmHardware& hardware = prepared.hardware;
  const WarmTimeline& timeline = *prepared.timeline;
  const uint64_t bus =
      std::max<uint64_t>(1, Scale(hardware.memory.ns, kOne, hardware.memory.bytes));
  const uint64_t units = ready->groups > 0 ? ready->region_bytes : stage.duration_ns;
  ready->units = ready->groups > 0 ? 0 : GrainsOf(stage.duration_ns);
  if (units == 0) return;
  uint64_t resident = stage.duration_ns;
  if (ready->groups > 0) {
    const uint64_t saved = stage.duration_ns - ResidentNs(hardware, timeline, stage);
    resident -= std::min(resident, Scale(saved, prepared.saving_percent, 100));
  }
  ready->hit_cost = std::max<uint64_t>(1, Scale(resident, kOne, units));
  ready->cold_cost = std::max(ready->hit_cost, Scale(stage.duration_ns, kOne, units));
  ready->other_ratio = Scale(stage.other_bytes, kOne, units);
  ready->other_bus = std::min(ready->hit_cost, Times(ready->other_ratio, bus));
  ready->cold_bus = std::min(bus, ready->cold_cost - ready->other_bus);
}

}  // namespace

uint32_t LocalOf(const PreparedKind& kind, uint32_t region) {
  const auto at = std::partition_point(
      kind.sorted.begin(), kind.sorted.end(),
      [&kind, region](uint32_t local) { return kind.regions[local] < region; });
  return at != kind.sorted.end() && kind.regions[*at] == region ? *at : kNotRead;
}

uint64_t BytesOf(const WarmTimeline& timeline, const WarmRead& read) {
  return read.bytes != 0 ? read.bytes : timeline.regions[read.region].bytes;
}

bool IsFlat(const WarmRegion& region) {
  if (region.shape.empty()) return region.flat;
  return std::all_of(region.shape.begin(), region.shape.end() - 1,
                     [](uint64_t dimension) { return dimension == 1; });
}

uint64_t ResidentNs(const WarmHardware& hardware, const WarmTimeline& timeline,
                    const WarmStage& stage) {
  if (stage.resident_ns.has_value()) return *stage.resident_ns;
  uint64_t bytes = 0;
  for (const WarmRead& read : stage.reads) bytes += BytesOf(timeline, read);
  const uint64_t saved = Scale(bytes, hardware.hit_saving_ns, hardware.hit_saving_bytes);
  return stage.duration_ns - std::min(saved, stage.duration_ns);
}

void Reprice(const WarmHardware& hardware, uint64_t saving_percent,
             const std::vector<uint32_t>& kinds, PreparedTimeline* prepared) {
  prepared->hardware = hardware;
  prepared->saving_percent = saving_percent;
  prepared->memory_rate = RateOf(hardware.memory);
  prepared->engine_hit_rate = RateOf(hardware.engine_hits);
  prepared->engine_rates.clear();
  for (size_t i = 0; i < hardware.engine.size(); ++i) {
    prepared->engine_rates.push_back(std::max<uint64_t>(1, RateOf(hardware.engine[i]) / (i + 1)));
  }
  for (const uint32_t k : kinds) {
    for (size_t s = 0; s < prepared->kinds[k].stages.size(); ++s) {
      PriceStage(*prepared, prepared->timeline->kinds[k].stages[s], &prepared->kinds[k].stages[s]);
    }
  }
}

PreparedTimeline Prepare(const WarmHardware& hardware, const WarmTimeline& timeline) {
  PreparedTimeline prepared;
  prepared.timeline = &timeline;
  prepared.kinds.resize(timeline.kinds.size());
  std::vector<uint32_t> local_of(timeline.regions.size(), kNotRead);
  for (size_t k = 0; k < timeline.kinds.size(); ++k) {
    NumberRegions(timeline, timeline.kinds[k], &local_of, &prepared.kinds[k]);
    prepared.kinds[k].gaps.resize(prepared.kinds[k].regions.size());
  }
  for (const WarmRun& run : timeline.runs) {
    for (const uint32_t kind : run.kinds) {
      prepared.forward_bytes = SaturatingAdd(
          prepared.forward_bytes, SaturatingMultiply(prepared.kinds[kind].bytes, run.repeats));
    }
  }
  GapWalk(&prepared, timeline.regions.size()).Walk();
  FindOwnGaps(&prepared);
  std::vector<uint32_t> all(timeline.kinds.size());
  std::iota(all.begin(), all.end(), 0);
  Reprice(hardware, 100, all, &prepared);
  return prepared;
}

}  // namespace torqsched::warm
