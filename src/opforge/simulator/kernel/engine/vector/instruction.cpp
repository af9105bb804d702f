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

void Instruction::Issue(uint64_t elements) { Issue(WorkOf(elements)); }

void Instruction::IssueFunction(uint64_t elements) {
    Work work = WorkOf(elements);
    work.isFunction = true;
    Issue(work);
}

Work Instruction::WorkOf(uint64_t elements) const {
    Work work = Work::Vector(elements);
    for (const Operand& operand : operands_) {
        work.moved = std::max(work.moved, operand.bytes);
    }
    return work;
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
                core_.memory.shadow.Write(core_.order.clocks, pipe_, number, begin, end, call_);
            } else if (operand.write == write) {
                core_.memory.shadow.Read(core_.order.clocks, pipe_, number, begin, end, call_);
            }
        }
    }
    for (const Room& room : scratch_) {
        Define(room.place, room.bytes, 0, false);
    }
}

bool Instruction::Known(const Ub& place, uint64_t offset, uint64_t bytes) const {
    const uint32_t begin = static_cast<uint32_t>(place.addr + offset);
    const uint32_t end = static_cast<uint32_t>(begin + bytes);
    return !core_.Checks() || core_.memory.shadow.AllDefined(begin, bytes) ||
           core_.FirstLacking(begin, end, call_) == end;
}

Origin Instruction::OriginOf(const Ub& place, uint64_t offset, uint64_t bytes) const {
    return core_.Checks() ? core_.memory.shadow.Weakest(static_cast<uint32_t>(place.addr + offset), bytes)
                          : UbShadow::kValue;
}

void Instruction::DefineAs(const Ub& place, uint64_t bytes, uint64_t offset, Origin origin) {
    if (core_.Checks() && bytes != 0) {
        core_.memory.shadow.Mark(static_cast<uint32_t>(place.addr + offset), bytes, origin);
    }
}

void Instruction::Define(const Ub& place, uint64_t bytes, uint64_t offset, bool defined) {
    DefineAs(place, bytes, offset, defined ? UbShadow::kValue : Origins::kNone);
}

void Instruction::DefineLanes(const Lane& dst, std::initializer_list<Lane> sources, uint64_t count) {
    if (!core_.Checks()) {
        return;
    }
    bool all = true;
    for (const Lane& source : sources) {
        all = all && core_.memory.shadow.AllDefined(source.place.addr, count * source.element);
    }
    if (all) {
        Define(dst.place, count * dst.element);
        return;
    }
    std::vector<Origin> origins(count, UbShadow::kValue);  // dst may be a source
    for (const Lane& source : sources) {
        for (uint64_t i = 0; i < count; ++i) {
            origins[i] = Weaker(origins[i], OriginOf(source.place, i * source.element, source.element));
        }
    }
    for (uint64_t i = 0; i < count; ++i) {
        DefineAs(dst.place, dst.element, i * dst.element, origins[i]);
    }
}

void Instruction::Require(const char* role, const Ub& place, uint64_t count, uint32_t element, const Rule& rule) const {
    if (!core_.Checks() || core_.memory.shadow.AllDefined(place.addr, count * element)) {
        return;
    }
    const uint32_t end = static_cast<uint32_t>(place.addr + count * element);
    const uint32_t at = core_.FirstLacking(place.addr, end, call_);
    if (at == end) {
        return;
    }
    const uint64_t i = (at - place.addr) / element;
    Fail(call_, rule, "element %" PRIu64 " of %s (UB address %" PRIu64 ") %s", i, role, place.addr + i * element,
         core_.WhyLacking(at).c_str());
}

}  // namespace sim
