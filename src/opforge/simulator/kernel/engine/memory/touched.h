// The bytes of global memory that a core has touched, each once: what the L2 cache need not fetch again. In stretches
// of 512 bytes; kept only where somebody asks how long the kernel takes on hardware.
#ifndef OPFORGE_SIM_KERNEL_MEMORY_TOUCHED_H
#define OPFORGE_SIM_KERNEL_MEMORY_TOUCHED_H

#include <cstdint>
#include <vector>

namespace sim {

class Touched {
public:
    void Begin(bool wanted) {
        wanted_ = wanted;
        read_.clear();
        written_.clear();
    }
    void Add(uint64_t addr, uint64_t bytes, bool write) {
        if (wanted_ && bytes != 0) {
            Add(addr, bytes, write ? &written_ : &read_);
        }
    }
    // Whether the byte is known to have been read: of many stretches, only the first and the last ones are asked.
    bool HasRead(uint64_t addr) const;
    // Of all cores together.
    static void Sum(const std::vector<Touched>& cores, uint64_t* read, uint64_t* written);

private:
    struct Stretch {
        uint64_t begin;
        uint64_t end;
    };
    static void Add(uint64_t addr, uint64_t bytes, std::vector<Stretch>* stretches);
    static void Merge(std::vector<Stretch>* stretches);

    bool wanted_ = false;
    std::vector<Stretch> read_;
    std::vector<Stretch> written_;
};

}  // namespace sim

#endif
