// What a core has read from global memory since something new was last among it: whether it waits for another core by
// reading there again and again.
#ifndef OPFORGE_SIM_KERNEL_ORDER_POLLING_H
#define OPFORGE_SIM_KERNEL_ORDER_POLLING_H

#include <cstdint>
#include <string>
#include <vector>

namespace sim {

class GlobalMemory;

class Polling {
public:
    // The core has read there, or will next.
    void Read(uint64_t addr, uint64_t bytes) {
        const size_t next = last_ + 1 < places_.size() ? last_ + 1 : 0;
        for (const size_t at : {next, last_}) {  // the places of a loop follow each other as they did before
            if (at < places_.size() && places_[at].addr == addr && places_[at].bytes == bytes) {
                last_ = at;
                Again(places_[at]);
                return;
            }
        }
        Begin(addr, bytes);
    }
    // The core has done something that may lead it out of its loop.
    void Worked() { idle_ = 0; }
    void Reset() {
        places_.clear();
        values_.clear();
        last_ = 0;
        repeats_ = 0;
        idle_ = 0;
    }

    // Reads in a row that brought nothing new.
    uint64_t Repeats() const { return repeats_; }
    // Those of them since the core has last done anything else than reading.
    uint64_t Idle() const { return idle_; }
    // Whether what was read has changed since.
    bool Changed() const;
    // "reads offset 20 of workspace again and again, which stays 0"
    std::string Text(const GlobalMemory& gm) const;

private:
    struct Place {
        uint64_t addr;
        uint64_t bytes;
        size_t kept;  // where its bytes begin in values_, from the second time on
    };

    void Begin(uint64_t addr, uint64_t bytes);
    void Again(Place& place);
    bool Same(const Place& place) const;

    std::vector<Place> places_;
    std::vector<uint8_t> values_;
    size_t last_ = 0;  // of places_
    uint64_t repeats_ = 0;
    uint64_t idle_ = 0;
};

}  // namespace sim

#endif
