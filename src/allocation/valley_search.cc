#include "src/allocation/valley_search.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include "src/allocation/order_search.h"
#include "src/stream/checked.h"

namespace torqsched {
namespace {

constexpr size_t kSearches = 36;        // in a round, each with failure counts of its own
constexpr uint64_t kFirstLimit = 2;     // nodes for each body, in the first round
constexpr uint64_t kRoundsOfShort = 2;  // rounds before long searches are tried, too
constexpr uint32_t kFewBodies = 32;     // are searched to the end at first, up to a limit
constexpr uint64_t kFewBodiesLimit = 20000;
constexpr size_t kMostTries = 32;  // sections that a pick looks at before it takes the lowest
constexpr uint64_t kItemsPerNode = 2048;  // scanned, that cost as much as a node does at least
constexpr uint64_t kLargest = std::numeric_limits<uint64_t>::max();
constexpr uint64_t kBlur = 96;  // small keys are scaled by this, so that chance can tell them apart

}  // namespace

ValleySearch::ValleySearch(const Packing& packing, uint64_t capacity, const SearchRules& rules)
    : packing_(packing), rules_(rules), state_(packing, capacity, rules), weights_(kSearches) {
  for (uint32_t b = 0; b < state_.body_count(); ++b)
    length_.push_back(state_.sections_of(b).size());
  FindClasses();
}

// Bodies are identical where pieces, alignment and fixed offset are.
void ValleySearch::FindClasses() {
  const uint32_t n = state_.body_count();
  const auto compare = [this](uint32_t a, uint32_t b) {
    const auto key = [this](uint32_t x) {
      const Body& body = packing_.bodies[x];
      return std::make_tuple(body.first, body.last, body.size, body.alignment, body.fixed,
                             body.offset);
    };
    if (key(a) != key(b)) return key(a) < key(b) ? -1 : 1;
    const auto x = packing_.pieces[a];
    const auto y = packing_.pieces[b];
    if (x.size() != y.size()) return x.size() < y.size() ? -1 : 1;
    for (size_t i = 0; i < x.size(); ++i) {
      const auto p = std::make_tuple(x[i].first, x[i].last, x[i].size);
      const auto q = std::make_tuple(y[i].first, y[i].last, y[i].size);
      if (p != q) return p < q ? -1 : 1;
    }
    return 0;
  };
  std::vector<uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const int sign = compare(a, b);
    return sign != 0 ? sign < 0 : a < b;
  });
  class_of_.assign(n, 0);
  uint32_t classes = 0;
  for (uint32_t i = 0; i < n; ++i) {
    if (i > 0 && compare(order[i - 1], order[i]) != 0) ++classes;
    class_of_[order[i]] = classes;
  }
  class_stamp_.assign(classes + 1, 0);
}

SearchResult ValleySearch::Run(Budget* budget) {
  if (!state_.Propagate()) return SearchResult::kExhausted;
  parts_.clear();
  FindParts({0, state_.section_count(), 0});
  const std::vector<Part> parts = parts_;
  for (const Part& part : parts) {
    const SearchResult result = RunPart(part, budget);
    if (result != SearchResult::kFound) return result;
  }
  return SearchResult::kFound;
}

