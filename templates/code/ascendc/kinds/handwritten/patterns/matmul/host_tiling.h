// The tiling of {{ op_type }}, for a kernel with a matrix product: change it as you change the kernel. C++11.
// {{ stem }}_call.h, which opforge generates, describes a call (shapes, attributes, values that the host reads).
#ifndef {{ guard }}_HOST_TILING_H
#define {{ guard }}_HOST_TILING_H

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include "../op_kernel/{{ stem }}_tiling.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"
#include "{{ stem }}_call.h"

namespace {{ stem }}_host_tiling {

using host_tiling::Number;
using host_tiling::Reason;
using matmul_tiling::CubeFormat;
using matmul_tiling::DataType;
using matmul_tiling::TPosition;
using TilingData = {{ op_type }}TilingData;

constexpr int32_t kVectorsPerCube = 2;  // KERNEL_TYPE_MIX_AIC_1_2

// The dtype of each column of opforge.yaml.
constexpr DataType kTypes[] = { {{ types | wrap }} };

// Splits the product over the vector cores, each of which requests a rectangle of it from its cube core.
inline std::string Compute(const platform_ascendc::PlatformAscendC& platform, const Call& call, TilingData* tiling,
                           host_tiling::Launch* launch) {
    host_tiling::Dims results[kOutputs];
    const std::string unfit = OutputShapes(call, results);
    if (!unfit.empty()) {
        return unfit;
    }
    const int64_t rows = results[0][0];
    const int64_t columns = results[0][1];
    const int64_t inner = call.inputs[{{ constant }}][0][1];
    const int64_t most = std::numeric_limits<int32_t>::max();
    if (std::max(std::max(rows, columns), inner) > most || inner == 0) {
        return Reason("a product of [%lld, %lld] with [%lld, %lld] needs 1 to %lld elements in a dimension",
                      Number(rows), Number(inner), Number(inner), Number(columns), Number(most));
    }

    *tiling = TilingData();
    SetArgs(call, rows * columns, &tiling->args);
    *launch = {0, 1, platform.GetLibApiWorkSpaceSize()};
    if (rows == 0 || columns == 0) {
        return "";
    }
    const DataType type = kTypes[call.column];
    const int32_t m = static_cast<int32_t>(rows);
    const int32_t n = static_cast<int32_t>(columns);
    const int32_t k = static_cast<int32_t>(inner);
    matmul_tiling::MultiCoreMatmulTiling cube(platform);
    cube.SetDim(static_cast<int32_t>(platform.GetCoreNumAiv()));
    cube.SetAType(TPosition::GM, CubeFormat::ND, type);
    cube.SetBType(TPosition::GM, CubeFormat::ND, type);
    cube.SetCType(TPosition::GM, CubeFormat::ND, type);
    cube.SetShape(m, n, k);
    cube.SetOrgShape(m, n, k);
    cube.SetBufferSpace(-1, -1, -1);
    cube.EnableBias(false);
    if (cube.GetTiling(tiling->cube) == -1) {
        return Reason("CANN finds no tiling for a product of [%d, %d] with [%d, %d]", m, k, k, n);
    }
    tiling->workers = tiling->cube.usedCoreNum;
    launch->blockDim = static_cast<uint32_t>((tiling->workers + kVectorsPerCube - 1) / kVectorsPerCube);
    return "";
}

}  // namespace {{ stem }}_host_tiling

#endif  // {{ guard }}_HOST_TILING_H
