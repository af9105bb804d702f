#include "costs.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace sim {
namespace {

constexpr TimeConstants k910b = {
#define TIME_CONSTANT(name, what, unit, value, kind, source, ...) value,
#include "time_constants.inc"
#undef TIME_CONSTANT
};
constexpr TimeConstants k310p = {
#define TIME_CONSTANT(name, what, unit, value, kind, source, value310p, kind310p, source310p) value310p,
#include "time_constants.inc"
#undef TIME_CONSTANT
};

enum Kind { kDocumented, kDerived, kFitted, kGuess };
constexpr const char* kKinds[] = {"documented", "derived", "fitted", "guess"};

struct Estimate {
    const char* what;
    const char* unit;
    double value;
    Kind kind;
    const char* source;
};
constexpr Estimate kEstimates[][2] = {
#define TIME_CONSTANT(name, what, unit, value, kind, source, value310p, kind310p, source310p) \
    {{what, unit, value, kind, source}, {what, unit, value310p, kind310p, source310p}},
#include "time_constants.inc"
#undef TIME_CONSTANT
};

bool Is310p(const char* soc) { return std::strncmp(soc, "Ascend310P", 10) == 0; }

uint64_t Through(double amount, double width) { return static_cast<uint64_t>(amount / width + 0.999); }

uint64_t Whole(double cycles) { return static_cast<uint64_t>(cycles); }

bool Named(const char* api, std::initializer_list<const char*> names) {
    for (const char* name : names) {
        if (std::strcmp(api, name) == 0) {
            return true;
        }
    }
    return false;
}

Cost OfVector(const TimeConstants& times, const char* api, const Work& work) {
    const double elements = static_cast<double>(work.elements);
    const double bytes = work.moved != 0 ? static_cast<double>(work.moved) : elements * 4;
    const uint64_t cycles = Named(api, {"Exp", "Ln", "Sqrt", "Div"}) ? Through(elements, times.slow_vector)
                            : Named(api, {"Sort32", "MrgSort"})      ? Through(elements, times.sort)
                            : Named(api, {"Gather"})                 ? Through(elements, times.gather)
                                                                     : Through(bytes, times.vector_width);
    const double beats = bytes / times.vector_width;
    const uint64_t stalls =
        Whole(beats * (work.readConflict * times.read_conflict + work.writeConflict * times.write_conflict));
    return {(Whole(times.vector_start) + cycles) * (work.isFunction ? Whole(times.functions) : 1) + stalls, 0};
}

Cost OfTransfer(const TimeConstants& times, const TransferRates& rates, CoreKind kind, const Work& work) {
    const bool cube = kind == CoreKind::kCube;
    const double rate = work.written != 0    ? (cube ? rates.cubeWrite : rates.vectorWrite)
                        : cube               ? rates.cubeRead
                        : work.bypassed != 0 ? rates.vectorBypass
                        : work.isAgain       ? rates.vectorAgain
                                             : rates.vectorRead;
    const double bytes = static_cast<double>(work.read + work.written + work.moved + work.crossed);
    const uint64_t rows = Whole(static_cast<double>(work.rows) * (cube ? times.cube_row : times.vector_row));
    const uint64_t starts = Whole(times.transfer_issue) * std::max<uint64_t>(work.instructions, 1);
    return {std::max({starts, Through(bytes, rate), rows}), Whole(times.transfer_latency)};
}

}  // namespace

const TimeConstants& TimeConstantsOf(const char* soc) { return Is310p(soc) ? k310p : k910b; }

TransferRates TransferRatesOf(const TimeConstants& times, uint32_t vectors, uint32_t cubes, uint32_t chipCores) {
    const double chip = std::max(chipCores, 1u);
    const double vector = std::max(vectors, 1u);
    const double cube = std::max(cubes, 1u);
    const double hbm = times.hbm * 1e3 / times.clock;
    const double bypass = times.hbm_bypass * 1e3 / times.clock;
    const double port = times.vector_port;
    return {std::min(port, hbm / vector),
            std::min(port, times.l2_read * chip / vector),
            std::min(port, bypass / vector),
            std::min(port, times.l2_write * chip / vector),
            std::min(times.l2_read, times.l2_read * chip / cube),
            std::min(times.l2_write, times.l2_write * chip / cube)};
}

Cost CostOf(const TimeConstants& times, const TransferRates& rates, CoreKind kind, const Call& call, Pipe pipe,
            const Work& work) {
    if (pipe == Pipe::kScalar) {
        return {work.read + work.written != 0 ? Whole(times.scalar_access) : 0, 0};
    }
    if (work.instructions == 0 && work.macs == 0) {
        return {};  // asks for a number only
    }
    const double moved = static_cast<double>(work.read + work.written + work.moved);
    switch (pipe) {
        case Pipe::kVector:
            return OfVector(times, call.api, work);
        case Pipe::kMatrix:
            return {Whole(times.cube_start) * work.instructions +
                        Through(static_cast<double>(work.macs), times.cube_width * 2 / work.bytesOfCube),
                    0};
        case Pipe::kMte1:
            return {Whole(times.cube_start) + Through(moved, times.load), 0};
        case Pipe::kFix:
            return {Whole(times.cube_start) + Through(moved, times.fixpipe), 0};
        default:
            return OfTransfer(times, rates, kind, work);
    }
}

std::string EstimatesAsJson(const char* soc) {
    std::string json = "[";
    for (const Estimate* both : kEstimates) {
        const Estimate& estimate = both[Is310p(soc) ? 1 : 0];
        char value[32];
        std::snprintf(value, sizeof(value), "%.12g", estimate.value);
        json += json.size() == 1 ? "" : ",";
        json += std::string("{\"name\":\"") + estimate.what + "\",\"value\":" + value + ",\"unit\":\"" + estimate.unit +
                "\",\"kind\":\"" + kKinds[estimate.kind] + "\",\"source\":\"" + estimate.source + "\"}";
    }
    return json + "]";
}

}  // namespace sim
