// Activations that stay in LRAM, against a literal account of who lives when.
#include "src/lowering/residents.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/reference/random_streams.h"

namespace torqsched::lowering {
namespace {

struct Scene {
  std::vector<LayerShape> shapes;  // with inputs only
  std::vector<uint64_t> bytes;
  std::vector<uint32_t> last;
};

Scene RandomScene(reference::SplitMix64* random) {
  Scene scene;
  const size_t layers = 2 + random->Below(14);
  scene.shapes.resize(layers);
  scene.last.assign(layers, 0);
  for (uint32_t l = 0; l < layers; ++l) {
    for (int32_t i = -1; i < static_cast<int32_t>(l); ++i) {
      if (random->Below(4) != 0) continue;
      InputWindow input;
      input.producer = i;
      scene.shapes[l].inputs.push_back(input);
      if (i >= 0) scene.last[i] = l;
    }
  }
  // What nobody reads does not stay. Few sizes, so that many are equal.
  for (uint32_t l = 0; l < layers; ++l) {
    scene.bytes.push_back(scene.last[l] == 0 ? 0 : random->Below(4));
  }
  return scene;
}

// Everything looked up anew whenever it is asked for.
class Literal {
 public:
  explicit Literal(const Scene& scene) : scene_(scene), bytes_(scene.bytes) {}

  bool IsOwn(uint32_t entered, uint32_t l) const {
    for (const InputWindow& input : scene_.shapes[entered].inputs) {
      if (input.producer == static_cast<int32_t>(l)) return true;
    }
    return l == entered;
  }
  std::vector<uint32_t> Through(uint32_t entered) const {
    std::vector<uint32_t> through;
    for (uint32_t l = 0; l < entered; ++l) {
      if (bytes_[l] != 0 && scene_.last[l] >= entered && !IsOwn(entered, l)) through.push_back(l);
    }
    return through;
  }
  uint64_t ThroughBytes(uint32_t entered) const {
    uint64_t sum = 0;
    for (const uint32_t l : Through(entered)) sum += bytes_[l];
    return sum;
  }
  // The largest of what is through, made, read, in this order; false: there is none.
  bool SpillOne(uint32_t entered, bool inputs_leave) {
    std::vector<uint32_t> candidates = Through(entered);
    candidates.push_back(entered);
    for (const InputWindow& input : scene_.shapes[entered].inputs) {
      if (input.producer >= 0 && inputs_leave) candidates.push_back(input.producer);
    }
    uint32_t largest = candidates[0];
    for (const uint32_t l : candidates) {
      if (bytes_[l] > bytes_[largest]) largest = l;
    }
    if (bytes_[largest] == 0) return false;
    bytes_[largest] = 0;
    return true;
  }

  const std::vector<uint64_t>& bytes() const { return bytes_; }

 private:
  const Scene& scene_;
  std::vector<uint64_t> bytes_;
};

TEST(Residents, WhatIsThroughAndWhatLeavesFirstIsAsAskedAnewEachTime) {
  uint64_t spills = 0, undone = 0, own = 0;
  for (uint64_t seed = 1; seed <= 20000; ++seed) {
    reference::SplitMix64 random(seed);
    const Scene scene = RandomScene(&random);
    Residents residents(scene.shapes, scene.bytes, scene.last);
    Literal literal(scene);
    for (uint32_t l = 0; l < scene.shapes.size(); ++l) {
      // As a stream that begins later, layers before it are never entered.
      if (l == 0 && random.Below(4) == 0) continue;
      const bool inputs_leave = random.Percent(70);
      residents.Enter(l, inputs_leave);
      const std::string where = absl::StrCat("seed ", seed, ", layer ", l);
      ASSERT_EQ(residents.through_bytes(), literal.ThroughBytes(l)) << where;
      ASSERT_EQ(residents.through_bytes() != 0, !literal.Through(l).empty()) << where;
      // More than are meant to leave, of which the others come back.
      const size_t meant = random.Below(4), more = random.Below(3);
      const std::vector<uint64_t> through_before = literal.bytes();
      size_t leave = 0;
      while (leave < meant && literal.SpillOne(l, inputs_leave)) ++leave;
      const size_t left = residents.Spill(meant + more);
      ASSERT_GE(left, leave) << where;
      residents.Unspill(left - leave);
      undone += left - leave;
      spills += leave;
      own += leave != 0 && literal.bytes()[l] != through_before[l];
      ASSERT_EQ(residents.through_bytes(), literal.ThroughBytes(l)) << where;
      for (uint32_t other = 0; other < scene.shapes.size(); ++other) {
        ASSERT_EQ(residents.bytes(other), literal.bytes()[other]) << where << ", of " << other;
      }
    }
  }
  EXPECT_GT(spills, 10000u);
  EXPECT_GT(undone, 10000u);
  EXPECT_GT(own, 1000u);
}

}  // namespace
}  // namespace torqsched::lowering
