// Functions that go lane by lane: by the first `count` elements, or by repeats with strides and a mask. Checks the
// operands, keeps the books, and calls the function's body for stretches of lanes.
// Documentation: 基础API/Memory矢量计算/SIMD计算说明
#ifndef OPFORGE_SIM_KERNEL_VECTOR_LANEWISE_H
#define OPFORGE_SIM_KERNEL_VECTOR_LANEWISE_H

#include "arithmetic.h"
#include "core.h"
#include "sim/vector.h"

namespace sim {

inline constexpr uint32_t kRepeatBytes = 256;
inline constexpr uint32_t kBlockBytes = 32;

struct LaneOperand {
    const char* role;
    Ub place;
    uint32_t bits;  // of an element: 4 for int4b_t, else a multiple of 8
};

// What a function does to a stretch of lanes.
class LaneBody {
public:
    // `first` is the stretch's first lane, counted through all repeats.
    virtual void Compute(const Lanes& lanes, uint64_t first) const = 0;
    // Which sources a lane's result is made of, a bit each; less than zero where the result is undefined.
    virtual int Needs(uint64_t) const { return 3; }
    virtual bool NeedsAll() const { return true; }

protected:
    ~LaneBody() = default;
};

class LoopBody final : public LaneBody {
public:
    LoopBody(Loop loop, uint64_t scalar) : loop_(loop), scalar_(scalar) {}
    void Compute(const Lanes& lanes, uint64_t) const override {
        loop_({lanes.dst, lanes.src0, lanes.src1, scalar_, lanes.count});
    }

private:
    Loop loop_;
    uint64_t scalar_;
};

struct Lanewise {
    Call call;
    const char* page;
    LaneOperand dst;
    bool readsDst;
    LaneOperand sources[2];
    int sourceCount;
    bool accumulates = false;  // dst may be the second source of a later repeat (通用地址重叠约束)
    // A third operand, read as a whole before the first lane.
    LaneOperand whole{"", {}, 0};
};

void RunCount(const Lanewise& in, const LaneBody& body, int64_t count);
void RunRepeats(const Lanewise& in, const LaneBody& body, const Repeats& repeats);
// The same for Copy, whose mask in counter mode is of each repeat.
void RunMasked(const Lanewise& in, const LaneBody& body, const Repeats& repeats, const MaskedLanes& mask,
               uint32_t lanes);
uint32_t LanesOf(const Lanewise& in);

// One operand of repeats, for functions that are not lane by lane.
struct Strided {
    LaneOperand operand;
    uint32_t block, repeat;  // in blocks of 32 bytes
};
// Bytes from the operand's start to the end of the last lane that takes part.
uint64_t ExtentOf(const Strided& strided, const MaskedLanes& mask, uint32_t lanes);
// The lanes of one repeat, side by side; `origins` (one a lane: the weakest of what is there and of the lane's bytes)
// may be null. Only blocks with a selected lane are read.
void Gather(Core& core, const Strided& strided, uint32_t repeat, const uint64_t (&mask)[2], uint32_t lanes,
            uint8_t* values, Origin* origins);
// Tells the shadow of one repeat's reads.
void ReadRepeat(Core& core, const Strided& strided, uint32_t repeat, const uint64_t (&mask)[2], uint32_t lanes,
                uint32_t number, const Call& call);

inline Call Of(const VectorCall& call) { return {call.api, call.site, Pipe::kVector}; }

}  // namespace sim

#endif
