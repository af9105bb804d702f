// Stands in for the kernel engine: calls the entry once, with the launch's arguments and the tiling data as the last.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "sim_launch.h"

extern "C" __attribute__((visibility("default"))) int sim_engine_run(const sim_launch* launch,
                                                                     sim_kernel_entry_fn entry, char* report,
                                                                     uint64_t report_capacity, sim_counts* counts) {
    std::vector<uint64_t> args(launch->args, launch->args + launch->arg_count);
    std::vector<char> tiling(launch->tiling_bytes);
    if (!tiling.empty()) {
        std::memcpy(tiling.data(), launch->tiling, tiling.size());
    }
    if (launch->tiling_key == 13) {  // "the engine found a fault": say everything that travelled
        std::string text = std::string(launch->op_type) + " on " + launch->soc->name + ", block dim " +
                           std::to_string(launch->block_dim) + ", checks " + std::to_string(launch->checks);
        for (uint32_t i = 0; i < launch->region_count; ++i) {
            const sim_region& region = launch->regions[i];
            text += std::string(", ") + (region.writable != 0 ? "out " : "in ") + region.name + " " +
                    std::to_string(region.bytes);
        }
        std::snprintf(report, report_capacity, "%s", text.c_str());
        if (counts != nullptr && counts->defect != nullptr) {
            std::snprintf(counts->defect, counts->defect_capacity, "{\"schema\":1,\"op\":\"%s\"}", launch->op_type);
        }
        return 507035;
    }
    if (launch->tiling_key == 14 || launch->tiling_key == 15) {  // "a rule is broken that devices do not enforce"
        const std::string said =
            std::string(launch->op_type) + " as " + (launch->rules != 0 ? "on a device" : "documented");
        const std::string line = "{\"schema\":1,\"op\":\"" + said + "\"}\n";
        const std::string text = "warning: " + said;
        counts->warn(counts->warn_context, text.data(), text.size(), line.data(), line.size());
        if (launch->tiling_key == 15) {
            std::abort();
        }
    }
    args.push_back(reinterpret_cast<uint64_t>(tiling.data()));
    entry(args.data());
    if (counts != nullptr && counts->cores != nullptr) {  // "a vector core did it": numbers that can be told apart
        counts->count = 1;
        counts->cores[0] = {0,  0,  0, launch->regions[0].bytes, launch->regions[1].bytes,
                            5,  6,  7, {8, 9, 10, 11, 12},       {13, 14, 15, 16, 17, 18, 19},
                            20, 21, 22};
        if (counts->timed != 0) {
            counts->gm_read_once = 27;
            counts->gm_written_once = 28;
        }
    }
    return 0;
}
