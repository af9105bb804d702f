// What is known about each byte of the unified buffer: who touched it last, whether it holds a defined value, and if
// not, why.
#ifndef OPFORGE_SIM_KERNEL_MEMORY_UB_SHADOW_H
#define OPFORGE_SIM_KERNEL_MEMORY_UB_SHADOW_H

#include <cstdint>
#include <cstring>
#include <vector>

#include "order/clocks.h"
#include "report/origins.h"

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

    // Why a byte has no value. Nobody knows more than that while there are no such numbers.
    bool HasOrigins() const { return !origin_.empty(); }
    Origin* OriginAt(uint32_t addr) { return origin_.data() + addr; }
    Origin OriginOf(uint32_t addr) const { return origin_.empty() ? Origins::kNone : origin_[addr]; }
    // Of some bytes together: kValue where all are defined, else the origin of the first that is not; one with an old
    // value counts only where no other is missing.
    static constexpr Origin kValue = 0xff;
    Origin Weakest(uint32_t addr, uint64_t bytes) const;
    // The bytes have a value (kValue), or none for this reason.
    void Mark(uint32_t addr, uint64_t bytes, Origin origin);
    // The defined bits, for another memory. `old`: values from before AllocTensor count as values.
    void Known(uint32_t addr, uint64_t bytes, bool old, uint8_t* to) const;
    // What is known about bytes that are copied.
    void Move(uint32_t to, uint32_t from, uint64_t bytes) {
        std::memmove(Defined(to), Defined(from), bytes);
        if (HasOrigins()) {
            std::memmove(OriginAt(to), OriginAt(from), bytes);
        }
    }
    void Undefine(uint32_t addr, uint64_t bytes) { Mark(addr, bytes, Origins::kNone); }
    // The values in [begin, end) are those of before AllocTensor.
    void Age(uint32_t begin, uint32_t end, Origin origin);

    // An operand of the next instruction. Where it writes behind the end of its tensor, whoever has a tensor there
    // finds its bytes overwritten; where it reads its own tensor, what others have written there in that way is lost.
    void Touch(Origins& origins, const Ub& place, uint64_t bytes, bool write, const Call& call);

private:
    enum Reader { kByVector, kByMte3, kReaders };
    // Fails where the last write of a granule in [first, last] is not ordered before `pipe` does as `verb` says.
    void CheckWriters(PipeClocks& clocks, Pipe pipe, uint32_t number, const char* verb, uint32_t first, uint32_t last,
                      const Call& call);
    void CheckReaders(PipeClocks& clocks, Pipe pipe, uint32_t first, uint32_t last, const Call& call);
    void Overrun(uint32_t begin, uint32_t end);
    static int ReaderOf(Pipe pipe) { return pipe == Pipe::kMte3 ? kByMte3 : kByVector; }

    std::vector<uint32_t> writer_;            // pipe in the upper bits, instruction number below
    std::vector<uint32_t> reader_[kReaders];  // number of the last read
    std::vector<uint8_t> defined_;
    std::vector<Origin> origin_;   // empty, or for each byte why it is not defined
    std::vector<Origin> overrun_;  // empty, or for each byte which instruction wrote it beyond its own tensor
    uint32_t limit_ = ~0u;         // where the tensor ends that the instruction writes to
    Origin overruns_ = Origins::kNone;
};

}  // namespace sim

#endif
