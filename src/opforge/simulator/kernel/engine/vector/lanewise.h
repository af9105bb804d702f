// Functions that go lane by lane: by the first `count` elements, or by repeats with strides and a mask. Checks the
// operands, keeps the books, and calls the function's body for stretches of lanes.
// Documentation: 基础API/Memory矢量计算/SIMD计算说明
#ifndef OPFORGE_SIM_KERNEL_VECTOR_LANEWISE_H
#define OPFORGE_SIM_KERNEL_VECTOR_LANEWISE_H

#include "arithmetic.h"
#include "core.h"
#include "strided.h"
#include "sim/vector.h"

namespace sim {

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
    bool subtracts = false;    // of integers: an operand minus itself is 0, whatever it holds
    bool bitwise = false;      // each bit of a result is made of the same bits of the sources
    // A third operand, read as a whole before the first lane.
    LaneOperand whole{"", {}, 0};
};

void RunCount(const Lanewise& in, const LaneBody& body, int64_t count);
void RunRepeats(const Lanewise& in, const LaneBody& body, const Repeats& repeats);
// The same for Copy, whose mask in counter mode is of each repeat.
void RunMasked(const Lanewise& in, const LaneBody& body, const Repeats& repeats, const MaskedLanes& mask,
               uint32_t lanes);
uint32_t LanesOf(const Lanewise& in);

inline Call Of(const VectorCall& call) { return {call.api, call.site, Pipe::kVector}; }

}  // namespace sim

#endif
