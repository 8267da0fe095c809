#include "tests/allocation/generators.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/numeric/int128.h"
#include "tests/reference/random_streams.h"

namespace torqsched {
namespace {

using reference::SplitMix64;

AllocationBuffer MakeBuffer(uint64_t lower, uint64_t upper, uint64_t size) {
  AllocationBuffer buffer;
  buffer.live = {lower, upper};
  buffer.size = size;
  return buffer;
}

// A buffer of the rectangle: the times [lower, upper), the bytes [begin, end).
struct Piece {
  uint64_t lower, upper;
  uint64_t begin, end;

  uint64_t times() const { return upper - lower; }
  uint64_t bytes() const { return end - begin; }
  absl::uint128 area() const { return absl::uint128(times()) * bytes(); }
};

// The pieces so far; `Cut` replaces one of them by two or five.
class Cutter {
 public:
  // Cuts go across whichever side of a piece is longer in units of `bytes` and `times`, mostly.
  Cutter(uint64_t height, uint64_t length, uint64_t bytes, uint64_t times, SplitMix64* random)
      : bytes_(bytes), times_(times), random_(random), pieces_{{0, length, 0, height}} {}

  // The largest of three that were drawn: sizes differ much, but none stays huge.
  size_t Draw() {
    size_t drawn = random_->Below(pieces_.size());
    for (int i = 0; i < 2; ++i) {
      const size_t other = random_->Below(pieces_.size());
      if (pieces_[other].area() > pieces_[drawn].area()) drawn = other;
    }
    return drawn;
  }

  void Cut() {
    const size_t i = Draw();
    const Piece p = pieces_[i];
    if (random_->Percent(25) && p.times() >= 3 && p.bytes() >= 3) return CutInFive(i);
    const bool is_long = absl::uint128(p.times()) * bytes_ > absl::uint128(p.bytes()) * times_;
    const bool in_time = is_long == random_->Percent(75);
    if (in_time && p.times() >= 2) {
      const uint64_t at = p.lower + random_->Between(1, p.times() - 1);
      pieces_[i].upper = at;
      pieces_.push_back({at, p.upper, p.begin, p.end});
    } else if (!in_time && p.bytes() >= 2) {
      const uint64_t at = p.begin + random_->Between(1, p.bytes() - 1);
      pieces_[i].end = at;
      pieces_.push_back({p.lower, p.upper, at, p.end});
    }
  }

  std::vector<Piece> pieces() && { return std::move(pieces_); }
  size_t count() const { return pieces_.size(); }

 private:
  // Two points strictly inside, ascending.
  std::pair<uint64_t, uint64_t> TwoInside(uint64_t lower, uint64_t upper) {
    const uint64_t first = random_->Between(lower + 1, upper - 2);
    return {first, random_->Between(first + 1, upper - 1)};
  }

  void CutInFive(size_t i) {
    const Piece p = pieces_[i];
    const auto [t1, t2] = TwoInside(p.lower, p.upper);
    const auto [s1, s2] = TwoInside(p.begin, p.end);
    pieces_[i] = {t1, t2, s1, s2};
    if (random_->Percent(50)) {
      pieces_.push_back({p.lower, t2, p.begin, s1});
      pieces_.push_back({t2, p.upper, p.begin, s2});
      pieces_.push_back({t1, p.upper, s2, p.end});
      pieces_.push_back({p.lower, t1, s1, p.end});
    } else {  // the other way round
      pieces_.push_back({t1, p.upper, p.begin, s1});
      pieces_.push_back({p.lower, t1, p.begin, s2});
      pieces_.push_back({p.lower, t2, s2, p.end});
      pieces_.push_back({t2, p.upper, s1, p.end});
    }
  }

