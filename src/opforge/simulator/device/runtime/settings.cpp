#include "settings.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "sim_launch.h"

namespace sim {
namespace {

const char* TextOf(const char* name) {
    const char* text = std::getenv(name);
    return text != nullptr && *text != '\0' ? text : nullptr;
}

uint64_t UnitOf(char suffix) {
    switch (suffix) {
        case '\0':
            return 1;
        case 'K':
        case 'k':
            return uint64_t{1} << 10;
        case 'M':
        case 'm':
            return uint64_t{1} << 20;
        case 'G':
        case 'g':
            return uint64_t{1} << 30;
        default:
            return 0;
    }
}

uint64_t Number(const char* name, uint64_t fallback, uint64_t least, uint64_t most, bool units, std::string* error) {
    const char* text = TextOf(name);
    if (text == nullptr) {
        return fallback;
    }
    char* end = nullptr;
    errno = 0;
    const uint64_t value = std::strtoull(text, &end, 10);
    const uint64_t unit = end == text || *text == '-' || (*end != '\0' && end[1] != '\0') ? 0 : UnitOf(*end);
    if (errno != 0 || unit == 0 || (!units && unit != 1) || value > most / unit || value * unit < least) {
        *error = std::string("$") + name + " is '" + text + "'; expected a whole number from " + std::to_string(least) +
                 " to " + std::to_string(most) + (units ? ", K, M or G allowed" : "");
        return fallback;
    }
    return value * unit;
}

// The number of devices that $ASCEND_RT_VISIBLE_DEVICES shows, such as 1 for "3": the process counts them from 0.
uint32_t Visible(uint32_t devices, std::string* error) {
    const char* text = TextOf("ASCEND_RT_VISIBLE_DEVICES");
    if (text == nullptr) {
        return devices;
    }
    uint32_t seen = 0;
    uint32_t count = 0;
    for (const char* at = text; error->empty(); ++at) {
        char* end = nullptr;
        const uint64_t device = *at < '0' || *at > '9' ? devices : std::strtoull(at, &end, 10);
        if (device >= devices || (*end != ',' && *end != '\0') || (seen & (1U << device)) != 0) {
            *error = std::string("$ASCEND_RT_VISIBLE_DEVICES is '") + text + "'; expected different numbers below " +
                     std::to_string(devices) + ", the number of devices of the simulated machine (OPFORGE_SIM_DEVICES)";
            return devices;
        }
        seen |= 1U << device;
        ++count;
        at = end;
        if (*at == '\0') {
            break;
        }
    }
    return count;
}

Settings Read() {
    Settings s;
    s.devices = static_cast<uint32_t>(Number("OPFORGE_SIM_DEVICES", 1, 1, kMaxDevices, false, &s.error));
    s.devices = Visible(s.devices, &s.error);
    s.memoryBytes = Number("OPFORGE_SIM_MEMORY", uint64_t{8} << 30, 1 << 20, uint64_t{512} << 30, true, &s.error);
    s.timeoutSeconds = static_cast<uint32_t>(Number("OPFORGE_SIM_TIMEOUT", 300, 0, 1000000, false, &s.error));
    const char* checks = TextOf("OPFORGE_SIM_CHECKS");
    if (sim_checks_named(checks) < 0) {
        s.error = std::string("$OPFORGE_SIM_CHECKS is '") + checks + "'; expected off, fast or full";
    }
    const char* rules = TextOf("OPFORGE_SIM_RULES");
    if (sim_rules_named(rules, SIM_RULES_DOCUMENTED) < 0) {
        s.error = std::string("$OPFORGE_SIM_RULES is '") + rules + "'; expected documented or device";
    }
    const char* sandbox = TextOf("OPFORGE_SIM_SANDBOX");  // the worker reads it
    if (sandbox != nullptr && std::strcmp(sandbox, "on") != 0 && std::strcmp(sandbox, "off") != 0) {
        s.error = std::string("$OPFORGE_SIM_SANDBOX is '") + sandbox + "'; expected on or off";
    }
    const char* queue = TextOf("TASK_QUEUE_ENABLE");
    s.queued = queue == nullptr || queue[0] != '0';
    const char* soc = TextOf("OPFORGE_SOC");
    s.soc = soc == nullptr ? "Ascend910B1" : soc;
    return s;
}

}  // namespace

const Settings& CurrentSettings() {
    static const Settings* instance = new Settings(Read());
    return *instance;
}

}  // namespace sim
