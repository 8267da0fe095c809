#include "src/search/exact_spares.h"

#include <algorithm>
#include <utility>

namespace torqsched {
namespace {

constexpr uint32_t kNone = 0xffffffff;

// The program that alone reads what this load alone brings; kNone: it is no such load.
uint32_t ReaderOf(const ExactModel& model, bool swaps, uint32_t index) {
  const ExactAction& load = model.actions[index];
  if (load.kind != ActionKind::kLoad || load.needs != 0 || load.uses.size() != 1) return kNone;
  const ExactBuffer& buffer = model.buffers[load.uses[0]];
  const ActionMask reader = buffer.users & ~MaskOf(index);
  if (swaps && (buffer.late_loads & MaskOf(index)) == 0) return kNone;
  if (swaps && (reader & ~buffer.readers) != 0) return kNone;
  if (buffer.live_in || buffer.live_out || reader == 0 || reader != buffer.holds) return kNone;
  if ((reader & (reader - 1)) != 0 || buffer.waits != 0) return kNone;
  const uint32_t program = static_cast<uint32_t>(__builtin_ctzll(reader));
  for (uint32_t i = 0; i < model.actions.size(); ++i) {
    const ExactAction& action = model.actions[i];
    const bool needs = ((action.needs | action.wait_needs) & MaskOf(index)) != 0;
    if (needs != (i == program)) return kNone;
  }
  return program;
}

}  // namespace

void FindSpares(bool swaps, ExactModel* model) {
  model->spares.clear();
  model->all_spares = 0;
  for (ExactAction& action : model->actions) action.enters = action.uses;
  if (model->waits_branch) return;
  std::vector<ExactSpares> all;
  for (uint32_t i = 0; i < model->actions.size(); ++i) {
    const uint32_t program = ReaderOf(*model, swaps, i);
    if (program == kNone) continue;
    const uint64_t cycles = model->actions[i].stream_cycles;
    const uint64_t bytes = model->buffers[model->actions[i].uses[0]].bytes;
    auto at = std::find_if(all.begin(), all.end(), [&](const ExactSpares& s) {
      return s.cycles == cycles && s.bytes == bytes && (s.programs & MaskOf(program)) == 0;
    });
    if (at == all.end()) {
      all.emplace_back();
      at = all.end() - 1;
      at->cycles = cycles;
      at->bytes = bytes;
    }
    at->loads |= MaskOf(i);
    at->programs |= MaskOf(program);
    at->pairs.push_back({i, program});
  }
  for (ExactSpares& spares : all) {
    if (spares.pairs.size() < 2) continue;
    std::stable_sort(spares.pairs.begin(), spares.pairs.end(), [&](const auto& a, const auto& b) {
      return model->actions[a.load].tail > model->actions[b.load].tail;
    });
    model->all_spares |= spares.loads;
    for (const ExactSpares::Pair& pair : spares.pairs) {
      std::vector<uint32_t>& enters = model->actions[pair.program].enters;
      const uint32_t buffer = model->actions[pair.load].uses[0];
      enters.erase(std::find(enters.begin(), enters.end(), buffer));
    }
    model->spares.push_back(std::move(spares));
  }
}

bool ExactModel::NeedsAreOut(uint32_t index, ActionMask out) const {
  const ActionMask missing = actions[index].needs & ~out;
  if (missing == 0) return true;
  if ((missing & ~all_spares) != 0) return false;
  for (const ExactSpares& s : spares) {
    if ((missing & s.loads) != 0 && s.Loaded(out) == 0) return false;
  }
  return true;
}

bool ExactModel::IsOtherSpare(uint32_t index, ActionMask out) const {
  if ((all_spares & MaskOf(index)) == 0) return false;
  for (const ExactSpares& s : spares) {
    if ((s.loads & MaskOf(index)) == 0) continue;
    for (const ExactSpares::Pair& pair : s.pairs) {
      if ((out & MaskOf(pair.load)) == 0) return pair.load != index;
    }
  }
  return false;
}

ActionMask ExactModel::With(uint32_t index, ActionMask out) const {
  for (const ExactSpares& s : spares) {
    uint32_t loaded = s.Loaded(out);
    if ((s.programs & MaskOf(index)) != 0) --loaded;
    if ((s.loads & MaskOf(index)) != 0) ++loaded;
    for (const ExactSpares::Pair& pair : s.pairs) {
      const ActionMask load = MaskOf(pair.load);
      if (pair.program == index) {
        out |= load;
      } else if ((out & MaskOf(pair.program)) == 0) {
        out = loaded != 0 ? out | load : out & ~load;
        if (loaded != 0) --loaded;
      }
    }
  }
  return out | MaskOf(index);
}

}  // namespace torqsched
