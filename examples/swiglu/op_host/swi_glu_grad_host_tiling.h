// The tiling of SwiGLUGrad: computes tiling data and
// launch from the inputs' shapes, without CANN's contexts. C++11.
#ifndef SWI_GLU_GRAD_HOST_TILING_H
#define SWI_GLU_GRAD_HOST_TILING_H

#include <algorithm>
#include <cstdint>
#include <string>
#include "../op_kernel/swi_glu_grad_tiling.h"
#include "opforge/collapse.h"
#include "opforge/elementwise.h"
#include "tiling/platform/platform_ascendc.h"

namespace swi_glu_grad_host_tiling {

using host_tiling::Number;
using host_tiling::Reason;
using host_tiling::ShapeText;

constexpr size_t kInputs = 3;

// The arguments of a call.
struct Call {
    host_tiling::Dims inputs[kInputs];
    // The index of the types in kColumns.
    size_t column;
    host_tiling::Plan plan;
};

// For a supported combination of types: the bytes of UB per element of a tile over all buffers of the kernel (see its
// Init), the kernel's kRowStep, and the bytes of GM per element of all tensors that the kernel reads or writes.
struct Column {
    int64_t bytesPerElement;
    int64_t rowStep;
    int64_t gmBytes;
};

const Column kColumns[] = {
    // float16, float16, float16
    {40, 16, 10},
    // bfloat16, bfloat16, bfloat16
    {40, 16, 10},
    // float32, float32, float32
    {44, 8, 20},
};

// The bytes of UB that tiles cannot use: the shift between them, coefficients, and what Select needs at the end.
constexpr int64_t kReservedUb = 256;

// Every result has the broadcast shape of all inputs. Dimensions and ranks that are not known stay unknown.
inline std::string OutputShape(const Call& call, host_tiling::Dims* shape) {
    shape->clear();
    for (size_t i = 0; i < kInputs; i++) {
        if (!host_tiling::BroadcastWith(call.inputs[i], shape)) {
            return Reason("input %zu of shape %s does not broadcast with %s", i, ShapeText(call.inputs[i]).c_str(),
                          ShapeText(*shape).c_str());
        }
    }
    return "";
}

// Fills the tiling data and the launch parameters.
inline std::string Compute(const platform_ascendc::PlatformAscendC& platform, const Call& call,
                           SwiGLUGradTilingData* tiling, host_tiling::Launch* launch) {
    host_tiling::Dims shape;
    const std::string unfit = OutputShape(call, &shape);
    if (!unfit.empty()) {
        return unfit;
    }
    collapse::Collapsed<kInputs> collapsed;
    if (!collapse::Collapse(shape, call.inputs, collapsed)) {
        return Reason("shape %s alternates between more than %zu broadcast patterns", ShapeText(shape).c_str(),
                      collapse::kMaxDims);
    }
    const Column& column = kColumns[call.column];
    const int64_t cores = host_tiling::Limited(platform.GetCoreNumAiv(), call.plan.cores);
    uint64_t ubSize = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubSize);
    const int64_t ubBytes = static_cast<int64_t>(ubSize) - kReservedUb;
    const int64_t elements = host_tiling::Limited(ubBytes / column.bytesPerElement, call.plan.tileElements);
    const int64_t tileElements = elements / elementwise::kTileStep * elementwise::kTileStep;
    if (tileElements <= 0 || cores <= 0) {
        return Reason("a tile of %lld elements at %lld bytes does not fit: %lld bytes of UB, %lld cores",
                      Number(elementwise::kTileStep), Number(column.bytesPerElement), Number(ubBytes), Number(cores));
    }

    *tiling = SwiGLUGradTilingData();
    tiling->totalElements = collapsed.elements;
    tiling->tileElements = static_cast<uint32_t>(tileElements);
    std::copy_n(collapsed.shape, collapse::kMaxDims, tiling->outputShape);
    std::copy_n(collapsed.strides[0], collapse::kMaxDims, tiling->gradYStrides);
    std::copy_n(collapsed.strides[1], collapse::kMaxDims, tiling->gateStrides);
    std::copy_n(collapsed.strides[2], collapse::kMaxDims, tiling->upStrides);
    const bool broadcast = collapsed.broadcast && collapsed.elements > 0;
    const uint32_t blocks = broadcast ? elementwise::SplitBroadcast(collapsed, cores, column.rowStep, tiling)
                                      : elementwise::SplitFlat(collapsed.elements, cores, column.rowStep, tiling);
    // More than L2 holds: inputs that are read once would only drive out what is still to be written or read again.
    uint64_t l2Size = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::L2, l2Size);
    const bool overflows = l2Size > 0 && collapsed.elements * column.gmBytes > static_cast<int64_t>(l2Size);
    tiling->bypassL2 = overflows && !broadcast ? 1 : 0;
    *launch = {broadcast ? 1U : 0U, blocks, 0};
    return "";
}

}  // namespace swi_glu_grad_host_tiling

#endif  // SWI_GLU_GRAD_HOST_TILING_H
