#include "profile.h"

#include <algorithm>
#include <charconv>

namespace sim {
namespace {

constexpr int kSchema = 1;
constexpr uint32_t kMostCoresOfBlock = 3;
constexpr size_t kDefectBytes = 64 * 1024;
constexpr const char* kMemories[SIM_MEMORIES] = {"UB", "L1", "L0A", "L0B", "L0C"};

void add(std::string* text, const char* name, uint64_t value) {
    char digits[20];
    char* end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    *text += text->back() == '{' ? "\"" : ",\"";
    *text += name;
    *text += "\":";
    text->append(digits, end);
}

// A name in quotes. Those of ops and SoCs are plain; a stray byte must not spoil the line.
std::string quoted(const char* name) {
    std::string text = "\"";
    for (const char* c = name; *c != '\0'; ++c) {
        const bool plain = *c >= ' ' && *c <= '~' && *c != '"' && *c != '\\';
        text += plain ? *c : '?';
    }
    return text + '"';
}

std::string line_of(const sim_launch& launch, const sim_core_counts* cores, uint32_t count) {
    const sim_soc& soc = *launch.soc;
    const uint64_t capacities[SIM_MEMORIES] = {soc.ub_bytes, soc.l1_bytes, soc.l0a_bytes, soc.l0b_bytes, soc.l0c_bytes};
    uint64_t read = 0;
    uint64_t written = 0;
    uint64_t peaks[SIM_MEMORIES] = {};
    std::string of_cores;
    of_cores.reserve(size_t{160} * count);
    for (uint32_t i = 0; i < count; ++i) {
        const sim_core_counts& core = cores[i];
        read += core.gm_read;
        written += core.gm_written;
        for (size_t memory = 0; memory < SIM_MEMORIES; ++memory) {
            peaks[memory] = std::max(peaks[memory], core.peak[memory]);
        }
        of_cores += i == 0 ? "" : ",";
        constexpr const char* kKinds[] = {"aiv", "aic", "aicore"};
        of_cores += std::string("{\"kind\":\"") + kKinds[core.cube] + "\"";
        add(&of_cores, "block", core.block);
        add(&of_cores, "sub", core.sub);
        add(&of_cores, "gm_read", core.gm_read);
        add(&of_cores, "gm_written", core.gm_written);
        add(&of_cores, "vector_elements", core.vector_elements);
        add(&of_cores, "macs", core.macs);
        add(&of_cores, "instructions", core.instructions);
        of_cores += "}";
    }
    std::string line = "{";
    add(&line, "schema", kSchema);
    line += ",\"op\":" + quoted(launch.op_type) + ",\"soc\":" + quoted(soc.name);
    add(&line, "block_dim", launch.block_dim);
    add(&line, "tiling_key", launch.tiling_key);
    line += ",\"gm\":{";
    add(&line, "read", read);
    add(&line, "written", written);
    line += "},\"cores\":[" + of_cores + "],\"peak\":{";
    for (size_t memory = 0; memory < SIM_MEMORIES; ++memory) {
        add(&line, kMemories[memory], peaks[memory]);
    }
    line += "},\"capacity\":{";
    for (size_t memory = 0; memory < SIM_MEMORIES; ++memory) {
        add(&line, kMemories[memory], capacities[memory]);
    }
    return line + "}}\n";
}

}  // namespace

bool Profile::open(std::string* why) {
    defect_.assign(kDefectBytes, '\0');
    return lines_.open(why) && reports_.open(why) && traces_.open(why) && warnings_.open(why);
}

void Profile::warn(const char* text, uint64_t text_bytes, const char* line, uint64_t line_bytes) {
    if (warnings_.wanted()) {
        warnings_.append(std::string(line, line_bytes), &lost_);
    }
    tell_(text, text_bytes);
}

sim_counts* Profile::counts_for(const sim_launch& launch) {
    lost_.clear();
    counts_ = {};
    counts_.warn = [](void* self, const char* text, uint64_t text_bytes, const char* line, uint64_t line_bytes) {
        static_cast<Profile*>(self)->warn(text, text_bytes, line, line_bytes);
    };
    counts_.warn_context = this;
    if (!lines_.wanted() && !reports_.wanted() && !traces_.wanted()) {
        return &counts_;
    }
    // an impossible block dim is the engine's to refuse
    const uint32_t most = std::max(launch.soc->cube_cores, launch.soc->vector_cores) * kMostCoresOfBlock;
    cores_.assign(most, sim_core_counts{});
    defect_[0] = '\0';
    trace_.clear();
    counts_.cores = cores_.data();
    counts_.capacity = most;
    counts_.defect = defect_.data();
    counts_.defect_capacity = defect_.size();
    if (traces_.wanted()) {
        counts_.trace = [](void* text, const char* line, uint64_t bytes) {
            static_cast<std::string*>(text)->assign(line, bytes);
        };
        counts_.trace_context = &trace_;
    }
    return &counts_;
}

bool Profile::append(const sim_launch& launch, int status, std::string* why) {
    if (!lost_.empty()) {
        *why = lost_;
        return false;
    }
    if (status != 0) {
        return !reports_.wanted() || defect_[0] == '\0' || reports_.append(std::string(defect_.data()) + "\n", why);
    }
    if (traces_.wanted() && !trace_.empty() && !traces_.append(trace_, why)) {
        return false;
    }
    return !lines_.wanted() ||
           lines_.append(line_of(launch, cores_.data(), std::min(counts_.count, counts_.capacity)), why);
}

}  // namespace sim
