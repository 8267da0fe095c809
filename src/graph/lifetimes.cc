#include "src/graph/lifetimes.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/stream/checked.h"
#include "src/stream/error.h"

namespace torqsched {
namespace {

absl::Status CheckRoom(const Stream& stream, const Hardware& hardware, const LramRegions& regions,
                       BufferIndex b, OpIndex user) {
  const Buffer& buffer = stream.buffer(b);
  if (regions.Hold(buffer)) return absl::OkStatus();
  const uint64_t usable = hardware.usable_bytes();
  const bool fixed = buffer.has_fixed_offset;
  const bool by_regions = SumFits(fixed ? buffer.fixed_offset : 0, buffer.size, usable);
  std::string message = user.present()
                            ? absl::StrCat(stream.Describe(user), ": uses ", stream.Describe(b))
                            : stream.Describe(b);
  absl::StrAppend(&message, " of ", buffer.size, " bytes",
                  fixed ? absl::StrCat(" at fixed offset ", buffer.fixed_offset) : "", ", but ");
  if (!by_regions) {
    absl::StrAppend(&message, usable, " bytes of LRAM are usable");
  } else if (fixed) {
    absl::StrAppend(&message, "that lies in two regions of LRAM");
  } else {
    absl::StrAppend(&message, "the largest region of LRAM has ", regions.largest());
  }
  return ErrorAt(
      absl::StatusCode::kInvalidArgument, message,
      {absl::StrCat("stream.buffers[", b.value(), "].", fixed ? "fixed_offset" : "size"), user, b});
}

// For each pure op the LRAM buffers whose allocs it reaches through pure ops, itself included.
//
// A short list is kept as it is, without repeats; an op that reaches just what one of its operands
// does shares that operand's list. A long one is kept as what it adds to the longest list of an
// operand, so that a chain of n allocs takes n entries, not n * n / 2; such a list may repeat a
// buffer.
class AllocReach {
 public:
  AllocReach(const Stream& stream, size_t most)
      : stream_(stream), most_(most), reaches_(stream.op_count()) {}

  // False where the lists, or the work to make them, would grow beyond `most`.
  bool AddPure(OpIndex i) {
    const BufferIndex alloc = stream_.op(i).alloc;
    const bool own = alloc.present() && stream_.buffer(alloc).space == Space::kLram;
    sources_.clear();
    size_t total = own ? 1 : 0;
    for (const OpIndex operand : stream_.operands(i)) {
      if (++work_ > most_) return false;
      const Reach& reach = reaches_[operand.value()];
      if (reach.length == 0) continue;
      if (!sources_.empty() && sources_.back().first == reach.first) continue;
      sources_.push_back(reach);
      total += reach.length;
    }
    if (total == 0) return true;
    if (sources_.size() == 1 && !own) {
      reaches_[i.value()] = sources_.front();
      return true;
    }
    Reach base;
    if (total > kShort) {
      for (const Reach& source : sources_) {
        if (source.length > base.length) base = source;
      }
    }
    added_.clear();
    if (own) added_.push_back(alloc);
    for (const Reach& source : sources_) {
      if (source.first == base.first) continue;
      if (!Append(source, &added_)) return false;
    }
    std::sort(added_.begin(), added_.end());
    added_.erase(std::unique(added_.begin(), added_.end()), added_.end());
    if (base.length == 0) {
      for (const Reach& source : sources_) {
        // A list without a base has no repeats, so the same length is the same list.
        if (source.base != kNoBase || source.length != added_.size()) continue;
        reaches_[i.value()] = source;
        return true;
      }
    }
    const uint32_t first = static_cast<uint32_t>(pool_.size());
    const uint32_t added = static_cast<uint32_t>(added_.size());
    if (base.length > most_ - added) return false;
    Reach& reach = reaches_[i.value()];
    reach.first = first;
    reach.last = first + added;
    reach.length = base.length + added;
    reach.base = base.length == 0 ? kNoBase : static_cast<uint32_t>(bases_.size());
    if (base.length != 0) bases_.push_back(base);
    pool_.insert(pool_.end(), added_.begin(), added_.end());
    return true;
  }

  // Appends what the pure op reaches, in no order; false where that is beyond `most`.
  bool AppendTo(OpIndex pure, std::vector<BufferIndex>* list) {
    ++work_;
    return Append(reaches_[pure.value()], list);
  }

  size_t size() const { return pool_.size(); }

 private:
  static constexpr size_t kShort = 64;
  static constexpr uint32_t kNoBase = 0xffffffff;

