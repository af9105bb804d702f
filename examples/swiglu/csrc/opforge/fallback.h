// Owned by opforge: `opforge update` replaces this file.
// SPDX-License-Identifier: Apache-2.0
// Whether the kernels of this package run on this NPU, and what computes in their stead where they do not.
#ifndef OPFORGE_FALLBACK_H
#define OPFORGE_FALLBACK_H

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>

#include <ATen/core/dispatch/Dispatcher.h>

#include "cann_runtime.h"

namespace opforge {

// CANN's compute units: folders of kernels are called like that, and a chip's name begins with its unit's.
constexpr std::array<std::string_view, 6> kComputeUnits{"ascend910b", "ascend910_93", "ascend310p",
                                                        "ascend310b", "ascend910",    "ascend950"};

// The compute unit of a chip such as "Ascend910B3"; empty for a name that is none.
inline std::string_view compute_unit(std::string chip) {
    std::transform(chip.begin(), chip.end(), chip.begin(), [](unsigned char c) { return std::tolower(c); });
    std::string_view found;
    for (const std::string_view unit : kComputeUnits) {
        // "ascend910" is the start of others.
        if (chip.compare(0, unit.size(), unit) == 0 && unit.size() > found.size()) {
            found = unit;
        }
    }
    return found;
}

// If the chip is unknown, CANN decides: it refuses ops for which it has no kernel.
template <typename Units>
bool kernels_fit(const Runtime& runtime, const Units& built_for) {
    const std::string_view unit = compute_unit(runtime.chip);
    return runtime.chip.empty() || std::find(built_for.begin(), built_for.end(), unit) != built_for.end();
}

template <typename Type>
struct Same {
    using type = Type;
};

// Calls what Python has registered for CPU tensors: it is made of PyTorch's own operators, which NPUs have as well.
// Autograd and autocast were seen to before the dispatcher came here. `like` is the implementation by the kernel.
template <typename Result, typename... Parameters>
Result by_torch(const char* op, Result (*like)(Parameters...), typename Same<Parameters>::type... arguments) {
    static_cast<void>(like);
    const auto handle = c10::Dispatcher::singleton().findSchemaOrThrow(op, "").typed<Result(Parameters...)>();
    return handle.redispatch(c10::DispatchKeySet(c10::DispatchKey::CPU), arguments...);
}

}  // namespace opforge

#endif  // OPFORGE_FALLBACK_H
