// Draws the chip and the options, drafts a stream, and then makes LRAM about as large as the stream
// needs.
#include "tests/reference/random_streams.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/reference/case_io.h"
#include "tests/reference/draft.h"
#include "tests/reference/reference.h"

namespace torqsched::reference {
namespace {

Hardware MakeHardware(SplitMix64* r, bool realistic) {
  Hardware h;
  const uint64_t alignments[] = {1, 1, 8, 8, 8, 16};
  h.alignment = alignments[r->Below(6)];
  h.slices = r->Percent(3) ? 64 : static_cast<uint32_t>(r->Between(1, 4));
  if (realistic && r->Percent(60)) h.slices = 2;
  const uint64_t smalls[] = {0, 20, 64, 64, 100, 8192};
  h.small_buffer_bytes = smalls[r->Below(6)];
  h.start_cycles = r->Percent(70) ? 1 : r->Below(6);
  switch (r->Below(6)) {
    case 0:
      h.dma_bytes = 832;
      h.dma_cycles = 175;
      break;
    case 1:
      h.dma_bytes = 4;
      h.dma_cycles = 1;
      break;
    case 2:
      h.dma_bytes = 1;
      h.dma_cycles = r->Below(3);
      break;
    default:
      h.dma_bytes = r->Between(1, 200);
      h.dma_cycles = r->Between(0, 20);
  }
  if (r->Percent(20)) {
    h.block_ops = r->Between(1, 6);
    h.block_bytes = r->Below(60);
  }
  h.lram_reserved_bytes = r->Percent(60) ? 0 : r->Below(200);
  return h;
}

ScheduleOptions MakeOptions(SplitMix64* r) {
  ScheduleOptions o;
  if (r->Percent(30)) o.cap_percent = r->Percent(50) ? r->Between(60, 100) : r->Between(1, 100);
  if (r->Percent(60)) o.prefetch_percent = r->Below(101);
  if (r->Percent(60)) o.urgent_starts = r->Below(6);
  if (r->Percent(30)) o.candidates = r->Between(1, 4);
  return o;
}

uint64_t RoundUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

struct Needs {
  uint64_t largest = 0;  // no smaller LRAM is valid
  uint64_t at_once = 0;  // what cannot be evicted at the worst op of the input order, about
  uint64_t peak = 0;     // bytes live at once in the input order, rounded
};

Needs NeedsOf(const Stream& stream, const Hardware& hardware) {
  Needs needs;
  std::vector<std::set<BufferIndex>> uses;
  std::vector<size_t> first(stream.buffer_count(), SIZE_MAX);
  std::vector<size_t> last(stream.buffer_count(), 0);
  for (size_t i = 0; i < stream.op_count(); ++i) {
    const OpIndex op(i);
    uses.push_back(ReferenceUses(stream, op));
    const size_t end = stream.op(op).kind == OpKind::kStart ? stream.op(op).partner.value() : i;
    for (BufferIndex b : uses.back()) {
      first[b.value()] = std::min(first[b.value()], i);
      last[b.value()] = std::max(last[b.value()], end);
    }
  }
  for (size_t b = 0; b < stream.buffer_count(); ++b) {
    const Buffer& buffer = stream.buffer(BufferIndex(b));
    const bool always = buffer.live_in && buffer.live_out && buffer.space == Space::kLram;
    if (first[b] == SIZE_MAX && !always) continue;
    needs.largest = std::max(needs.largest, buffer.size);
    if (buffer.live_in) first[b] = 0;
    if (buffer.live_out) last[b] = stream.op_count();
  }
  for (size_t i = 0; i < stream.op_count(); ++i) {
    std::set<BufferIndex> pinned = uses[i];
    for (size_t s = 0; s < i; ++s) {
      const Op& op = stream.op(OpIndex(s));
      if (op.kind == OpKind::kStart && i <= op.partner.value()) {
        pinned.insert(uses[s].begin(), uses[s].end());
      }
    }
    uint64_t live = 0;
    uint64_t fixed = 0;
    for (size_t b = 0; b < stream.buffer_count(); ++b) {
      if (first[b] > i || last[b] < i) continue;
      const Buffer& buffer = stream.buffer(BufferIndex(b));
      const uint64_t size = RoundUp(buffer.size, hardware.alignment);
      live += size;
      if (buffer.live_in || buffer.live_out || pinned.count(BufferIndex(b)) != 0) fixed += size;
    }
    needs.peak = std::max(needs.peak, live);
    needs.at_once = std::max(needs.at_once, fixed);
  }
  return needs;
}

uint64_t ChooseUsable(SplitMix64* r, const Needs& needs) {
  uint64_t usable = 0;
  switch (r->Below(8)) {
    case 0:  // perhaps not placed at all
      usable = needs.at_once * r->Between(85, 105) / 100;
      break;
    case 1:
    case 2:
    case 3:  // swaps
      usable = r->Between(std::min(needs.at_once * 11 / 10, needs.peak), needs.peak);
      break;
    case 4:  // exactly
      usable = needs.peak;
      break;
    case 5:
    case 6:  // the schedule may need more
      usable = needs.peak * r->Between(100, 150) / 100;
      break;
    default:
      usable = needs.peak * r->Between(150, 400) / 100;
  }
  return std::max(usable, needs.largest);
}

// Some buffers get a fixed offset: low, high or anywhere. A buffer that nobody uses may lie beyond
// LRAM.
void FixSome(SplitMix64* r, uint64_t usable, uint64_t alignment, Draft* draft) {
  const uint64_t percent = r->Percent(70) ? 0 : r->Between(5, 25);
  for (Buffer& b : draft->buffers) {
    if (b.space != Space::kLram || b.size > usable || !r->Percent(percent)) continue;
    b.has_fixed_offset = true;
    b.fixed_offset = r->Below(usable - b.size + 1);
    if (r->Percent(30)) b.fixed_offset = 0;
    if (r->Percent(70)) b.fixed_offset -= b.fixed_offset % alignment;
  }
}

// Cuts LRAM here and there, as long as every buffer still has a place.
void CutIntoRegions(SplitMix64* r, RandomStream* random) {
  const uint64_t usable = random->hardware.usable_bytes();
  std::set<uint64_t> ends = {usable};
  const uint64_t cuts = r->Between(1, 6);
  for (uint64_t cut = 0; cut < cuts && usable > 1; ++cut) {
    uint64_t end = r->Between(1, usable - 1);
    if (r->Percent(60)) end = std::max<uint64_t>(end - end % random->hardware.alignment, 1);
    const bool added = ends.insert(end).second;
    std::vector<uint64_t> regions;
    uint64_t begin = 0;
    for (const uint64_t e : ends) {
      regions.push_back(e - begin);
      begin = e;
    }
    std::swap(random->hardware.region_bytes, regions);
    if (ReferenceInvalid(random->stream, random->hardware, random->options).empty()) continue;
    std::swap(random->hardware.region_bytes, regions);
    if (added) ends.erase(end);
  }
}

// From a byte to all of LRAM, mostly a few banks.
uint64_t ChooseBankBytes(SplitMix64* r, uint64_t usable) {
  if (usable == 0) return 1;
  return r->Percent(80) ? std::max<uint64_t>(usable / r->Between(2, 9), 1) : r->Between(1, usable);
}

void DrawDma(SplitMix64* r, Hardware* h) {
  if (r->Percent(60))
    h->dma_engines = r->Percent(10) ? 64 : static_cast<uint32_t>(r->Between(1, 3));
  if (r->Percent(40)) h->store_engines = static_cast<uint32_t>(r->Between(1, 3));
  h->non_blocking_transfers = r->Percent(80);
  if (r->Percent(50)) h->transfer_issue_cycles = r->Below(6);
}

// Some programs, or none, take a part of the bandwidth: a little, most of it, or anything.
void DrawShares(SplitMix64* r, Draft* draft) {
  const uint64_t percent = r->Percent(50) ? 0 : r->Between(30, 100);
  const uint32_t usual[] = {1, 10, 25, 50, 99};
  for (DraftOp& op : draft->ops) {
    if (op.kind != OpKind::kStart || !r->Percent(percent)) continue;
    op.dma_share = r->Percent(60) ? usual[r->Below(5)] : static_cast<uint32_t>(r->Below(100));
  }
}

}  // namespace

RandomStream MakeRandomStream(uint64_t seed, const Shape& shape) {
  SplitMix64 random(seed);
  random.Next();  // seeds that follow each other begin alike no longer
  const bool realistic = shape.style == Shape::Style::kRealistic ||
                         (shape.style == Shape::Style::kAny && random.Percent(30));
  RandomStream result;
  result.hardware = MakeHardware(&random, realistic);
  result.options = MakeOptions(&random);
  Draft draft = realistic ? DraftRealistic(&random, shape, result.hardware.slices)
                          : DraftMixed(&random, shape, result.hardware.slices);
  const Needs needs = NeedsOf(draft.Build(&result.names), result.hardware);
  const uint64_t usable = ChooseUsable(&random, needs);
  result.hardware.lram_bytes = usable + result.hardware.lram_reserved_bytes;
  FixSome(&random, usable, result.hardware.alignment, &draft);
  if (shape.dma) {
    DrawDma(&random, &result.hardware);
    DrawShares(&random, &draft);
  }
  result.stream = draft.Build(&result.names);
  if (shape.regions) CutIntoRegions(&random, &result);
  if (shape.banks) result.hardware.bank_bytes = ChooseBankBytes(&random, usable);

  const std::vector<Invalid> wrong =
      ReferenceInvalid(result.stream, result.hardware, result.options);
  if (!wrong.empty()) {
    std::fprintf(stderr, "random stream %llu is not valid: %s\n",
                 static_cast<unsigned long long>(seed), wrong.front().message.c_str());
    std::abort();
  }
  return result;
}

std::string DumpStream(uint64_t seed, const RandomStream& random) {
  return WriteCase(absl::StrCat("random-", seed), random.stream, random.hardware, random.options);
}

}  // namespace torqsched::reference
