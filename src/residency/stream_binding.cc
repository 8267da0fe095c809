#include "src/residency/stream_binding.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "src/residency/placing.h"
#include "src/stream/checked.h"
#include "src/stream/error.h"

namespace torqsched {
namespace {

constexpr uint32_t kUnbound = 0xffffffff;

absl::Status Invalid(absl::string_view field, absl::string_view message) {
  return ErrorAt(absl::StatusCode::kInvalidArgument, absl::StrCat(field, ": ", message),
                 {std::string(field), OpIndex(), BufferIndex()});
}

// Bytes of an XRAM buffer and of a resident one that a transfer copies, one way or the other.
struct Copy {
  OpIndex op;
  BufferIndex mirror;
  BufferIndex resident;
  uint64_t mirror_begin = 0;
  uint64_t resident_begin = 0;
  uint64_t bytes = 0;
};

class Binder {
 public:
  Binder(const Deployment& deployment, const std::vector<ProgramFacts>& facts,
         const ResidencyPlan& plan, const StreamOfProgram& bound)
      : deployment_(deployment), facts_(facts), plan_(plan), bound_(bound), stream_(bound.stream) {}

  absl::StatusOr<BoundStream> Bind() {
    if (bound_.program >= deployment_.programs.size()) {
      return Invalid("program", absl::StrCat("there is no program ", bound_.program, "; there are ",
                                             deployment_.programs.size()));
    }
    if (absl::Status status = ReadBindings(); !status.ok()) return status;
    ListCopies();
    CheckRepeats();
    CheckOneToOne();
    BoundStream result;
    Drop(&result);
    SetLive(&result);
    result.reserved_bytes = ReservedBytes();
    return result;
  }

 private:
  const DeployedProgram& program() const { return deployment_.programs[bound_.program]; }
  bool IsResident(BufferIndex b) const { return resident_[b] != 0; }

