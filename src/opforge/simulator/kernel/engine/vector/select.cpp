// Compare, which writes one bit an element into a tensor or the register, and Select, which chooses by such bits.
// Documentation: 基础API/Memory矢量计算/比较与选择
#include <cinttypes>
#include <cstring>

#include "instruction.h"
#include "lanewise.h"
#include "memory/ub_operand.h"

namespace sim {
namespace {

using AscendC::SELMODE;

constexpr Rule kCompareCount = {"compare-length", "the compared elements fill whole repeats of 256 bytes",
                                "基础API/Memory矢量计算/比较与选择/Compare"};
constexpr Rule kCompareMode = {"compare-mode", "int32_t is compared with EQ only",
                               "基础API/Memory矢量计算/比较与选择/Compare"};
constexpr Rule kMode = {"select-mode", "VSEL_TENSOR_SCALAR_MODE takes a scalar, the other modes two tensors",
                        "基础API/Memory矢量计算/比较与选择/Select"};
constexpr Rule kRegister = {"select-register",
                            "what Select takes from the register has been written by Compare or SetCmpMask",
                            "基础API/Memory矢量计算/比较与选择/SetCmpMask(ISASI)"};

// Where the bits of a Select come from.
class Chooser final : public LaneBody {
public:
    Chooser(uint32_t bytes, const uint8_t* bits, const uint8_t* known, uint64_t period, bool scalar, uint64_t value)
        : bytes_(bytes), bits_(bits), known_(known), period_(period), scalar_(scalar), value_(value) {}

    void Compute(const Lanes& lanes, uint64_t first) const override {
        if (bytes_ == 2) {
            Pick<uint16_t>(lanes, first);
        } else {
            Pick<uint32_t>(lanes, first);
        }
    }
    int Needs(uint64_t lane) const override {
        const uint64_t bit = period_ == 0 ? lane : lane % period_;
        if ((known_[bit / 8] >> (bit % 8) & 1) == 0) {
            return -1;
        }
        return Chosen(lane) ? 1 : (scalar_ ? 0 : 2);
    }
    bool NeedsAll() const override { return false; }

private:
    bool Chosen(uint64_t lane) const {
        const uint64_t bit = period_ == 0 ? lane : lane % period_;
        return (bits_[bit / 8] >> (bit % 8) & 1) != 0;
    }
    template <typename T>
    void Pick(const Lanes& lanes, uint64_t first) const {
        T* dst = static_cast<T*>(lanes.dst);
        const T* src0 = static_cast<const T*>(lanes.src0);
        const T* src1 = static_cast<const T*>(lanes.src1);
        const T value = static_cast<T>(value_);
        for (size_t i = 0; i < lanes.count; ++i) {
            dst[i] = Chosen(first + i) ? src0[i] : (scalar_ ? value : src1[i]);
        }
    }

