#include "tests/capi/streams.h"

#include <vector>

namespace torqsched {
namespace testing {

uint32_t AddBuffer(v1::Stream* stream, const std::string& name, v1::Space space, uint64_t size) {
  v1::Buffer* buffer = stream->add_buffers();
  buffer->set_name(name);
  buffer->set_space(space);
  buffer->set_size(size);
  return static_cast<uint32_t>(stream->buffers_size() - 1);
}

uint32_t AddOp(v1::Stream* stream, const std::string& name, v1::OpKind kind, uint64_t cycles) {
  v1::Op* op = stream->add_ops();
  op->set_name(name);
  op->set_kind(kind);
  op->set_cycles(cycles);
  return static_cast<uint32_t>(stream->ops_size() - 1);
}

void AddAccess(v1::Stream* stream, uint32_t buffer, v1::AccessMode mode) {
  v1::Access* access = stream->mutable_ops(stream->ops_size() - 1)->add_accesses();
  access->set_buffer(buffer);
  access->set_mode(mode);
}

namespace {

void AddWait(v1::Stream* stream, const std::string& name, uint32_t start) {
  AddOp(stream, name, v1::OP_KIND_WAIT, 0);
  stream->mutable_ops(stream->ops_size() - 1)->set_start(start);
}

}  // namespace

v1::ScheduleRequest WorkedExample() {
  v1::ScheduleRequest request;
  v1::Stream* stream = request.mutable_stream();
  stream->set_name("worked example 1");
  std::vector<uint32_t> x, w, o;
  for (int i = 1; i <= 4; ++i) {
    x.push_back(AddBuffer(stream, "x" + std::to_string(i), v1::SPACE_XRAM, 100));
  }
  for (int i = 1; i <= 3; ++i) {
    w.push_back(AddBuffer(stream, "w" + std::to_string(i), v1::SPACE_LRAM, 100));
  }
  for (int i = 1; i <= 3; ++i) {
    o.push_back(AddBuffer(stream, "o" + std::to_string(i), v1::SPACE_LRAM, 100));
  }
  for (int i = 0; i < 3; ++i) {
    const std::string number = std::to_string(i + 1);
    AddOp(stream, "L" + number, v1::OP_KIND_LOAD, 30);
    AddAccess(stream, x[i], v1::ACCESS_MODE_READ);
    AddAccess(stream, w[i], v1::ACCESS_MODE_WRITE);
    const uint32_t start = AddOp(stream, "start P" + number, v1::OP_KIND_START, 100);
    AddAccess(stream, w[i], v1::ACCESS_MODE_READ);
    if (i == 2) AddAccess(stream, o[0], v1::ACCESS_MODE_READ);
    AddAccess(stream, o[i], v1::ACCESS_MODE_WRITE);
    AddWait(stream, "wait P" + number, start);
  }
  AddOp(stream, "S3", v1::OP_KIND_STORE, 20);
  AddAccess(stream, o[2], v1::ACCESS_MODE_READ);
  AddAccess(stream, x[3], v1::ACCESS_MODE_WRITE);
  request.mutable_hardware()->set_lram_bytes(1000);
  request.mutable_hardware()->set_lram_reserved_bytes(0);
  request.mutable_hardware()->set_alignment(1);
  return request;
}

v1::ScheduleRequest RandomRequest(uint64_t seed, uint32_t programs) {
  Random random(seed);
  v1::ScheduleRequest request;
  v1::Stream* stream = request.mutable_stream();
  stream->set_name("seed " + std::to_string(seed));
  std::vector<uint32_t> outputs;
  uint64_t largest = 0;
  for (uint32_t i = 0; i < programs; ++i) {
    const std::string number = std::to_string(i);
    const uint64_t weight_size = 1 + random.Below(20000);
    const uint64_t output_size = 1 + random.Below(20000);
    const uint32_t source = AddBuffer(stream, "x" + number, v1::SPACE_XRAM, weight_size);
    const uint32_t weight = AddBuffer(stream, "w" + number, v1::SPACE_LRAM, weight_size);
    const uint32_t output = AddBuffer(stream, "o" + number, v1::SPACE_LRAM, output_size);
    stream->mutable_buffers(static_cast<int>(source))->set_constant(random.Below(2) == 0);
    if (random.Below(4) == 0) {
      AddOp(stream, "alloc", v1::OP_KIND_PURE, 0);
      stream->mutable_ops(stream->ops_size() - 1)->set_alloc(output);
    }
    const uint32_t load = AddOp(stream, "load " + number, v1::OP_KIND_LOAD, weight_size / 5 + 1);
    AddAccess(stream, source, v1::ACCESS_MODE_READ);
    AddAccess(stream, weight, v1::ACCESS_MODE_WRITE);
    const uint32_t start =
        AddOp(stream, "program " + number, v1::OP_KIND_START, 1 + random.Below(9000));
    v1::Op* op = stream->mutable_ops(static_cast<int>(start));
    op->set_slice(static_cast<uint32_t>(random.Below(2)));
    if (random.Below(2) == 0) op->add_operands(load);
    AddAccess(stream, weight, v1::ACCESS_MODE_READ);
    uint64_t used = weight_size + output_size;
    for (uint64_t inputs = random.Below(3); inputs > 0 && !outputs.empty(); --inputs) {
      const uint32_t input =
          outputs[outputs.size() - 1 - random.Below(std::min<uint64_t>(outputs.size(), 4))];
      AddAccess(stream, input, v1::ACCESS_MODE_READ);
      used += stream->buffers(static_cast<int>(input)).size();
    }
    AddAccess(stream, output, v1::ACCESS_MODE_WRITE);
    AddWait(stream, "wait " + number, start);
    outputs.push_back(output);
    largest = std::max(largest, used);
    if (random.Below(3) == 0) {
      const uint32_t result = AddBuffer(stream, "r" + number, v1::SPACE_XRAM, output_size);
      AddOp(stream, "store " + number, v1::OP_KIND_STORE, output_size / 5 + 1);
      AddAccess(stream, output, v1::ACCESS_MODE_READ);
      AddAccess(stream, result, v1::ACCESS_MODE_WRITE);
    }
    if (random.Below(20) == 0) AddOp(stream, "host call", v1::OP_KIND_BARRIER, random.Below(100));
  }
  request.mutable_hardware()->set_lram_bytes(2 * largest + 1280);
  return request;
}

v1::AllocateRequest RandomAllocation(uint64_t seed, uint32_t count) {
  Random random(seed);
  v1::AllocateRequest request;
  uint64_t total = 0;
  for (uint32_t i = 0; i < count; ++i) {
    v1::AllocationBuffer* const buffer = request.add_buffers();
    buffer->set_name("b" + std::to_string(i));
    buffer->set_lower(random.Below(4 * count));
    buffer->set_upper(buffer->lower() + 1 + random.Below(count));
    buffer->set_size(1 + random.Below(1000));
    total += buffer->size();
    if (random.Below(4) == 0) buffer->set_alignment(uint64_t{1} << random.Below(6));
    if (random.Below(8) == 0) buffer->set_hint(random.Below(2000));
    if (random.Below(4) == 0) {
      v1::TimeRange* const gap = buffer->add_gaps();
      gap->set_lower(buffer->lower() + random.Below(buffer->upper() - buffer->lower()));
      gap->set_upper(buffer->upper());
    }
    if (i == 0) {
      buffer->set_fixed_offset(random.Below(100));
      continue;
    }
    // Parts of older buffers, so that nothing is a part of itself.
    const uint32_t other = static_cast<uint32_t>(random.Below(i));
    const uint64_t other_size = request.buffers(static_cast<int>(other)).size();
    switch (random.Below(12)) {
      case 0: {
        v1::AllocationAlias* const alias = request.add_aliases();
        buffer->set_size(1 + random.Below(other_size));
        alias->set_buffer(i);
        alias->set_of(other);
        alias->set_offset(random.Below(other_size - buffer->size() + 1));
        break;
      }
      case 1: {
        // With the first, which is no part of another.
        v1::BufferPair* const pair = request.add_same_offset();
        pair->set_first(i);
        pair->set_second(0);
        break;
      }
      default:
        break;
    }
  }
  if (random.Below(2) == 0) {
    v1::ByteRange* const range = request.add_reserved();
    range->set_begin(total);
    range->set_end(total + 64);
    request.add_boundaries(total / 2);
  }
  if (seed % 3 == 0) request.set_capacity(2 * total + 1000);
  if (seed % 3 == 1) request.set_capacity(1000);
  request.set_alignment(1 + random.Below(8));
  request.mutable_options()->set_node_limit(2000);
  return request;
}

}  // namespace testing
}  // namespace torqsched
