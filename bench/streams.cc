#include "bench/streams.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

#include "google/protobuf/text_format.h"

namespace torqsched::bench {

v1::ScheduleRequest LoadRequest(const std::string& name) {
  const std::string path = "testdata/streams/" + name;
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  v1::ScheduleRequest request;
  const bool text = path.size() > 6 && path.compare(path.size() - 6, 6, ".txtpb") == 0;
  if (!file || !(text ? google::protobuf::TextFormat::ParseFromString(bytes, &request)
                      : request.ParseFromString(bytes))) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    std::exit(1);
  }
  return request;
}

v1::ScheduleRequest Repeat(const v1::ScheduleRequest& request, size_t ops) {
  v1::ScheduleRequest repeated;
  *repeated.mutable_hardware() = request.hardware();
  *repeated.mutable_options() = request.options();
  const v1::Stream& once = request.stream();
  v1::Stream* all = repeated.mutable_stream();
  all->set_name(once.name());
  std::vector<uint32_t> buffer_at(once.buffers_size());
  for (bool first = true; static_cast<size_t>(all->ops_size()) < ops; first = false) {
    const uint32_t op_shift = static_cast<uint32_t>(all->ops_size());
    for (int b = 0; b < once.buffers_size(); ++b) {
      if (!first && once.buffers(b).space() != v1::SPACE_LRAM) continue;
      buffer_at[b] = static_cast<uint32_t>(all->buffers_size());
      *all->add_buffers() = once.buffers(b);
    }
    for (const v1::Op& op : once.ops()) {
      v1::Op* copy = all->add_ops();
      *copy = op;
      for (uint32_t& operand : *copy->mutable_operands()) operand += op_shift;
      if (op.has_start()) copy->set_start(op.start() + op_shift);
      if (op.has_alloc()) copy->set_alloc(buffer_at[op.alloc()]);
      for (v1::Access& access : *copy->mutable_accesses()) {
        access.set_buffer(buffer_at[access.buffer()]);
      }
    }
  }
  return repeated;
}

}  // namespace torqsched::bench
