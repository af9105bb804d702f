#include "failure.h"

#include <cstdarg>
#include <cstdio>

#include "call_chain.h"
#include "core.h"
#include "launch/schedule.h"

namespace sim {
namespace {

Failure Found(Status status, const Call& call, const Rule& rule, const DeviceRule* let, const char* format,
              va_list args) {
    const Core& core = CurrentCore();
    char detail[1024];
    std::vsnprintf(detail, sizeof(detail), format, args);
    std::string message = core.Request().op_type;
    message += ": " + core.Name() + ": ";
    if (call.site.file != nullptr) {
        message += Where(call.site) + ": ";
    }
    message += std::string(call.api) + ": " + detail + LineOf(rule);
    return {status, std::move(message),
            std::make_shared<const Defect>(Defect{core.Name(), core.Block(), call, detail, rule.id, rule.text,
                                                  rule.page, rule.hint != nullptr ? rule.hint : "", let != nullptr,
                                                  let != nullptr ? let->does : "", let != nullptr ? let->source : "",
                                                  StackNow()})};
}

// Of the core that runs. Known before the stack is left: a destructor on the way may end it where it is.
[[noreturn]] void Throw(Failure failure) {
    Core& core = CurrentCore();
    core.Shared().schedule->Record(core.Index(), failure);
    throw failure;
}

}  // namespace

void Fail(const Call& call, const Rule& rule, const char* format, ...) {
    va_list args;
    va_start(args, format);
    Failure failure = Found(Status::kVectorException, call, rule, nullptr, format, args);
    va_end(args);
    Throw(std::move(failure));
}

Failure FailureOf(const Call& call, const Rule& rule, const char* format, ...) {
    va_list args;
    va_start(args, format);
    Failure failure = Found(Status::kVectorException, call, rule, nullptr, format, args);
    va_end(args);
    return failure;
}

void FailDeadlock(const Call& call, const Rule& rule, const char* format, ...) {
    va_list args;
    va_start(args, format);
    Failure failure = Found(Status::kTimeout, call, rule, nullptr, format, args);
    va_end(args);
    throw failure;
}

void LetPass(const Call& call, const DeviceRule& rule, const char* format, ...) {
    Core& core = CurrentCore();
    if (core.WasTold(rule.rule.id, call.site)) {
        return;
    }
    const Findings& findings = *core.Shared().findings;
    const Verdict verdict = findings.Of(rule.rule, call.site);
    if (verdict != Verdict::kSilent) {
        va_list args;
        va_start(args, format);
        Failure failure = Found(Status::kVectorException, call, rule.rule, &rule, format, args);
        va_end(args);
        if (verdict == Verdict::kRefuse) {
            Throw(std::move(failure));
        }
        findings.Warn(failure);
    }
    core.Told(rule.rule.id, call.site);
}

}  // namespace sim
