// Reading and writing cases: a google.protobuf.Struct on one side, plain types on the other.
//
// A field that is missing or of another type than expected makes the whole case an error: the
// reader notes the first such field and goes on with an empty value.
#include "tests/reference/case_io.h"

#include <fstream>
#include <optional>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"

namespace torqsched::reference {
namespace {

using google::protobuf::Struct;
using google::protobuf::Value;

// A value in the JSON tree, which may be absent.
class Json {
 public:
  Json(const Value* value, std::string* error) : value_(value), error_(error) {}

  bool absent() const {
    return value_ == nullptr || value_->kind_case() == Value::KIND_NOT_SET ||
           value_->kind_case() == Value::kNullValue;
  }
  Json operator[](const char* field) const {
    if (absent()) return Json(nullptr, error_);
    if (!Is(Value::kStructValue, field)) return Json(nullptr, error_);
    const auto& fields = value_->struct_value().fields();
    const auto found = fields.find(field);
    return Json(found == fields.end() ? nullptr : &found->second, error_);
  }
  std::vector<Json> items() const {
    std::vector<Json> items;
    if (absent() || !Is(Value::kListValue, "list")) return items;
    for (const Value& item : value_->list_value().values()) items.push_back(Json(&item, error_));
    return items;
  }
  std::vector<std::pair<std::string, Json>> fields() const {
    std::vector<std::pair<std::string, Json>> fields;
    if (absent() || !Is(Value::kStructValue, "object")) return fields;
    for (const auto& [name, value] : value_->struct_value().fields()) {
      fields.emplace_back(name, Json(&value, error_));
    }
    return fields;
  }
  uint64_t number() const {
    if (!Is(Value::kNumberValue, "number")) return 0;
    const double number = value_->number_value();
    if (number < 0 || number >= 9007199254740992.0 || number != static_cast<uint64_t>(number)) {
      Note(absl::StrCat("not a whole number below 2^53: ", number));
      return 0;
    }
    return static_cast<uint64_t>(number);
  }
  uint64_t number_or(uint64_t otherwise) const { return absent() ? otherwise : number(); }
  std::optional<uint64_t> optional_number() const {
    return absent() ? std::nullopt : std::optional<uint64_t>(number());
  }
  std::string text() const {
    return Is(Value::kStringValue, "text") ? value_->string_value() : std::string();
  }
  std::string text_or(const char* otherwise) const { return absent() ? otherwise : text(); }
  bool is_number() const { return value_ != nullptr && value_->kind_case() == Value::kNumberValue; }
  bool flag() const { return Is(Value::kBoolValue, "true or false") && value_->bool_value(); }
  bool flag_or_false() const { return !absent() && flag(); }

  void Note(const std::string& message) const {
    if (error_->empty()) *error_ = message;
  }

 private:
  bool Is(Value::KindCase kind, const char* what) const {
    if (value_ != nullptr && value_->kind_case() == kind) return true;
    Note(absl::StrCat("expected: ", what));
    return false;
  }

