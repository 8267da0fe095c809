// Keeps a draft free of races while it grows, and turns it into a checked Stream.
#include "tests/reference/draft.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"

namespace torqsched::reference {

uint32_t Draft::AddBuffer(const Buffer& buffer) {
  buffers.push_back(buffer);
  return static_cast<uint32_t>(buffers.size() - 1);
}

uint64_t Draft::EndOf(const AccessSpec& access) const {
  return access.size.has_value() ? access.offset + *access.size : buffers[access.buffer].size;
}

bool Draft::Conflicts(const AccessSpec& access, uint32_t start) const {
  for (const AccessSpec& held : ops[start].accesses) {
    if (held.buffer == access.buffer && (held.writes || access.writes) &&
        std::max(held.offset, access.offset) < std::min(EndOf(held), EndOf(access))) {
      return true;
    }
  }
  return false;
}

uint32_t Draft::AddWait(uint32_t start, SplitMix64* random) {
  in_flight_.erase(std::find(in_flight_.begin(), in_flight_.end(), start));
  DraftOp wait;
  wait.kind = OpKind::kWait;
  wait.start = start;
  if (random->Percent(10))
    wait.operands.push_back(static_cast<uint32_t>(random->Below(ops.size())));
  ops.push_back(wait);
  return static_cast<uint32_t>(ops.size() - 1);
}

uint32_t Draft::AddOp(DraftOp op, SplitMix64* random, uint64_t patience) {
  const auto conflicts_with_any = [this](const AccessSpec& access) {
    return std::any_of(in_flight_.begin(), in_flight_.end(),
                       [&](uint32_t start) { return Conflicts(access, start); });
  };
  bool waits_first = random->Percent(patience);
  if (!waits_first) {
    std::vector<AccessSpec> kept;
    bool transfers = false;
    for (const AccessSpec& access : op.accesses) {
      if (conflicts_with_any(access)) continue;
      kept.push_back(access);
      const bool lram = buffers[access.buffer].space == Space::kLram;
      transfers |= lram && (op.kind == OpKind::kLoad ? access.writes : access.reads);
    }
    if (transfers || (op.kind != OpKind::kLoad && op.kind != OpKind::kStore)) {
      op.accesses = kept;
    } else {
      waits_first = true;
    }
  }
  if (waits_first) {
    const std::vector<uint32_t> before = in_flight_;
    for (uint32_t start : before) {
      if (std::any_of(op.accesses.begin(), op.accesses.end(),
                      [&](const AccessSpec& access) { return Conflicts(access, start); })) {
        AddWait(start, random);
      }
    }
  }
  ops.push_back(std::move(op));
  const uint32_t index = static_cast<uint32_t>(ops.size() - 1);
  if (ops.back().kind == OpKind::kStart) in_flight_.push_back(index);
  return index;
}

Stream Draft::Build(std::deque<std::string>* names) const {
  names->clear();
  const auto name = [names](absl::string_view prefix, size_t i) {
    names->push_back(absl::StrCat(prefix, i));
    return absl::string_view(names->back());
  };
  names->push_back("random");
  StreamBuilder builder(names->back());
  for (size_t i = 0; i < buffers.size(); ++i) builder.AddBuffer(buffers[i], name("b", i));
  for (size_t i = 0; i < ops.size(); ++i) {
    OpSpec spec;
    spec.kind = ops[i].kind;
    spec.name = name("op", i);
    spec.cycles = ops[i].cycles;
    spec.slice = ops[i].slice;
    spec.start = ops[i].start;
    spec.alloc = ops[i].alloc;
    spec.dma_share_percent = ops[i].dma_share;
    builder.BeginOp(spec);
    for (uint32_t operand : ops[i].operands) builder.AddOperand(operand);
    for (const AccessSpec& access : ops[i].accesses) builder.AddAccess(access);
    builder.EndOp();
  }
  absl::StatusOr<Stream> stream = std::move(builder).Build();
  if (!stream.ok()) {
    std::fprintf(stderr, "the draft is no stream: %s\n", stream.status().ToString().c_str());
    std::abort();
  }
  return *std::move(stream);
}

}  // namespace torqsched::reference
