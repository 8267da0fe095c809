#include "src/residency/stream_copies.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

namespace torqsched {

StreamCopies::StreamCopies(const Stream& stream,
                           const IndexVector<BufferIndex, Residence>& residence)
    : stream_(stream), residence_(residence) {
  ListCopies();
  CheckRepeats();
  CheckOneToOne();
  CheckStoredBack();
}

// The copy that an op makes, if it is a transfer as rule 1 has it.
std::optional<StreamCopy> StreamCopies::CopyOf(OpIndex o) const {
  const OpKind kind = stream_.op(o).kind;
  const Run<Access> accesses = stream_.accesses(o);
  if ((kind != OpKind::kLoad && kind != OpKind::kStore) || accesses.size() != 2) return {};
  const bool first_outside = stream_.buffer(accesses[0].buffer).space == Space::kXram;
  const Access& outside = accesses[first_outside ? 0 : 1];
  const Access& inside = accesses[first_outside ? 1 : 0];
  const bool load = kind == OpKind::kLoad;
  const Access& from = load ? outside : inside;
  const Access& to = load ? inside : outside;
  if (stream_.buffer(outside.buffer).space != Space::kXram ||
      residence_[inside.buffer] == Residence::kNone || from.writes || to.reads ||
      from.end - from.begin != to.end - to.begin) {
    return {};
  }
  return StreamCopy{
      o, outside.buffer, inside.buffer, outside.begin, inside.begin, to.end - to.begin, load};
}

// Rule 1, and of rule 3 that nothing brings back what was overwritten.
void StreamCopies::ListCopies() {
  spoiled_.assign(stream_.buffer_count(), KeptReason::kNone);
  used_.assign(stream_.buffer_count(), OpIndex());
  IndexVector<BufferIndex, char> overwritten(stream_.buffer_count(), 0);
  const auto use = [this](BufferIndex b, OpIndex o) {
    if (!used_[b].present()) used_[b] = o;
  };
  for (size_t i = 0; i < stream_.op_count(); ++i) {
    const OpIndex o(i);
    if (const std::optional<StreamCopy> copy = CopyOf(o); copy.has_value()) {
      if (copy->load && overwritten[copy->resident]) Spoil(copy->resident, KeptReason::kReload);
      if (!copy->load) use(copy->resident, o);
      copies_.push_back(*copy);
      continue;
    }
    const OpKind kind = stream_.op(o).kind;
    bool touches = false;
    for (const Access& access : stream_.accesses(o)) {
      if (residence_[access.buffer] == Residence::kNone) {
        Spoil(access.buffer, KeptReason::kUsedOutside);  // of XRAM: no mirror
        continue;
      }
      touches = true;
      use(access.buffer, o);
      if (!access.writes) continue;
      overwritten[access.buffer] = 1;
      writes_.push_back({access.buffer, o, access.begin, access.end});
    }
    if (touches && (kind == OpKind::kLoad || kind == OpKind::kStore)) others_.push_back(o);
  }
}

// The rest of rule 3: of each load, is its first like before the buffer's first use?
void StreamCopies::CheckRepeats() {
  const auto key = [](const StreamCopy& c) {
    return std::make_tuple(c.mirror, c.resident, c.mirror_begin, c.resident_begin, c.bytes);
  };
  std::vector<StreamCopy> loads;
  for (const StreamCopy& copy : copies_) {
    if (copy.load) loads.push_back(copy);
  }
  std::stable_sort(loads.begin(), loads.end(),
                   [&key](const StreamCopy& a, const StreamCopy& b) { return key(a) < key(b); });
  for (size_t i = 0; i < loads.size(); ++i) {
    if (i > 0 && key(loads[i]) == key(loads[i - 1])) continue;
    if (used_[loads[i].resident] < loads[i].op) Spoil(loads[i].resident, KeptReason::kReload);
  }
}

// Rule 2: on both sides, bytes that several copies touch are copied to the same place.
void StreamCopies::CheckOneToOne() {
  std::vector<uint32_t> order(copies_.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<uint32_t>(i);
  CheckSide(&order, [](const StreamCopy& c) { return std::make_pair(c.mirror, c.mirror_begin); });
  CheckSide(&order,
            [](const StreamCopy& c) { return std::make_pair(c.resident, c.resident_begin); });
}

template <typename Side>  // of a copy: its buffer on that side, and where it begins there
void StreamCopies::CheckSide(std::vector<uint32_t>* order, Side side) {
  std::sort(order->begin(), order->end(), [&](uint32_t a, uint32_t b) {
    return std::make_tuple(side(copies_[a]), a) < std::make_tuple(side(copies_[b]), b);
  });
  // Of those before that overlap, the one that reaches furthest stands for all: they go to the same
  // place, or have been refused. Whoever overlaps one refused is refused.
  const StreamCopy* reach = nullptr;
  uint64_t end = 0;
  for (const uint32_t i : *order) {
    const StreamCopy& copy = copies_[i];
    if (copy.bytes == 0) continue;
    const auto [buffer, begin] = side(copy);
    if (reach != nullptr && side(*reach).first == buffer && begin < end) {
      const bool same =
          copy.mirror == reach->mirror && copy.resident == reach->resident &&
          copy.mirror_begin - reach->mirror_begin == copy.resident_begin - reach->resident_begin;
      if (!same) {
        Spoil(copy.mirror, KeptReason::kNotOneToOne);
        Spoil(reach->mirror, KeptReason::kNotOneToOne);
      }
    } else {
      end = 0;
    }
    if (begin + copy.bytes > end) {
      end = begin + copy.bytes;
      reach = &copy;
    }
  }
}

// Rule 4: of each buffer, are its writes within what is stored after the last of them?
void StreamCopies::CheckStoredBack() {
  IndexVector<BufferIndex, OpIndex> last(stream_.buffer_count());
  for (const Write& write : writes_) {
    last[write.buffer] = write.op;
    if (residence_[write.buffer] == Residence::kTable) {
      Spoil(write.buffer, KeptReason::kTableWritten);
    }
  }
  struct Stored {
    BufferIndex buffer;
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  std::vector<Stored> stored;  // by buffer, then apart and ascending
  for (const StreamCopy& copy : copies_) {
    if (copy.load || !last[copy.resident].present() || copy.op < last[copy.resident]) continue;
    stored.push_back({copy.resident, copy.resident_begin, copy.resident_begin + copy.bytes});
  }
  std::sort(stored.begin(), stored.end(), [](const Stored& a, const Stored& b) {
    return std::make_pair(a.buffer, a.begin) < std::make_pair(b.buffer, b.begin);
  });
  size_t kept = 0;
  for (const Stored& next : stored) {
    if (kept > 0 && stored[kept - 1].buffer == next.buffer && next.begin <= stored[kept - 1].end) {
      stored[kept - 1].end = std::max(stored[kept - 1].end, next.end);
    } else {
      stored[kept++] = next;
    }
  }
  stored.resize(kept);
  for (const Write& write : writes_) {
    if (write.begin == write.end) continue;
    // The last that does not begin after the write.
    const auto after =
        std::upper_bound(stored.begin(), stored.end(), write, [](const Write& w, const Stored& s) {
          return std::make_pair(w.buffer, w.begin) < std::make_pair(s.buffer, s.begin);
        });
    const bool covered = after != stored.begin() && (after - 1)->buffer == write.buffer &&
                         write.end <= (after - 1)->end;
    if (!covered) Spoil(write.buffer, KeptReason::kNotStoredBack);
  }
}

}  // namespace torqsched
