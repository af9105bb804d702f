// Owned by opforge: `opforge update` replaces this file.
// SPDX-License-Identifier: Apache-2.0
// Runs an op on tensors of several shapes and types, and compares its results with those computed on the host.
#ifndef TRIAL_H
#define TRIAL_H

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <vector>
#include "acl_call.h"
#include "host_tensor.h"

// Shapes of the inputs and of the results.
struct Trial {
    std::vector<Shape> inputs;
    std::vector<Shape> results;
};

// A tensor in the memory of the device.
struct DeviceTensor {
    Shape shape;
    aclDataType type;
    DeviceMemory memory;

    explicit DeviceTensor(const HostTensor& tensor)
        : shape(tensor.shape), type(tensor.type), memory(tensor.values.size() * BytesOf(tensor.type)) {
        memory.Write(tensor.Bytes().data());
    }

    bool Missing() const { return shape == kMissing; }

    void* Address() const { return memory.Address(); }

    std::vector<uint8_t> Bytes() const {
        std::vector<uint8_t> bytes(HostTensor(shape, type).values.size() * BytesOf(type));
        memory.Read(bytes.data());
        return bytes;
    }

    std::vector<double> Values() const {
        HostTensor tensor(shape, type);
        tensor.SetBytes(Bytes());
        return tensor.values;
    }
};

// Computes the results on the host. Without this function, a trial only shows that the op runs.
using Golden = std::function<void(const std::vector<HostTensor>& inputs, std::vector<HostTensor>* results)>;
// Runs the op on the device: on inputs and then results, in the order of its definition.
using Call = std::function<void(const std::vector<DeviceTensor>& tensors, aclrtStream stream)>;

// The tolerance for float32 arithmetic and one rounding to the type, relative to 1 or to larger results. Integers
// truncated from computed values may be off by one; bool must be exact.
inline double ToleranceOf(aclDataType type) {
    switch (type) {
        case ACL_FLOAT:
            return 1e-5;
        case ACL_FLOAT16:
            return 2e-3;
        case ACL_BF16:
            return 1.6e-2;
        default:
            return type == ACL_BOOL ? 0 : 1;
    }
}

// The largest difference, relative to 1 or to larger results, absolute for integers; infinite if only one is NaN.
inline double MaxError(const HostTensor& result, const HostTensor& expected) {
    double most = 0;
    for (size_t i = 0; i < result.values.size(); i++) {
        const double difference = std::fabs(result.values[i] - expected.values[i]);
        const bool same =
            result.values[i] == expected.values[i] || (std::isnan(result.values[i]) && std::isnan(expected.values[i]));
        const double unit = IsFloating(expected.type) ? std::max(1.0, std::fabs(expected.values[i])) : 1;
        const double error = same ? 0 : difference / unit;
        most = std::isnan(error) ? INFINITY : std::max(most, error);
    }
    return most;
}

// One trial: prints shapes, types and error, and returns whether every result is right. `places` are the indices of
// the results among the tensors; an in-place result has its input's index.
inline bool Passes(const Trial& trial, const std::vector<aclDataType>& types, const std::vector<size_t>& places,
                   const Golden& golden, const Call& call, aclrtStream stream) {
    std::vector<HostTensor> inputs;
    std::vector<HostTensor> results;
    std::vector<DeviceTensor> tensors;
    std::string text;
    for (const Shape& shape : trial.inputs) {
        const aclDataType type = types[inputs.size()];
        if (inputs.empty() || type != inputs.back().type) {
            text += (inputs.empty() ? "" : " ") + std::string(ToText(type));
        }
        inputs.emplace_back(shape, type);
        inputs.back().Fill(static_cast<uint32_t>(inputs.size()));
        tensors.emplace_back(inputs.back());
        text += " " + ToText(shape);
    }
    for (const Shape& shape : trial.results) {
        results.emplace_back(shape, types[tensors.size()]);
        tensors.emplace_back(results.back());
    }
    std::vector<HostTensor> expected = results;
    if (golden) {
        golden(inputs, &expected);
    }
    call(tensors, stream);

    bool passes = true;
    for (size_t i = 0; i < results.size(); i++) {
        const DeviceTensor& made = tensors[places[i]];
        results[i].SetBytes(made.Bytes());
        if (!golden) {
            std::printf("  %s -> %s: ran\n", text.c_str(), ToText(made.shape).c_str());
            continue;
        }
        const double error = MaxError(results[i], expected[i]);
        const bool good = error <= ToleranceOf(made.type);
        std::printf("  %s -> %s: max error %.2g, allowed %.2g: %s\n", text.c_str(), ToText(made.shape).c_str(), error,
                    ToleranceOf(made.type), good ? "ok" : "WRONG");
        passes = passes && good;
    }
    return passes;
}

// All trials, each in every combination of types. Returns the program's exit status: 0, or 1 if one is wrong or fails.
inline int RunTrials(const char* title, const std::vector<Trial>& trials,
                     const std::vector<std::vector<aclDataType>>& types, const std::vector<size_t>& places,
                     const Golden& golden, const Call& call) {
    std::printf("%s\n", title);
    try {
        const Device device;
        size_t wrong = 0;
        for (const std::vector<aclDataType>& combination : types) {
            for (const Trial& trial : trials) {
                wrong += Passes(trial, combination, places, golden, call, device.Stream()) ? 0 : 1;
            }
        }
        std::printf("%s: %zu of %zu trials are wrong\n", title, wrong, trials.size() * types.size());
        return wrong == 0 ? 0 : 1;
    } catch (const std::exception& error) {
        std::fflush(stdout);
        std::fprintf(stderr, "%s: %s\n", title, error.what());
        return 1;
    }
}

#endif  // TRIAL_H
