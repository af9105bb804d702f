#include "costs.h"

#include <cstring>

namespace sim {
namespace {

struct Estimate {
    const char* name;
    double value;
    const char* unit;
    const char* source;
};

constexpr const char* kVectorTable = "附录/Vector指令理论性能汇总, tables 6 to 13: 128 elements of half, 64 of float";
constexpr const char* kSlowTable = "附录/Vector指令理论性能汇总, table 6";
constexpr const char* kSortTable = "附录/Vector指令理论性能汇总, table 14";
constexpr const char* kGatherTable = "附录/Vector指令理论性能汇总, table 15";
constexpr const char* kCubeTable = "附录/Cube指令理论性能汇总, table 1; other types count as half";
constexpr const char* kLoadTable = "附录/Cube指令理论性能汇总, table 3: to L0B; to L0A it is 256";
constexpr const char* kFixpipeTable = "附录/Cube指令理论性能汇总, table 7: float to half in L1; others count as that";
// Both tables are those of Atlas A2 and A3; for other products their numbers are guesses as well.
constexpr const char* kGuess = "a guess: the documentation gives no number";

constexpr Estimate kVectorWidth = {"vector unit", 256, "bytes/cycle", kVectorTable};
constexpr Estimate kSlowVector = {"Exp, Ln, Sqrt, Div", 32, "elements/cycle", kSlowTable};
constexpr Estimate kSort = {"Sort32, MrgSort", 2, "elements/cycle", kSortTable};
constexpr Estimate kGather = {"Gather", 5, "elements/cycle", kGatherTable};
constexpr Estimate kCubeWidth = {"Mmad of half", 16 * 16 * 16, "multiplications/cycle", kCubeTable};
constexpr Estimate kLoad = {"L1 to L0", 128, "bytes/cycle", kLoadTable};
constexpr Estimate kGlobal = {"global memory and one core", 32, "bytes/cycle",
                              "a guess: GetCoreMemBw tells it on hardware; what other cores move takes nothing away"};
constexpr Estimate kFixpipe = {"Fixpipe", 128, "bytes/cycle", kFixpipeTable};
constexpr Estimate kVectorStart = {"start of a vector instruction", 20, "cycles", kGuess};
constexpr Estimate kCubeStart = {"start of an instruction of the cube unit", 20, "cycles", kGuess};
constexpr Estimate kTransferStart = {"start of a transfer from or to global memory", 300, "cycles", kGuess};
constexpr Estimate kIssue = {"the scalar unit, to issue an instruction", 4, "cycles", kGuess};
constexpr Estimate kScalarAccess = {"an access of the scalar unit to global memory", 100, "cycles", kGuess};
constexpr Estimate kFrequency = {"cycles", 1850, "in a microsecond", "a guess: aclrt reports it on hardware"};

constexpr const Estimate* kAll[] = {&kVectorWidth,   &kSlowVector, &kSort,         &kGather,      &kCubeWidth,
                                    &kLoad,          &kGlobal,     &kFixpipe,      &kVectorStart, &kCubeStart,
                                    &kTransferStart, &kIssue,      &kScalarAccess, &kFrequency};

uint64_t Through(double amount, const Estimate& width) { return static_cast<uint64_t>(amount / width.value + 0.999); }

bool Named(const char* api, std::initializer_list<const char*> names) {
    for (const char* name : names) {
        if (std::strcmp(api, name) == 0) {
            return true;
        }
    }
    return false;
}

uint64_t Cycles(const Estimate& estimate) { return static_cast<uint64_t>(estimate.value); }

}  // namespace

uint64_t CyclesToIssue() { return Cycles(kIssue); }

uint64_t CyclesOf(const Call& call, Pipe pipe, const Work& work) {
    if (pipe == Pipe::kScalar) {
        return work.read + work.written != 0 ? Cycles(kScalarAccess) : 0;
    }
    if (work.instructions == 0 && work.macs == 0) {
        return 0;  // asks for a number only
    }
    const double bytes = static_cast<double>(work.moved);
    const double global = static_cast<double>(work.read + work.written);
    const double elements = static_cast<double>(work.elements);
    switch (pipe) {
        case Pipe::kVector: {
            const bool slow = Named(call.api, {"Exp", "Ln", "Sqrt", "Div"});
            const bool sort = Named(call.api, {"Sort32", "MrgSort"});
            const bool gather = Named(call.api, {"Gather"});
            return Cycles(kVectorStart) + (slow     ? Through(elements, kSlowVector)
                                           : sort   ? Through(elements, kSort)
                                           : gather ? Through(elements, kGather)
                                                    : Through(bytes != 0 ? bytes : elements * 4, kVectorWidth));
        }
        case Pipe::kMatrix:
            return Cycles(kCubeStart) * work.instructions + Through(static_cast<double>(work.macs), kCubeWidth);
        case Pipe::kMte1:
            return Cycles(kCubeStart) + Through(bytes, kLoad);
        case Pipe::kFix:
            return Cycles(kCubeStart) + Through(global + bytes, kFixpipe);
        default:
            return Cycles(kTransferStart) + Through(global + bytes, kGlobal);
    }
}

std::string EstimatesAsJson() {
    std::string json = "[";
    for (const Estimate* estimate : kAll) {
        json += json.size() == 1 ? "" : ",";
        json += std::string("{\"name\":\"") + estimate->name +
                "\",\"value\":" + std::to_string(static_cast<uint64_t>(estimate->value)) + ",\"unit\":\"" +
                estimate->unit + "\",\"source\":\"" + estimate->source + "\"}";
    }
    return json + "]";
}

}  // namespace sim