SearchResult ValleySearch::RunPart(const Part& part, Budget* budget) {
  const ValleyState::Mark mark = state_.mark();
  const uint32_t bodies = UnplacedIn(part);
  for (Weights& weights : weights_) {  // those of earlier parts are of no use, but do no harm
    weights.body.resize(state_.body_count(), 0);
    weights.section.resize(state_.section_count(), 0);
  }
  weight_ = &weights_[0];
  if (!rules_.restart) return Search(part, kLargest, budget);
  if (bodies <= kFewBodies) {
    const SearchResult result = Search(part, kFewBodiesLimit, budget);
    // Very few bodies that take so many nodes are for SearchOrders.
    if (result != SearchResult::kStopped || budget->spent() || bodies <= kMostOrdered) {
      return result;
    }
    state_.Undo(mark);
  }
  // Chosen for what they solve together: no pair is good everywhere.
  static constexpr std::pair<SectionRule, ValueOrder> kPairs[] = {
      {SectionRule::kSumAndFailures, ValueOrder::kLengthAndFailures},
      {SectionRule::kSumPerCandidate, ValueOrder::kLengthAndFailures},
      {SectionRule::kSumAndFailures, ValueOrder::kLiveSums},
      {SectionRule::kFailures, ValueOrder::kSize},
      {SectionRule::kSumAndFailures, ValueOrder::kLengthAndFailures},
      {SectionRule::kSumPerCandidate, ValueOrder::kLiveSums},
      {SectionRule::kFewestCandidates, ValueOrder::kLiveSums},
      {SectionRule::kSumPerCandidate, ValueOrder::kLength},
      {SectionRule::kSumAndFailures, ValueOrder::kSize},
  };
  constexpr size_t kPairCount = sizeof(kPairs) / sizeof(kPairs[0]);
  uint64_t limit = std::max<uint64_t>(kFirstLimit * bodies, 1);
  for (uint64_t round = 0;; ++round) {
    for (size_t search = 0; search < kSearches; ++search) {
      section_rule_ = kPairs[search % kPairCount].first;
      value_order_ = kPairs[search % kPairCount].second;
      noisy_ = round > 0 || search >= kPairCount;
      noise_ = round * kSearches + search + 1;
      weight_ = &weights_[search];
      const SearchResult result = Search(part, limit, budget);
      if (result != SearchResult::kStopped || budget->spent()) return result;
      state_.Undo(mark);
    }
    if (round < kRoundsOfShort) {
      limit = SaturatingAdd(limit, limit / 2);
      continue;
    }
    // One long search, so that what takes many nodes to exhaust is not begun over and over.
    weight_ = &weights_[0];
    const SearchResult result = Search(part, SaturatingMultiply(limit, kSearches / 3), budget);
    if (result != SearchResult::kStopped || budget->spent()) return result;
    state_.Undo(mark);
    limit = SaturatingAdd(limit, limit / 2);
  }
}

SearchResult ValleySearch::Search(const Part& part, uint64_t node_limit, Budget* budget) {
  frames_.clear();
  choices_.clear();
  parts_.clear();
  Status status = Enter(part);
  for (uint64_t nodes = 0;;) {
    if (status != Status::kOpen) {
      if (frames_.empty()) {
        return status == Status::kSolved ? SearchResult::kFound : SearchResult::kExhausted;
      }
      status = Return(status);
      continue;
    }
    if (!frames_.back().is_split) {
      // Wide nodes count for more, so that a limit bounds the time, too.
      const uint64_t cost = 1 + state_.TakeScanned() / kItemsPerNode;
      if (nodes++ == node_limit || !budget->Spend(cost)) return SearchResult::kStopped;
    }
    status = TryNext(&frames_.back());
  }
}

// What the frame on top makes of the end of what it tried.
ValleySearch::Status ValleySearch::Return(Status status) {
  Frame& frame = frames_.back();
  const bool solved = status == Status::kSolved;
  if (frame.is_split) {
    if (solved && frame.next < frame.last) return Status::kOpen;
    parts_.resize(frame.first);
  } else {
    if (!solved) {
      if (frame.next <= frame.last && frame.next > frame.first) {
        ++weight_->body[choices_[frame.next - 1]];
      }
      ++weight_->section[state_.failed_section()];
      return Status::kOpen;
    }
    choices_.resize(frame.first);
  }
  frames_.pop_back();
  return status;
}

