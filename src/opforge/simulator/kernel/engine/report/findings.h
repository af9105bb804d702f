// What becomes of a rule that devices do not enforce, and where its warnings go.
#ifndef OPFORGE_SIM_KERNEL_REPORT_FINDINGS_H
#define OPFORGE_SIM_KERNEL_REPORT_FINDINGS_H

#include "failure.h"
#include "sim_launch.h"

namespace sim {

enum class Verdict : uint8_t { kRefuse, kWarn, kSilent };

// Of one launch.
class Findings {
public:
    // `inKernel` is any address inside of the kernel object.
    Findings(const sim_launch& request, const sim_counts* counts, const void* inKernel)
        : request_(request), counts_(counts), inKernel_(inKernel) {}

    bool AsDevice() const { return request_.rules == SIM_RULES_DEVICE; }
    // `deviceDoes`: false for a rule that is an error on devices too, and can be allowed nevertheless.
    Verdict Of(const Rule& rule, const Site& site, bool deviceDoes = true) const;
    // Hands a warning on. A process says each once for an op, a rule and a line.
    void Warn(const Failure& failure) const;

private:
    const sim_launch& request_;
    const sim_counts* counts_;
    const void* inKernel_;
};

}  // namespace sim

#endif
