#include "src/graph/load_consumers.h"

#include <algorithm>

namespace torqsched {

LoadConsumers::LoadConsumers(const Stream& stream, const Lifetimes& lifetimes)
    : facts_(stream.op_count()) {
  IndexVector<BufferIndex, uint32_t> first_user(stream.buffer_count(), kNone);
  const std::vector<OpIndex>& programs = lifetimes.programs();
  for (uint32_t ordinal = 0; ordinal < programs.size(); ++ordinal) {
    facts_[programs[ordinal]].ordinal = ordinal;
    for (const BufferIndex b : lifetimes.uses(programs[ordinal])) {
      first_user[b] = std::min(first_user[b], ordinal);
    }
  }
  IndexVector<BufferIndex, uint32_t> next_reader(stream.buffer_count(), kNone);
  for (size_t i = stream.op_count(); i-- > 0;) {
    const OpIndex op(i);
    Facts& facts = facts_[op];
    if (stream.op(op).kind == OpKind::kStart) {
      for (const Access& a : stream.accesses(op)) {
        if (a.reads && a.begin != a.end) next_reader[a.buffer] = facts.ordinal;
      }
    } else if (stream.op(op).kind == OpKind::kLoad) {
      for (const Access& a : stream.accesses(op)) {
        if (!a.writes || stream.buffer(a.buffer).space != Space::kLram) continue;
        facts.consumer = std::min(facts.consumer, next_reader[a.buffer]);
      }
      if (facts.consumer == kNone) continue;
      for (const Access& a : stream.accesses(op)) {
        if (!a.writes || stream.buffer(a.buffer).space != Space::kLram) continue;
        if (first_user[a.buffer] < facts.consumer) facts.shares_destination = true;
      }
    }
  }
}

}  // namespace torqsched
