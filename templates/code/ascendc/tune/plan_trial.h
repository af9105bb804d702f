// Tries one plan of an op, for `opforge tune`. Arguments: the members of the plan, a number of rounds, and the shapes
// of the inputs: 2048x4096, `number` for a shape without dimensions, `none` for a missing input. Prints a line of JSON.
// A round times the default plan, then this one.
#ifndef PLAN_TRIAL_H
#define PLAN_TRIAL_H

#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>
#include "../../op_host/opforge/host_tiling.h"
#include "trial.h"

// A kernel ready for launches with a plan, and its number of blocks, or the reason why the tiling refuses the plan.
struct Prepared {
    std::string refusal;
    uint32_t blocks;
    std::function<void(aclrtStream)> launch;
};

// Appends the shapes of the results to those of the inputs; returns why the inputs do not fit, or an empty string.
using AddResultShapes = std::function<std::string(std::vector<Shape>*)>;
using PrepareCall = std::function<Prepared(const std::vector<DeviceTensor>&, const host_tiling::Plan&)>;

constexpr int kLaunches = 20;  // that are timed together

inline Shape ShapeOf(const std::string& text) {
    if (text == "none") {
        return kMissing;
    }
    Shape shape;
    std::istringstream extents(text == "number" ? "" : text);
    for (std::string extent; std::getline(extents, extent, 'x');) {
        shape.push_back(std::stoll(extent));
    }
    return shape;
}

// The tensors of a call.
class PlanTrial {
public:
    PlanTrial(const std::vector<aclDataType>& types, const std::vector<size_t>& places,
              const std::vector<Shape>& shapes)
        : places_(places) {
        for (size_t i = 0; i < types.size(); i++) {
            HostTensor tensor(shapes.at(i), types[i]);
            tensor.Fill(static_cast<uint32_t>(i + 1));
            tensors_.emplace_back(tensor);
        }
    }

    const std::vector<DeviceTensor>& Tensors() const { return tensors_; }

    // A hash of all results of one launch.
    uint64_t ResultsOf(const Prepared& prepared, aclrtStream stream) {
        prepared.launch(stream);
        Check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
        uint64_t hash = 14695981039346656037U;  // FNV-1a
        for (size_t place : places_) {
            std::vector<uint8_t> bytes(tensors_[place].Bytes());
            for (uint8_t byte : bytes) {
                hash = (hash ^ byte) * 1099511628211U;
            }
        }
        return hash;
    }

private:
    std::vector<size_t> places_;
    std::vector<DeviceTensor> tensors_;
};

// Microseconds of a launch, by the device's events.
inline float TimeOf(const Prepared& prepared, aclrtStream stream) {
    aclrtEvent begin = nullptr;
    aclrtEvent end = nullptr;
    Check(aclrtCreateEvent(&begin), "aclrtCreateEvent");
    Check(aclrtCreateEvent(&end), "aclrtCreateEvent");
    Check(aclrtRecordEvent(begin, stream), "aclrtRecordEvent");
    for (int i = 0; i < kLaunches; i++) {
        prepared.launch(stream);
    }
    Check(aclrtRecordEvent(end, stream), "aclrtRecordEvent");
    Check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
    float milliseconds = 0;
    Check(aclrtEventElapsedTime(&milliseconds, begin, end), "aclrtEventElapsedTime");
    Check(aclrtDestroyEvent(begin), "aclrtDestroyEvent");
    Check(aclrtDestroyEvent(end), "aclrtDestroyEvent");
    return milliseconds * 1000 / kLaunches;
}

inline void PrintList(const char* name, const std::vector<float>& values) {
    std::cout << ", \"" << name << "\": [";
    for (size_t i = 0; i < values.size(); i++) {
        std::cout << (i == 0 ? "" : ", ") << values[i];
    }
    std::cout << "]";
}

// Returns the program's exit status: 0, or 1 if a call fails.
inline int TryPlan(const std::vector<aclDataType>& types, const std::vector<size_t>& places,
                   const AddResultShapes& addResults, const PrepareCall& prepare,
                   const std::vector<std::string>& arguments) {
    try {
        host_tiling::Plan plan = host_tiling::Plan();
        size_t next = 0;
        for (int64_t* member : {&plan.cores, &plan.tileElements, &plan.tileRows, &plan.tileColumns, &plan.innerParts,
                                &plan.loadBlocks, &plan.tileGroup}) {
            *member = std::stoll(arguments.at(next++));
        }
        const int rounds = std::stoi(arguments.at(next++));
        std::vector<Shape> shapes;
        for (; next < arguments.size(); next++) {
            shapes.push_back(ShapeOf(arguments[next]));
        }
        const std::string unfit = addResults(&shapes);
        if (!unfit.empty()) {
            throw std::runtime_error(unfit);
        }
        const Device device;
        PlanTrial trial(types, places, shapes);
        const Prepared prepared = prepare(trial.Tensors(), plan);
        if (!prepared.refusal.empty()) {
            throw std::runtime_error("the tiling says: " + prepared.refusal);
        }
        const uint64_t results = trial.ResultsOf(prepared, device.Stream());
        std::vector<float> before;
        std::vector<float> after;
        if (rounds > 0) {
            const Prepared usual = prepare(trial.Tensors(), host_tiling::Plan());
            for (int round = 0; round < rounds; round++) {
                before.push_back(TimeOf(usual, device.Stream()));
                after.push_back(TimeOf(prepared, device.Stream()));
            }
        }
        const char* soc = aclrtGetSocName();
        std::cout << "{\"soc\": \"" << (soc == nullptr ? "" : soc) << "\", \"blocks\": " << prepared.blocks
                  << ", \"results\": " << results;
        PrintList("default_us", before);
        PrintList("us", after);
        std::cout << "}" << std::endl;
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << std::endl;
        return 1;
    }
}

#endif  // PLAN_TRIAL_H
