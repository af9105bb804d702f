// Whether this package has kernels for this NPU, and what computes instead if it does not.
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

// CANN's compute units. Folders of kernels have these names, and a chip's name begins with that of its unit.
constexpr std::array<std::string_view, 6> kComputeUnits{"ascend910b", "ascend910_93", "ascend310p",
                                                        "ascend310b", "ascend910",    "ascend950"};

// The compute unit of a chip such as "Ascend910B3"; empty if the name is unknown.
inline std::string_view compute_unit(std::string chip) {
    std::transform(chip.begin(), chip.end(), chip.begin(), [](unsigned char c) { return std::tolower(c); });
    std::string_view found;
    for (const std::string_view unit : kComputeUnits) {
        // "ascend910" is a prefix of others.
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

// Calls the implementation that Python has registered for CPU tensors. It consists of PyTorch's own operators, which
// NPUs support as well. The dispatcher has already handled autograd and autocast. `like` is the kernel's
// implementation.
template <typename Result, typename... Parameters>
Result by_torch(const char* op, Result (*like)(Parameters...), typename Same<Parameters>::type... arguments) {
    static_cast<void>(like);
    const auto handle = c10::Dispatcher::singleton().findSchemaOrThrow(op, "").typed<Result(Parameters...)>();
    return handle.redispatch(c10::DispatchKeySet(c10::DispatchKey::CPU), arguments...);
}

}  // namespace opforge

#endif  // OPFORGE_FALLBACK_H
