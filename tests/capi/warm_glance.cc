// What must hold of any plan of warms.
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/capi/warm_requests.h"

namespace torqsched {
namespace testing {
namespace {

constexpr int kParameters = 11;
constexpr uint64_t kDefaultL2 = 201326592;
constexpr uint32_t kDefaultAlternatives = 256;

// The first thing wrong is kept.
class Finding {
 public:
  void Expect(bool right, const std::string& what) {
    if (!right && wrong_.empty()) wrong_ = what;
  }
  const std::string& wrong() const { return wrong_; }

 private:
  std::string wrong_;
};

// Regions that a kind reads, in the order of first reads, and who reads them first.
struct Reads {
  std::vector<uint32_t> regions;
  std::map<uint32_t, uint32_t> reader;
};

Reads ReadsOf(const v1::WarmLayerKind& kind) {
  Reads reads;
  for (int s = 0; s < kind.stages_size(); ++s) {
    for (const v1::WarmRead& read : kind.stages(s).reads()) {
      if (!reads.reader.emplace(read.region(), static_cast<uint32_t>(s)).second) continue;
      reads.regions.push_back(read.region());
    }
  }
  return reads;
}

bool IsFlat(const v1::WarmRegion& region) {
  if (region.shape_size() == 0) return !region.has_flat() || region.flat();
  return std::all_of(region.shape().begin(), region.shape().end() - 1,
                     [](uint64_t dimension) { return dimension == 1; });
}

// The layer's entry is before all stages.
template <typename Scope>
int64_t OrderOf(const Scope& scope) {
  return scope.has_anchor() ? int64_t{scope.anchor()} : -1;
}

class WarmGlance {
 public:
  WarmGlance(const v1::PlanWarmRequest& request, const v1::PlanWarmResponse& response)
      : request_(request), timeline_(request.timeline()), response_(response) {}

  std::string Look() {
    CountLayers();
    int at = 0;
    for (uint32_t k = 0; k < layers_.size(); ++k) {
      if (layers_[k] == 0) continue;
      Expect(at < response_.kinds_size() && response_.kinds(at).kind() == k, "kinds");
      if (!finding_.wrong().empty()) return finding_.wrong();
      where_ = "kinds[" + std::to_string(at) + "]";
      LookAtKind(response_.kinds(at), timeline_.kinds(static_cast<int>(k)));
      if (!finding_.wrong().empty()) return finding_.wrong();
      ++at;
    }
    where_ = "response";
    Expect(at == response_.kinds_size(), "kinds of no layer");
    Expect(static_cast<int64_t>(response_.warm_ns() - response_.cold_ns()) == response_.change_ns(),
           "change_ns");
    LookAtUnread();
    return finding_.wrong();
  }

 private:
  void Expect(bool right, const std::string& what) { finding_.Expect(right, where_ + ": " + what); }
  uint64_t L2() const {
    return request_.hardware().has_l2_bytes() ? request_.hardware().l2_bytes() : kDefaultL2;
  }
  uint64_t FillPercent() const {
    return request_.hardware().has_l2_fill_percent() ? request_.hardware().l2_fill_percent() : 100;
  }
  bool Fits(uint64_t bytes) const {
    using Wide = unsigned __int128;
    const Wide have = Wide{L2()} * FillPercent();
    const Wide want = Wide{bytes} * 100;
    return want < have || (want == have && request_.hardware().exactly_full_fits());
  }
  uint64_t BytesOf(uint32_t region) const {
    return timeline_.regions(static_cast<int>(region)).bytes();
  }

  void CountLayers() {
    layers_.assign(static_cast<size_t>(timeline_.kinds_size()), timeline_.runs_size() == 0 ? 1 : 0);
    for (const v1::WarmRun& run : timeline_.runs()) {
      for (const uint32_t kind : run.kinds()) {
        layers_[kind] += run.has_repeats() ? run.repeats() : 1;
      }
    }
  }

