// Which bytes of global memory have a value: what a kernel reads of its workspace or outputs before it has written
// there, and what it has not written of its outputs at the end.
#ifndef OPFORGE_SIM_KERNEL_MEMORY_GM_MARKS_H
#define OPFORGE_SIM_KERNEL_MEMORY_GM_MARKS_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "report/failure.h"
#include "report/origins.h"
#include "sim_launch.h"

namespace sim {

class Findings;

// Shared by the cores of a launch. Cores that write the same bytes without an order among themselves are GmOrder's.
class GmMarks {
public:
    static constexpr Origin kValue = 0xff;

    explicit GmMarks(const sim_launch& launch);

    // The tiling data, which kernels may read as global memory, has values.
    void HoldTiling(uint64_t addr, uint64_t bytes) {
        tiling_ = addr;
        tilingBytes_ = bytes;
    }

    // What is known about the bytes at `addr`: kValue, kNone where nobody has written, or why not. For bytes outside of
    // all regions kNone.
    void Read(uint64_t addr, uint64_t bytes, Origin* marks) const;
    // True where all have a value: the quick answer for inputs.
    bool AllDefined(uint64_t addr, uint64_t bytes) const;
    // A core reads the bytes. Memory that it is not known of what it is (SIM_REGION_GIVEN) is a workspace where the
    // launch reads what it has written there itself.
    void Reading(uint64_t addr, uint64_t bytes);
    // The addresses of these workspaces.
    std::vector<uint64_t> ReadBack() const;
    // The bytes have been written; `marks` as they are now, null: all with values.
    void Write(uint64_t addr, uint64_t bytes, const Origin* marks = nullptr);
    // After the last core: what is missing of a result.
    std::optional<Failure> Missing(const sim_launch& launch, const Origins& origins, const Findings& findings) const;

private:
    // Marks of 4096 bytes. Whole chunks with values have none of their own.
    static constexpr uint64_t kChunk = 4096;
    struct Chunk {
        Origin marks[kChunk];
    };
    struct Region {
        const sim_region* of;
        bool defined;  // before anybody writes
        std::vector<std::atomic<Chunk*>> chunks;
        // Of SIM_REGION_GIVEN: by chunk, 64 bytes to the bit, what the launch has written; whether it has read of that.
        std::vector<std::atomic<uint64_t>> written;
        std::atomic<bool> readBack{false};

        Region(const sim_region& region, bool values)
            : of(&region),
              defined(values),
              chunks((region.bytes + kChunk - 1) / kChunk),
              written(region.role == SIM_REGION_GIVEN ? chunks.size() : 0) {}
        // The bits of `count` bytes of a chunk.
        static uint64_t Bits(uint64_t at, uint64_t count) {
            const uint64_t first = at % kChunk / 64, last = (at % kChunk + count - 1) / 64;
            return ~uint64_t{0} >> (63 - (last - first)) << first;
        }
        uint64_t End() const { return of->addr + of->bytes; }
        bool Has(uint64_t addr) const { return addr - of->addr < of->bytes; }
    };

    static Chunk kAllDefined;  // stands for chunks whose bytes all have values

    static bool IsOutput(const Region& region) {
        return region.of->role == SIM_REGION_OUTPUT || region.of->role == SIM_REGION_SHAPED;
    }
    // Whether no core has written to it.
    static bool IsUntouched(const Region& region);
    const Region* RegionOf(uint64_t addr) const;
    Chunk* Own(Region& region, size_t index);
    std::optional<Failure> MissingOf(const Region& region, const sim_launch& launch, const Origins& origins,
                                     const Findings& findings) const;

    bool InTiling(uint64_t addr) const { return addr - tiling_ < tilingBytes_; }

    uint64_t tiling_ = 0;
    uint64_t tilingBytes_ = 0;
    std::vector<std::unique_ptr<Region>> regions_;  // those that are defined first
    std::mutex mutex_;
    std::vector<std::unique_ptr<Chunk>> owned_;
};

}  // namespace sim

#endif
