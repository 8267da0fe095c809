#include "src/graph/lifetimes.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/stream/checked.h"
#include "src/stream/error.h"

namespace torqsched {
namespace {

absl::Status CheckRoom(const Stream& stream, const Hardware& hardware, BufferIndex b,
                       OpIndex user) {
  const Buffer& buffer = stream.buffer(b);
  const uint64_t usable = hardware.usable_bytes();
  const bool fixed = buffer.has_fixed_offset;
  if (fixed ? SumFits(buffer.fixed_offset, buffer.size, usable) : buffer.size <= usable) {
    return absl::OkStatus();
  }
  std::string message = user.present()
                            ? absl::StrCat(stream.Describe(user), ": uses ", stream.Describe(b))
                            : stream.Describe(b);
  absl::StrAppend(&message, " of ", buffer.size, " bytes",
                  fixed ? absl::StrCat(" at fixed offset ", buffer.fixed_offset) : "", ", but ",
                  usable, " bytes of LRAM are usable");
  return ErrorAt(
      absl::StatusCode::kInvalidArgument, message,
      {absl::StrCat("stream.buffers[", b.value(), "].", fixed ? "fixed_offset" : "size"), user, b});
}

// For each pure op the LRAM buffers whose allocs it reaches through pure ops, itself included. An
// op that only passes on what one operand reaches shares that operand's list.
class AllocReach {
 public:
  AllocReach(const Stream& stream, size_t most)
      : stream_(stream), most_(most), spans_(stream.op_count()) {}

  // False where the lists, or the work to make them, would grow beyond `most`.
  bool AddPure(OpIndex i) {
    const BufferIndex alloc = stream_.op(i).alloc;
    const bool own = alloc.present() && stream_.buffer(alloc).space == Space::kLram;
    Span only;
    size_t sources = own ? 1 : 0;
    for (const OpIndex operand : stream_.operands(i)) {
      const Span& span = spans_[operand.value()];
      if (span.first == span.last) continue;
      if (sources != 0 && only.first == span.first && only.last == span.last) continue;
      only = span;
      ++sources;
    }
    if (sources == 0) return true;
    if (sources == 1 && !own) {
      spans_[i.value()] = only;
      return true;
    }
    const size_t first = pool_.size();
    if (own) pool_.push_back(alloc);
    for (const OpIndex operand : stream_.operands(i)) {
      if (!AppendTo(operand, &pool_)) return false;
    }
    std::sort(pool_.begin() + first, pool_.end());
    pool_.erase(std::unique(pool_.begin() + first, pool_.end()), pool_.end());
    spans_[i.value()] = {first, pool_.size()};
    return true;
  }

  bool AppendTo(OpIndex pure, std::vector<BufferIndex>* list) {
    const Span span = spans_[pure.value()];
    work_ += span.last - span.first;
    if (work_ > most_) return false;
    for (size_t k = span.first; k < span.last; ++k) {
      const BufferIndex b = pool_[k];  // list may be pool_ itself, and move
      list->push_back(b);
    }
    return true;
  }

  size_t size() const { return pool_.size(); }

 private:
  struct Span {
    size_t first = 0;
    size_t last = 0;
  };
  const Stream& stream_;
  const size_t most_;
  size_t work_ = 0;  // buffers listed so far, those listed twice too
  std::vector<Span> spans_;
  std::vector<BufferIndex> pool_;
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
  const size_t most =
      kMostUses + 16 * (stream.op_count() + stream.operand_count() + stream.access_count());
  AllocReach reach(stream, most);
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
        const absl::Status status = CheckRoom(stream, hardware, b, op);
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
    const absl::Status status = CheckRoom(stream, hardware, b, OpIndex());
    if (!status.ok()) return status;
    if (buffer.size != 0) lifetimes.live_in_.push_back(b);
  }
  return lifetimes;
}

}  // namespace torqsched