  void LookAtKind(const v1::WarmKindPlan& plan, const v1::WarmLayerKind& kind) {
    const Reads reads = ReadsOf(kind);
    Expect(plan.layers() == layers_[plan.kind()], "layers");
    Expect(plan.fill_bytes() ==
               static_cast<uint64_t>(static_cast<unsigned __int128>(L2()) * FillPercent() / 100),
           "fill_bytes");
    Expect(plan.scopes_size() == 0 ? plan.bytes_in_flight() == 0 : Fits(plan.bytes_in_flight()),
           "bytes_in_flight");
    Expect(plan.change_ns() <= 0, "change_ns of a plan that loses");
    Expect(plan.scopes_size() != 0 || (plan.change_ns() == 0 && plan.cold_ns() == plan.warm_ns()),
           "change_ns of no plan");
    Expect(plan.simulated_stages() > 0, "simulated_stages");
    std::map<uint32_t, int64_t> warmed;  // region to anchor
    LookAtScopes(plan, kind, reads, &warmed);
    LookAtVerdicts(plan, reads, warmed);
    LookAtAlternatives(plan, kind, reads);
    LookAtFlips(plan, kind, reads);
    LookAtTraces(plan, kind);
  }

  void LookAtScopes(const v1::WarmKindPlan& plan, const v1::WarmLayerKind& kind, const Reads& reads,
                    std::map<uint32_t, int64_t>* warmed) {
    int64_t before = -1;
    for (const v1::PlannedWarmScope& scope : plan.scopes()) {
      Expect(OrderOf(scope) >= before, "scopes out of order");
      Expect(OrderOf(scope) < kind.stages_size() && scope.regions_size() > 0, "scope of nothing");
      if (!finding_.wrong().empty()) return;
      before = OrderOf(scope);
      const v1::WarmStage* const stage =
          scope.has_anchor() ? &kind.stages(static_cast<int>(scope.anchor())) : nullptr;
      Expect(scope.by_task_id() == (stage != nullptr && stage->has_task_id()), "by_task_id");
      Expect(stage == nullptr ? !kind.input().empty()
                              : stage->has_task_id() || !stage->writes().empty(),
             "an anchor that nothing can wait for");
      Expect(stage != nullptr || scope.begin_ns() == 0, "begin_ns");
      uint64_t issued = scope.begin_ns();
      uint32_t reader = 0;
      for (const v1::PlannedWarmRegion& region : scope.regions()) {
        const auto read = reads.reader.find(region.region());
        Expect(read != reads.reader.end(), "a warm that nobody reads");
        if (read == reads.reader.end()) return;
        Expect(warmed->emplace(region.region(), before).second, "a region that is warmed twice");
        Expect(before < int64_t{read->second} && reader <= read->second, "readers of a scope");
        reader = read->second;
        Expect(region.issued_ns() >= issued, "issued_ns");
        issued = region.issued_ns();
        Expect(!region.has_landed_ns() || region.landed_ns() >= issued, "landed_ns");
        const uint64_t bytes = BytesOf(region.region());
        Expect(region.pulled_bytes() <= bytes && region.landed_bytes() <= bytes, "bytes of a warm");
        Expect(region.hit_bytes() <= region.pulled_bytes(), "hit_bytes");
      }
    }
  }

  void LookAtVerdicts(const v1::WarmKindPlan& plan, const Reads& reads,
                      const std::map<uint32_t, int64_t>& warmed) {
    Expect(plan.verdicts_size() == static_cast<int>(reads.regions.size()), "verdicts");
    for (int i = 0; i < plan.verdicts_size() && finding_.wrong().empty(); ++i) {
      const v1::WarmRegionVerdict& verdict = plan.verdicts(i);
      const std::string name = "verdicts[" + std::to_string(i) + "]";
      Expect(verdict.region() == reads.regions[static_cast<size_t>(i)], name + ".region");
      if (!finding_.wrong().empty()) return;
      const v1::WarmRegion& region = timeline_.regions(static_cast<int>(verdict.region()));
      Expect(verdict.reader() == reads.reader.at(verdict.region()), name + ".reader");
      Expect(verdict.bytes() == region.bytes(), name + ".bytes");
      Expect(verdict.set_bytes() >= region.bytes(), name + ".set_bytes");
      const auto scope = warmed.find(verdict.region());
      Expect((verdict.verdict() == v1::WARM_VERDICT_WARM) == (scope != warmed.end()),
             name + " against the scopes");
      LookAtRule(verdict, region, name);
      if (!verdict.weighed()) {
        Expect(!verdict.has_anchor() && !verdict.has_landed_ns() && verdict.landed_bytes() == 0 &&
                   verdict.hit_bytes() == 0 && verdict.saving_ns() == 0 && verdict.cost_ns() == 0 &&
                   verdict.change_ns() == 0,
               name + " was not weighed and has numbers");
        continue;
      }
      Expect(OrderOf(verdict) < int64_t{verdict.reader()}, name + ".anchor");
      Expect(scope == warmed.end() || scope->second == OrderOf(verdict), name + ".anchor");
      Expect(verdict.landed_bytes() <= region.bytes() && verdict.hit_bytes() <= region.bytes(),
             name + ".landed_bytes");
    }
  }

