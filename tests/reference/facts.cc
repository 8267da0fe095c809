// Each answer is a loop over the stream: nothing is kept between two questions.
#include "tests/reference/facts.h"

#include <algorithm>

#include "tests/reference/reference.h"

namespace torqsched::reference {

bool Conflict(const Access& a, const Access& b) {
  return a.buffer == b.buffer && (a.writes || b.writes) && a.begin < a.end && b.begin < b.end &&
         a.begin < b.end && b.begin < a.end;
}

std::set<OpIndex> PureOpsNeededBy(const Stream& stream, OpIndex op) {
  std::set<OpIndex> needed;
  std::vector<OpIndex> to_look_at = {op};
  while (!to_look_at.empty()) {
    const OpIndex looked_at = to_look_at.back();
    to_look_at.pop_back();
    for (OpIndex operand : stream.operands(looked_at)) {
      if (IsPure(stream, operand) && needed.insert(operand).second) to_look_at.push_back(operand);
    }
  }
  return needed;
}

std::set<BufferIndex> ReferenceUses(const Stream& stream, OpIndex op) {
  std::set<BufferIndex> uses;
  if (IsPure(stream, op)) return uses;
  for (const Access& access : stream.accesses(op)) {
    if (IsLram(stream, access.buffer)) uses.insert(access.buffer);
  }
  for (OpIndex pure : PureOpsNeededBy(stream, op)) {
    const BufferIndex buffer = stream.op(pure).alloc;
    if (buffer.present() && IsLram(stream, buffer)) uses.insert(buffer);
  }
  return uses;
}

std::vector<std::set<OpIndex>> UsersOfBuffers(const Stream& stream) {
  std::vector<std::set<OpIndex>> users(stream.buffer_count());
  for (OpIndex op : AllOps(stream)) {
    for (BufferIndex buffer : ReferenceUses(stream, op)) users[buffer.value()].insert(op);
  }
  return users;
}

bool AllUsersAreOut(const Stream& stream, const std::set<OpIndex>& users,
                    const std::vector<bool>& out) {
  return std::all_of(users.begin(), users.end(),
                     [&](OpIndex user) { return out[EndOf(stream, user).value()]; });
}

bool ReadsBytesOf(const Stream& stream, OpIndex op, BufferIndex buffer) {
  for (const Access& access : stream.accesses(op)) {
    if (access.buffer == buffer && access.reads && access.begin < access.end) return true;
  }
  return false;
}

bool Writes(const Stream& stream, OpIndex op, BufferIndex buffer) {
  for (const Access& access : stream.accesses(op)) {
    if (access.buffer == buffer && access.writes) return true;
  }
  return false;
}

bool Accesses(const Stream& stream, OpIndex op, BufferIndex buffer) {
  for (const Access& access : stream.accesses(op)) {
    if (access.buffer == buffer) return true;
  }
  return false;
}

bool Overwrites(const Stream& stream, OpIndex op, BufferIndex buffer) {
  if (ReadsBytesOf(stream, op, buffer)) return false;
  for (const Access& access : stream.accesses(op)) {
    if (access.buffer == buffer && access.writes && access.begin == 0 &&
        access.end == stream.buffer(buffer).size) {
      return true;
    }
  }
  return false;
}

bool IsEverBorn(const Stream& stream, BufferIndex buffer, const std::set<OpIndex>& users) {
  const Buffer& b = stream.buffer(buffer);
  return b.space == Space::kLram && (!users.empty() || (b.live_in && b.live_out));
}

bool IsBornAtTheStart(const Stream& stream, BufferIndex buffer, const std::set<OpIndex>& users) {
  return IsEverBorn(stream, buffer, users) && stream.buffer(buffer).live_in;
}

}  // namespace torqsched::reference