  const Value* value_;
  std::string* error_;
};

OpKind KindNamed(const std::string& kind) {
  if (kind == "pure") return OpKind::kPure;
  if (kind == "load") return OpKind::kLoad;
  if (kind == "store") return OpKind::kStore;
  if (kind == "start") return OpKind::kStart;
  if (kind == "wait") return OpKind::kWait;
  return OpKind::kBarrier;  // "anything else is a barrier"
}

const char* NameOf(OpKind kind) {
  switch (kind) {
    case OpKind::kPure:
      return "pure";
    case OpKind::kLoad:
      return "load";
    case OpKind::kStore:
      return "store";
    case OpKind::kStart:
      return "start";
    case OpKind::kWait:
      return "wait";
    case OpKind::kBarrier:
      return "barrier";
  }
  return "";
}

absl::StatusOr<Stream> ReadStream(const Json& json, std::deque<std::string>* names) {
  const auto keep = [names](const Json& name) {
    names->push_back(name.text_or(""));
    return absl::string_view(names->back());
  };
  StreamBuilder builder("");
  for (const Json& b : json["buffers"].items()) {
    Buffer buffer;
    buffer.space = b["space"].text() == "lram" ? Space::kLram : Space::kXram;
    buffer.size = b["size"].number();
    buffer.alignment = b["align"].number_or(1);
    buffer.has_fixed_offset = !b["fixed"].absent();
    buffer.fixed_offset = b["fixed"].number_or(0);
    buffer.live_in = b["live_in"].flag_or_false();
    buffer.live_out = b["live_out"].flag_or_false();
    buffer.constant = b["constant"].flag_or_false();
    builder.AddBuffer(buffer, keep(b["name"]));
  }
  for (const Json& o : json["ops"].items()) {
    OpSpec op;
    op.kind = KindNamed(o["kind"].text());
    op.name = keep(o["name"]);
    op.cycles = o["cycles"].number_or(0);
    if (!o["slice"].absent()) op.slice = static_cast<uint32_t>(o["slice"].number());
    if (!o["start"].absent()) op.start = static_cast<uint32_t>(o["start"].number());
    if (!o["alloc"].absent()) op.alloc = static_cast<uint32_t>(o["alloc"].number());
    op.dma_share_percent = static_cast<uint32_t>(o["dma_share"].number_or(0));
    builder.BeginOp(op);
    for (const Json& operand : o["operands"].items()) {
      builder.AddOperand(static_cast<uint32_t>(operand.number()));
    }
    for (const Json& a : o["accesses"].items()) {
      AccessSpec access;
      access.buffer = static_cast<uint32_t>(a["b"].number());
      const std::string mode = a["mode"].text();
      access.reads = mode == "r" || mode == "rw";
      access.writes = mode == "w" || mode == "rw";
      access.offset = a["off"].number_or(0);
      access.size = a["size"].optional_number();
      builder.AddAccess(access);
    }
    builder.EndOp();
  }
  return std::move(builder).Build();
}

Hardware ReadHardware(const Json& json) {
  Hardware hardware;
  hardware.lram_bytes = json["lram_bytes"].number();
  hardware.lram_reserved_bytes = json["reserved"].number_or(0);
  hardware.alignment = json["align"].number_or(1);
  hardware.slices = static_cast<uint32_t>(json["slices"].number_or(2));
  hardware.small_buffer_bytes = json["small"].number_or(8192);
  hardware.start_cycles = json["start_cycles"].number_or(1);
  hardware.dma_bytes = json["dma_bytes"].number_or(832);
  hardware.dma_cycles = json["dma_cycles"].number_or(175);
  hardware.block_ops = json["block_ops"].number_or(0);
  hardware.block_bytes = json["block_bytes"].number_or(0);
  hardware.dma_engines = static_cast<uint32_t>(json["dma_engines"].number_or(1));
  hardware.store_engines = static_cast<uint32_t>(json["store_engines"].number_or(0));
  hardware.non_blocking_transfers = json["non_blocking"].flag_or_false();
  hardware.transfer_issue_cycles = json["issue_cycles"].number_or(0);
  hardware.bank_bytes = json["bank_bytes"].number_or(0);
  for (const Json& bytes : json["regions"].items()) {
    hardware.region_bytes.push_back(bytes.number());
  }
  return hardware;
}

ScheduleOptions ReadOptions(const Json& json) {
  ScheduleOptions options;
  options.cap_percent = json["cap_percent"].number_or(100);
  options.prefetch_percent = json["prefetch_percent"].number_or(40);
  options.urgent_starts = json["urgent_starts"].number_or(4);
  options.candidates = json["candidates"].number_or(32);
  return options;
}

OpIndex ReadOp(const Json& json) { return json.absent() ? OpIndex() : OpIndex(json.number()); }

Schedule ReadSchedule(const Json& json, const Stream& stream, const Hardware& hardware) {
  Schedule schedule;
  for (const Json& op : json["order"].items()) schedule.order.push_back(ReadOp(op));
  const std::set<OpIndex> once(schedule.order.begin(), schedule.order.end());
  if (schedule.order.size() != stream.op_count() || once.size() != stream.op_count() ||
      (!once.empty() && once.rbegin()->value() != stream.op_count() - 1)) {
    json.Note("order: not every op once");
  }
  schedule.slice.assign(stream.op_count(), 0);
  size_t programs = 0;
  for (const auto& [start, slice] : json["slices"].fields()) {
    uint64_t op = 0;
    if (!absl::SimpleAtoi(start, &op) || op >= stream.op_count() ||
        stream.op(OpIndex(op)).kind != OpKind::kStart || slice.number() >= hardware.slices) {
      slice.Note(absl::StrCat("slices: ", start, " is no program, or has no such slice"));
      continue;
    }
    schedule.slice[OpIndex(op)] = static_cast<uint8_t>(slice.number());
    ++programs;
  }
  for (size_t i = 0; i < stream.op_count(); ++i) {
    if (stream.op(OpIndex(i)).kind == OpKind::kStart) --programs;
  }
  if (programs != 0) json.Note("slices: not one for each program");
  schedule.makespan = json["makespan"].number();
  schedule.peak = json["peak"].number();
  return schedule;
}

PlacementFailure ReadFailure(const Json& json, const Stream& stream) {
  PlacementFailure failure;
  failure.reason = json["reason"].text() == "capacity" ? FailureReason::kCapacity
                                                       : FailureReason::kFragmentation;
  failure.op = ReadOp(json["op"]);
  for (const Json& buffer : json["buffers"].items()) {
    const std::vector<Json> pair = buffer.items();  // [buffer, size]
    const BufferIndex index(pair[0].number());
    failure.buffers.push_back(index);
    if (index.value() >= stream.buffer_count() || pair[1].number() != stream.buffer(index).size) {
      buffer.Note("failure: not a buffer and its size");
    }
  }
  failure.pinned_bytes = json["pinned"].number();
  failure.free_bytes = json["free"].number();
  failure.largest_range = json["largest_range"].number();
  return failure;
}

// The placed stream's ops must be the order's, so that only the transfers need to be kept.
Placement ReadPlacement(const Json& json, const Stream& stream, const std::vector<OpIndex>& order) {
  Placement placement;
  placement.placed = json["placed"].flag();
  placement.swaps = json["swaps"].number();
  if (!placement.placed) {
    placement.failure = ReadFailure(json["failure"], stream);
    return placement;
  }
  placement.stores = json["stores"].number();
  placement.loads = json["loads"].number();
  placement.swap_bytes = json["swap_bytes"].number();
  placement.peak = json["peak"].number();
  placement.makespan = json["makespan"].number();
  std::vector<OpIndex> ops;
  uint64_t entry = 0;
  for (const Json& item : json["stream"].items()) {
    if (item.is_number()) {
      ops.push_back(OpIndex(item.number()));
    } else {
      const std::vector<Json> swap = item.items();  // ["store" | "load", buffer, offset]
      placement.swap_transfers.push_back(
          {entry, swap[0].text() == "store", BufferIndex(swap[1].number()), swap[2].number()});
    }
    ++entry;
  }
  if (ops != order) json.Note("stream: not the ops of the order");
  for (const Json& item : json["moves"].items()) {
    const std::vector<Json> move = item.items();  // [n, "in" | "out", buffer, offset]
    placement.moves.push_back({move[0].number(), move[1].text() == "in",
                               BufferIndex(move[2].number()), move[3].number()});
  }
  return placement;
}

Verdict ReadVerdict(const Json& json) {
  const std::string verdict = json.text();
  if (verdict == "same_order") return Verdict::kSameOrder;
  if (verdict == "not_faster") return Verdict::kNotFaster;
  if (verdict == "not_placed") return Verdict::kNotPlaced;
  if (verdict == "not_fastest") return Verdict::kNotFastest;
  if (verdict != "committed") json.Note(absl::StrCat("no verdict: ", verdict));
  return Verdict::kCommitted;
}

void ReadChoice(const Json& json, ScheduleCase* result) {
  ScheduleAnswer& choice = result->choice;
  choice.source = json["source"].text() == "list" ? Source::kList : Source::kInput;
  if (!json["pass"].absent()) choice.pass = static_cast<uint32_t>(json["pass"].number());
  choice.cap = json["cap"].optional_number();
  choice.schedule.makespan = json["predicted"].number();
  choice.placement.placed = json["placed"].flag();
  choice.placement.swaps = json["swaps"].number_or(0);
  choice.placement.makespan = json["makespan"].number_or(0);
  choice.bar = json["bar"].optional_number();
  for (const Json& a : json["attempts"].items()) {
    Attempt attempt;
    attempt.pass = static_cast<uint32_t>(a["pass"].number());
    attempt.cap = a["cap"].number();
    attempt.predicted = a["predicted"].number();
    if (!a["placed"].absent()) attempt.placed = a["placed"].flag();
    attempt.swaps = a["swaps"].optional_number();
    attempt.makespan = a["makespan"].optional_number();
    attempt.verdict = ReadVerdict(a["verdict"]);
    choice.attempts.push_back(attempt);
  }
}

void ReadExpectations(const Json& json, ScheduleCase* result) {
  const Stream& stream = result->stream;
  result->has_expectations = true;
  result->input_makespan = json["input_makespan"].number();
  for (const Json& cap : json["caps"].items()) result->caps.push_back(cap.number());
  for (const Json& schedule : json["schedules"].items()) {
    result->schedules.push_back(ReadSchedule(schedule, stream, result->hardware));
  }
  const auto read_oracle = [&](const Json& oracle, const std::vector<OpIndex>& order) {
    return ExpectedOracle{ReadPlacement(oracle["swaps"], stream, order),
                          ReadPlacement(oracle["no_swaps"], stream, order)};
  };
  std::vector<OpIndex> input;
  for (size_t i = 0; i < stream.op_count(); ++i) input.push_back(OpIndex(i));
  result->input_oracle = read_oracle(json["oracle"]["input"], input);
  const std::vector<Json> oracles = json["oracle"]["schedules"].items();
  if (oracles.size() != result->schedules.size()) json.Note("oracle: not one for each schedule");
  for (size_t k = 0; k < oracles.size() && k < result->schedules.size(); ++k) {
    result->schedule_oracles.push_back(read_oracle(oracles[k], result->schedules[k].order));
  }
  ReadChoice(json["choice"], result);
}

}  // namespace

absl::StatusOr<ScheduleCase> ParseScheduleCase(absl::string_view json) {
  Value root;
  const auto parsed =
      google::protobuf::util::JsonStringToMessage(std::string(json), root.mutable_struct_value());
  if (!parsed.ok()) return absl::InvalidArgumentError(std::string(parsed.message()));
  std::string error;
  const Json top(&root, &error);
  ScheduleCase result;
  result.name = top["name"].text();
  result.comment = top["comment"].text_or("");
  absl::StatusOr<Stream> stream = ReadStream(top["stream"], &result.names);
  if (!stream.ok()) return stream.status();
  result.stream = *std::move(stream);
  result.hardware = ReadHardware(top["stream"]["hardware"]);
  result.options = ReadOptions(top["stream"]["options"]);
  if (!top["expect"].absent()) ReadExpectations(top["expect"], &result);
  if (!error.empty()) return absl::InvalidArgumentError(absl::StrCat(result.name, ": ", error));
  return result;
}

absl::StatusOr<std::vector<ScheduleCase>> LoadScheduleCases(const std::string& path) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  std::vector<ScheduleCase> cases;
  std::string line;
  for (size_t number = 1; std::getline(file, line); ++number) {
    if (line.empty()) continue;
    absl::StatusOr<ScheduleCase> parsed = ParseScheduleCase(line);
    if (!parsed.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ":", number, ": ", parsed.status().message()));
    }
    cases.push_back(*std::move(parsed));
  }
  return cases;
}