  // The rules are in the order of their verdicts' reasons: dynamic, not flat, resident, too large.
  void LookAtRule(const v1::WarmRegionVerdict& verdict, const v1::WarmRegion& region,
                  const std::string& name) {
    const bool resident = verdict.has_bytes_between() && verdict.bytes_between() < L2();
    v1::WarmVerdict rule = v1::WARM_VERDICT_UNSPECIFIED;
    if (region.dynamic()) {
      rule = v1::WARM_VERDICT_DYNAMIC;
    } else if (!IsFlat(region)) {
      rule = v1::WARM_VERDICT_NOT_FLAT;
    } else if (resident) {
      rule = v1::WARM_VERDICT_RESIDENT;
    }
    if (rule != v1::WARM_VERDICT_UNSPECIFIED) {
      Expect(verdict.verdict() == rule && !verdict.weighed(), name + " against its rule");
      return;
    }
    const v1::WarmVerdict said = verdict.verdict();
    Expect(said == v1::WARM_VERDICT_WARM || said == v1::WARM_VERDICT_TOO_LARGE ||
               said == v1::WARM_VERDICT_TOO_LATE || said == v1::WARM_VERDICT_CONTENDS ||
               said == v1::WARM_VERDICT_NO_GAIN,
           name + ".verdict");
    Expect(Fits(region.bytes()) || said == v1::WARM_VERDICT_TOO_LARGE, name + " does not fit");
    Expect(said != v1::WARM_VERDICT_CONTENDS || verdict.change_ns() >= 0, name + " contends");
  }

  void LookAtChoice(const google::protobuf::RepeatedPtrField<v1::WarmScope>& scopes,
                    const v1::WarmLayerKind& kind, const Reads& reads, const std::string& name) {
    for (const v1::WarmScope& scope : scopes) {
      Expect(OrderOf(scope) < kind.stages_size() && scope.regions_size() > 0, name + ".scopes");
      for (const uint32_t region : scope.regions()) {
        Expect(reads.reader.count(region) == 1, name + " warms what nobody reads");
      }
    }
  }

  void LookAtAlternatives(const v1::WarmKindPlan& plan, const v1::WarmLayerKind& kind,
                          const Reads& reads) {
    const v1::WarmOptions& options = request_.options();
    const uint32_t most =
        options.has_most_alternatives() ? options.most_alternatives() : kDefaultAlternatives;
    // The best of what was weighed, and no warm, which is always there to compare with.
    Expect(static_cast<uint64_t>(plan.alternatives_size()) <= (most == 0 ? 0 : uint64_t{most} + 1),
           "alternatives");
    int without = 0;
    for (int i = 0; i < plan.alternatives_size(); ++i) {
      const v1::WarmAlternative& alternative = plan.alternatives(i);
      const std::string name = "alternatives[" + std::to_string(i) + "]";
      Expect(i == 0 || plan.alternatives(i - 1).change_ns() <= alternative.change_ns(),
             name + " is out of order");
      Expect(alternative.fits() ==
                 (alternative.scopes_size() == 0 || Fits(alternative.bytes_in_flight())),
             name + ".fits");
      Expect(!alternative.eligible() || alternative.fits(), name + ".eligible");
      LookAtChoice(alternative.scopes(), kind, reads, name);
      if (alternative.scopes_size() != 0) continue;
      ++without;
      Expect(alternative.change_ns() == 0 && alternative.bytes_in_flight() == 0 &&
                 alternative.eligible(),
             name + " is no warm");
    }
    Expect(without == (most == 0 ? 0 : 1), "alternatives without a warm");
  }

