#include "src/residency/stream_binding.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "src/residency/stream_copies.h"
#include "src/stream/checked.h"
#include "src/stream/error.h"

namespace torqsched {
namespace {

constexpr uint32_t kUnbound = 0xffffffff;

class Binder {
 public:
  Binder(const Deployment& deployment, const std::vector<ProgramFacts>& facts,
         const ResidencyPlan& plan, const std::vector<StreamOfProgram>& streams)
      : deployment_(deployment), facts_(facts), plan_(plan), streams_(streams) {}

  absl::StatusOr<std::vector<BoundStream>> Bind() {
    for (const PlannedProgram& planned : plan_.programs) {
      for (const ChipFootprint& chip : planned.chips) {
        if (chip.footprint_bytes > 0 || chip.table_bytes > 0) ++programs_on_[chip.chip];
      }
    }
    tensor_of_.resize(streams_.size());
    residence_.resize(streams_.size());
    for (size_t s = 0; s < streams_.size(); ++s) {
      if (absl::Status status = ReadBindings(s); !status.ok()) return status;
    }
    std::vector<StreamCopies> copies;
    copies.reserve(streams_.size());
    for (size_t s = 0; s < streams_.size(); ++s) {
      copies.emplace_back(streams_[s].stream, residence_[s]);
      FindKept(s, copies.back());
    }
    std::vector<BoundStream> results(streams_.size());
    for (size_t s = 0; s < streams_.size(); ++s) {
      Drop(s, copies[s], &results[s]);
      results[s].reserved_bytes = ReservedBytes(s);
    }
    return results;
  }

 private:
  const DeployedProgram& ProgramOf(size_t s) const {
    return deployment_.programs[streams_[s].program];
  }

  absl::Status Invalid(size_t s, absl::string_view field, absl::string_view message) const {
    return Within(FieldError(field, message),
                  DescribeItem("stream", static_cast<uint32_t>(s), streams_[s].stream.name()),
                  absl::StrCat("streams[", s, "]."));
  }

  absl::Status ReadBindings(size_t s) {
    const StreamOfProgram& bound = streams_[s];
    if (bound.program >= deployment_.programs.size()) {
      return Invalid(s, "program",
                     absl::StrCat("there is no program ", bound.program, "; there are ",
                                  deployment_.programs.size()));
    }
    tensor_of_[s].assign(bound.stream.buffer_count(), kUnbound);
    residence_[s].assign(bound.stream.buffer_count(), Residence::kNone);
    // Bindings by tensor, so that a tensor's buffers are summed without a list of all tensors.
    std::vector<std::pair<uint32_t, uint32_t>> by_tensor;  // tensor, binding
    for (uint32_t i = 0; i < bound.bindings.size(); ++i) {
      if (absl::Status status = CheckBinding(s, i); !status.ok()) return status;
      tensor_of_[s][BufferIndex(bound.bindings[i].buffer)] = bound.bindings[i].tensor;
      by_tensor.emplace_back(bound.bindings[i].tensor, i);
    }
    std::sort(by_tensor.begin(), by_tensor.end());
    for (size_t i = 0; i < by_tensor.size();) {
      size_t end = i;
      while (end < by_tensor.size() && by_tensor[end].first == by_tensor[i].first) ++end;
      absl::Status status = BindTensor(s, by_tensor.data() + i, by_tensor.data() + end);
      if (!status.ok()) return status;
      i = end;
    }
    return absl::OkStatus();
  }

  absl::Status CheckBinding(size_t s, uint32_t i) const {
    const TensorBuffer& binding = streams_[s].bindings[i];
    const Stream& stream = streams_[s].stream;
    const std::string buffer_field = absl::StrCat("bindings[", i, "].buffer");
    if (binding.buffer >= stream.buffer_count()) {
      return Invalid(s, buffer_field,
                     absl::StrCat("there is no buffer ", binding.buffer, "; there are ",
                                  stream.buffer_count()));
    }
    const BufferIndex b(binding.buffer);
    const size_t tensors = ProgramOf(s).tensors.size();
    if (binding.tensor >= tensors) {
      return Invalid(s, absl::StrCat("bindings[", i, "].tensor"),
                     absl::StrCat("there is no tensor ", binding.tensor, "; there are ", tensors));
    }
    if (stream.buffer(b).space != Space::kLram) {
      return Invalid(s, buffer_field,
                     absl::StrCat(stream.Describe(b), " is in XRAM; expected one in LRAM"));
    }
    if (tensor_of_[s][b] != kUnbound) {
      return Invalid(s, buffer_field,
                     absl::StrCat(stream.Describe(b), " is bound already, to tensor ",
                                  tensor_of_[s][b], "; expected each buffer once"));
    }
    return absl::OkStatus();
  }

  // All bindings of one tensor, in their order.
  absl::Status BindTensor(size_t s, const std::pair<uint32_t, uint32_t>* begin,
                          const std::pair<uint32_t, uint32_t>* end) {
    const Stream& stream = streams_[s].stream;
    const uint32_t t = begin->first;
    const DeployedTensor& tensor = ProgramOf(s).tensors[t];
    const ProgramFacts& facts = facts_[streams_[s].program];
    const bool table = tensor.role == TensorRole::kState && !facts.carried[t];
    const bool resident = StandsHere(s, t) && (!table || IsAlone(s));
    uint64_t sum = 0;
    for (const auto* binding = begin; binding != end; ++binding) {
      const BufferIndex b(streams_[s].bindings[binding->second].buffer);
      if (!CheckedAdd(&sum, stream.buffer(b).size) || sum > tensor.bytes) {
        return Invalid(s, absl::StrCat("bindings[", binding->second, "].buffer"),
                       absl::StrCat("with ", stream.Describe(b), ", the buffers of ",
                                    DescribeItem("tensor", t, tensor.name), " are larger than its ",
                                    tensor.bytes, " bytes"));
      }
      if (resident) residence_[s][b] = table ? Residence::kTable : Residence::kResident;
    }
    if (!resident) kept_.emplace(streams_[s].program, t);  // whoever is bound to it goes outside
    return absl::OkStatus();
  }

