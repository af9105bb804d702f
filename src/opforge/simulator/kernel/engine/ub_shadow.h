// What is known about each byte of the unified buffer: who touched it last, and whether it holds a defined value.
#ifndef OPFORGE_SIM_KERNEL_UB_SHADOW_H
#define OPFORGE_SIM_KERNEL_UB_SHADOW_H

#include <cstdint>
#include <vector>

#include "clocks.h"

namespace sim {

class UbShadow {
public:
    static constexpr uint32_t kGranule = 32;  // a data block: the unit in which the unified buffer is addressed

    explicit UbShadow(uint32_t bytes);

    void Reset();

    // Instruction `number` of `pipe` reads or writes [begin, end): fails where an earlier access of another pipe (or an
    // earlier write of the same MTE) is not ordered before it.
    void Read(PipeClocks& clocks, Pipe pipe, uint32_t number, uint32_t begin, uint32_t end, const Call& call);
    void Write(PipeClocks& clocks, Pipe pipe, uint32_t number, uint32_t begin, uint32_t end, const Call& call);
    // The scalar unit's accesses are ordered by the compiler, and order what follows; without automatic synchronisation
    // events have to do it.
    void ReadScalar(PipeClocks& clocks, uint32_t begin, uint32_t end, const Call& call);
    void WriteScalar(PipeClocks& clocks, uint32_t begin, uint32_t end, const Call& call);

    // Defined bits: 0xff for a byte that holds a value, 0 for one that does not.
    uint8_t* Defined(uint32_t addr) { return defined_.data() + addr; }
    bool AllDefined(uint32_t addr, uint64_t bytes) const;

private:
    enum Reader { kByVector, kByMte3, kReaders };
    // Fails where the last write of a granule in [first, last] is not ordered before `pipe` does as `verb` says.
    void CheckWriters(PipeClocks& clocks, Pipe pipe, uint32_t number, const char* verb, uint32_t first, uint32_t last,
                      const Call& call);
    void CheckReaders(PipeClocks& clocks, Pipe pipe, uint32_t first, uint32_t last, const Call& call);
    static int ReaderOf(Pipe pipe) { return pipe == Pipe::kMte3 ? kByMte3 : kByVector; }

    std::vector<uint32_t> writer_;            // pipe in the upper bits, instruction number below
    std::vector<uint32_t> reader_[kReaders];  // number of the last read
    std::vector<uint8_t> defined_;
};

}  // namespace sim

#endif
