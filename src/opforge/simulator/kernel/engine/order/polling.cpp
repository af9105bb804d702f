#include "polling.h"

#include <algorithm>
#include <cstring>

#include "memory/global_memory.h"

namespace sim {
namespace {

constexpr size_t kMostPlaces = 64;              // more than there are cores that could be waited for
constexpr size_t kMostBytes = size_t{1} << 20;  // kept of all places together
constexpr size_t kNotKept = ~size_t{0};

}  // namespace

void Polling::Begin(uint64_t addr, uint64_t bytes) {
    if (places_.size() == kMostPlaces) {
        Reset();
    }
    places_.push_back({addr, bytes, kNotKept});
    last_ = places_.size() - 1;
    repeats_ = 0;
    idle_ = 0;
}

void Polling::Again(Place& place) {
    const auto* const now = reinterpret_cast<const uint8_t*>(place.addr);
    if (place.kept != kNotKept && Same(place)) {
        ++repeats_;
        ++idle_;
        return;
    }
    repeats_ = 0;
    idle_ = 0;
    if (place.kept != kNotKept) {
        std::copy(now, now + place.bytes, values_.begin() + static_cast<std::ptrdiff_t>(place.kept));
    } else if (values_.size() + place.bytes <= kMostBytes) {
        place.kept = values_.size();
        values_.insert(values_.end(), now, now + place.bytes);
    } else {
        Reset();
    }
}

bool Polling::Same(const Place& place) const {
    return std::memcmp(&values_[place.kept], reinterpret_cast<const void*>(place.addr), place.bytes) == 0;
}

bool Polling::Changed() const {
    return std::any_of(places_.begin(), places_.end(),
                       [&](const Place& place) { return place.kept != kNotKept && !Same(place); });
}

std::string Polling::Text(const GlobalMemory& gm) const {
    const Place& place = *std::min_element(places_.begin(), places_.end(),
                                           [](const Place& a, const Place& b) { return a.addr < b.addr; });
    std::string text = "reads ";
    if (place.bytes > sizeof(uint64_t)) {
        text += std::to_string(place.bytes) + " bytes at ";
    }
    text += gm.Place(place.addr);
    if (places_.size() > 1) {
        text += " and " + std::to_string(places_.size() - 1) + " more";
    }
    text += " again and again, which ";
    if (place.bytes > sizeof(uint64_t) || places_.size() > 1) {
        return text + "stay as they are";
    }
    uint64_t value = 0;
    std::memcpy(&value, &values_[place.kept], place.bytes);
    return text + "stays " + std::to_string(value);
}

}  // namespace sim