std::string WriteCase(absl::string_view name, const Stream& stream, const Hardware& hardware,
                      const ScheduleOptions& options) {
  std::string out = absl::StrCat("{\"name\": \"", name, "\", \"stream\": {\"hardware\": {");
  absl::StrAppend(&out, "\"lram_bytes\": ", hardware.lram_bytes,
                  ", \"reserved\": ", hardware.lram_reserved_bytes,
                  ", \"align\": ", hardware.alignment, ", \"slices\": ", hardware.slices,
                  ", \"small\": ", hardware.small_buffer_bytes);
  absl::StrAppend(&out, ", \"start_cycles\": ", hardware.start_cycles,
                  ", \"dma_bytes\": ", hardware.dma_bytes,
                  ", \"dma_cycles\": ", hardware.dma_cycles);
  if (hardware.block_ops != 0) {
    absl::StrAppend(&out, ", \"block_ops\": ", hardware.block_ops,
                    ", \"block_bytes\": ", hardware.block_bytes);
  }
  if (hardware.dma_engines != 1) absl::StrAppend(&out, ", \"dma_engines\": ", hardware.dma_engines);
  if (hardware.store_engines != 0) {
    absl::StrAppend(&out, ", \"store_engines\": ", hardware.store_engines);
  }
  if (hardware.non_blocking_transfers) {
    absl::StrAppend(&out,
                    ", \"non_blocking\": true, \"issue_cycles\": ", hardware.transfer_issue_cycles);
  }
  if (hardware.bank_bytes != 0) absl::StrAppend(&out, ", \"bank_bytes\": ", hardware.bank_bytes);
  if (!hardware.region_bytes.empty()) {
    absl::StrAppend(&out, ", \"regions\": [", absl::StrJoin(hardware.region_bytes, ", "), "]");
  }
  absl::StrAppend(&out, "}, \"options\": {\"cap_percent\": ", options.cap_percent,
                  ", \"prefetch_percent\": ", options.prefetch_percent,
                  ", \"urgent_starts\": ", options.urgent_starts,
                  ", \"candidates\": ", options.candidates, "}, \"buffers\": [");
  for (size_t i = 0; i < stream.buffer_count(); ++i) {
    const Buffer& b = stream.buffer(BufferIndex(i));
    absl::StrAppend(&out, i == 0 ? "" : ", ", "{\"space\": \"",
                    b.space == Space::kLram ? "lram" : "xram", "\", \"size\": ", b.size);
    if (b.alignment != 1) absl::StrAppend(&out, ", \"align\": ", b.alignment);
    if (b.has_fixed_offset) absl::StrAppend(&out, ", \"fixed\": ", b.fixed_offset);
    if (b.live_in) absl::StrAppend(&out, ", \"live_in\": true");
    if (b.live_out) absl::StrAppend(&out, ", \"live_out\": true");
    if (b.constant) absl::StrAppend(&out, ", \"constant\": true");
    absl::StrAppend(&out, "}");
  }
  absl::StrAppend(&out, "], \"ops\": [");
  for (size_t i = 0; i < stream.op_count(); ++i) {
    const OpIndex index(i);
    const Op& op = stream.op(index);
    absl::StrAppend(&out, i == 0 ? "" : ", ", "{\"kind\": \"",
                    op.start_without_wait ? "start" : NameOf(op.kind), "\"");
    if (op.cycles != 0) absl::StrAppend(&out, ", \"cycles\": ", op.cycles);
    if (op.slice != 0) absl::StrAppend(&out, ", \"slice\": ", op.slice);
    if (op.dma_share != 0) absl::StrAppend(&out, ", \"dma_share\": ", uint32_t{op.dma_share});
    if (op.kind == OpKind::kWait) absl::StrAppend(&out, ", \"start\": ", op.partner.value());
    if (op.alloc.present()) absl::StrAppend(&out, ", \"alloc\": ", op.alloc.value());
    if (!stream.operands(index).empty()) {
      absl::StrAppend(&out, ", \"operands\": [",
                      absl::StrJoin(stream.operands(index), ", ",
                                    [](std::string* text, OpIndex operand) {
                                      absl::StrAppend(text, operand.value());
                                    }),
                      "]");
    }
    if (!stream.accesses(index).empty()) {
      absl::StrAppend(&out, ", \"accesses\": [",
                      absl::StrJoin(stream.accesses(index), ", ",
                                    [](std::string* text, const Access& a) {
                                      absl::StrAppend(text, "{\"b\": ", a.buffer.value(),
                                                      ", \"mode\": \"", a.reads ? "r" : "",
                                                      a.writes ? "w" : "", "\", \"off\": ", a.begin,
                                                      ", \"size\": ", a.end - a.begin, "}");
                                    }),
                      "]");
    }
    absl::StrAppend(&out, "}");
  }
  absl::StrAppend(&out, "]}}");
  return out;
}

}  // namespace torqsched::reference