    uint32_t bytes_;
    const uint8_t* bits_;
    const uint8_t* known_;
    uint64_t period_;  // 0: each lane has a bit of its own
    bool scalar_;
    uint64_t value_;
};

// A device compares old values as any.
bool IsKnown(const Core& core, Origin origin) {
    return origin == UbShadow::kValue || (core.AsDevice() && Origins::IsOld(origin));
}

void CompareIntoRegister(const VectorCall& vectorCall, Loop loop, const LaneOperand& src0, const LaneOperand& src1,
                         const Repeats& repeats) {
    Core& core = CurrentCore();
    const Call call = Of(vectorCall);
    const uint32_t lanes = kRepeatBytes * 8 / src0.bits;
    MaskedLanes mask = core.registers.vector.Take(repeats, lanes, call);
    if (mask.times == 0) {
        return;
    }
    const Strided sources[2] = {{src0, repeats.srcBlock[0], 0}, {src1, repeats.srcBlock[1], 0}};
    alignas(32) uint8_t values[2][kRepeatBytes] = {};
    Origin known[128];
    std::memset(known, UbShadow::kValue, sizeof(known));
    for (const Strided& source : sources) {
        CheckOperand(core, {source.operand.role, source.operand.place, ExtentOf(source, mask, lanes), false}, call,
                     vectorCall.page);
    }
    const uint32_t number = core.Issue(Pipe::kVector, call, Work::Vector(mask.selected));
    for (int s = 0; s < 2; ++s) {
        if (core.Checks()) {
            ReadRepeat(core, sources[s], 0, mask.bits, lanes, number, call);
        }
        Gather(core, sources[s], 0, mask.bits, lanes, values[s], core.Checks() ? known : nullptr);
    }
    uint8_t bits[16] = {};
    loop({bits, values[0], values[1], 0, lanes});
    uint64_t (&result)[2] = core.registers.vector.cmpMask;
    std::memcpy(result, bits, sizeof(bits));
    for (uint32_t word = 0; word < 2; ++word) {
        core.registers.vector.cmpKnown[word] = mask.bits[word];
        for (uint32_t bit = 0; bit < 64 && word * 64 + bit < lanes; ++bit) {
            if (!IsKnown(core, known[word * 64 + bit])) {
                core.registers.vector.cmpKnown[word] &= ~(1ull << bit);
            }
        }
    }
}

}  // namespace

void Compare(const VectorCall& vectorCall, uint32_t mode, Dtype type, const Ub* dst, const Ub& src0, const Ub* src1,
             uint64_t scalar, int64_t count, const Repeats* repeats) {
    const Call call = Of(vectorCall);
    Core& core = CurrentCore();
    core.Poll();
    const auto cmpMode = static_cast<AscendC::CMPMODE>(mode);
    const Loop loop = src1 != nullptr ? CompareLoop(cmpMode, type) : CompareScalarLoop(cmpMode, type);
    if (loop == nullptr) {
        Fail(call, kCompareMode, "this CMPMODE is not supported for %s", Name(type));
    }
    const uint32_t bits = BitsOf(type);
    const LaneOperand operands[2] = {{"src0", src0, bits}, {"src1", src1 != nullptr ? *src1 : Ub{}, bits}};
    if (dst == nullptr) {
        CompareIntoRegister(vectorCall, loop, operands[0], operands[1], *repeats);
        return;
    }
    const uint32_t element = bits / 8;
    const uint32_t lanes = kRepeatBytes / element;
    if (repeats == nullptr) {
        core.registers.vector.ResetMask();
        if (static_cast<uint64_t>(count) * element % kRepeatBytes != 0) {
            Fail(call, kCompareCount, "%" PRIu64 " elements of %s are %" PRIu64 " bytes", static_cast<uint64_t>(count),
                 Name(type), static_cast<uint64_t>(count) * element);
        }
    }
    // masks do nothing here on these SoCs, but in counter mode the register says how many repeats there are
    uint32_t times = repeats == nullptr ? static_cast<uint32_t>(count / lanes) : repeats->times;
    if (repeats != nullptr && core.registers.vector.counter) {
        times = core.registers.vector.Take(*repeats, lanes, call).times;
    }
    if (times == 0) {
        return;
    }
    MaskedLanes mask{times, {}, {}, static_cast<uint64_t>(times) * lanes};
    FirstLanes(lanes, mask.bits);
    FirstLanes(lanes, mask.last);
    const Strided sources[2] = {
        {operands[0], repeats != nullptr ? repeats->srcBlock[0] : 1, repeats != nullptr ? repeats->srcRepeat[0] : 8},
        {operands[1], repeats != nullptr ? repeats->srcBlock[1] : 1, repeats != nullptr ? repeats->srcRepeat[1] : 8}};
    const int sourceCount = src1 != nullptr ? 2 : 1;
    // results lie side by side, whatever dst's strides say
    const uint32_t perRepeat = lanes / 8;
    const uint32_t dstBytes = times * perRepeat;
    CheckOperand(core, {"dst", *dst, dstBytes, true}, call, vectorCall.page);
    for (int s = 0; s < sourceCount; ++s) {
        CheckOperand(core, {operands[s].role, operands[s].place, ExtentOf(sources[s], mask, lanes), false}, call,
                     vectorCall.page);
    }
    const uint32_t number = core.Issue(Pipe::kVector, call, Work::Vector(mask.selected));
    for (uint32_t r = 0; r < times; ++r) {
        alignas(32) uint8_t values[2][kRepeatBytes];
        Origin known[128];
        std::memset(known, UbShadow::kValue, sizeof(known));
        for (int s = 0; s < sourceCount; ++s) {
            if (core.Checks()) {
                ReadRepeat(core, sources[s], r, mask.bits, lanes, number, call);
            }
            Gather(core, sources[s], r, mask.bits, lanes, values[s], core.Checks() ? known : nullptr);
        }
        const uint32_t addr = dst->addr + r * perRepeat;
        loop({core.UbData(addr), values[0], values[1], scalar, lanes});
        if (core.Checks()) {
            core.memory.shadow.Write(core.order.clocks, Pipe::kVector, number, addr, addr + perRepeat, call);
            uint8_t* defined = core.memory.shadow.Defined(addr);
            core.memory.shadow.Undefine(addr, perRepeat);
            // the shadow has eight bits a byte: one for each result bit
            for (uint32_t lane = 0; lane < lanes; ++lane) {
                defined[lane / 8] =
                    static_cast<uint8_t>(defined[lane / 8] | unsigned{IsKnown(core, known[lane])} << lane % 8);
            }
        }
    }
}

void Select(const VectorCall& vectorCall, uint32_t modeValue, Dtype type, const Ub& dst, const Ub* selMask,
            const Ub& src0, const Ub* src1, const uint64_t* scalar, int64_t count, const Repeats* repeats) {
    const Call call = Of(vectorCall);
    Core& core = CurrentCore();
    const SELMODE mode = static_cast<SELMODE>(modeValue);
    if ((mode == SELMODE::VSEL_TENSOR_SCALAR_MODE) != (src1 == nullptr)) {
        Fail(call, kMode, "this SELMODE does not fit the arguments");
    }
    const uint32_t bits = BitsOf(type);
    const uint32_t lanes = kRepeatBytes * 8 / bits;
    VectorRegisters& registers = core.registers.vector;
    const bool fromRegister = selMask == nullptr || (src1 == nullptr && scalar == nullptr);
    const uint64_t needed = mode == SELMODE::VSEL_CMPMASK_SPR          ? 0
                            : mode == SELMODE::VSEL_TENSOR_SCALAR_MODE ? (~0ull >> (64 - bits))
                                                                       : 0xffffffffu;
    if (fromRegister && (registers.cmpKnown[0] & needed) != needed) {
        Fail(call, kRegister, "the register holds no such value");
    }
    Lanewise in{call,
                vectorCall.page,
                {"dst", dst, bits},
                false,
                {{"src0", src0, bits}, {"src1", src1 != nullptr ? *src1 : Ub{}, bits}},
                src1 != nullptr ? 2 : 1};
    Ub place = selMask != nullptr ? *selMask : Ub{};
    if (selMask == nullptr && mode == SELMODE::VSEL_TENSOR_TENSOR_MODE) {
        place.addr = static_cast<uint32_t>(registers.cmpMask[0]);
        place.end = static_cast<uint32_t>(core.UbBytes());
    }
    const bool again = mode == SELMODE::VSEL_CMPMASK_SPR;  // the bits of one repeat, over and over
    const bool held = selMask == nullptr && again;
    uint64_t length = static_cast<uint64_t>(std::max<int64_t>(count, 0));
    if (repeats != nullptr) {
        VectorRegisters copy = registers;
        length = static_cast<uint64_t>(copy.Take(*repeats, lanes, call).times) * lanes;
    }
    if (again) {
        length = std::min<uint64_t>(length, lanes);
    }
    if (!held && length != 0) {
        in.whole = {"selMask", place, static_cast<uint32_t>(length)};
    }
    const uint64_t value = scalar != nullptr ? *scalar : registers.cmpMask[0];
    std::vector<uint8_t> chosen, known;  // copies: dst may lie over the mask
    if (held) {
        chosen.resize(16);
        known.resize(16);
        std::memcpy(chosen.data(), registers.cmpMask, 16);
        std::memcpy(known.data(), registers.cmpKnown, 16);
    } else if (length != 0) {
        CheckOperand(core, {"selMask", place, (length + 7) / 8, false}, call, vectorCall.page);
        const uint8_t* data = core.UbData(place.addr);
        chosen.assign(data, data + (length + 7) / 8);
        const uint8_t* defined = core.memory.shadow.Defined(place.addr);
        known.assign(defined, defined + (length + 7) / 8);
    }
    const Chooser chooser(bits / 8, chosen.data(), known.data(), again ? lanes : 0, src1 == nullptr, value);
    if (repeats != nullptr) {
        RunRepeats(in, chooser, *repeats);
    } else {
        RunCount(in, chooser, count);
    }
}

void ReadCmpMask(const VectorCall& vectorCall, const Ub& dst) {
    const Call call = Of(vectorCall);
    Core& core = CurrentCore();
    core.Poll();
    // the register has 16 bytes, but the page asks for room of 128
    CheckOperand(core, {"dst", dst, 128, true, 16}, call, vectorCall.page);
    const uint32_t number = core.Issue(Pipe::kVector, call, Work::Vector(128));
    std::memcpy(core.UbData(dst.addr), core.registers.vector.cmpMask, 16);
    if (core.Checks()) {
        core.memory.shadow.Write(core.order.clocks, Pipe::kVector, number, dst.addr, dst.addr + 16, call);
        std::memcpy(core.memory.shadow.Defined(dst.addr), core.registers.vector.cmpKnown, 16);
    }
}

void WriteCmpMask(const VectorCall& vectorCall, const Ub& src) {
    const Call call = Of(vectorCall);
    Core& core = CurrentCore();
    core.Poll();
    CheckOperand(core, {"src", src, 16, false, 16}, call, vectorCall.page);
    const uint32_t number = core.Issue(Pipe::kVector, call, Work::Vector(128));
    std::memcpy(core.registers.vector.cmpMask, core.UbData(src.addr), 16);
    std::memset(core.registers.vector.cmpKnown, 0xff, 16);
    if (core.Checks()) {
        core.memory.shadow.Read(core.order.clocks, Pipe::kVector, number, src.addr, src.addr + 16, call);
        std::memcpy(core.registers.vector.cmpKnown, core.memory.shadow.Defined(src.addr), 16);
    }
}

}  // namespace sim
