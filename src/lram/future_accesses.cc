#include "src/lram/future_accesses.h"

#include <algorithm>
#include <utility>

namespace torqsched {

FutureAccesses::FutureAccesses(const Stream& stream, const std::vector<OpIndex>& order) {
  std::vector<uint32_t> begins(stream.buffer_count() + 1, 0);
  const auto in_lram = [&stream](const Access& a) {
    return stream.buffer(a.buffer).space == Space::kLram;
  };
  for (const OpIndex op : order) {
    for (const Access& a : stream.accesses(op)) {
      if (in_lram(a)) ++begins[a.buffer.value() + 1];
    }
  }
  for (size_t b = 0; b < stream.buffer_count(); ++b) begins[b + 1] += begins[b];
  std::vector<Entry> entries(begins.back());
  std::vector<uint32_t> fill(begins.begin(), begins.end() - 1);
  for (uint32_t position = 0; position < order.size(); ++position) {
    for (const Access& a : stream.accesses(order[position])) {
      if (!in_lram(a)) continue;
      const bool covers = a.writes && a.begin == 0 && a.end == stream.buffer(a.buffer).size;
      const bool reads = a.reads && a.begin != a.end;
      entries[fill[a.buffer.value()]++] = {position, covers, reads};
    }
  }
  // An op's accesses to one buffer become one entry each with the same answer: the op overwrites
  // the buffer if it reads none of it and any of them covers it.
  for (size_t b = 0; b < stream.buffer_count(); ++b) {
    bool later_matters = false;
    for (size_t last = begins[b + 1]; last > begins[b];) {
      size_t first = last;
      bool covers = false;
      bool reads = false;
      for (; first > begins[b] && entries[first - 1].position == entries[last - 1].position;
           --first) {
        covers |= entries[first - 1].overwrites;
        reads |= entries[first - 1].matters;
      }
      later_matters = reads || (!covers && later_matters);
      for (size_t i = first; i < last; ++i) {
        entries[i].overwrites = covers && !reads;
        entries[i].matters = later_matters;
      }
      last = first;
    }
  }
  entries_.Adopt(std::move(begins), std::move(entries));
}

const FutureAccesses::Entry* FutureAccesses::At(BufferIndex buffer, uint32_t position) const {
  const Run<Entry> run = entries_[buffer.value()];
  const Entry* found = std::lower_bound(run.begin(), run.end(), position,
                                        [](const Entry& e, uint32_t p) { return e.position < p; });
  return found == run.end() ? nullptr : found;
}

bool FutureAccesses::ContentsMatter(BufferIndex buffer, uint32_t position) const {
  const Entry* entry = At(buffer, position);
  return entry != nullptr && entry->matters;
}

bool FutureAccesses::NextNeedsContents(BufferIndex buffer, uint32_t position) const {
  const Entry* entry = At(buffer, position);
  return entry != nullptr && !entry->overwrites;
}

}  // namespace torqsched
