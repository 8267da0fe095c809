#include "tests/report/worked_example.h"

#include <cstdlib>
#include <utility>

namespace torqsched {
namespace {

// Positions of the ops.
enum : uint32_t { kL1, kP1, kWaitP1, kL2, kP2, kWaitP2, kL3, kP3, kWaitP3, kS3 };

void AddBuffer(StreamBuilder* builder, Space space, absl::string_view name) {
  Buffer buffer;
  buffer.space = space;
  buffer.size = 100;
  builder->AddBuffer(buffer, name);
}

void AddOp(StreamBuilder* builder, const OpSpec& spec, std::vector<AccessSpec> accesses) {
  builder->BeginOp(spec);
  for (const AccessSpec& access : accesses) builder->AddAccess(access);
  builder->EndOp();
}

AccessSpec Read(uint32_t buffer) { return {buffer, true, false, 0, std::nullopt}; }
AccessSpec Write(uint32_t buffer) { return {buffer, false, true, 0, std::nullopt}; }

OpSpec Spec(OpKind kind, absl::string_view name, uint64_t cycles) {
  OpSpec spec;
  spec.kind = kind;
  spec.name = name;
  spec.cycles = cycles;
  return spec;
}

OpSpec Wait(absl::string_view name, uint32_t start) {
  OpSpec spec = Spec(OpKind::kWait, name, 0);
  spec.start = start;
  return spec;
}

Step StepOf(uint64_t before, uint64_t after, uint64_t free, uint32_t op, uint8_t rule,
            std::vector<Skip> skips) {
  Step step;
  step.t_before = before;
  step.t_after = after;
  step.free_slices = free;
  step.op = OpIndex(op);
  step.rule = rule;
  step.urgent = rule == 3 && op != kS3;
  skips.insert(skips.begin(), Skip::kNoneReady);  // rule 1
  skips.push_back(Skip::kApplied);
  for (size_t i = 0; i < skips.size(); ++i) step.skip[i] = skips[i];
  return step;
}

Step StartOf(uint64_t before, uint64_t free, uint32_t op, uint32_t slice, uint64_t end) {
  Step step = StepOf(before, before + 1, free, op, 2, {});
  step.slice = slice;
  step.program_end = end;
  return step;
}

Span SpanOf(Lane lane, uint32_t slice, uint64_t begin, uint64_t end, uint32_t op) {
  Span span;
  span.lane = lane;
  span.slice = slice;
  span.begin = begin;
  span.end = end;
  span.op = OpIndex(op);
  span.is_store = op == kS3;
  return span;
}

}  // namespace

Stream WorkedExample() {
  StreamBuilder builder("worked-example-1");
  for (int i = 0; i < 4; ++i) AddBuffer(&builder, Space::kXram, "");
  for (const char* name : {"w1", "w2", "w3", "o1", "o2", "o3"}) {
    AddBuffer(&builder, Space::kLram, name);
  }
  AddOp(&builder, Spec(OpKind::kLoad, "L1", 30), {Read(0), Write(4)});
  AddOp(&builder, Spec(OpKind::kStart, "start P1", 100), {Read(4), Write(7)});
  AddOp(&builder, Wait("wait P1", kP1), {});
  AddOp(&builder, Spec(OpKind::kLoad, "L2", 30), {Read(1), Write(5)});
  AddOp(&builder, Spec(OpKind::kStart, "start P2", 100), {Read(5), Write(8)});
  AddOp(&builder, Wait("wait P2", kP2), {});
  AddOp(&builder, Spec(OpKind::kLoad, "L3", 30), {Read(2), Write(6)});
  AddOp(&builder, Spec(OpKind::kStart, "start P3", 100), {Read(6), Read(7), Write(9)});
  AddOp(&builder, Wait("wait P3", kP3), {});
  AddOp(&builder, Spec(OpKind::kStore, "S3", 20), {Read(9), Write(3)});
  absl::StatusOr<Stream> stream = std::move(builder).Build();
  if (!stream.ok()) std::abort();
  return *std::move(stream);
}

Hardware WorkedExampleHardware() {
  Hardware hardware;
  hardware.lram_bytes = 1000;
  hardware.slices = 2;
  hardware.small_buffer_bytes = 8192;
  hardware.start_cycles = 1;
  return hardware;
}

ScheduleAnswer WorkedExampleAnswer() {
  constexpr uint64_t kNone = 0, kS0 = 1, kS1 = 2, kBoth = 3;
  ScheduleAnswer answer;
  answer.source = Source::kList;
  answer.pass = 0;
  answer.cap = 1000;
  for (uint32_t op : {kL1, kP1, kL2, kP2, kL3, kWaitP1, kP3, kWaitP2, kWaitP3, kS3}) {
    answer.schedule.order.push_back(OpIndex(op));
  }
  answer.schedule.slice.assign(10, 0);
  answer.schedule.slice[OpIndex(kP2)] = 1;
  answer.schedule.makespan = 250;
  answer.schedule.peak = 500;
  answer.schedule.steps = {
      StepOf(0, 30, kBoth, kL1, 3, {Skip::kNoneReady}),
      StartOf(30, kBoth, kP1, 0, 130),
      StepOf(31, 61, kS1, kL2, 3, {Skip::kNoneReady}),
      StartOf(61, kS1, kP2, 1, 161),
      StepOf(62, 92, kNone, kL3, 3, {Skip::kNoSliceFree}),
      StepOf(92, 130, kNone, kWaitP1, 4, {Skip::kNoSliceFree, Skip::kNoneReady}),
      StartOf(130, kS0, kP3, 0, 230),
      StepOf(131, 161, kNone, kWaitP2, 4, {Skip::kNoSliceFree, Skip::kNoneReady}),
      StepOf(161, 230, kS1, kWaitP3, 4, {Skip::kNoneReady, Skip::kNoneReady}),
      StepOf(230, 250, kBoth, kS3, 3, {Skip::kNoneReady}),
  };
  answer.placement.placed = true;
  answer.placement.peak = 500;
  answer.placement.makespan = 250;
  answer.input_makespan = 410;
  answer.input_allocated_makespan = 410;
  answer.input_peak = 300;
  answer.bar = 410;
  answer.lower_bound = {150, Resource::kSlices, BoundKind::kSlices};
  answer.bounds = {{BoundKind::kStream, 113}, {BoundKind::kSlices, 150}};
  Attempt attempt;
  attempt.cap = 1000;
  attempt.predicted = 250;
  attempt.placed = true;
  attempt.swaps = 0;
  attempt.makespan = 250;
  attempt.verdict = Verdict::kCommitted;
  answer.attempts = {attempt};
  answer.timeline = {
      SpanOf(Lane::kDma, 0, 0, 30, kL1),    SpanOf(Lane::kSlice, 0, 30, 130, kP1),
      SpanOf(Lane::kDma, 0, 31, 61, kL2),   SpanOf(Lane::kSlice, 1, 61, 161, kP2),
      SpanOf(Lane::kDma, 0, 62, 92, kL3),   SpanOf(Lane::kSlice, 0, 130, 230, kP3),
      SpanOf(Lane::kDma, 0, 230, 250, kS3),
  };
  answer.statistics.dma_cycles = 110;
  answer.statistics.compute_cycles = 300;
  answer.statistics.overlap_cycles = 60;
  answer.statistics.idle_cycles = 0;
  answer.statistics.slice_cycles = {200, 100};
  return answer;
}

std::vector<Span> WorkedExampleInputTimeline() {
  return {
      SpanOf(Lane::kDma, 0, 0, 30, kL1),    SpanOf(Lane::kSlice, 0, 30, 130, kP1),
      SpanOf(Lane::kDma, 0, 130, 160, kL2), SpanOf(Lane::kSlice, 0, 160, 260, kP2),
      SpanOf(Lane::kDma, 0, 260, 290, kL3), SpanOf(Lane::kSlice, 0, 290, 390, kP3),
      SpanOf(Lane::kDma, 0, 390, 410, kS3),
  };
}

}  // namespace torqsched
