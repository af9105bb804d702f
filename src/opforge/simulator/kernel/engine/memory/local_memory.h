// The memories of a core's cube unit (L1, L0A, L0B, L0C, BiasTable, Fixpipe buffer): bytes, who touched them last, and
// which are defined; and the access of one instruction to any memory of its core. The order of a cube core's pipes is
// the author's. Documentation: SIMD-API/通用说明和约束, 基础API/矩阵计算（ISASI）/矩阵计算的搬入/L1-L0A-B内存结构介绍
#ifndef OPFORGE_SIM_KERNEL_MEMORY_LOCAL_MEMORY_H
#define OPFORGE_SIM_KERNEL_MEMORY_LOCAL_MEMORY_H

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "order/clocks.h"
#include "report/counters.h"
#include "sim_launch.h"

namespace sim {

class Core;

// What a memory is called and how much of it a core of this SoC has.
struct MemorySize {
    const char* name;   // "L1 buffer"
    const char* brief;  // "L1"
    uint64_t bytes;
};
MemorySize SizeOf(const sim_soc& soc, Memory memory);

// Some pipes.
struct Pipes {
    uint32_t bits = 0;
    Pipes() = default;
    Pipes(Pipe pipe) : bits(1u << Index(pipe)) {}  // NOLINT: one pipe is some pipes
    Pipes operator|(Pipe pipe) const {
        Pipes both = *this;
        both.bits |= 1u << Index(pipe);
        return both;
    }
    bool Has(Pipe pipe) const { return (bits >> Index(pipe) & 1u) != 0; }
};

// One memory of one core. Takes its room when it is first used.
class LocalMemory {
public:
    static constexpr uint32_t kGranule = 32;

    // A new launch: nothing is defined.
    void Begin(const char* name, uint64_t bytes, bool checks);

    uint8_t* Data(uint32_t addr) { return Bytes() + addr; }
    uint8_t* Defined(uint32_t addr) { return defined_.data() + addr; }

    // Instruction `number` of `pipe` reads or writes [begin, end): fails where an earlier access of another pipe, or an
    // earlier write of the same one, is not ordered before it. `trusted`: pipes that the hardware itself orders here.
    void Read(PipeClocks& clocks, Pipe pipe, uint32_t number, uint32_t begin, uint32_t end, Pipes trusted,
              const Call& call);
    void Write(PipeClocks& clocks, Pipe pipe, uint32_t number, uint32_t begin, uint32_t end, Pipes trusted,
               const Call& call);

private:
    struct Release {
        void operator()(uint8_t* memory) const;
    };
    struct Granule {
        uint32_t writer = 0;  // number of the last write, and its pipe
        Pipe writerPipe = Pipe::kScalar;
        std::array<uint32_t, kPipes> readers{};
    };

    uint8_t* Bytes();
    void CheckWriter(const PipeClocks& clocks, Pipe pipe, const char* verb, uint32_t granule, Pipes trusted,
                     const Call& call) const;

    const char* name_ = "";
    uint64_t size_ = 0;
    uint64_t room_ = 0;
    bool checks_ = false;
    bool used_ = false;
    std::unique_ptr<uint8_t[], Release> bytes_;
    std::vector<Granule> granules_;
    std::vector<uint8_t> defined_;
};

// What one instruction of a pipe does to the memories of its core:
//
//     LocalAccess access(call, "基础API/矩阵计算（ISASI）/Mmad计算/Mmad", Pipe::kMatrix);
//     access.Check("dst", dst, Memory::kL0C, bytes, 1024);   // lies there, starts at a multiple, is long enough
//     access.Issue(Work::Move(bytes));
//     const uint8_t* from = access.Read(src, offset, bytes);
//     uint8_t* to = access.Write(dst, offset, bytes);
//     access.Move(dst, to offset, src, from offset, bytes);  // both, and the defined bits with them
class LocalAccess {
public:
    LocalAccess(const Call& call, const char* page, Pipe pipe);

    // Fails unless `place` lies in `memory` of this core, starts at a multiple of `alignment` bytes and has `bytes`.
    void Check(const char* role, const Ub& place, Memory memory, uint64_t bytes, uint32_t alignment) const;
    // What it does goes into the core's books: Work::Load, Store, Move, or macs.
    void Issue(const Work& work);
    uint32_t Number() const { return number_; }
    Pipe Line() const { return pipe_; }

    // `trusted` as above.
    const uint8_t* Read(const Ub& place, uint64_t offset, uint64_t bytes, Pipes trusted = {});
    uint8_t* Write(const Ub& place, uint64_t offset, uint64_t bytes, Pipes trusted = {});
    bool AllDefined(const Ub& place, uint64_t offset, uint64_t bytes) const;
    void Define(const Ub& place, uint64_t offset, uint64_t bytes, bool defined = true);
    void CopyDefined(const Ub& dst, uint64_t to, const Ub& src, uint64_t from, uint64_t bytes);
    void Move(const Ub& dst, uint64_t to, const Ub& src, uint64_t from, uint64_t bytes);

    Core& On() const { return core_; }
    const Call& Where() const { return call_; }
    const char* Page() const { return page_; }

private:
    uint8_t* Defined(const Ub& place, uint64_t offset) const;
    uint8_t* Data(const Ub& place, uint64_t offset) const;

    Core& core_;
    Call call_;
    const char* page_;
    Pipe pipe_;
    uint32_t number_ = 0;
};

// Fails unless the calling core has a cube unit: LoadData, Mmad and Fixpipe are none of an AIV's.
void CheckCubeCore(Core& core, const Call& call);

}  // namespace sim

#endif
