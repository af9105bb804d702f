// How {{ op_type }} is tiled: from its inputs' shapes, its attributes and the values that the host may read
// to the tiling data and the launch, without CANN's contexts. C++11.
#ifndef {{ guard }}_HOST_TILING_H
#define {{ guard }}_HOST_TILING_H

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>
#include "../op_kernel/{{ stem }}_tiling.h"
#include "opforge/symbols.h"
#include "tiling/platform/platform_ascendc.h"

namespace {{ stem }}_host_tiling {

using host_tiling::CeilDiv;
using host_tiling::Number;
using host_tiling::Reason;
using host_tiling::RoundUp;
using symbols::Size;
using TilingData = {{ op_type }}TilingData;

// Places of the inputs in the definition.
{% for input in inputs %}
constexpr size_t {{ input.constant }} = {{ input.index }};
{% endfor %}
constexpr size_t kInputs = {{ input_count }};
constexpr size_t kOutputs = {{ output_count }};

// What a call is made with.
struct Call {
    // The shapes of each input's tensors: one, none where it is optional and left out, or several where it is a list.
    std::vector<host_tiling::Dims> inputs[kInputs];
    // Which of kColumns the types are.
    size_t column;
{% for value in values %}
    {{ value.ctype }} {{ value.member }};
{% endfor %}
{% for attr in attrs %}
    {{ attr.ctype }} {{ attr.member }};
{% endfor %}
};

// For a supported combination of types, the bytes of UB that one element of every tensor takes in two buffers (not of
// numbers, and of a list one tensor), and the bytes of an element of the first output.
struct Column {
    int64_t bytesPerElement;
    int64_t resultBytes;
};

const Column kColumns[] = {
{% for column in columns %}
    // {{ column.dtypes }}
    { {{ column.values | wrap }} },
{% endfor %}
};

constexpr int64_t kTileStep = 256;   // elements whose multiples a tile holds
constexpr int64_t kCacheLine = 512;  // bytes of GM that should not be shared by two cores

// The shapes that the inputs give the outputs; dimensions and ranks that nothing determines stay unknown.
inline std::string OutputShapes(const Call& call, host_tiling::Dims (&results)[kOutputs]) {
    symbols::Shapes theShapes(symbols::Leading::kBroadcast);
{% for bind in binds %}
    for (const host_tiling::Dims& shape : call.inputs[{{ bind.constant }}]) {
        theShapes.Bind({{ bind.arguments | wrap }});
    }
{% endfor %}
{% for dim in defined %}
    theShapes.Define({{ dim.arguments | wrap }});
{% endfor %}
{% for result in results %}
    results[{{ loop.index0 }}] = theShapes.Of({{ result.pattern }});
{% endfor %}
    return theShapes.Unfit();
}

// Fills the tiling data, and says how to launch the kernel: a stretch of whole cache lines of the first output for each
// core.
inline std::string Compute(const platform_ascendc::PlatformAscendC& platform, const Call& call, TilingData* tiling,
                           host_tiling::Launch* launch) {
    host_tiling::Dims results[kOutputs];
    const std::string unfit = OutputShapes(call, results);
    if (!unfit.empty()) {
        return unfit;
    }
    const Column& column = kColumns[call.column];
    const int64_t cores = platform.GetCoreNumAiv();
    uint64_t ubSize = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubSize);
    const int64_t ubBytes = static_cast<int64_t>(ubSize);
    const int64_t tileElements = ubBytes / column.bytesPerElement / kTileStep * kTileStep;
    if (tileElements <= 0 || cores <= 0) {
        return Reason("a tile of %lld elements at %lld bytes does not fit: %lld bytes of UB, %lld cores",
                      Number(kTileStep), Number(column.bytesPerElement), Number(ubBytes), Number(cores));
    }

    const int64_t elements = host_tiling::ElementsOf(results[0]);
    const int64_t lineElements = kCacheLine / column.resultBytes;
    const int64_t elementsPerBlock = std::max<int64_t>(RoundUp(CeilDiv(elements, cores), lineElements), 1);
    *tiling = TilingData();
    tiling->totalElements = elements;
    tiling->elementsPerBlock = elementsPerBlock;
    tiling->tileElements = static_cast<uint32_t>(tileElements);
{% for arg in args %}
    {{ target }}->{{ arg.member }} = {{ arg.value | wrap }};
{% endfor %}
    *launch = {0, static_cast<uint32_t>(std::max<int64_t>(CeilDiv(elements, elementsPerBlock), 1)), 0};
    return "";
}

}  // namespace {{ stem }}_host_tiling

#endif  // {{ guard }}_HOST_TILING_H
