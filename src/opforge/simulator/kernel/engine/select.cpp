// Select: takes elements from one source or the other by the bits of a mask.
// Documentation: 基础API/Memory矢量计算/比较与选择/Select
#include <cinttypes>
#include <cstring>

#include "arithmetic.h"
#include "core.h"

namespace sim {
namespace {

using AscendC::SELMODE;

constexpr Rule kMode = {"VSEL_TENSOR_SCALAR_MODE takes a scalar, the other modes two tensors",
                        "基础API/Memory矢量计算/比较与选择/Select"};
constexpr uint32_t kRepeatBytes = 256;

template <typename T>
void Pick(T* dst, const uint8_t* mask, uint64_t period, const T* src0, const T* src1, T scalar, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
        const uint64_t bit = i % period;
        const T other = src1 != nullptr ? src1[i] : scalar;
        dst[i] = (mask[bit / 8] >> (bit % 8) & 1) != 0 ? src0[i] : other;
    }
}

void Run(const VectorCall& vectorCall, SELMODE mode, Dtype type, const Ub& dst, const Ub& mask, const Ub& src0,
         const Ub* src1, uint64_t scalar, int64_t signedCount) {
    Core& core = CurrentCore();
    core.Poll();
    const Call call{vectorCall.api, vectorCall.site};
    if ((mode == SELMODE::VSEL_TENSOR_SCALAR_MODE) != (src1 == nullptr)) {
        Fail(call, kMode, "this SELMODE does not fit the arguments");
    }
    if (signedCount == 0) {
        return;
    }
    const uint64_t count = static_cast<uint64_t>(signedCount);
    const uint32_t element = BytesOf(type);
    // mode 0 uses the bits of one repeat over and over
    const uint64_t lanes = kRepeatBytes / element;
    const uint64_t period = mode == SELMODE::VSEL_CMPMASK_SPR && count > lanes ? lanes : count;
    const uint64_t bytes = count * element;
    CheckOperand(core, {"dst", dst, bytes, true}, call, vectorCall.page);
    CheckOperand(core, {"selMask", mask, (period + 7) / 8, false}, call, vectorCall.page);
    CheckOperand(core, {"src0", src0, bytes, false}, call, vectorCall.page);
    if (src1 != nullptr) {
        CheckOperand(core, {"src1", *src1, bytes, false}, call, vectorCall.page);
    }
    if (core.Checks()) {
        const uint32_t number = core.clocks.Issue(Pipe::kVector, call);
        const auto read = [&](const Ub& place, uint64_t length) {
            core.shadow.Read(core.clocks, Pipe::kVector, number, place.addr, static_cast<uint32_t>(place.addr + length),
                             call);
        };
        read(mask, (period + 7) / 8);
        read(src0, bytes);
        if (src1 != nullptr) {
            read(*src1, bytes);
        }
        core.shadow.Write(core.clocks, Pipe::kVector, number, dst.addr, static_cast<uint32_t>(dst.addr + bytes), call);
        const bool all = core.shadow.AllDefined(mask.addr, (period + 7) / 8) &&
                         core.shadow.AllDefined(src0.addr, bytes) &&
                         (src1 == nullptr || core.shadow.AllDefined(src1->addr, bytes));
        if (all) {
            std::memset(core.shadow.Defined(dst.addr), 0xff, bytes);
        } else {
            // a result is known where its mask bit and the element it chose are
            for (uint64_t i = 0; i < count; ++i) {
                const uint32_t byte = mask.addr + static_cast<uint32_t>(i % period / 8);
                const unsigned bit = static_cast<unsigned>(i % period % 8);
                const uint32_t offset = static_cast<uint32_t>(i * element);
                bool known = (*core.shadow.Defined(byte) >> bit & 1) != 0;
                if ((*core.UbData(byte) >> bit & 1) != 0) {
                    known = known && core.shadow.AllDefined(src0.addr + offset, element);
                } else if (src1 != nullptr) {
                    known = known && core.shadow.AllDefined(src1->addr + offset, element);
                }
                std::memset(core.shadow.Defined(dst.addr + offset), known ? 0xff : 0, element);
            }
        }
    }
    core.counters.Vector(count);
    const uint8_t* bits = core.UbData(mask.addr);
    if (element == 2) {
        Pick(reinterpret_cast<uint16_t*>(core.UbData(dst.addr)), bits, period,
             reinterpret_cast<const uint16_t*>(core.UbData(src0.addr)),
             src1 != nullptr ? reinterpret_cast<const uint16_t*>(core.UbData(src1->addr)) : nullptr,
             static_cast<uint16_t>(scalar), count);
    } else {
        Pick(reinterpret_cast<uint32_t*>(core.UbData(dst.addr)), bits, period,
             reinterpret_cast<const uint32_t*>(core.UbData(src0.addr)),
             src1 != nullptr ? reinterpret_cast<const uint32_t*>(core.UbData(src1->addr)) : nullptr,
             static_cast<uint32_t>(scalar), count);
    }
}

}  // namespace

void SelectTensor(const VectorCall& call, uint32_t mode, Dtype type, const Ub& dst, const Ub& mask, const Ub& src0,
                  const Ub& src1, int64_t count) {
    Run(call, static_cast<SELMODE>(mode), type, dst, mask, src0, &src1, 0, count);
}

void SelectScalar(const VectorCall& call, uint32_t mode, Dtype type, const Ub& dst, const Ub& mask, const Ub& src0,
                  uint64_t scalar, int64_t count) {
    Run(call, static_cast<SELMODE>(mode), type, dst, mask, src0, nullptr, scalar, count);
}

}  // namespace sim
