#include "findings.h"

#include <cstring>
#include <mutex>
#include <set>

#include "call_chain.h"
#include "report.h"

namespace sim {
namespace {

bool Says(const char* text) { return text != nullptr && *text != '\0'; }

// Whether `path` is `end`, or ends with it behind a slash.
bool EndsWith(const std::string& path, const std::string& end) {
    if (path.size() < end.size() || path.compare(path.size() - end.size(), end.size(), end) != 0) {
        return false;
    }
    return path.size() == end.size() || path[path.size() - end.size() - 1] == '/';
}

// True for the first time in this process.
bool IsNew(const std::string& finding) {
    static std::mutex mutex;
    static std::set<std::string> told;
    const std::lock_guard<std::mutex> lock(mutex);
    return told.insert(finding).second;
}

}  // namespace

Verdict Findings::Of(const Rule& rule, const Site& site, bool deviceDoes) const {
    for (uint32_t i = 0; i < request_.allow_count; ++i) {
        const sim_allow& allow = request_.allow[i];
        if (Says(allow.rule) && std::strcmp(allow.rule, rule.id) != 0) {
            continue;
        }
        if (Says(allow.file) && !EndsWith(PlaceOf(site).file, allow.file)) {
            continue;
        }
        return allow.warn != 0 ? Verdict::kWarn : Verdict::kSilent;
    }
    return deviceDoes && AsDevice() ? Verdict::kWarn : Verdict::kRefuse;
}

void Findings::Warn(const Failure& failure) const {
    const Defect& defect = *failure.defect;
    const std::string place = defect.call.site.file != nullptr ? Where(defect.call.site) : std::string();
    if (!IsNew(std::string(request_.op_type) + '\n' + defect.id + '\n' + place) || counts_ == nullptr ||
        counts_->warn == nullptr) {
        return;
    }
    Report warning = ReportOf(request_, failure, inKernel_, Level::kWarning);
    warning.json += '\n';
    counts_->warn(counts_->warn_context, warning.text.data(), warning.text.size(), warning.json.data(),
                  warning.json.size());
}

}  // namespace sim
