// fe::PlatFormInfos: a SoC's platform table, read from data/platform_config/<SoC>.ini of the toolkit.
#ifndef OPFORGE_PLATFORM_PLATFORM_INFOS_DEF_H
#define OPFORGE_PLATFORM_PLATFORM_INFOS_DEF_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

// CANN's header has them, and op_host of operator repositories uses the names without std::.
using std::map;     // NOLINT(google-global-names-in-headers)
using std::string;  // NOLINT(google-global-names-in-headers)
using std::vector;  // NOLINT(google-global-names-in-headers)

namespace fe {

enum class LocalMemType { L0_A = 0, L0_B = 1, L0_C = 2, L1 = 3, L2 = 4, UB = 5, HBM = 6, RESERVED };

class __attribute__((visibility("default"))) PlatFormInfos {
public:
    uint32_t GetCoreNum() const;
    void GetLocalMemSize(const LocalMemType& type, uint64_t& size);
    void GetLocalMemBw(const LocalMemType& type, uint64_t& bandwidth);
    // False where the table has no such key.
    bool GetPlatformRes(const std::string& label, const std::string& key, std::string& value) {
        const char* text = Find(label.c_str(), key.c_str());
        value = text == nullptr ? "" : text;
        return text != nullptr;
    }
    bool GetPlatformResWithLock(const std::string& label, const std::string& key, std::string& value) {
        return GetPlatformRes(label, key, value);
    }
    // Null where the table has no such key.
    const char* Find(const char* label, const char* key) const;

private:
    struct Table;
    friend struct PlatformTables;
    explicit PlatFormInfos(Table* table) : table_(table) {}
    Table* table_;
};

}  // namespace fe

extern "C" {
// The table of a SoC ("Ascend910B1"), kept for the life of the process; null where the toolkit has none.
__attribute__((visibility("default"))) fe::PlatFormInfos* sim_platform_infos(const char* soc_version);
}
#endif
