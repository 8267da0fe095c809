#include "src/allocation/dissection.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "src/allocation/equal_sums.h"
#include "src/allocation/pq_tree.h"
#include "src/stream/checked.h"
#include "src/stream/index.h"

namespace torqsched {
namespace {

using Edges = std::vector<uint32_t>;  // bodies

// Equal sums of which chance makes fewer than two to this power are taken for granted. Two passes
// each, one in either direction.
constexpr int32_t kSureChances[] = {-8, -5, -11, -3, -6, -14};
constexpr uint32_t kQuickEffort = 11;
constexpr uint32_t kThoroughEffort = 18;
// Parts listed by body, in all passes, and thoroughly in one of them; so many more in any case.
constexpr uint64_t kMostWorkByBody = 1024;
constexpr uint64_t kThoroughWorkByBody = 128;
constexpr uint64_t kAnyWork = uint64_t{1} << 22;
constexpr uint32_t kMostFailures = 12;  // in a pass
constexpr uint32_t kMostTries = 256;    // at a time
constexpr uint32_t kAskEvery = 256;     // times

// What ends, or what begins, at one time.
struct Side {
  // Numbers by edge: what has the same number is taken as one.
  struct Units {
    std::vector<uint32_t> of;
    uint32_t count = 0;
  };

  Edges edges;
  std::vector<uint8_t> taken;  // by edge: is in a group
  size_t left = 0;             // how many are in none
  Units units[2];              // each edge alone; by run
  int unit_kinds = 1;          // 1: runs tell nothing

  void Load(Run<uint32_t> bodies) {
    edges.assign(bodies.begin(), bodies.end());
    taken.assign(edges.size(), 0);
    left = edges.size();
    units[0].of.resize(edges.size());
    std::iota(units[0].of.begin(), units[0].of.end(), 0);
    units[0].count = static_cast<uint32_t>(edges.size());
    unit_kinds = 1;
  }

  // From numbers by edge that may be any.
  void SetRuns(const std::vector<uint32_t>& runs) {
    std::vector<uint32_t> numbers = runs;
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    units[1].of.clear();
    for (const uint32_t run : runs) {
      const auto at = std::lower_bound(numbers.begin(), numbers.end(), run);
      units[1].of.push_back(static_cast<uint32_t>(at - numbers.begin()));
    }
    units[1].count = static_cast<uint32_t>(numbers.size());
    unit_kinds = units[1].count < edges.size() ? 2 : 1;
  }

  bool Has(uint64_t terms, int kind, size_t edge) const {
    const uint32_t unit = units[kind].of[edge];
    return unit < kMostTerms && (terms >> unit & 1) != 0;
  }

  // False: one of them is taken.
  bool Collect(uint64_t terms, int kind, Edges* collected) const {
    for (size_t i = 0; i < edges.size(); ++i) {
      if (!Has(terms, kind, i)) continue;
      if (taken[i] != 0) return false;
      collected->push_back(edges[i]);
    }
    return true;
  }

  void Take(uint64_t terms, int kind) {
    for (size_t i = 0; i < edges.size(); ++i) {
      if (!Has(terms, kind, i)) continue;
      taken[i] = 1;
      --left;
    }
  }

  Edges Rest() const {
    Edges rest;
    for (size_t i = 0; i < edges.size(); ++i) {
      if (taken[i] == 0) rest.push_back(edges[i]);
    }
    return rest;
  }
};

class Dissection {
 public:
  Dissection(const Packing& packing, const StopFunction& stop)
      : packing_(packing),
        stop_(stop),
        most_work_(kMostWorkByBody * packing.bodies.size() + kAnyWork) {
    for (std::vector<uint32_t>& runs : known_runs_) {
      runs.resize(packing.bodies.size());
      std::iota(runs.begin(), runs.end(), 0);  // nothing is known
    }
    at_boundary_[0] = SortByBoundary(&Body::first);
    at_boundary_[1] = SortByBoundary(&Body::last);
  }

