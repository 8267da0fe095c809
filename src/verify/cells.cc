// Two passes over the accesses: the cuts of each buffer are gathered and sorted, then every access
// is turned into a range of cells by binary search.
#include "src/verify/cells.h"

#include <algorithm>
#include <utility>

namespace torqsched::verify {
namespace {

// Where each buffer's row begins, per_access items for every access that has bytes.
std::vector<uint32_t> RowBegins(const Stream& stream, size_t per_access) {
  std::vector<uint32_t> begins(stream.buffer_count() + 1, 0);
  for (size_t i = 0; i < stream.op_count(); ++i) {
    for (const Access& access : stream.accesses(OpIndex(i))) {
      if (access.begin < access.end) begins[access.buffer.value() + 1] += per_access;
    }
  }
  for (size_t b = 1; b < begins.size(); ++b) begins[b] += begins[b - 1];
  return begins;
}

Rows<uint64_t> GatherCuts(const Stream& stream) {
  const std::vector<uint32_t> begins = RowBegins(stream, 2);
  std::vector<uint32_t> next = begins;
  std::vector<uint64_t> all(begins.back());
  for (size_t i = 0; i < stream.op_count(); ++i) {
    for (const Access& access : stream.accesses(OpIndex(i))) {
      if (access.begin == access.end) continue;
      uint32_t& at = next[access.buffer.value()];
      all[at++] = access.begin;
      all[at++] = access.end;
    }
  }
  Rows<uint64_t> cuts;
  cuts.reserve(stream.buffer_count(), all.size());
  for (size_t b = 0; b < stream.buffer_count(); ++b) {
    const auto first = all.begin() + begins[b];
    const auto last = all.begin() + begins[b + 1];
    std::sort(first, last);
    std::for_each(first, std::unique(first, last), [&cuts](uint64_t cut) { cuts.Add(cut); });
    cuts.EndRow();
  }
  return cuts;
}

}  // namespace

Cells::Cells(const Stream& stream) : cuts_(GatherCuts(stream)) {
  std::vector<uint32_t> begins = RowBegins(stream, 1);
  std::vector<uint32_t> next = begins;
  std::vector<Touch> touches(begins.back());
  for (size_t i = 0; i < stream.op_count(); ++i) {
    for (const Access& a : stream.accesses(OpIndex(i))) {
      if (a.begin == a.end) continue;
      touches[next[a.buffer.value()]++] = {OpIndex(i), a.reads, a.writes,
                                           Find(a.buffer, a.begin, a.end)};
    }
  }
  touches_.Adopt(std::move(begins), std::move(touches));
}

size_t Cells::count(BufferIndex buffer) const {
  const size_t cuts = cuts_[buffer.value()].size();
  return cuts == 0 ? 0 : cuts - 1;
}

CellRange Cells::Find(BufferIndex buffer, uint64_t begin, uint64_t end) const {
  const Run<uint64_t> cuts = cuts_[buffer.value()];
  const auto cell = [&cuts](uint64_t cut) {
    return static_cast<uint32_t>(std::lower_bound(cuts.begin(), cuts.end(), cut) - cuts.begin());
  };
  return {cell(begin), cell(end)};
}

}  // namespace torqsched::verify
