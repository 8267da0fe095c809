#include "src/lowering/activation_layout.h"

#include <algorithm>
#include <utility>

namespace torqsched::lowering {
namespace {

void Add(ByteRange range, Ranges* to) {
  if (range.begin == range.end) return;
  to->bytes += range.size();
  if (!to->ranges.empty() && to->ranges.back().end == range.begin) {
    to->ranges.back().end = range.end;
    return;
  }
  if (to->exact && to->ranges.size() < kMostRanges) {
    to->ranges.push_back(range);
    return;
  }
  // Too many: from the first byte to the last.
  to->ranges.front().end = range.end;
  to->ranges.resize(1);
  to->exact = false;
}

// Of a block of a pixel's bytes, how many lie before byte `at` of the pixel.
uint64_t Within(uint64_t at, uint64_t block, uint64_t width) {
  return std::min(at - std::min(at, block), width);
}

}  // namespace

ActivationLayout::ActivationLayout(uint64_t pixels, std::vector<uint64_t> block_begins)
    : pixels_(pixels), block_begins_(std::move(block_begins)) {}

Ranges ActivationLayout::Window(ByteRange window) const {
  Ranges all;
  if (Linear()) {
    Add(window, &all);
    return all;
  }
  if (window.size() == 0) return all;
  // In each block a run: pixels between the first and the last are whole. Blocks that add nothing
  // are not visited, as there may be many, and windows as many again.
  const uint64_t first_pixel = window.begin / PixelBytes(), left = window.begin % PixelBytes();
  const uint64_t end_pixel = window.end / PixelBytes(), right = window.end % PixelBytes();
  const bool one_pixel = first_pixel == end_pixel;
  const size_t last = one_pixel ? BlockOf(right - 1) : block_begins_.size() - 2;
  for (size_t b = one_pixel ? BlockOf(left) : 0; b <= last; ++b) {
    const uint64_t block = block_begins_[b];
    if (first_pixel == 0 && end_pixel == pixels_ && block >= left) {
      Add({pixels_ * block, pixels_ * PixelBytes()}, &all);  // whole blocks from here on
      break;
    }
    if (end_pixel == first_pixel + 1 && block >= right && block_begins_[b + 1] <= left) {
      b = BlockOf(left);  // neither the first pixel's end nor the next one's begin
    }
    Add(Run(b, window), &all);
    if (all.exact) continue;
    all.ranges[0].end = Run(last, window).end;
    break;
  }
  all.bytes = window.size();
  return all;
}

ByteRange ActivationLayout::Run(size_t b, ByteRange window) const {
  const uint64_t block = block_begins_[b], width = block_begins_[b + 1] - block;
  const auto position = [&](uint64_t at) {
    return pixels_ * block + at / PixelBytes() * width + Within(at % PixelBytes(), block, width);
  };
  return {position(window.begin), position(window.end)};
}

size_t ActivationLayout::BlockOf(uint64_t byte) const {
  const auto next = std::upper_bound(block_begins_.begin(), block_begins_.end(), byte);
  return static_cast<size_t>(next - block_begins_.begin()) - 1;
}

Ranges ActivationLayout::Window(ByteRange window, uint64_t unit, uint64_t first, uint64_t end,
                                uint64_t columns) const {
  if (unit != PixelBytes()) {
    if (Linear()) {
      return ActivationLayout(1, {0, unit}).Window(window, unit, first, end, columns);
    }
    Ranges all = Window(window);
    const uint64_t part = PartUp(unit, end, columns) - PartOf(unit, first, columns);
    if (part == unit) return all;
    all.bytes = window.size() / unit * part;
    all.exact = false;
    return all;
  }
  Ranges all;
  const uint64_t begin_pixel = window.begin / unit;
  const uint64_t pixels = window.size() / unit;
  const uint64_t low = PartOf(unit, first, columns), high = PartUp(unit, end, columns);
  if (low == high || pixels == 0) return all;
  for (size_t b = BlockOf(low); b <= BlockOf(high - 1); ++b) {
    const uint64_t block = block_begins_[b], width = block_begins_[b + 1] - block;
    const uint64_t left = Within(low, block, width), right = Within(high, block, width);
    if (left == right) continue;  // a block of no bytes
    const uint64_t base = pixels_ * block + begin_pixel * width;
    if (right - left == width) {
      Add({base, base + pixels * width}, &all);
    } else if (pixels <= kMostRanges) {
      for (uint64_t p = 0; p < pixels; ++p) {
        Add({base + p * width + left, base + p * width + right}, &all);
      }
    } else {
      // Too many runs: one range for all of them.
      Add({base + left, base + (pixels - 1) * width + right}, &all);
      all.exact = false;
    }
  }
  all.bytes = pixels * (high - low);
  return all;
}

ByteRange ActivationLayout::Tile(uint64_t first_pixel, uint64_t end_pixel, size_t block) const {
  const uint64_t width = block_begins_[block + 1] - block_begins_[block];
  const uint64_t base = pixels_ * block_begins_[block];
  return {base + first_pixel * width, base + end_pixel * width};
}

}  // namespace torqsched::lowering
