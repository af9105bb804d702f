#include "instruction.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

namespace sim {

Instruction::Instruction(const VectorCall& call, Pipe pipe)
    : core_(CurrentCore()), call_{call.api, call.site, pipe}, page_(call.page), pipe_(pipe) {
    core_.Poll();
}

uint8_t* Instruction::Add(const Operand& operand) {
    CheckOperand(core_, operand, call_, page_);
    operands_.push_back(operand);
    return core_.UbData(operand.place.addr);
}

void Instruction::Issue(uint64_t elements) {
    Work work = Work::Vector(elements);
    for (const Operand& operand : operands_) {
        work.moved = std::max(work.moved, operand.bytes);
    }
    Issue(work);
}

void Instruction::Issue(const Work& work) {
    const uint32_t number = core_.Issue(pipe_, call_, work);
    if (!core_.Checks()) {
        return;
    }
    for (const bool write : {false, true}) {
        for (const Operand& operand : operands_) {
            const uint32_t begin = operand.place.addr;
            const uint32_t end = static_cast<uint32_t>(begin + operand.bytes);
            if (operand.write == write && write) {
                core_.shadow.Write(core_.clocks, pipe_, number, begin, end, call_);
            } else if (operand.write == write) {
                core_.shadow.Read(core_.clocks, pipe_, number, begin, end, call_);
            }
        }
    }
    for (const Room& room : scratch_) {
        Define(room.place, room.bytes, 0, false);
    }
}

bool Instruction::Known(const Ub& place, uint64_t offset, uint64_t bytes) const {
    return !core_.Checks() || core_.shadow.AllDefined(static_cast<uint32_t>(place.addr + offset), bytes);
}

void Instruction::Define(const Ub& place, uint64_t bytes, uint64_t offset, bool defined) {
    if (core_.Checks() && bytes != 0) {
        std::memset(core_.shadow.Defined(static_cast<uint32_t>(place.addr + offset)), defined ? 0xff : 0, bytes);
    }
}

void Instruction::DefineLanes(const Lane& dst, std::initializer_list<Lane> sources, uint64_t count) {
    if (!core_.Checks()) {
        return;
    }
    bool all = true;
    for (const Lane& source : sources) {
        all = all && Known(source.place, 0, count * source.element);
    }
    if (all) {
        Define(dst.place, count * dst.element);
        return;
    }
    std::vector<bool> known(count, true);  // dst may be a source
    for (const Lane& source : sources) {
        for (uint64_t i = 0; i < count; ++i) {
            known[i] = known[i] && Known(source.place, i * source.element, source.element);
        }
    }
    for (uint64_t i = 0; i < count; ++i) {
        Define(dst.place, dst.element, i * dst.element, known[i]);
    }
}

void Instruction::Require(const char* role, const Ub& place, uint64_t count, uint32_t element, const Rule& rule) const {
    if (Known(place, 0, count * element)) {
        return;
    }
    uint64_t i = 0;
    while (Known(place, i * element, element)) {
        ++i;
    }
    Fail(call_, rule, "element %" PRIu64 " of %s (UB address %" PRIu64 ") has never been written", i, role,
         place.addr + i * element);
}

}  // namespace sim