// The next child of a branch, or the next part of a split.
ValleySearch::Status ValleySearch::TryNext(Frame* frame) {
  if (frame->is_split) {
    const Part part = parts_[frame->next++];
    PushBranch(part);
    return Status::kOpen;
  }
  state_.Undo(frame->mark);
  const Part part = {frame->part_first, frame->part_last, 0};
  if (frame->next < frame->last) {
    const uint32_t body = choices_[frame->next++];
    return state_.Place(body) ? Enter(part) : Status::kFailed;
  }
  if (frame->hole) {
    frame->hole = false;
    frame->next = frame->last + 1;
    return OpenHole(*frame) ? Enter(part) : Status::kFailed;
  }
  choices_.resize(frame->first);
  frames_.pop_back();
  return Status::kFailed;
}

ValleySearch::Status ValleySearch::Enter(const Part& part) {
  if (!state_.Propagate()) return Status::kFailed;
  const uint32_t first = static_cast<uint32_t>(parts_.size());
  FindParts(part);
  const uint32_t last = static_cast<uint32_t>(parts_.size());
  if (first == last) return Status::kSolved;
  if (last - first == 1) {
    const Part only = parts_.back();
    parts_.pop_back();
    PushBranch(only);
    return Status::kOpen;
  }
  Frame frame;
  frame.is_split = true;
  frame.first = frame.next = first;
  frame.last = last;
  frames_.push_back(frame);
  return Status::kOpen;
}

// Appends the parts of a part to parts_, the tightest first.
void ValleySearch::FindParts(const Part& whole) {
  const size_t begin = parts_.size();
  Part part = {0, 0, kLargest};
  bool open = false;
  for (uint32_t s = whole.first; s < whole.last; ++s) {
    const ValleyState::Section& section = state_.section(s);
    if (section.count > 0) {
      if (!open) part = {s, s, kLargest};
      open = true;
      const uint64_t floor = SaturatingAdd(section.seen.least, section.sum);
      part.slack = std::min(part.slack, section.limit - std::min(section.limit, floor));
      part.last = s + 1;
    }
    if (open && rules_.decompose && state_.crossing(s) == 0) {
      parts_.push_back(part);
      open = false;
    }
  }
  if (open) parts_.push_back(part);
  std::sort(parts_.begin() + begin, parts_.end(), [](const Part& a, const Part& b) {
    return a.slack != b.slack ? a.slack < b.slack : a.first < b.first;
  });
}

uint32_t ValleySearch::UnplacedIn(const Part& part) const {
  uint32_t bodies = 0;
  for (uint32_t b = 0; b < state_.body_count(); ++b) {
    const uint32_t first = packing_.bodies[b].first;
    if (!state_.placed(b) && part.first <= first && first < part.last) ++bodies;
  }
  return bodies;
}

void ValleySearch::PushBranch(const Part& part) {
  Frame frame;
  frame.section = PickSection(part);
  frame.mark = state_.mark();
  frame.part_first = part.first;
  frame.part_last = part.last;
  frame.first = frame.next = static_cast<uint32_t>(choices_.size());
  frame.hole = true;
  ++branches_;
  keyed_.clear();
  const uint64_t floor = state_.section(frame.section).seen.least;
  for (const ValleyState::Item& item : state_.items(frame.section)) {
    if (state_.least(item.body) != floor) continue;
    if (state_.fixed(item.body)) {  // it does lie there
      keyed_.assign(1, {0, item.body});
      frame.hole = false;
      break;
    }
    if (rules_.identical_once) {
      uint64_t& stamp = class_stamp_[class_of_[item.body]];
      if (stamp == branches_) continue;
      stamp = branches_;
    }
    keyed_.push_back({ValueKey(item.body), item.body});
  }
  std::sort(keyed_.begin(), keyed_.end(), [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first > b.first;
    const uint64_t x = packing_.bodies[a.second].rounded;
    const uint64_t y = packing_.bodies[b.second].rounded;
    return x != y ? x > y : a.second < b.second;
  });
  for (const auto& [key, body] : keyed_) choices_.push_back(body);
  frame.last = static_cast<uint32_t>(choices_.size());
  frames_.push_back(frame);
}