  // All of it is less than most_, which is less than 2^32.
  struct Reach {
    uint32_t first = 0xffffffff;  // of its own entries in pool_
    uint32_t last = 0xffffffff;
    uint32_t length = 0;      // with those of its bases, repeats counted
    uint32_t base = kNoBase;  // in bases_
  };

  bool Append(Reach reach, std::vector<BufferIndex>* list) {
    if (reach.length == 0) return true;
    for (;;) {
      work_ += reach.last - reach.first;
      if (work_ > most_) return false;
      list->insert(list->end(), pool_.begin() + reach.first, pool_.begin() + reach.last);
      if (reach.base == kNoBase) return true;
      reach = bases_[reach.base];
    }
  }

  const Stream& stream_;
  const size_t most_;
  size_t work_ = 0;  // operands looked at and buffers listed, those listed twice too
  std::vector<Reach> reaches_;
  std::vector<Reach> bases_;
  std::vector<BufferIndex> pool_;
  std::vector<Reach> sources_;
  std::vector<BufferIndex> added_;
};

absl::Status TooManyUses(const Stream& stream, OpIndex op) {
  return ErrorAt(
      absl::StatusCode::kResourceExhausted,
      absl::StrCat(stream.Describe(op), ": up to here views name more than ", Lifetimes::kMostUses,
                   " pairs of op and buffer beyond 16 for each op, operand and access"),
      {absl::StrCat("stream.ops[", op.value(), "].operands"), op, BufferIndex()});
}

}  // namespace

absl::StatusOr<Lifetimes> Lifetimes::Build(const Stream& stream, const Hardware& hardware) {
  Lifetimes lifetimes;
  // Less than 2^32, so that rows can be counted in 32 bits.
  const size_t most = std::min<size_t>(
      kMostUses + 16 * (stream.op_count() + stream.operand_count() + stream.access_count()),
      std::numeric_limits<uint32_t>::max());
  AllocReach reach(stream, most);
  const LramRegions regions(hardware);
  std::vector<bool> checked(stream.buffer_count(), false);
  std::vector<uint32_t> user_counts(stream.buffer_count(), 0);
  std::vector<BufferIndex> used;
  lifetimes.uses_.reserve(stream.op_count(), stream.access_count());
  for (uint32_t i = 0; i < stream.op_count(); ++i) {
    const OpIndex op(i);
    used.clear();
    if (stream.op(op).kind == OpKind::kPure) {
      if (!reach.AddPure(op)) return TooManyUses(stream, op);
    } else {
      for (const Access& a : stream.accesses(op)) {
        if (stream.buffer(a.buffer).space == Space::kLram) used.push_back(a.buffer);
      }
      for (const OpIndex operand : stream.operands(op)) {
        if (stream.op(operand).kind != OpKind::kPure) continue;
        if (!reach.AppendTo(operand, &used)) return TooManyUses(stream, op);
      }
      std::sort(used.begin(), used.end());
      used.erase(std::unique(used.begin(), used.end()), used.end());
      if (stream.op(op).kind == OpKind::kStart) lifetimes.programs_.push_back(op);
    }
    for (const BufferIndex b : used) {
      if (!checked[b.value()]) {
        checked[b.value()] = true;
        const absl::Status status = CheckRoom(stream, hardware, regions, b, op);
        if (!status.ok()) return status;
      }
      lifetimes.uses_.Add(b);
      ++user_counts[b.value()];
    }
    lifetimes.uses_.EndRow();
    if (reach.size() + lifetimes.uses_.item_count() > most) return TooManyUses(stream, op);
  }

  std::vector<uint32_t> begins(stream.buffer_count() + 1, 0);
  for (uint32_t b = 0; b < stream.buffer_count(); ++b) begins[b + 1] = begins[b] + user_counts[b];
  std::vector<OpIndex> users(lifetimes.uses_.item_count());
  std::vector<uint32_t> fill(begins.begin(), begins.end() - 1);
  for (uint32_t i = 0; i < stream.op_count(); ++i) {
    for (const BufferIndex b : lifetimes.uses(OpIndex(i))) users[fill[b.value()]++] = OpIndex(i);
  }
  lifetimes.users_.Adopt(std::move(begins), std::move(users));

  for (uint32_t i = 0; i < stream.buffer_count(); ++i) {
    const BufferIndex b(i);
    const Buffer& buffer = stream.buffer(b);
    if (buffer.space != Space::kLram || !buffer.live_in) continue;
    if (user_counts[i] == 0 && !buffer.live_out) continue;
    const absl::Status status = CheckRoom(stream, hardware, regions, b, OpIndex());
    if (!status.ok()) return status;
    if (buffer.size != 0) lifetimes.live_in_.push_back(b);
  }
  return lifetimes;
}

}  // namespace torqsched
