// Parts of orders: what a part becomes, the rest can go on from, no later and in the same bytes.
#include <algorithm>
#include <iostream>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "src/graph/problem.h"
#include "src/search/exact.h"
#include "tests/reference/reference.h"
#include "tests/search/blocks.h"
#include "tests/search/exact_order.h"

namespace torqsched {
namespace {

using Entries = std::vector<ExactEntry>;

// The clock after some entries, and what runs then.
struct Played {
  uint64_t clock = 0;
  std::vector<uint64_t> slices;
  std::vector<ExactWindow::Running> running;
};

class Scene {
 public:
  explicit Scene(const Block& block)
      : block_(block),
        problem_(*ScheduleProblem::Make(block.stream, block.hardware)),
        graph_(*problem_) {}

  Entries Input() const {
    Entries entries;
    IndexVector<OpIndex, ActionIndex> action(block_.stream.op_count());
    for (uint32_t i = 0; i < graph_.size(); ++i)
      action[graph_.action(ActionIndex(i)).op] = ActionIndex(i);
    for (uint32_t i = 0; i < block_.stream.op_count(); ++i) {
      const Op& op = block_.stream.op(OpIndex(i));
      if (op.kind == OpKind::kPure) continue;
      const bool wait = op.kind == OpKind::kWait;
      entries.push_back({action[wait ? op.partner : OpIndex(i)], wait, 0});
    }
    return entries;
  }

  reference::Priced Price(const Entries& entries) const {
    const ExactOrder made = OrderOf(block_.stream, graph_, entries);
    return reference::ReferenceSimulate(block_.stream, block_.hardware, made.order, made.slices);
  }

  ExactAnswer Optimum() const { return SolveExactly(*problem_, graph_, ExactOptions()); }

  // The entries from `first` on, up to `last`, as good as can be; the answer's entries are the
  // whole order's.
  ExactAnswer Improve(const Entries& entries, size_t first, size_t last) const {
    const Played before = Play(entries, first);
    const Played after = Play(entries, last);
    ExactWindow window;
    window.out.assign(graph_.size(), false);
    for (size_t i = 0; i < last; ++i) {
      if (entries[i].wait) continue;
      if (i < first) {
        window.out[entries[i].action.value()] = true;
      } else {
        window.actions.push_back(entries[i].action);
      }
    }
    std::sort(window.actions.begin(), window.actions.end());
    window.slices = Since(before.slices, before.clock);
    window.running = Since(before.running, before.clock);
    window.clock_after = after.clock - before.clock;
    window.slices_after = Since(after.slices, before.clock);
    window.running_after = Since(after.running, before.clock);
    window.capacity = block_.hardware.usable_bytes() - BytesOfOthers(window);
    ExactAnswer answer = SolveWindow(*problem_, graph_, window, 100000);
    if (answer.makespan.has_value()) answer.entries = Splice(entries, first, last, answer.entries);
    return answer;
  }

 private:
  Played Play(const Entries& entries, size_t count) const {
    Played p;
    p.slices.assign(block_.hardware.slices, 0);
    for (size_t i = 0; i < count; ++i) {
      const ExactEntry& entry = entries[i];
      const Action& action = graph_.action(entry.action);
      const auto at = std::find_if(p.running.begin(), p.running.end(), [&](const auto& running) {
        return running.program == entry.action;
      });
      if (entry.wait) {
        p.clock = std::max(p.clock, at->end);
        p.running.erase(at);
      } else if (action.kind == ActionKind::kProgram) {
        uint64_t& end = p.slices[entry.slice];
        end = std::max(end, p.clock) + action.cycles;
        p.running.push_back({entry.action, end});
        p.clock += block_.hardware.start_cycles;
      } else {
        p.clock += action.cycles;
      }
    }
    return p;
  }

  static std::vector<uint64_t> Since(std::vector<uint64_t> times, uint64_t clock) {
    for (uint64_t& time : times) time -= std::min(time, clock);
    return times;
  }
  static std::vector<ExactWindow::Running> Since(std::vector<ExactWindow::Running> running,
                                                 uint64_t clock) {
    for (ExactWindow::Running& r : running) r.end -= std::min(r.end, clock);
    return running;
  }

  // Live all the time, and used by nothing of the part.
  uint64_t BytesOfOthers(const ExactWindow& window) const {
    std::vector<bool> local(graph_.size(), false);
    for (const ActionIndex action : window.actions) local[action.value()] = true;
    for (const ExactWindow::Running& r : window.running) local[r.program.value()] = true;
    uint64_t bytes = 0;
    for (uint32_t b = 0; b < block_.stream.buffer_count(); ++b) {
      bool before = false, inside = false, after = false;
      for (const ActionIndex user : graph_.users(BufferIndex(b))) {
        if (local[user.value()]) {
          inside = true;
        } else {
          (window.out[user.value()] ? before : after) = true;
        }
      }
      if (before && after && !inside) bytes += block_.stream.buffer(BufferIndex(b)).size;
    }
    return bytes;
  }