  void LookAtFlips(const v1::WarmKindPlan& plan, const v1::WarmLayerKind& kind,
                   const Reads& reads) {
    const bool asked = request_.options().flips();
    Expect(plan.flips_size() == 0 || (asked && plan.flips_size() == kParameters), "flips");
    for (int i = 0; i < plan.flips_size(); ++i) {
      const v1::WarmFlip& flip = plan.flips(i);
      const std::string name = "flips[" + std::to_string(i) + "]";
      Expect(flip.parameter() == i + 1, name + ".parameter");
      Expect(!flip.has_below() || flip.below() < flip.value(), name + ".below");
      Expect(!flip.has_above() || flip.above() > flip.value(), name + ".above");
      Expect(flip.has_below() || flip.choice_below_size() == 0, name + ".choice_below");
      Expect(flip.has_above() || flip.choice_above_size() == 0, name + ".choice_above");
      LookAtChoice(flip.choice_below(), kind, reads, name);
      LookAtChoice(flip.choice_above(), kind, reads, name);
    }
  }

  void LookAtTraces(const v1::WarmKindPlan& plan, const v1::WarmLayerKind& kind) {
    const bool asked = request_.options().traces();
    Expect(plan.has_trace_without() == asked && plan.has_trace_with() == asked, "traces");
    if (!asked) return;
    LookAtTrace(plan.trace_without(), kind, plan.cold_ns(), "trace_without");
    LookAtTrace(plan.trace_with(), kind, plan.warm_ns(), "trace_with");
    const v1::WarmTrace& without = plan.trace_without();
    Expect(without.landing_size() == 0 &&
               std::all_of(without.flow().begin(), without.flow().end(),
                           [](const v1::WarmFlowPoint& p) { return p.pulled_bytes() == 0; }),
           "trace_without has warms");
    for (const v1::WarmLandingPoint& point : plan.trace_with().landing()) {
      const int scope = static_cast<int>(point.scope());
      Expect(scope < plan.scopes_size(), "trace_with.landing.scope");
      if (!finding_.wrong().empty()) return;
      Expect(static_cast<int>(point.position()) < plan.scopes(scope).regions_size(),
             "trace_with.landing.position");
      if (!finding_.wrong().empty()) return;
      const v1::PlannedWarmRegion& region =
          plan.scopes(scope).regions(static_cast<int>(point.position()));
      Expect(point.ns() >= region.issued_ns() && point.bytes() <= BytesOf(region.region()),
             "trace_with.landing");
    }
  }

  void LookAtTrace(const v1::WarmTrace& trace, const v1::WarmLayerKind& kind, uint64_t end,
                   const std::string& name) {
    Expect(trace.stages_size() == kind.stages_size(), name + ".stages");
    uint64_t last = 0;
    for (const v1::WarmStageTimes& stage : trace.stages()) {
      Expect(stage.begin_ns() <= stage.end_ns(), name + ".stages");
      last = std::max(last, stage.end_ns());
    }
    Expect(last == end, name + " ends elsewhere");
    Expect(trace.flow_size() > 0, name + ".flow");
    for (int i = 0; i < trace.flow_size(); ++i) {
      const v1::WarmFlowPoint& point = trace.flow(i);
      const v1::WarmFlowPoint& before = trace.flow(std::max(0, i - 1));
      Expect(before.ns() <= point.ns() && before.pulled_bytes() <= point.pulled_bytes() &&
                 before.l2_bytes() <= point.l2_bytes(),
             name + ".flow is out of order");
      Expect(point.l2_bytes() <= L2(), name + ".flow.l2_bytes");
    }
  }

  void LookAtUnread() {
    std::vector<char> read(static_cast<size_t>(timeline_.regions_size()), 0);
    for (size_t k = 0; k < layers_.size(); ++k) {
      if (layers_[k] == 0) continue;
      for (const uint32_t region : ReadsOf(timeline_.kinds(static_cast<int>(k))).regions) {
        read[region] = 1;
      }
    }
    std::vector<uint32_t> unread;
    for (uint32_t r = 0; r < read.size(); ++r) {
      if (read[r] == 0) unread.push_back(r);
    }
    Expect(std::equal(unread.begin(), unread.end(), response_.unread().begin(),
                      response_.unread().end()),
           "unread");
  }

  const v1::PlanWarmRequest& request_;
  const v1::WarmTimeline& timeline_;
  const v1::PlanWarmResponse& response_;
  std::vector<uint64_t> layers_;  // by kind
  std::string where_ = "response";
  Finding finding_;
};

}  // namespace

std::string WrongAtAGlance(const v1::PlanWarmRequest& request,
                           const v1::PlanWarmResponse& response) {
  return WarmGlance(request, response).Look();
}

}  // namespace testing
}  // namespace torqsched