  const uint64_t bytes_;
  const uint64_t times_;
  SplitMix64* const random_;
  std::vector<Piece> pieces_;
};

// A number from 1 to 2^bits; twice as large is half as frequent. The inverse of a uniform number
// is distributed so.
uint64_t Skewed(uint64_t bits, SplitMix64* random) {
  const uint64_t most = uint64_t{1} << bits;
  return most / random->Between(1, most);
}

}  // namespace

PlantedProblem CutRectangle(size_t buffers, uint64_t height, uint64_t length, uint64_t seed,
                            uint64_t live) {
  SplitMix64 random(seed);
  if (live == 0) {
    while (live * live < buffers) ++live;
  }
  Cutter cutter(height, length, std::max<uint64_t>(1, height / live),
                std::max<uint64_t>(1, length * live / buffers), &random);
  // Draws that find a piece too small to cut are wasted; so many in all are enough for any
  // rectangle that is not cut to the last unit.
  for (size_t draws = 0; cutter.count() < buffers && draws < 64 * buffers; ++draws) cutter.Cut();
  std::vector<Piece> pieces = std::move(cutter).pieces();
  for (size_t i = pieces.size(); i > 1; --i) std::swap(pieces[i - 1], pieces[random.Below(i)]);
  PlantedProblem planted;
  for (const Piece& piece : pieces) {
    planted.problem.buffers.push_back(MakeBuffer(piece.lower, piece.upper, piece.bytes()));
    planted.offsets.push_back(piece.begin);
  }
  return planted;
}

AllocationProblem NetworkLike(size_t buffers, uint64_t seed) {
  SplitMix64 random(seed);
  AllocationProblem problem;
  const uint64_t layers = std::max<uint64_t>(1, buffers * 2 / 7);  // some 3.5 buffers a layer
  uint64_t activation = uint64_t{1} << 18;
  for (uint64_t layer = 0; problem.buffers.size() < buffers; layer = (layer + 1) % layers) {
    if (random.Percent(5)) activation = random.Between(64, 16384) * 256;  // another stage
    const uint64_t skip = random.Percent(75)   ? 1
                          : random.Percent(80) ? random.Between(2, 8)
                                               : random.Between(9, 100);
    const uint64_t last = std::min(layer + skip, layers - 1);
    const uint64_t output = activation / random.Between(1, 4) / 64 * 64;
    problem.buffers.push_back(MakeBuffer(layer, last + 1, output));
    const uint64_t ahead = std::min(layer, random.Between(0, 3));
    const uint64_t weights = random.Between(1, 1024) * (random.Percent(20) ? 2048 : 64);
    problem.buffers.push_back(random.Percent(1) ? MakeBuffer(0, layers, random.Between(1, 64) * 64)
                                                : MakeBuffer(layer - ahead, layer + 1, weights));
    problem.buffers.push_back(MakeBuffer(layer, layer + 1, random.Between(1, 32) * 64));
    if (random.Percent(50)) {
      problem.buffers.push_back(MakeBuffer(layer, layer + 1, random.Between(1, 2048) * 256));
    }
  }
  problem.buffers.resize(buffers);
  return problem;
}

AllocationProblem UniformRandom(size_t buffers, uint64_t seed) {
  SplitMix64 random(seed);
  AllocationProblem problem;
  for (size_t i = 0; i < buffers; ++i) {
    const uint64_t lower = random.Below(buffers);
    const uint64_t length = random.Between(1, 256);
    problem.buffers.push_back(
        MakeBuffer(lower, lower + length, random.Between(1, uint64_t{1} << 32)));
  }
  return problem;
}

AllocationProblem PowerLaw(size_t buffers, uint64_t seed) {
  SplitMix64 random(seed);
  AllocationProblem problem;
  for (size_t i = 0; i < buffers; ++i) {
    const uint64_t lower = random.Below(buffers);
    const uint64_t length = Skewed(16, &random);
    const uint64_t root = Skewed(15, &random);
    problem.buffers.push_back(MakeBuffer(lower, lower + length, root * root + random.Below(16)));
  }
  return problem;
}

AllocationProblem Nested(size_t buffers, uint64_t seed) {
  SplitMix64 random(seed);
  AllocationProblem problem;
  std::vector<size_t> stack;  // the frames that are open
  uint64_t now = 0;
  const auto leave = [&] {
    problem.buffers[stack.back()].live.upper = ++now;
    stack.pop_back();
  };
  while (problem.buffers.size() < buffers) {
    // Some 64 deep: the deeper, the sooner a frame ends.
    if (!stack.empty() && random.Percent(stack.size() < 64 ? 45 : 60)) {
      leave();
    } else {
      stack.push_back(problem.buffers.size());
      problem.buffers.push_back(MakeBuffer(++now, 0, random.Between(1, uint64_t{1} << 20)));
    }
  }
  while (!stack.empty()) leave();
  return problem;
}

PlantedProblem Variant(const PlantedProblem& base, uint64_t seed) {
  SplitMix64 random(seed);
  constexpr uint64_t kPercents[] = {0, 0, 3, 6, 12, 25};
  uint64_t shares[4];  // percent of the buffers to split in size, split in time, drop, shrink
  for (uint64_t& share : shares) share = kPercents[random.Below(6)];
  if (shares[0] + shares[1] + shares[2] + shares[3] == 0) shares[random.Below(4)] = 12;
  // Half the variants keep to what all sizes are multiples of, half cut anywhere.
  uint64_t granule = 0;
  for (const AllocationBuffer& b : base.problem.buffers) granule = std::gcd(granule, b.size);
  if (granule == 0 || random.Percent(50)) granule = 1;

  PlantedProblem variant;
  variant.problem.alignment = base.problem.alignment;
  variant.problem.capacity = base.problem.capacity;
  const auto add = [&](const AllocationBuffer& buffer, uint64_t offset) {
    variant.problem.buffers.push_back(buffer);
    if (!base.offsets.empty()) variant.offsets.push_back(offset);
  };
  for (size_t i = 0; i < base.problem.buffers.size(); ++i) {
    AllocationBuffer whole = base.problem.buffers[i];
    const uint64_t offset = base.offsets.empty() ? 0 : base.offsets[i];
    const uint64_t granules = whole.size / granule;
    const uint64_t length = whole.live.upper - whole.live.lower;
    uint64_t draw = random.Below(100);
    size_t action = 0;
    while (action < 4 && draw >= shares[action]) draw -= shares[action++];
    AllocationBuffer rest = whole;
    if (action == 0 && granules >= 2 && base.problem.alignment == 1 && whole.alignment == 1) {
      whole.size = random.Between(1, granules - 1) * granule;
      rest.size -= whole.size;
      add(rest, offset + whole.size);
    } else if (action == 1 && length >= 2) {
      whole.live.upper = rest.live.lower += random.Between(1, length - 1);
      add(rest, offset);
    } else if (action == 2) {
      continue;
    } else if (action == 3 && granules >= 2) {
      whole.size = random.Between(1, granules - 1) * granule;
    }
    add(whole, offset);
  }
  return variant;
}

}  // namespace torqsched
