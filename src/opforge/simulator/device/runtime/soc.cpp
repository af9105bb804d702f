// The simulated SoC, from the toolkit's data/platform_config/<SoC>.ini (CANN's file form; queue_buffers is ours).
#include "soc.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>

#include "exports.h"
#include "settings.h"
#include "toolkit_root.h"

namespace sim {
namespace {

struct SocState {
    sim_soc soc{};
    std::string error;
};

std::string Trimmed(const std::string& text) {
    const size_t first = text.find_first_not_of(" \t\r");
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// "section.key" -> value; the last one wins, as in CANN's reader.
std::map<std::string, std::string> ReadIni(std::ifstream& file) {
    std::map<std::string, std::string> values;
    std::string section;
    for (std::string line; std::getline(file, line);) {
        line = Trimmed(line);
        const size_t equals = line.find('=');
        if (line.size() > 2 && line.front() == '[' && line.back() == ']') {
            section = line.substr(1, line.size() - 2);
        } else if (!line.empty() && line.front() != '#' && line.front() != ';' && equals != std::string::npos) {
            values[section + "." + Trimmed(line.substr(0, equals))] = Trimmed(line.substr(equals + 1));
        }
    }
    return values;
}

void CopyName(char (&to)[32], const std::string& from) { std::strncpy(to, from.c_str(), sizeof to - 1); }

SocState Load() {
    SocState state;
    const std::string& name = CurrentSettings().soc;
    CopyName(state.soc.name, name);
    const std::string path = ToolkitRoot() + "/data/platform_config/" + name + ".ini";
    std::ifstream file(path);
    if (!file || name.find('/') != std::string::npos) {
        state.error = "the simulated SoC '" + name + "' is unknown: there is no " + path +
                      "; set OPFORGE_SOC to one of the names in that folder";
        return state;
    }
    const std::map<std::string, std::string> ini = ReadIni(file);
    auto number = [&](const char* key) -> uint64_t {
        const auto found = ini.find(key);
        const uint64_t value = found == ini.end() ? 0 : std::strtoull(found->second.c_str(), nullptr, 10);
        if (found == ini.end() && state.error.empty()) {
            state.error = path + " lacks " + key;
        }
        return value;
    };
    const auto shortName = ini.find("version.Short_SoC_version");
    CopyName(state.soc.short_name, shortName == ini.end() ? "" : shortName->second);
    for (char* c = state.soc.short_name; *c != '\0';
         ++c) {  // CANN's files say "Ascend910B", its kernel folders "ascend910b"
        *c = *c >= 'A' && *c <= 'Z' ? static_cast<char>(*c - 'A' + 'a') : *c;
    }
    state.soc.cube_cores = static_cast<uint32_t>(number("SoCInfo.cube_core_cnt"));
    state.soc.vector_cores = static_cast<uint32_t>(number("SoCInfo.vector_core_cnt"));
    state.soc.ub_bytes = number("AICoreSpec.ub_size");
    state.soc.l1_bytes = number("AICoreSpec.l1_size");
    state.soc.l0a_bytes = number("AICoreSpec.l0_a_size");
    state.soc.l0b_bytes = number("AICoreSpec.l0_b_size");
    state.soc.l0c_bytes = number("AICoreSpec.l0_c_size");
    state.soc.queue_buffers = static_cast<uint32_t>(number("Simulator.queue_buffers"));
    return state;
}

const SocState& State() {
    static const SocState* instance = new SocState(Load());
    return *instance;
}

}  // namespace

const std::string& SocError() { return State().error; }

}  // namespace sim

SIM_EXPORT const sim_soc* sim_current_soc(void) { return &sim::State().soc; }

SIM_EXPORT const char* aclrtGetSocName(void) { return sim_current_soc()->name; }