  // One pass. True: it did not fail.
  bool Sweep(bool backward, int32_t sure_chance);
  // After a pass that did not fail.
  std::optional<std::vector<uint64_t>> FindOffsets();
  bool spent() const { return stopped_ || work_ > most_work_; }

 private:
  struct Group {
    Edges in;
    Edges out;
  };
  struct Candidate {
    EqualSums sums;
    uint8_t in_kind;  // of units
    uint8_t out_kind;
  };
  struct Vertex {
    uint32_t in_end;  // in in_order_, where the next one's begin
    uint32_t out_end;
    uint32_t frame;
    bool reversed;
  };

  uint64_t SizeOf(uint32_t body) const { return packing_.bodies[body].rounded; }
  Rows<uint32_t> SortByBoundary(uint32_t Body::*boundary) const;
  Edges LiveAt(uint32_t section) const;
  bool Cross(uint32_t boundary);
  void Split();
  void List(int in_kind, int out_kind, uint32_t effort);
  bool ListThoroughly(int in_kind, int out_kind);
  void Choose();
  bool Take(const Candidate& candidate);
  bool Pass(const Edges& in, const Edges& out);

  const Packing& packing_;
  const StopFunction& stop_;
  const uint64_t most_work_;
  bool stopped_ = false;
  uint64_t work_ = 0;
  uint64_t thorough_work_ = 0;           // left in this pass
  Rows<uint32_t> at_boundary_[2];        // bodies that begin there, that end there
  std::vector<uint32_t> known_runs_[2];  // by body: of those that begin, end with it
  bool backward_ = false;
  int32_t sure_chance_ = 0;
  PqTree* tree_ = nullptr;
  Side in_;
  Side out_;
  std::vector<Candidate> candidates_;
  std::vector<Group> groups_;
  std::vector<Vertex> vertices_;
  Edges in_order_;
  Edges out_order_;
};

Rows<uint32_t> Dissection::SortByBoundary(uint32_t Body::*boundary) const {
  std::vector<uint32_t> begins(packing_.sections + 2, 0);
  for (const Body& body : packing_.bodies) ++begins[body.*boundary + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<uint32_t> next = begins;
  std::vector<uint32_t> bodies(packing_.bodies.size());
  for (uint32_t b = 0; b < bodies.size(); ++b) bodies[next[packing_.bodies[b].*boundary]++] = b;
  Rows<uint32_t> rows;
  rows.Adopt(std::move(begins), std::move(bodies));
  return rows;
}

Edges Dissection::LiveAt(uint32_t section) const {
  Edges live;
  for (uint32_t b = 0; b < packing_.bodies.size(); ++b) {
    if (packing_.bodies[b].first <= section && section < packing_.bodies[b].last) live.push_back(b);
  }
  return live;
}

bool Dissection::Sweep(bool backward, int32_t sure_chance) {
  backward_ = backward;
  sure_chance_ = sure_chance;
  thorough_work_ = kThoroughWorkByBody * packing_.bodies.size() + kAnyWork;
  vertices_.assign(1, {0, 0, 0, false});
  in_order_.clear();
  out_order_.clear();
  const uint32_t edge_count = static_cast<uint32_t>(packing_.bodies.size());
  const uint32_t sections = packing_.sections;
  PqTree tree(edge_count, LiveAt(backward ? sections - 1 : 0));
  tree_ = &tree;
  uint32_t failures = 0;
  for (uint32_t i = 1; i <= sections && !spent(); ++i) {
    if (i % kAskEvery == 1 && stop_ && stop_()) stopped_ = true;
    if (stopped_) break;
    if (Cross(backward ? sections - i : i)) continue;
    if (++failures == kMostFailures || i == sections) return false;
    tree = PqTree(edge_count, LiveAt(backward ? sections - i - 1 : i));
  }
  if (failures > 0 || spent()) return false;
  for (Vertex& vertex : vertices_) vertex.reversed = tree.IsReversed(vertex.frame);
  return true;
}

// All vertices of one time. False: the order that is known does not allow it.
bool Dissection::Cross(uint32_t boundary) {
  in_.Load(at_boundary_[backward_ ? 0 : 1][boundary]);
  out_.Load(at_boundary_[backward_ ? 1 : 0][boundary]);
  groups_.clear();
  if (in_.edges.empty()) return true;
  std::vector<uint32_t> runs;
  const uint32_t run_count = tree_->FindRuns(in_.edges, &runs);
  for (size_t i = 0; i < runs.size(); ++i) known_runs_[backward_ ? 0 : 1][in_.edges[i]] = runs[i];
  if (run_count > 1 && out_.edges.size() > 1) {
    in_.SetRuns(runs);
    runs.clear();
    for (const uint32_t edge : out_.edges) runs.push_back(known_runs_[backward_ ? 1 : 0][edge]);
    out_.SetRuns(runs);
    Split();
  }
  if (in_.left > 0) groups_.push_back({in_.Rest(), out_.Rest()});
  for (const Group& group : groups_) {
    if (!Pass(group.in, group.out)) return false;
  }
  return true;
}

// Finds groups; what is in none is one group.
void Dissection::Split() {
  candidates_.clear();
  for (int in_kind = 0; in_kind < in_.unit_kinds; ++in_kind) {
    for (int out_kind = 0; out_kind < out_.unit_kinds; ++out_kind) {
      List(in_kind, out_kind, kQuickEffort);
    }
  }
  Choose();
  if (ListsAll(in_.edges.size() + out_.edges.size(), kQuickEffort)) return;
  if (in_.left <= 1 || out_.left <= 1) return;
  candidates_.clear();
  bool all = false;
  for (int in_kind = 0; in_kind < in_.unit_kinds; ++in_kind) {
    for (int out_kind = 0; out_kind < out_.unit_kinds; ++out_kind) {
      all = all || (ListThoroughly(in_kind, out_kind) && in_kind + out_kind == 0);
    }
  }
  Choose();
}

void Dissection::List(int in_kind, int out_kind, uint32_t effort) {
  const Side::Units& in = in_.units[in_kind];
  const Side::Units& out = out_.units[out_kind];
  if (in.count < 2 || out.count < 2) return;
  std::vector<uint64_t> left(in.count, 0);
  std::vector<uint64_t> right(out.count, 0);
  for (size_t i = 0; i < in_.edges.size(); ++i) left[in.of[i]] += SizeOf(in_.edges[i]);
  for (size_t i = 0; i < out_.edges.size(); ++i) right[out.of[i]] += SizeOf(out_.edges[i]);
  work_ += uint64_t{1} << std::min((in.count + out.count) / 2, effort);
  for (const EqualSums& sums : FindEqualSums(left, right, effort)) {
    candidates_.push_back({sums, static_cast<uint8_t>(in_kind), static_cast<uint8_t>(out_kind)});
  }
}

// All equal sums, where that takes not too long. False: it does, or they are listed already.
bool Dissection::ListThoroughly(int in_kind, int out_kind) {
  const uint32_t count = in_.units[in_kind].count + out_.units[out_kind].count;
  if (ListsAll(count, kQuickEffort) || !ListsAll(count, kThoroughEffort)) return false;
  const uint64_t work = uint64_t{1} << (count / 2);
  if (work > thorough_work_) return false;
  thorough_work_ -= work;
  List(in_kind, out_kind, kThoroughEffort);
  return true;
}

// Takes candidates that are not by chance, most likely; then the least doubtful others, until the
// rest can be one group.
void Dissection::Choose() {
  std::stable_sort(
      candidates_.begin(), candidates_.end(), [this](const Candidate& a, const Candidate& b) {
        return std::max(a.sums.chance, sure_chance_) < std::max(b.sums.chance, sure_chance_);
      });
  uint32_t tries = 0;
  bool changed = true;
  for (const Candidate& candidate : candidates_) {
    if (candidate.sums.chance > sure_chance_ && changed) {
      if (in_.left == 0 || tree_->Check(in_.Rest())) return;
      changed = false;
    }
    if (++tries > kMostTries) return;
    changed |= Take(candidate);
  }
}

bool Dissection::Take(const Candidate& candidate) {
  const auto& [sums, in_kind, out_kind] = candidate;
  Group group;
  if (!in_.Collect(sums.left, in_kind, &group.in)) return false;
  if (!out_.Collect(sums.right, out_kind, &group.out)) return false;
  if (!tree_->Check(group.in)) return false;
  in_.Take(sums.left, in_kind);
  out_.Take(sums.right, out_kind);
  groups_.push_back(std::move(group));
  return true;
}

bool Dissection::Pass(const Edges& in, const Edges& out) {
  if (!tree_->Check(in)) return false;
  const uint32_t frame = tree_->Replace(out, &in_order_);
  out_order_.insert(out_order_.end(), out.begin(), out.end());
  vertices_.push_back({static_cast<uint32_t>(in_order_.size()),
                       static_cast<uint32_t>(out_order_.size()), frame, false});
  return true;
}

// From the last vertex back: where what begins at a vertex lies, there lies what ends at it, in its
// order.
std::optional<std::vector<uint64_t>> Dissection::FindOffsets() {
  std::vector<uint64_t> offsets(packing_.bodies.size(), kNoOffset);
  for (size_t v = vertices_.size() - 1; v > 0; --v) {
    const auto out_begin = out_order_.begin() + vertices_[v - 1].out_end;
    const auto out_end = out_order_.begin() + vertices_[v].out_end;
    std::sort(out_begin, out_end,
              [&offsets](uint32_t a, uint32_t b) { return offsets[a] < offsets[b]; });
    const uint64_t begin = out_begin == out_end ? 0 : offsets[*out_begin];
    uint64_t end = begin;
    for (auto body = out_begin; body != out_end; ++body) {
      if (offsets[*body] != end) return std::nullopt;
      end += SizeOf(*body);
    }
    const auto in_begin = in_order_.begin() + vertices_[v - 1].in_end;
    const auto in_end = in_order_.begin() + vertices_[v].in_end;
    if (vertices_[v].reversed) std::reverse(in_begin, in_end);
    uint64_t at = begin;
    for (auto body = in_begin; body != in_end; ++body) {
      offsets[*body] = at;
      at += SizeOf(*body);
    }
    if (out_begin != out_end && at != end) return std::nullopt;
  }
  return offsets;
}

}  // namespace

bool IsFilled(const Packing& packing, uint64_t height) {
  if (packing.sections == 0 || packing.room != nullptr) {
    return false;
  }
  std::vector<uint64_t> begins(packing.sections + 1, 0);
  std::vector<uint64_t> ends(packing.sections + 1, 0);
  for (uint32_t b = 0; b < packing.bodies.size(); ++b) {
    const Body& body = packing.bodies[b];
    if (body.fixed || body.alignment != packing.grain || packing.pieces[b].size() != 1) {
      return false;
    }
    begins[body.first] = SaturatingAdd(begins[body.first], body.rounded);
    ends[body.last] = SaturatingAdd(ends[body.last], body.rounded);
  }
  // The topmost need not be rounded up.
  if (begins[0] > kMostBytes || begins[0] > SaturatingAdd(height, packing.grain - 1)) return false;
  return std::equal(begins.begin() + 1, begins.end() - 1, ends.begin() + 1);
}

std::optional<std::vector<uint64_t>> PlaceFilled(const Packing& packing, uint64_t height,
                                                 const StopFunction& stop) {
  if (!IsFilled(packing, height)) return std::nullopt;
  Dissection dissection(packing, stop);
  for (const int32_t sure_chance : kSureChances) {
    for (const bool backward : {false, true}) {
      if (dissection.spent()) return std::nullopt;
      if (!dissection.Sweep(backward, sure_chance)) continue;
      const std::optional<std::vector<uint64_t>> offsets = dissection.FindOffsets();
      if (!offsets.has_value()) continue;
      bool fits = true;
      for (size_t b = 0; b < offsets->size(); ++b) {
        fits &= SumFits((*offsets)[b], packing.bodies[b].size, height);
      }
      if (fits) return offsets;
    }
  }
  return std::nullopt;
}

}  // namespace torqsched
