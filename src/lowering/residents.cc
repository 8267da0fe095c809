#include "src/lowering/residents.h"

#include <algorithm>
#include <utility>

namespace torqsched::lowering {

Residents::Residents(const std::vector<LayerShape>& shapes, std::vector<uint64_t> bytes,
                     std::vector<uint32_t> last_reader)
    : shapes_(shapes),
      bytes_(std::move(bytes)),
      last_reader_(std::move(last_reader)),
      ends_(bytes_.size()) {
  for (uint32_t l = 0; l < bytes_.size(); ++l) {
    if (bytes_[l] != 0) ends_[last_reader_[l]].push_back(l);
  }
}

// What was the layer's own is again one of many.
void Residents::Leave() {
  for (const uint32_t l : own_layers_) {
    if (bytes_[l] == 0) continue;
    through_.insert(Key(bytes_[l], l));
    through_bytes_ += bytes_[l];
  }
  own_.clear();
  own_layers_.clear();
  spilled_.clear();
}

void Residents::Enter(uint32_t layer, bool inputs_leave) {
  if (inside_) Leave();
  inside_ = true;
  for (; entered_ < layer; ++entered_) {
    // A layer that was not entered begins to live as those that were.
    if (bytes_[entered_] != 0 && through_.insert(Key(bytes_[entered_], entered_)).second) {
      through_bytes_ += bytes_[entered_];
    }
    for (const uint32_t l : ends_[entered_]) {
      through_bytes_ -= bytes_[l];  // 0 of what was spilled
      through_.erase(Key(bytes_[l], l));
    }
  }
  own_layers_.push_back(layer);
  for (const InputWindow& input : shapes_[layer].inputs) {
    if (input.producer != kNetworkInput) {
      own_layers_.push_back(static_cast<uint32_t>(input.producer));
    }
  }
  for (uint32_t p = 0; p < own_layers_.size(); ++p) {
    const uint32_t l = own_layers_[p];
    if (bytes_[l] == 0) continue;
    if (p == 0 || inputs_leave) own_.insert(Key(bytes_[l], p));
    if (through_.erase(Key(bytes_[l], l)) != 0) through_bytes_ -= bytes_[l];
  }
}

size_t Residents::Spill(size_t count) {
  size_t done = 0;
  for (; done < count && !(through_.empty() && own_.empty()); ++done) {
    const bool own =
        through_.empty() || (!own_.empty() && own_.begin()->first < through_.begin()->first);
    BySize& from = own ? own_ : through_;
    const uint32_t then = from.begin()->second;
    const uint32_t l = own ? own_layers_[then] : then;
    from.erase(from.begin());
    spilled_.push_back({l, bytes_[l], own, then});
    if (!own) through_bytes_ -= bytes_[l];
    bytes_[l] = 0;
  }
  return done;
}

void Residents::Unspill(size_t count) {
  for (; count > 0; --count) {
    const Spilled& last = spilled_.back();
    bytes_[last.layer] = last.bytes;
    (last.own ? own_ : through_).insert(Key(last.bytes, last.then));
    if (!last.own) through_bytes_ += last.bytes;
    spilled_.pop_back();
  }
}

}  // namespace torqsched::lowering
