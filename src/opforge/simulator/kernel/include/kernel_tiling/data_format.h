// How tensors lie, as tiling functions and kernels both say it.
// Pages: SIMD-API/基础API/辅助数据结构/ShapeInfo, SIMD-API/高阶API/张量变换/TransData
#ifndef OPFORGE_KERNEL_TILING_DATA_FORMAT_H
#define OPFORGE_KERNEL_TILING_DATA_FORMAT_H

#include <cstdint>

namespace AscendC {

enum class DataFormat : uint8_t { ND = 0, NZ, NCHW, NC1HWC0, NHWC, NCDHW, NDC1HWC0, FRACTAL_Z_3D };

struct TransDataConfig {
    DataFormat srcFormat;
    DataFormat dstFormat;
};

}  // namespace AscendC

#endif