  // What ended within the old part is waited for at the end of the new one at the latest. Slices
  // that follow are those that are free in the same order.
  Entries Splice(const Entries& old, size_t first, size_t last, const Entries& part) const {
    Entries entries(old.begin(), old.begin() + first);
    entries.insert(entries.end(), part.begin(), part.end());
    std::vector<bool> waited(graph_.size(), false);
    for (const ExactEntry& entry : entries) {
      if (entry.wait) waited[entry.action.value()] = true;
    }
    for (size_t i = first; i < last; ++i) {
      if (old[i].wait && !waited[old[i].action.value()]) entries.push_back(old[i]);
    }
    const std::vector<uint8_t> then = ByEnd(Play(old, last));
    const std::vector<uint8_t> now = ByEnd(Play(entries, entries.size()));
    for (size_t i = last; i < old.size(); ++i) {
      ExactEntry entry = old[i];
      if (entry.wait && waited[entry.action.value()]) continue;
      const size_t rank = std::find(then.begin(), then.end(), entry.slice) - then.begin();
      if (!entry.wait && graph_.action(entry.action).kind == ActionKind::kProgram) {
        entry.slice = now[rank];
      }
      entries.push_back(entry);
    }
    return entries;
  }

  static std::vector<uint8_t> ByEnd(const Played& played) {
    std::vector<uint8_t> slices;
    for (size_t s = 0; s < played.slices.size(); ++s) slices.push_back(static_cast<uint8_t>(s));
    std::stable_sort(slices.begin(), slices.end(), [&](uint8_t a, uint8_t b) {
      return std::max(played.slices[a], played.clock) < std::max(played.slices[b], played.clock);
    });
    return slices;
  }

  const Block& block_;
  const std::unique_ptr<const ScheduleProblem> problem_;
  const ActionGraph graph_;
};

// Windows slide over the input order, several times.
TEST(ExactWindowTest, TheRestGoesOnFromWhatAPartBecomes) {
  size_t improved = 0;
  uint64_t input = 0, reached = 0, least = 0;
  for (int shape = 0; shape < kBlockShapes; ++shape) {
    for (int lram = 0; lram < kBlockLrams; ++lram) {
      for (uint64_t seed = 0; seed < 4; ++seed) {
        SCOPED_TRACE(testing::Message() << NameOf(static_cast<BlockShape>(shape)) << ", LRAM "
                                        << NameOf(static_cast<BlockLram>(lram)) << ", " << seed);
        Block block =
            MakeBlock(static_cast<BlockShape>(shape), static_cast<BlockLram>(lram), seed, 20);
        block.hardware.slices = static_cast<uint32_t>(1 + seed % 3);
        const Scene scene(block);
        Entries entries = scene.Input();
        uint64_t makespan = scene.Price(entries).makespan;
        input += makespan;
        for (size_t round = 0; round < 3; ++round) {
          for (size_t first = 0; first < entries.size(); first += 4) {
            const size_t last = std::min(first + 14, entries.size());
            const ExactAnswer answer = scene.Improve(entries, first, last);
            ASSERT_TRUE(answer.complete);
            if (!answer.makespan.has_value()) continue;
            ++improved;
            entries = answer.entries;
            const reference::Priced priced = scene.Price(entries);
            EXPECT_LE(priced.makespan, makespan);
            EXPECT_LE(priced.peak, block.hardware.usable_bytes());
            makespan = priced.makespan;
          }
        }
        const ExactAnswer optimum = scene.Optimum();
        EXPECT_GE(makespan, *optimum.makespan);
        reached += makespan;
        least += *optimum.makespan;
      }
    }
  }
  std::cout << improved << " parts became shorter; all together from " << input << " to " << reached
            << ", least " << least << "\n";
  EXPECT_GE(improved, 200u);
  EXPECT_LE(reached, least / 100 * 102);
}

// Where the last action needs all others, the whole order as a part is the whole problem.
TEST(ExactWindowTest, AllOfABlockIsSolvedAsTheBlock) {
  const BlockShape shapes[] = {BlockShape::kBranches, BlockShape::kChain, BlockShape::kDecode,
                               BlockShape::kExperts};
  for (const BlockShape shape : shapes) {
    for (int lram = 0; lram < kBlockLrams; ++lram) {
      for (uint64_t seed = 0; seed < 10; ++seed) {
        SCOPED_TRACE(testing::Message() << NameOf(shape) << ", LRAM "
                                        << NameOf(static_cast<BlockLram>(lram)) << ", " << seed);
        const Block block = MakeBlock(shape, static_cast<BlockLram>(lram), seed, 14);
        const Scene scene(block);
        const Entries entries = scene.Input();
        const ExactAnswer optimum = scene.Optimum();
        const ExactAnswer answer = scene.Improve(entries, 0, entries.size());
        ASSERT_TRUE(answer.complete);
        const uint64_t input = scene.Price(entries).makespan;
        EXPECT_EQ(answer.makespan.value_or(input), *optimum.makespan);
        if (answer.makespan.has_value()) {
          EXPECT_EQ(scene.Price(answer.entries).makespan, *answer.makespan);
        }
      }
    }
  }
}

}  // namespace
}  // namespace torqsched
