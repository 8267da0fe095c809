#include "src/search/exact_bound.h"

#include <algorithm>

namespace torqsched {

ExactBound::ExactBound(const ExactModel& model)
    : model_(model), split_(model), rank_(model.actions.size()) {
  std::vector<uint64_t> stream, compute;
  for (const ExactAction& action : model.actions) {
    stream.push_back(action.stream_cycles);
    compute.push_back(action.compute);
  }
  stream_sum_ = MaskSum(stream);
  compute_sum_ = MaskSum(compute);
  for (uint32_t i = 0; i < model.by_tail.size(); ++i) rank_[model.by_tail[i]] = i;
}

uint64_t ExactBound::From(ActionMask out, uint64_t clock, const uint64_t* slices,
                          const uint64_t* ends, uint64_t more, uint64_t enough) {
  const ActionMask left = model_.all() & ~out;
  uint64_t bound = std::max(clock + more, TailsOnly(left, clock));
  bound = std::max(bound, clock + more + stream_sum_(left));
  for (const uint32_t program : model_.programs) {
    const ExactAction& action = model_.actions[program];
    const bool runs = (out & MaskOf(program)) != 0 && ends[action.program] > clock;
    if (!runs) continue;  // what needs its end may be out
    bound = std::max(bound, ends[action.program] + action.end_tail);
  }
  if (bound >= enough) return bound;
  bound = std::max(bound, FillHeads(out, left, clock, slices, ends));
  if (bound >= enough) return bound;
  bound = std::max(bound, Slices(left, slices));
  if (bound >= enough) return bound;
  return std::max(bound, Jackson(left, clock));
}

// All of the stream's work with the longest tails comes before the last of these tails.
uint64_t ExactBound::TailsOnly(ActionMask left, uint64_t from) const {
  uint64_t bound = from;
  for (const uint32_t i : model_.by_tail) {
    if ((left & MaskOf(i)) == 0) continue;
    from += model_.actions[i].stream_cycles;
    bound = std::max(bound, from + model_.actions[i].tail);
  }
  return bound;
}

// The stream's work that is left before this action. Of spares, what is loaded may be for it.
uint64_t ExactBound::StreamBefore(uint32_t index, ActionMask left, ActionMask out) const {
  const ActionMask before = model_.actions[index].ancestors;
  uint64_t cycles = stream_sum_(before & left & ~model_.all_spares);
  for (const ExactSpares& spares : model_.spares) {
    cycles += spares.cycles * spares.Missing(before | MaskOf(index), out);
  }
  return cycles;
}

// In input order, so needs come first. Answers the longest path.
uint64_t ExactBound::FillHeads(ActionMask out, ActionMask left, uint64_t clock,
                               const uint64_t* slices, const uint64_t* ends) {
  uint64_t bound = clock;
  ActionMask unnamed = 0;  // spares of which others that are alike are loaded
  for (const ExactSpares& spares : model_.spares) {
    if (spares.Loaded(out) != 0) unnamed |= spares.loads;
  }
  ForEachBit(left, [&](uint32_t i) {
    const ExactAction& action = model_.actions[i];
    uint64_t head = clock + StreamBefore(i, left, out);
    const uint64_t compute = compute_sum_(action.end_ancestors & left);
    if (compute != 0) head = std::max(head, Level(slices, clock, compute));
    ForEachBit(action.needs_end & out,
               [&](uint32_t need) { head = std::max(head, ends[model_.actions[need].program]); });
    ForEachBit(action.needs & left, [&](uint32_t need) {
      if ((unnamed & MaskOf(need)) != 0) return;
      const bool end = (action.needs_end & MaskOf(need)) != 0;
      head = std::max(head, end ? ended_[need] : head_[need] + model_.actions[need].stream_cycles);
    });
    head_[i] = head;
    bound = std::max(bound, head + action.stream_cycles + action.tail);
    ended_[i] = head + action.stream_cycles;
    if (action.kind != ActionKind::kProgram) return;
    const uint64_t end = std::max(head, slices[0]) + action.compute;
    ended_[i] = std::max(ended_[i], end);
    bound = std::max(bound, end + action.end_tail);
  });
  return bound;
}

// When so much compute can be done on the slices, each from when it is free, none before `from`.
uint64_t ExactBound::Level(const uint64_t* slices, uint64_t from, uint64_t compute) const {
  uint64_t level = std::max(slices[0], from);
  for (uint32_t open = 1;; ++open) {
    if (open < model_.slices) {
      const uint64_t next = std::max(slices[open], from);
      if ((next - level) * open < compute) {
        compute -= (next - level) * open;
        level = next;
        continue;
      }
    }
    return level + (compute + open - 1) / open;
  }
}

uint64_t ExactBound::Slices(ActionMask left, const uint64_t* slices) {
  uint64_t bound = 0, compute = 0, first = ~uint64_t{0}, second = ~uint64_t{0};
  uint32_t programs = 0;
  for (const uint32_t i : model_.programs_by_tail) {
    if ((left & MaskOf(i)) == 0) continue;
    const ExactAction& action = model_.actions[i];
    compute += action.compute;
    second = std::min(second, std::max(first, head_[i]));
    first = std::min(first, head_[i]);
    bound = std::max(bound, Level(slices, first, compute) + action.end_tail);
    programs |= uint32_t{1} << (action.program & 31);
    if (!split_.applies() || (programs & (programs - 1)) == 0) continue;
    // Each slice begins with another program.
    const uint64_t end =
        split_.Ends(programs, std::max(slices[0], first), std::max(slices[1], second));
    bound = std::max(bound, end + action.end_tail);
  }
  return bound;
}

// Always the job with the longest tail that is there, until it is done or another one comes.
uint64_t ExactBound::Jackson(ActionMask left, uint64_t clock) {
  std::array<uint32_t, kMostExactActions> coming;
  std::array<uint64_t, kMostExactActions> rest;  // by rank
  size_t count = 0;
  ForEachBit(left, [&](uint32_t i) {
    size_t at = count++;
    for (; at > 0 && head_[coming[at - 1]] > head_[i]; --at) coming[at] = coming[at - 1];
    coming[at] = i;
    rest[rank_[i]] = model_.actions[i].stream_cycles;
  });
  uint64_t bound = clock, now = clock, there = 0;  // there: by rank
  for (size_t next = 0; next < count || there != 0;) {
    if (there == 0) now = std::max(now, head_[coming[next]]);
    for (; next < count && head_[coming[next]] <= now; ++next) {
      there |= uint64_t{1} << rank_[coming[next]];
    }
    const uint32_t rank = static_cast<uint32_t>(__builtin_ctzll(there));
    const uint64_t pause = next < count ? head_[coming[next]] - now : ~uint64_t{0};
    if (rest[rank] > pause) {
      rest[rank] -= pause;
      now += pause;
      continue;
    }
    now += rest[rank];
    there &= there - 1;
    bound = std::max(bound, now + model_.actions[model_.by_tail[rank]].tail);
  }
  return bound;
}

}  // namespace torqsched