  absl::Status ReadBindings() {
    tensor_of_.assign(stream_.buffer_count(), kUnbound);
    resident_.assign(stream_.buffer_count(), 0);
    std::vector<uint64_t> bytes(program().tensors.size(), 0);
    for (size_t i = 0; i < bound_.bindings.size(); ++i) {
      if (absl::Status status = ReadBinding(i, &bytes); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status ReadBinding(size_t i, std::vector<uint64_t>* bytes) {
    const TensorBuffer& binding = bound_.bindings[i];
    const std::string field = absl::StrCat("bindings[", i, "]");
    if (binding.buffer >= stream_.buffer_count()) {
      return Invalid(absl::StrCat(field, ".buffer"),
                     absl::StrCat("there is no buffer ", binding.buffer, "; there are ",
                                  stream_.buffer_count()));
    }
    const BufferIndex b(binding.buffer);
    if (binding.tensor >= program().tensors.size()) {
      return Invalid(absl::StrCat(field, ".tensor"),
                     absl::StrCat("there is no tensor ", binding.tensor, "; there are ",
                                  program().tensors.size()));
    }
    if (stream_.buffer(b).space != Space::kLram) {
      return Invalid(absl::StrCat(field, ".buffer"),
                     absl::StrCat(stream_.Describe(b), " is in XRAM; expected one in LRAM"));
    }
    if (tensor_of_[b] != kUnbound) {
      return Invalid(
          absl::StrCat(field, ".buffer"),
          absl::StrCat(stream_.Describe(b), " is bound already, to tensor ", tensor_of_[b]));
    }
    tensor_of_[b] = binding.tensor;
    const DeployedTensor& tensor = program().tensors[binding.tensor];
    uint64_t& sum = (*bytes)[binding.tensor];
    if (!CheckedAdd(&sum, stream_.buffer(b).size) || sum > tensor.bytes) {
      return Invalid(absl::StrCat(field, ".buffer"),
                     absl::StrCat("with ", stream_.Describe(b), ", the buffers of ",
                                  DescribeItem("tensor", binding.tensor, tensor.name),
                                  " are larger than its ", tensor.bytes, " bytes"));
    }
    if (StandsHere(binding.tensor)) {
      resident_[b] = 1;
      if (IsCarried(binding.tensor))
        held_here_ += stream_.buffer(b).size;  // fits: below the plan's
    }
    return absl::OkStatus();
  }

  bool IsCarried(uint32_t tensor) const { return facts_[bound_.program].carried[tensor] != 0; }

  // Whether the plan has all of it in SRAM of the stream's chip: an activation stands on each chip
  // that accesses it, anything else on the lowest.
  bool StandsHere(uint32_t tensor) const {
    if (plan_.programs[bound_.program].tiers[tensor] != Tier::kSram) return false;
    const ProgramFacts& facts = facts_[bound_.program];
    const Run<uint32_t> chips = facts.chips_of[tensor];
    if (program().tensors[tensor].role != TensorRole::kActivation || chips.empty()) {
      return facts.chips[facts.HomeOf(tensor)] == bound_.chip;
    }
    return std::any_of(chips.begin(), chips.end(),
                       [&](uint32_t chip) { return facts.chips[chip] == bound_.chip; });
  }

  // The copy that an op makes, if it is a transfer as rule 1 has it.
  std::optional<Copy> CopyOf(OpIndex o) const {
    const OpKind kind = stream_.op(o).kind;
    const Run<Access> accesses = stream_.accesses(o);
    if ((kind != OpKind::kLoad && kind != OpKind::kStore) || accesses.size() != 2) return {};
    const bool first_outside = stream_.buffer(accesses[0].buffer).space == Space::kXram;
    const Access& outside = accesses[first_outside ? 0 : 1];
    const Access& inside = accesses[first_outside ? 1 : 0];
    const Access& from = kind == OpKind::kLoad ? outside : inside;
    const Access& to = kind == OpKind::kLoad ? inside : outside;
    if (stream_.buffer(outside.buffer).space != Space::kXram || !IsResident(inside.buffer) ||
        from.writes || to.reads || from.end - from.begin != to.end - to.begin) {
      return {};
    }
    return Copy{o, outside.buffer, inside.buffer, outside.begin, inside.begin, to.end - to.begin};
  }

  // Rule 1, and of rule 3 that nothing brings back what was overwritten.
  void ListCopies() {
    no_mirror_.assign(stream_.buffer_count(), 0);
    used_.assign(stream_.buffer_count(), OpIndex());
    IndexVector<BufferIndex, char> overwritten(stream_.buffer_count(), 0);
    const auto use = [this](BufferIndex b, OpIndex o) {
      if (!used_[b].present()) used_[b] = o;
    };
    for (size_t i = 0; i < stream_.op_count(); ++i) {
      const OpIndex o(i);
      if (const std::optional<Copy> copy = CopyOf(o); copy.has_value()) {
        const bool load = stream_.op(o).kind == OpKind::kLoad;
        if (load && overwritten[copy->resident]) no_mirror_[copy->mirror] = 1;
        if (!load) use(copy->resident, o);
        copies_.push_back(*copy);
        continue;
      }
      for (const Access& access : stream_.accesses(o)) {
        no_mirror_[access.buffer] = 1;
        use(access.buffer, o);
        if (access.writes) overwritten[access.buffer] = 1;
      }
    }
  }

  // The rest of rule 3: of each load, is its first like before the buffer's first use?
  void CheckRepeats() {
    const auto key = [](const Copy& c) {
      return std::make_tuple(c.mirror, c.resident, c.mirror_begin, c.resident_begin, c.bytes);
    };
    std::vector<Copy> loads;
    for (const Copy& copy : copies_) {
      if (stream_.op(copy.op).kind == OpKind::kLoad) loads.push_back(copy);
    }
    std::stable_sort(loads.begin(), loads.end(),
                     [&key](const Copy& a, const Copy& b) { return key(a) < key(b); });
    for (size_t i = 0; i < loads.size(); ++i) {
      if (i > 0 && key(loads[i]) == key(loads[i - 1])) continue;
      if (used_[loads[i].resident] < loads[i].op) no_mirror_[loads[i].mirror] = 1;
    }
  }

  // Rule 2: on both sides, bytes that several copies touch are copied to the same place.
  void CheckOneToOne() {
    std::vector<uint32_t> order(copies_.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<uint32_t>(i);
    CheckSide(&order, [](const Copy& c) { return std::make_pair(c.mirror, c.mirror_begin); });
    CheckSide(&order, [](const Copy& c) { return std::make_pair(c.resident, c.resident_begin); });
  }

  template <typename Side>  // of a copy: its buffer on that side, and where it begins there
  void CheckSide(std::vector<uint32_t>* order, Side side) {
    std::sort(order->begin(), order->end(), [&](uint32_t a, uint32_t b) {
      return std::make_tuple(side(copies_[a]), a) < std::make_tuple(side(copies_[b]), b);
    });
    // Of those before that overlap, the one that reaches furthest stands for all: they go to the
    // same place, or have been refused. Whoever overlaps one refused is refused.
    const Copy* reach = nullptr;
    uint64_t end = 0;
    for (const uint32_t i : *order) {
      const Copy& copy = copies_[i];
      if (copy.bytes == 0) continue;
      const auto [buffer, begin] = side(copy);
      if (reach != nullptr && side(*reach).first == buffer && begin < end) {
        const bool same =
            copy.mirror == reach->mirror && copy.resident == reach->resident &&
            copy.mirror_begin - reach->mirror_begin == copy.resident_begin - reach->resident_begin;
        if (!same) no_mirror_[copy.mirror] = no_mirror_[reach->mirror] = 1;
      } else {
        end = 0;
      }
      if (begin + copy.bytes > end) {
        end = begin + copy.bytes;
        reach = &copy;
      }
    }
  }

  void Drop(BoundStream* result) {
    loaded_.assign(stream_.buffer_count(), 0);
    stored_.assign(stream_.buffer_count(), 0);
    for (const Copy& copy : copies_) {
      if (no_mirror_[copy.mirror]) {
        ++result->kept;
        continue;
      }
      result->dropped.push_back(copy.op);
      const bool load = stream_.op(copy.op).kind == OpKind::kLoad;
      (load ? loaded_ : stored_)[copy.resident] = 1;
    }
  }

  // States stay; an activation is there before the stream where it was loaded, and after it where
  // it was stored.
  void SetLive(BoundStream* result) const {
    for (size_t i = 0; i < stream_.buffer_count(); ++i) {
      const BufferIndex b(i);
      if (!IsResident(b)) continue;
      const bool stays = program().tensors[tensor_of_[b]].role == TensorRole::kState;
      const Buffer& buffer = stream_.buffer(b);
      if (!buffer.live_in && (stays || loaded_[b])) result->live_in.push_back(b);
      if (!buffer.live_out && (stays || stored_[b])) result->live_out.push_back(b);
    }
  }

  uint64_t ReservedBytes() const {
    const auto chip =
        std::lower_bound(plan_.chips.begin(), plan_.chips.end(), bound_.chip,
                         [](const PlannedChip& a, uint32_t number) { return a.chip < number; });
    if (chip == plan_.chips.end() || chip->chip != bound_.chip) return 0;
    return chip->carried_bytes - std::min(chip->carried_bytes, held_here_);
  }

  const Deployment& deployment_;
  const std::vector<ProgramFacts>& facts_;
  const ResidencyPlan& plan_;
  const StreamOfProgram& bound_;
  const Stream& stream_;
  IndexVector<BufferIndex, uint32_t> tensor_of_;  // kUnbound: none
  IndexVector<BufferIndex, char> resident_;
  uint64_t held_here_ = 0;                  // bytes of carried states in resident buffers
  std::vector<Copy> copies_;                // in input order
  IndexVector<BufferIndex, OpIndex> used_;  // by what is no load first; nothing: by none
  IndexVector<BufferIndex, char> no_mirror_;
  IndexVector<BufferIndex, char> loaded_, stored_;  // by a copy that is dropped
};

}  // namespace

absl::StatusOr<BoundStream> BindStream(const Deployment& deployment,
                                       const std::vector<ProgramFacts>& facts,
                                       const ResidencyPlan& plan, const StreamOfProgram& bound) {
  return Binder(deployment, facts, plan, bound).Bind();
}

}  // namespace torqsched
