// A second source whose block and repeat strides are 0: one block of 32 bytes for all lanes.
#ifndef OPFORGE_SIM_KERNEL_VECTOR_HELD_BLOCK_H
#define OPFORGE_SIM_KERNEL_VECTOR_HELD_BLOCK_H

#include <cstring>
#include <vector>

#include "lanewise.h"

namespace sim {

inline bool IsHeld(const Strided& source) { return source.block == 0 && source.repeat == 0; }

// A function of two sources as one of the first, with the block of the second repeated for `bytes`.
class WithHeldBlock final : public LaneBody {
public:
    WithHeldBlock(const LaneBody& body, const uint8_t* block, uint64_t bytes)
        : body_(body), repeated_((bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes) {
        for (size_t at = 0; at < repeated_.size(); at += kBlockBytes) {
            std::memcpy(repeated_.data() + at, block, kBlockBytes);
        }
    }
    void Compute(const Lanes& lanes, uint64_t first) const override {
        body_.Compute({lanes.dst, lanes.src0, repeated_.data(), lanes.scalar, lanes.count}, first);
    }
    int Needs(uint64_t lane) const override { return body_.Needs(lane); }
    bool NeedsAll() const override { return body_.NeedsAll(); }

private:
    const LaneBody& body_;
    std::vector<uint8_t> repeated_;
};

}  // namespace sim

#endif
