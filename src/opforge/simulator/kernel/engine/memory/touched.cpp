#include "touched.h"

#include <algorithm>

namespace sim {
namespace {

constexpr uint64_t kUnit = 512;
constexpr size_t kAsked = 4;
constexpr size_t kMost = 1 << 12;  // stretches are merged when there are more

}  // namespace

void Touched::Add(uint64_t addr, uint64_t bytes, std::vector<Stretch>* stretches) {
    const Stretch stretch{addr / kUnit, (addr + bytes + kUnit - 1) / kUnit};
    if (!stretches->empty() && stretch.begin >= stretches->back().begin && stretch.begin <= stretches->back().end) {
        stretches->back().end = std::max(stretches->back().end, stretch.end);
        return;
    }
    // merging pays while it makes room: what stays may grow
    if (stretches->size() >= kMost && (stretches->size() & (stretches->size() - 1)) == 0) {
        Merge(stretches);
    }
    stretches->push_back(stretch);
}

bool Touched::HasRead(uint64_t addr) const {
    const uint64_t unit = addr / kUnit;
    for (size_t i = 0; i < read_.size(); ++i) {
        if (i == kAsked && read_.size() > 2 * kAsked) {
            i = read_.size() - kAsked;
        }
        if (unit >= read_[i].begin && unit + 1 < read_[i].end) {
            return true;
        }
    }
    return false;
}

void Touched::Merge(std::vector<Stretch>* stretches) {
    std::sort(stretches->begin(), stretches->end(),
              [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
    size_t last = 0;
    for (size_t i = 1; i < stretches->size(); ++i) {
        Stretch& before = (*stretches)[last];
        const Stretch& next = (*stretches)[i];
        if (next.begin <= before.end) {
            before.end = std::max(before.end, next.end);
        } else {
            (*stretches)[++last] = next;
        }
    }
    stretches->resize(stretches->empty() ? 0 : last + 1);
}

void Touched::Sum(const std::vector<Touched>& cores, uint64_t* read, uint64_t* written) {
    const auto bytes = [&cores](std::vector<Stretch> Touched::* which) {
        std::vector<Stretch> all;
        for (const Touched& core : cores) {
            all.insert(all.end(), (core.*which).begin(), (core.*which).end());
        }
        Merge(&all);
        uint64_t sum = 0;
        for (const Stretch& stretch : all) {
            sum += (stretch.end - stretch.begin) * kUnit;
        }
        return sum;
    };
    *read = bytes(&Touched::read_);
    *written = bytes(&Touched::written_);
}

}  // namespace sim
