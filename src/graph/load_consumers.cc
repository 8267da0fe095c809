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
  std::vector<BufferIndex> written;
  destinations_.reserve(stream.op_count(), 0);
  for (uint32_t i = 0; i < stream.op_count(); ++i) {
    if (stream.op(OpIndex(i)).kind == OpKind::kLoad) {
      written.clear();
      for (const Access& a : stream.accesses(OpIndex(i))) {
        if (a.writes && stream.buffer(a.buffer).space == Space::kLram) written.push_back(a.buffer);
      }
      std::sort(written.begin(), written.end());
      written.erase(std::unique(written.begin(), written.end()), written.end());
      for (const BufferIndex b : written) destinations_.Add(b);
    }
    destinations_.EndRow();
  }

  IndexVector<BufferIndex, uint32_t> next_reader(stream.buffer_count(), kNone);
  for (size_t i = stream.op_count(); i-- > 0;) {
    const OpIndex op(i);
    Facts& facts = facts_[op];
    if (stream.op(op).kind == OpKind::kStart) {
      for (const Access& a : stream.accesses(op)) {
        if (a.reads && a.begin != a.end) next_reader[a.buffer] = facts.ordinal;
      }
    }
    for (const BufferIndex b : destinations(op)) {
      facts.consumer = std::min(facts.consumer, next_reader[b]);
    }
    if (facts.consumer == kNone) continue;
    for (const BufferIndex b : destinations(op)) {
      if (stream.buffer(b).size == 0) continue;  // whose bytes nobody has to leave out
      if (first_user[b] < facts.consumer && facts.sharing == kNone) {
        facts.sharing = sharing_count_++;
      }
    }
  }
}

}  // namespace torqsched
