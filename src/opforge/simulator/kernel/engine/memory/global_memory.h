// The regions of global memory a launch may touch, and the transfers of one core that may still be in flight.
#ifndef OPFORGE_SIM_KERNEL_MEMORY_GLOBAL_MEMORY_H
#define OPFORGE_SIM_KERNEL_MEMORY_GLOBAL_MEMORY_H

#include <cstdint>
#include <string>
#include <vector>

#include "order/clocks.h"
#include "sim_launch.h"
#include "touched.h"

namespace sim {

// Whether a launch may go on that writes an input.
inline bool MayWriteInputs(const sim_launch& launch) {
    return launch.rules == SIM_RULES_DEVICE || launch.allow_count != 0;
}

class GlobalMemory {
public:
    void Begin(const sim_launch& launch, uint64_t tiling);

    // Fails unless [addr, addr + bytes) lies inside one region, and a writable one for writes; as devices judge it also
    // in the storage of a tensor and up to 32 bytes behind that, where no other operand has bytes.
    void Check(const Call& call, const char* verb, uint64_t addr, uint64_t bytes, bool write);

    // What stands for the kernel's own part of a workspace of `room` bytes, which has none behind the `system` bytes:
    // kernels ask for it and use it only with some tiling keys. No address; who touches it is refused.
    uint64_t NoUserWorkspace(uint64_t workspace, uint64_t room, uint64_t system);
    // Fails: the workspace has no room behind the system's part, or none for that.
    [[noreturn]] static void FailWorkspace(const Call& call, uint64_t room, uint64_t system);

    // Whether the byte belongs to a region, and which.
    bool Has(uint64_t addr) const { return RegionAt(addr) != nullptr; }
    const sim_region* RegionAt(uint64_t addr) const;
    // Whether Check has found the byte in what the kernel's object brings along.
    bool HasData(uint64_t addr) const { return addr - data_.addr < data_.bytes; }
    // "offset 8 of z".
    std::string Place(uint64_t addr) const;

    // Orders this core's own transfers: MTE2 after MTE3 wrote the same bytes and the reverse, and MTE3 over MTE3.
    void Read(PipeClocks& clocks, uint32_t number, uint64_t addr, uint64_t bytes, const Call& call);
    // Transfers with an atomic operation are not ordered among themselves: the result may differ in the last bits.
    void Write(PipeClocks& clocks, uint32_t number, uint64_t addr, uint64_t bytes, bool atomic, const Call& call,
               Pipe pipe = Pipe::kMte3);
    // The scalar unit waits for the transfers it meets; without automatic synchronisation events have to do it.
    void Scalar(PipeClocks& clocks, uint64_t addr, uint64_t bytes, bool write, const Call& call);

    Touched touched;

private:
    uint64_t workspaceRoom_ = 0;
    uint64_t systemBytes_ = 0;

    struct Transfer {
        uint64_t begin;
        uint64_t end;
        uint32_t number;
        Pipe pipe;
        bool atomic;
    };

    bool FindData(uint64_t addr);
    void CheckAround(const Call& call, const char* verb, uint64_t addr, uint64_t bytes);
    void Meet(PipeClocks& clocks, Pipe pipe, uint64_t begin, uint64_t end, const char* verb, bool write, bool atomic,
              const Call& call);
    void Remember(const PipeClocks& clocks, const Transfer& transfer);

    const sim_launch* launch_ = nullptr;
    sim_region tiling_{};               // the tiling data, which kernels may also read as global memory
    sim_region data_{};                 // what the kernel's object brings along, once it is touched
    const sim_region* last_ = nullptr;  // where the last access was
    std::vector<Transfer> flying_;
    Pipe out_ = Pipe::kMte3;
};

}  // namespace sim

#endif
