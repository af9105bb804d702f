// What the cores of one launch share, and how its blocks are made of cores.
#ifndef OPFORGE_SIM_KERNEL_LAUNCH_LAUNCH_H
#define OPFORGE_SIM_KERNEL_LAUNCH_LAUNCH_H

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "core_kind.h"
#include "divisions.h"
#include "memory/data_cache.h"
#include "memory/touched.h"
#include "report/costs.h"
#include "report/findings.h"
#include "report/origins.h"
#include "sim_launch.h"

namespace sim {

class CrossCore;
class GmMarks;
class GmOrder;
class Schedule;

// How blocks are made of cores: SIM_KERNEL_*. Documentation: 基础API/Kernel-Tiling/设置Kernel类型
struct KernelType {
    int value;
    const char* name;   // "KERNEL_TYPE_MIX_AIC_1_2"
    uint32_t cubes;     // per block: 0 or 1
    uint32_t vectors;   // per block: 0, 1 or 2
    bool synchronises;  // cores can wait for each other by hardware flags
    bool coupled;       // a block is one core with both units, counted among neither

    uint32_t Cores() const { return coupled ? 1 : cubes + vectors; }
    CoreKind KindOf(uint32_t place) const {
        return coupled ? CoreKind::kCoupled : place < cubes ? CoreKind::kCube : CoreKind::kVector;
    }
    // Cores of that kind in a block.
    uint32_t CountOf(CoreKind kind) const {
        return kind == CoreKind::kCoupled ? 1 : kind == CoreKind::kCube ? cubes : vectors;
    }
    bool Mix() const { return cubes != 0 && vectors != 0; }
};
// Null for a value that is none.
const KernelType* KernelTypeOf(uint32_t value);

// What the cores of one launch share.
struct Launch {
    const sim_launch* request = nullptr;
    const KernelType* type = nullptr;
    bool checks = false;         // SIM_CHECKS_ALL
    bool limits = true;          // anything but SIM_CHECKS_OFF
    bool autoSync = true;        // compiled with --cce-auto-sync, as by default
    std::vector<uint64_t> args;  // with our copy of the tiling data as the last
    std::atomic<bool> stop{false};
    Divisions divisions;
    LineOwners lineOwners;
    std::mutex atomics;  // held while a transfer combines
    Schedule* schedule = nullptr;
    const Findings* findings = nullptr;
    Origins origins;
    GmMarks* gmMarks = nullptr;            // null unless undefined bytes are looked at
    GmOrder* gmOrder = nullptr;            // null unless accesses of global memory are checked against other cores'
    bool together = false;                 // cores can wait for each other
    CrossCore* crossCore = nullptr;        // flags between cores
    sim_counts* counts = nullptr;          // null unless somebody asks
    const TimeConstants* times = nullptr;  // null unless somebody asks how long it takes on hardware
    TransferRates rates{};
    std::vector<Touched> touched;     // by core, once it has ended
    bool trace = false;               // somebody asks for the time line
    std::vector<std::string> traces;  // by core, once it has ended; each core writes its own

    // "block 3 of 8", and which core of the block where there are cube cores: "block 3 of 8, AIV 1".
    std::string NameOf(uint32_t core) const;
    // The same without the number of blocks, for the second core of a message.
    std::string ShortNameOf(uint32_t core) const;
};

}  // namespace sim

#endif
