#include "local_memory.h"

#include <algorithm>
#include <cinttypes>
#include <cstdlib>
#include <cstring>

#include "launch/contexts.h"
#include "report/call_chain.h"
#include "core.h"
#include "ub_operand.h"

namespace sim {
namespace {

constexpr Rule kCubeOrder = {"cube-order",
                             "the pipes of a cube core (MTE2, MTE1, M, FIX) are ordered only by queues or "
                             "SetFlag/WaitFlag",
                             "基础API/同步控制/核内同步/SetFlag-WaitFlag(ISASI)"};
constexpr Rule kCubeBarrier = {"cube-barrier",
                               "instructions of one pipe that touch the same bytes need a PipeBarrier between them",
                               "基础API/同步控制/核内同步/PipeBarrier(ISASI)"};
constexpr Rule kOnCubeCore = {"cube-core-only",
                              "LoadData, Mmad, Fixpipe and the memories they work on are for AICs: ASCEND_IS_AIC",
                              "guide/编程指南/高级编程/硬件实现/基本架构"};

[[noreturn]] void FailUnordered(const PipeClocks& clocks, const char* memory, Pipe pipe, const char* verb,
                                uint32_t granule, const char* earlierVerb, Pipe earlier, uint32_t number,
                                const Call& call) {
    const Call* before = clocks.CallOf(Index(earlier), number);
    const char* api = before != nullptr ? before->api : "an earlier instruction";
    const std::string place = before != nullptr ? Where(before->site) : "?:0";
    const uint32_t addr = granule * LocalMemory::kGranule;
    if (earlier == pipe) {
        Fail(call, kCubeBarrier,
             "%s %s address %u, which %s on the same pipe %s %s at %s, without a PipeBarrier<PIPE_%s>", verb, memory,
             addr, api, Name(pipe), earlierVerb, place.c_str(), Name(pipe));
    }
    Fail(call, kCubeOrder, "pipe %s %s %s address %u, which %s on pipe %s %s at %s, without an event %s_%s", Name(pipe),
         verb, memory, addr, api, Name(earlier), earlierVerb, place.c_str(), Name(earlier), Name(pipe));
}

}  // namespace

MemorySize SizeOf(const sim_soc& soc, Memory memory) {
    switch (memory) {
        case Memory::kUb:
            return {"unified buffer", "UB", soc.ub_bytes};
        case Memory::kL1:
            return {"L1 buffer", "L1", soc.l1_bytes};
        case Memory::kL0A:
            return {"L0A buffer", "L0A", soc.l0a_bytes};
        case Memory::kL0B:
            return {"L0B buffer", "L0B", soc.l0b_bytes};
        case Memory::kL0C:
            return {"L0C buffer", "L0C", soc.l0c_bytes};
        case Memory::kBiasTable:
            return {"bias table buffer", "BiasTable", 1024};
        case Memory::kFixpipe:
            return {"fixpipe buffer", "Fixpipe buffer", 7 * 1024};
        case Memory::kCount:
            break;
    }
    return {"global memory", "GM", 0};
}

void LocalMemory::Release::operator()(uint8_t* memory) const { std::free(memory); }

void LocalMemory::Begin(const char* name, uint64_t bytes, bool checks) {
    name_ = name;
    size_ = bytes;
    checks_ = checks;
    used_ = false;
}

uint8_t* LocalMemory::Bytes() {
    if (!used_) {
        used_ = true;
        if (room_ < size_) {
            bytes_.reset(static_cast<uint8_t*>(std::aligned_alloc(4096, (size_ / 4096 + 1) * 4096)));
            std::memset(bytes_.get(), 0, size_);
            room_ = size_;
        }
        if (checks_) {
            granules_.assign(size_ / kGranule, Granule{});
            defined_.assign(size_, 0);
        }
    }
    return bytes_.get();
}

void LocalMemory::CheckWriter(const PipeClocks& clocks, Pipe pipe, const char* verb, uint32_t granule, Pipes trusted,
                              const Call& call) const {
    const Granule& last = granules_[granule];
    if (last.writer > clocks.Known(pipe)[Index(last.writerPipe)] && !trusted.Has(last.writerPipe)) {
        FailUnordered(clocks, name_, pipe, verb, granule, "wrote", last.writerPipe, last.writer, call);
    }
}

void LocalMemory::Read(PipeClocks& clocks, Pipe pipe, uint32_t number, uint32_t begin, uint32_t end, Pipes trusted,
                       const Call& call) {
    for (uint32_t g = begin / kGranule; g * kGranule < end; ++g) {
        CheckWriter(clocks, pipe, "reads", g, trusted, call);
        granules_[g].readers[Index(pipe)] = number;
    }
}

void LocalMemory::Write(PipeClocks& clocks, Pipe pipe, uint32_t number, uint32_t begin, uint32_t end, Pipes trusted,
                        const Call& call) {
    const Clock& known = clocks.Known(pipe);
    for (uint32_t g = begin / kGranule; g * kGranule < end; ++g) {
        Granule& last = granules_[g];
        if (last.writer == number && last.writerPipe == pipe) {
            continue;  // this instruction itself
        }
        // who reads what is overwritten says more than who has written it before
        if (last.writerPipe != pipe) {
            CheckWriter(clocks, pipe, "overwrites", g, trusted, call);
        }
        for (int reader = 0; reader < kPipes; ++reader) {
            // a pipe reads its operands before a later instruction of the same pipe writes
            if (reader != Index(pipe) && !trusted.Has(static_cast<Pipe>(reader)) &&
                last.readers[reader] > known[reader]) {
                FailUnordered(clocks, name_, pipe, "overwrites", g, "reads", static_cast<Pipe>(reader),
                              last.readers[reader], call);
            }
        }
        CheckWriter(clocks, pipe, "overwrites", g, trusted, call);
        last.writer = number;
        last.writerPipe = pipe;
    }
}

void CheckCubeCore(Core& core, const Call& call) {
    if (!core.HasCube()) {
        Fail(call, kOnCubeCore, "called on an AIV, which has no cube unit");
    }
}

LocalAccess::LocalAccess(const Call& call, const char* page, Pipe pipe)
    : core_(CurrentCore()), call_(call), page_(page), pipe_(pipe) {
    core_.Poll();
}

void LocalAccess::Check(const char* role, const Ub& place, Memory memory, uint64_t bytes, uint32_t alignment) const {
    const MemorySize size = SizeOf(*core_.Request().soc, memory);
    if (place.memory != memory) {
        const std::string rule = std::string(role) + " lies in the " + size.name;
        Fail(call_, Rule{"operand-memory", rule.c_str(), page_}, "%s lies in the %s", role,
             SizeOf(*core_.Request().soc, place.memory).name);
    }
    if (memory == Memory::kUb) {
        CheckVectorCore(core_, place, call_);
    } else {
        // a vector core fills its part of the cube core's L1, and hands it to a Matmul object: a queue of TSCM
        const bool shared = memory == Memory::kL1 && core_.Kind() == CoreKind::kVector && place.buffer >= 0 &&
                            core_.Group().cube != nullptr && std::strcmp(role, "src") != 0;
        if (!shared) {
            CheckCubeCore(core_, call_);
        }
    }
    // A tensor of L0 that the kernel has placed itself has the size of its matrix, not of the fractals that LoadData
    // fills around it; it ends where the memory does.
    const bool fractals = memory == Memory::kL0A || memory == Memory::kL0B || memory == Memory::kL0C;
    const uint64_t end = fractals && place.buffer < 0 ? size.bytes : std::min<uint64_t>(place.end, size.bytes);
    const uint64_t needed = place.addr + bytes;
    if (bytes != 0 && needed > end) {
        constexpr const char* kSays =
            "%s needs %" PRIu64 " bytes from %s address %u, but its tensor ends at %" PRIu64 " (%" PRIu64 " too many)";
        const DeviceRule rule = OperandRule(page_);
        if (needed > size.bytes) {
            Fail(call_, rule.rule, kSays, role, bytes, size.brief, place.addr, end, needed - end);
        }
        LetPass(call_, rule, kSays, role, bytes, size.brief, place.addr, end, needed - end);
    }
    const bool write = std::strcmp(role, "dst") == 0;
    if (place.addr % alignment != 0) {
        const std::string rule = std::string(role) + " starts at a multiple of " + std::to_string(alignment) + " bytes";
        Fail(call_, Rule{"operand-alignment", rule.c_str(), page_},
             "%s starts at %s address %u, %u bytes behind a multiple of %u", role, size.brief, place.addr,
             place.addr % alignment, alignment);
    }
    if (core_.Checks()) {
        if (memory == Memory::kUb) {
            core_.memory.shadow.Touch(core_.Shared().origins, place, bytes, write, call_);
        }
        core_.memory.buffers.Queues().CheckAlive(place, role, write, call_);
    }
}

void LocalAccess::Issue(const Work& work) { number_ = core_.Issue(pipe_, call_, work); }

uint8_t* LocalAccess::Data(const Ub& place, uint64_t offset) const {
    const uint32_t at = static_cast<uint32_t>(place.addr + offset);
    return place.memory == Memory::kUb ? core_.UbData(at) : core_.Local(place.memory).Data(at);
}

uint8_t* LocalAccess::Defined(const Ub& place, uint64_t offset) const {
    const uint32_t at = static_cast<uint32_t>(place.addr + offset);
    return place.memory == Memory::kUb ? core_.memory.shadow.Defined(at) : core_.Local(place.memory).Defined(at);
}

const uint8_t* LocalAccess::Read(const Ub& place, uint64_t offset, uint64_t bytes, Pipes trusted) {
    const uint8_t* data = Data(place, offset);
    if (core_.Checks() && bytes != 0) {
        const uint32_t begin = static_cast<uint32_t>(place.addr + offset);
        const uint32_t end = static_cast<uint32_t>(begin + bytes);
        if (place.memory == Memory::kUb) {
            core_.memory.shadow.Read(core_.order.clocks, pipe_, number_, begin, end, call_);
        } else {
            core_.Local(place.memory).Read(core_.order.clocks, pipe_, number_, begin, end, trusted, call_);
        }
    }
    return data;
}

uint8_t* LocalAccess::Write(const Ub& place, uint64_t offset, uint64_t bytes, Pipes trusted) {
    uint8_t* data = Data(place, offset);
    if (core_.Checks() && bytes != 0) {
        const uint32_t begin = static_cast<uint32_t>(place.addr + offset);
        const uint32_t end = static_cast<uint32_t>(begin + bytes);
        if (place.memory == Memory::kUb) {
            core_.memory.shadow.Write(core_.order.clocks, pipe_, number_, begin, end, call_);
        } else {
            core_.Local(place.memory).Write(core_.order.clocks, pipe_, number_, begin, end, trusted, call_);
        }
    }
    return data;
}

bool LocalAccess::AllDefined(const Ub& place, uint64_t offset, uint64_t bytes) const {
    if (!core_.Checks() || bytes == 0) {
        return true;
    }
    const uint8_t* defined = Defined(place, offset);
    return defined[0] == 0xff && std::memcmp(defined, defined + 1, bytes - 1) == 0;
}

void LocalAccess::Define(const Ub& place, uint64_t offset, uint64_t bytes, bool defined) {
    if (core_.Checks() && bytes != 0) {
        std::memset(Defined(place, offset), defined ? 0xff : 0, bytes);
    }
}

void LocalAccess::CopyDefined(const Ub& dst, uint64_t to, const Ub& src, uint64_t from, uint64_t bytes) {
    if (!core_.Checks() || bytes == 0) {
        return;
    }
    const uint32_t target = static_cast<uint32_t>(dst.addr + to), source = static_cast<uint32_t>(src.addr + from);
    if (dst.memory == Memory::kUb && src.memory == Memory::kUb) {
        core_.memory.shadow.Move(target, source, bytes);
    } else if (src.memory == Memory::kUb) {
        core_.memory.shadow.Known(source, bytes, core_.AsDevice(), Defined(dst, to));
    } else {
        std::memmove(Defined(dst, to), Defined(src, from), bytes);
        if (dst.memory == Memory::kUb && core_.memory.shadow.HasOrigins()) {
            std::memset(core_.memory.shadow.OriginAt(target), Origins::kNone, bytes);
        }
    }
}

void LocalAccess::Move(const Ub& dst, uint64_t to, const Ub& src, uint64_t from, uint64_t bytes) {
    const uint8_t* source = Read(src, from, bytes);
    std::memmove(Write(dst, to, bytes), source, bytes);
    CopyDefined(dst, to, src, from, bytes);
}

}  // namespace sim
