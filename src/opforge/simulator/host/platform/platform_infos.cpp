// Reading a SoC's ini file into a table.
#include "platform/platform_infos_def.h"

#include <dlfcn.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>

namespace fe {

struct PlatFormInfos::Table {
    std::map<std::string, std::map<std::string, std::string>> sections;
};

namespace {

std::string Trim(const std::string& text) {
    const char* blanks = " \t\r\n";
    const size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string::npos) {
        return "";
    }
    return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

// <root>/lib64/<this library> -> <root>
std::string ToolkitRoot() {
    Dl_info info;
    if (dladdr(reinterpret_cast<const void*>(&sim_platform_infos), &info) == 0) {
        return "";
    }
    std::unique_ptr<char, void (*)(void*)> path(realpath(info.dli_fname, nullptr), free);
    std::string root = path ? path.get() : info.dli_fname;
    for (int levels = 0; levels < 2; ++levels) {
        const size_t slash = root.rfind('/');
        if (slash == std::string::npos) {
            return "";
        }
        root.resize(slash);
    }
    return root;
}

const char* MemoryKey(LocalMemType type) {
    switch (type) {
        case LocalMemType::L0_A:
            return "l0_a_size";
        case LocalMemType::L0_B:
            return "l0_b_size";
        case LocalMemType::L0_C:
            return "l0_c_size";
        case LocalMemType::L1:
            return "l1_size";
        case LocalMemType::UB:
            return "ub_size";
        default:
            return nullptr;
    }
}

}  // namespace

struct PlatformTables {
    std::mutex mutex;
    std::map<std::string, std::unique_ptr<PlatFormInfos>> bySoc;

    static PlatFormInfos* Load(const std::string& soc) {
        std::ifstream file(ToolkitRoot() + "/data/platform_config/" + soc + ".ini");
        if (soc.empty() || soc.find('/') != std::string::npos || !file) {
            return nullptr;
        }
        auto* table = new PlatFormInfos::Table;
        std::string section;
        for (std::string line; std::getline(file, line);) {
            line = Trim(line);
            if (line.empty() || line[0] == '#' || line[0] == ';') {
                continue;
            }
            const size_t equals = line.find('=');
            if (line[0] == '[' && line.back() == ']') {
                section = line.substr(1, line.size() - 2);
            } else if (equals != std::string::npos) {
                table->sections[section][Trim(line.substr(0, equals))] = Trim(line.substr(equals + 1));
            }
        }
        return new PlatFormInfos(table);
    }
};

const char* PlatFormInfos::Find(const char* label, const char* key) const {
    const auto section = table_->sections.find(label);
    if (section == table_->sections.end()) {
        return nullptr;
    }
    const auto item = section->second.find(key);
    return item == section->second.end() ? nullptr : item->second.c_str();
}

uint32_t PlatFormInfos::GetCoreNum() const {
    const char* text = Find("SoCInfo", "ai_core_cnt");
    return text == nullptr ? 0 : static_cast<uint32_t>(strtoul(text, nullptr, 10));
}

void PlatFormInfos::GetLocalMemSize(const LocalMemType& type, uint64_t& size) {
    const char* text = nullptr;
    if (type == LocalMemType::L2) {
        text = Find("SoCInfo", "l2_size");
    } else if (type == LocalMemType::HBM) {
        text = Find("SoCInfo", "memory_size");
    } else if (const char* key = MemoryKey(type)) {
        text = Find("AICoreSpec", key);
    }
    size = text == nullptr ? 0 : strtoull(text, nullptr, 10);
}

void PlatFormInfos::GetLocalMemBw(const LocalMemType& type, uint64_t& bandwidth) {
    const char* text = nullptr;
    if (type == LocalMemType::L2) {
        text = Find("AICoreMemoryRates", "l2_rate");
    } else if (type == LocalMemType::HBM) {
        text = Find("AICoreMemoryRates", "ddr_rate");
    }
    bandwidth = text == nullptr ? 0 : strtoull(text, nullptr, 10);
}

}  // namespace fe

fe::PlatFormInfos* sim_platform_infos(const char* socVersion) {
    static fe::PlatformTables* tables = new fe::PlatformTables;
    if (socVersion == nullptr) {
        return nullptr;
    }
    std::lock_guard<std::mutex> lock(tables->mutex);
    auto& entry = tables->bySoc[socVersion];
    if (!entry) {
        entry.reset(fe::PlatformTables::Load(socVersion));
    }
    return entry.get();
}