bool ValleySearch::IsEligible(uint32_t s) const {
  const uint64_t floor = state_.section(s).seen.least;
  for (const ValleyState::Item& item : state_.items(s)) {
    if (state_.least(item.body) == floor && !state_.IsLow(item.body)) return false;
  }
  return true;
}

uint32_t ValleySearch::PickSection(const Part& part) {
  state_.Count(part.last - part.first);
  ranked_.clear();
  uint32_t lowest = part.first;
  for (uint32_t s = part.first; s < part.last; ++s) {
    if (state_.section(s).count == 0) continue;
    const uint64_t floor = state_.section(s).seen.least;
    if (ranked_.empty() || floor < state_.section(lowest).seen.least) lowest = s;
    ranked_.push_back({SectionKey(s), floor, s});
  }
  const auto after = [](const Ranked& a, const Ranked& b) {
    if (a.key != b.key) return a.key < b.key;
    return a.floor != b.floor ? a.floor > b.floor : a.section > b.section;
  };
  std::make_heap(ranked_.begin(), ranked_.end(), after);
  for (size_t tries = 0; tries < kMostTries && !ranked_.empty(); ++tries) {
    if (IsEligible(ranked_.front().section)) return ranked_.front().section;
    std::pop_heap(ranked_.begin(), ranked_.end(), after);
    ranked_.pop_back();
  }
  return lowest;  // nobody can be below the lowest of all
}

// The section with the largest key comes first.
uint64_t ValleySearch::SectionKey(uint32_t s) {
  const ValleyState::Section& section = state_.section(s);
  const uint64_t failures = weight_->section[s];
  switch (section_rule_) {
    case SectionRule::kSumAndFailures:
      return Blur(SaturatingMultiply(section.sum, 16 + failures));
    case SectionRule::kSumPerCandidate:
      return Blur(SaturatingMultiply(section.sum / section.seen.at_least, 64 + failures));
    case SectionRule::kFailures:
      return Blur(kBlur * failures);
    case SectionRule::kFewestCandidates:
      break;
  }
  return kLargest - Blur(kBlur * section.seen.at_least);
}

// The body with the largest key comes first.
uint64_t ValleySearch::ValueKey(uint32_t body) {
  switch (value_order_) {
    case ValueOrder::kSize:
      return Blur(packing_.bodies[body].rounded);
    case ValueOrder::kLength:
      return Blur(kBlur * length_[body]);
    case ValueOrder::kLengthAndFailures:
      return Blur(SaturatingMultiply(length_[body], 8 + weight_->body[body]));
    case ValueOrder::kLiveSums:
      break;
  }
  uint64_t sums = 0;
  for (const uint32_t s : state_.sections_of(body)) {
    sums = SaturatingAdd(sums, state_.section(s).sum);
  }
  return Blur(sums);
}

// After the first searches keys are scaled by chance, so that each search goes other ways.
uint64_t ValleySearch::Blur(uint64_t key) {
  if (!noisy_) return key;
  noise_ = noise_ * 6364136223846793005 + 1442695040888963407;
  const uint64_t factor = 64 + (noise_ >> 59);  // 64 to 95
  return key / kBlur * factor + key % kBlur;
}

bool ValleySearch::OpenHole(const Frame& frame) {
  const uint64_t floor = state_.section(frame.section).seen.least;
  keyed_.clear();
  for (const ValleyState::Item& item : state_.items(frame.section)) {
    if (state_.least(item.body) == floor) keyed_.push_back({0, item.body});
  }
  for (const auto& [unused, body] : keyed_) {
    const uint64_t end = state_.LeastNeighbourEnd(body);
    if (end == kNoOffset || !state_.Raise(body, end)) return false;
  }
  return true;
}

}  // namespace torqsched