  // Whether the plan has all of it in SRAM of the stream's chip, and no other chip accesses it.
  bool StandsHere(size_t s, uint32_t t) const {
    if (plan_.programs[streams_[s].program].tiers[t] != Tier::kSram) return false;
    const ProgramFacts& facts = facts_[streams_[s].program];
    return facts.chips_of[t].size() <= 1 && facts.chips[facts.HomeOf(t)] == streams_[s].chip;
  }

  // Own tables are part of what the program keeps of the chip while it runs, as are activations:
  // between its runs they are there only where no other program keeps anything.
  bool IsAlone(size_t s) const {
    const auto found = programs_on_.find(streams_[s].chip);
    return found == programs_on_.end() || found->second <= 1;
  }

  // Whether the buffer is resident, and its tensor needs no transfers.
  bool IsKeptOnChip(size_t s, BufferIndex b) const {
    return residence_[s][b] != Residence::kNone &&
           kept_.count({streams_[s].program, tensor_of_[s][b]}) == 0;
  }

  // Tensors of which a transfer has to stay.
  void FindKept(size_t s, const StreamCopies& copies) {
    const uint32_t program = streams_[s].program;
    for (const StreamCopy& copy : copies.copies()) {
      if (copies.WhyKept(copy) != KeptReason::kNone) {
        kept_.emplace(program, tensor_of_[s][copy.resident]);
      }
    }
    for (size_t i = 0; i < residence_[s].size(); ++i) {
      const BufferIndex b(i);
      if (residence_[s][b] == Residence::kNone || !copies.Spoiled(b)) continue;
      kept_.emplace(program, tensor_of_[s][b]);
    }
    for (const OpIndex o : copies.others()) {
      for (const Access& access : streams_[s].stream.accesses(o)) {
        if (residence_[s][access.buffer] == Residence::kNone) continue;
        kept_.emplace(program, tensor_of_[s][access.buffer]);
      }
    }
  }

  void Drop(size_t s, const StreamCopies& copies, BoundStream* result) const {
    const Stream& stream = streams_[s].stream;
    IndexVector<BufferIndex, char> loaded(stream.buffer_count(), 0);
    IndexVector<BufferIndex, char> stored(stream.buffer_count(), 0);
    for (const OpIndex o : copies.others()) result->kept.push_back({o, KeptReason::kNoCopy});
    for (const StreamCopy& copy : copies.copies()) {
      if (!IsKeptOnChip(s, copy.resident)) {
        const KeptReason reason = copies.WhyKept(copy);
        result->kept.push_back(
            {copy.op, reason == KeptReason::kNone ? KeptReason::kAnotherStays : reason});
        continue;
      }
      result->dropped.push_back(copy.op);
      (copy.load ? loaded : stored)[copy.resident] = 1;
    }
    std::sort(result->kept.begin(), result->kept.end(),
              [](const KeptTransfer& a, const KeptTransfer& b) { return a.op < b.op; });
    // States stay; an activation is there before the stream where it was loaded, and after it where
    // it was stored.
    for (size_t i = 0; i < stream.buffer_count(); ++i) {
      const BufferIndex b(i);
      if (!IsKeptOnChip(s, b)) continue;
      const bool stays = ProgramOf(s).tensors[tensor_of_[s][b]].role == TensorRole::kState;
      const Buffer& buffer = stream.buffer(b);
      if (!buffer.live_in && (stays || loaded[b])) result->live_in.push_back(b);
      if (!buffer.live_out && (stays || stored[b])) result->live_out.push_back(b);
    }
  }

  // What the chip holds of carried states, but for those in resident buffers of the stream.
  uint64_t ReservedBytes(size_t s) const {
    const auto chip =
        std::lower_bound(plan_.chips.begin(), plan_.chips.end(), streams_[s].chip,
                         [](const PlannedChip& a, uint32_t number) { return a.chip < number; });
    if (chip == plan_.chips.end() || chip->chip != streams_[s].chip) return 0;
    uint64_t here = 0;
    for (const TensorBuffer& binding : streams_[s].bindings) {
      const BufferIndex b(binding.buffer);
      const bool carried = facts_[streams_[s].program].carried[binding.tensor] != 0;
      // Fits: buffers of a tensor are not larger than it is, and the plan has summed those.
      if (carried && IsKeptOnChip(s, b)) here += streams_[s].stream.buffer(b).size;
    }
    return chip->carried_bytes - std::min(chip->carried_bytes, here);
  }

  const Deployment& deployment_;
  const std::vector<ProgramFacts>& facts_;
  const ResidencyPlan& plan_;
  const std::vector<StreamOfProgram>& streams_;
  std::vector<IndexVector<BufferIndex, uint32_t>> tensor_of_;   // by stream; kUnbound: none
  std::vector<IndexVector<BufferIndex, Residence>> residence_;  // by stream
  std::map<uint32_t, size_t> programs_on_;        // by chip: those that keep bytes of it
  std::set<std::pair<uint32_t, uint32_t>> kept_;  // program, tensor
};

}  // namespace

absl::StatusOr<std::vector<BoundStream>> BindStreams(const Deployment& deployment,
                                                     const std::vector<ProgramFacts>& facts,
                                                     const ResidencyPlan& plan,
                                                     const std::vector<StreamOfProgram>& streams) {
  return Binder(deployment, facts, plan, streams).Bind();
}

}  // namespace torqsched
