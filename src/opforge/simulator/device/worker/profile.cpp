#include "profile.h"

#include <algorithm>
#include <charconv>

namespace sim {
namespace {

constexpr int kSchema = 2;
constexpr uint32_t kMostCoresOfBlock = 3;
constexpr size_t kDefectBytes = 64 * 1024;
constexpr const char* kPipes[SIM_PIPES] = {"S", "V", "MTE1", "MTE2", "MTE3", "M", "FIX"};
constexpr const char* kMemories[SIM_MEMORIES] = {"UB", "L1", "L0A", "L0B", "L0C"};

void Add(std::string* text, const char* name, uint64_t value) {
    char digits[20];
    char* end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    *text += text->back() == '{' ? "\"" : ",\"";
    *text += name;
    *text += "\":";
    text->append(digits, end);
}

// A name in quotes. Those of ops and SoCs are plain; a stray byte must not spoil the line.
std::string Quoted(const char* name) {
    std::string text = "\"";
    for (const char* c = name; *c != '\0'; ++c) {
        const bool plain = *c >= ' ' && *c <= '~' && *c != '"' && *c != '\\';
        text += plain ? *c : '?';
    }
    return text + '"';
}

std::string LineOf(const sim_launch& launch, const sim_counts& counts) {
    const sim_core_counts* cores = counts.cores;
    const uint32_t count = std::min(counts.count, counts.capacity);
    const sim_soc& soc = *launch.soc;
    const uint64_t capacities[SIM_MEMORIES] = {soc.ub_bytes, soc.l1_bytes, soc.l0a_bytes, soc.l0b_bytes, soc.l0c_bytes};
    uint64_t read = 0;
    uint64_t written = 0;
    uint64_t peaks[SIM_MEMORIES] = {};
    std::string ofCores;
    ofCores.reserve(size_t{160} * count);
    for (uint32_t i = 0; i < count; ++i) {
        const sim_core_counts& core = cores[i];
        read += core.gm_read;
        written += core.gm_written;
        for (size_t memory = 0; memory < SIM_MEMORIES; ++memory) {
            peaks[memory] = std::max(peaks[memory], core.peak[memory]);
        }
        ofCores += i == 0 ? "" : ",";
        constexpr const char* kKinds[] = {"aiv", "aic", "aicore"};
        ofCores += std::string("{\"kind\":\"") + kKinds[core.cube] + "\"";
        Add(&ofCores, "block", core.block);
        Add(&ofCores, "sub", core.sub);
        Add(&ofCores, "gm_read", core.gm_read);
        Add(&ofCores, "gm_written", core.gm_written);
        Add(&ofCores, "vector_elements", core.vector_elements);
        Add(&ofCores, "macs", core.macs);
        Add(&ofCores, "instructions", core.instructions);
        Add(&ofCores, "crossed", core.crossed);
        Add(&ofCores, "bypassed", core.bypassed);
        Add(&ofCores, "span", core.span);
        ofCores += ",\"busy\":{";
        for (size_t pipe = 0; pipe < SIM_PIPES; ++pipe) {
            Add(&ofCores, kPipes[pipe], core.busy[pipe]);
        }
        ofCores += "}}";
    }
    std::string line = "{";
    Add(&line, "schema", kSchema);
    line += ",\"op\":" + Quoted(launch.op_type) + ",\"soc\":" + Quoted(soc.name);
    Add(&line, "block_dim", launch.block_dim);
    Add(&line, "tiling_key", launch.tiling_key);
    line += ",\"gm\":{";
    Add(&line, "read", read);
    Add(&line, "written", written);
    Add(&line, "read_once", counts.gm_read_once);
    Add(&line, "written_once", counts.gm_written_once);
    line += "},\"cores\":[" + ofCores + "],\"peak\":{";
    for (size_t memory = 0; memory < SIM_MEMORIES; ++memory) {
        Add(&line, kMemories[memory], peaks[memory]);
    }
    line += "},\"capacity\":{";
    for (size_t memory = 0; memory < SIM_MEMORIES; ++memory) {
        Add(&line, kMemories[memory], capacities[memory]);
    }
    return line + "}}\n";
}

}  // namespace

bool Profile::Open(std::string* why) {
    defect_.assign(kDefectBytes, '\0');
    return lines_.Open(why) && reports_.Open(why) && traces_.Open(why) && warnings_.Open(why);
}

void Profile::Warn(const char* text, uint64_t textBytes, const char* line, uint64_t lineBytes) {
    if (warnings_.Wanted()) {
        warnings_.Append(std::string(line, lineBytes), &lost_);
    }
    tell_(text, textBytes);
}

sim_counts* Profile::CountsFor(const sim_launch& launch) {
    lost_.clear();
    counts_ = {};
    counts_.warn = [](void* self, const char* text, uint64_t textBytes, const char* line, uint64_t lineBytes) {
        static_cast<Profile*>(self)->Warn(text, textBytes, line, lineBytes);
    };
    counts_.warn_context = this;
    if (!lines_.Wanted() && !reports_.Wanted() && !traces_.Wanted()) {
        return &counts_;
    }
    // an impossible block dim is the engine's to refuse
    const uint32_t most = std::max(launch.soc->cube_cores, launch.soc->vector_cores) * kMostCoresOfBlock;
    cores_.assign(most, sim_core_counts{});
    defect_[0] = '\0';
    trace_.clear();
    counts_.cores = cores_.data();
    counts_.capacity = most;
    counts_.timed = lines_.Wanted() || traces_.Wanted() ? 1 : 0;
    counts_.defect = defect_.data();
    counts_.defect_capacity = defect_.size();
    if (traces_.Wanted()) {
        counts_.trace = [](void* text, const char* line, uint64_t bytes) {
            static_cast<std::string*>(text)->assign(line, bytes);
        };
        counts_.trace_context = &trace_;
    }
    return &counts_;
}

bool Profile::Append(const sim_launch& launch, int status, std::string* why) {
    if (!lost_.empty()) {
        *why = lost_;
        return false;
    }
    if (status != 0) {
        return !reports_.Wanted() || defect_[0] == '\0' || reports_.Append(std::string(defect_.data()) + "\n", why);
    }
    if (traces_.Wanted() && !trace_.empty() && !traces_.Append(trace_, why)) {
        return false;
    }
    return !lines_.Wanted() || lines_.Append(LineOf(launch, counts_), why);
}

}  // namespace sim
