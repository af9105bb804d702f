// Broadcast of one or two dimensions.
// Documentation: SIMD-API/高阶API/张量变换/Broadcast
#ifndef ASCENDC_ADV_PAD_KERNEL_OPERATOR_BROADCAST_INTF_H
#define ASCENDC_ADV_PAD_KERNEL_OPERATOR_BROADCAST_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "../../kernel_tensor.h"
#include "../../sim/adv.h"

namespace AscendC {

template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
void Broadcast(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const uint32_t dstShape[dim],
               const uint32_t srcShape[dim], LocalTensor<uint8_t>& sharedTmpBuffer,
               sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(Broadcast, "张量变换/Broadcast", sim::A2<int8_t, uint8_t, half, float>,
                          sim::M200<int8_t, uint8_t, half, float>);
    static_assert((dim == 1 || dim == 2) && axis >= 0 && axis < dim,
                  "Broadcast: dim is 1 or 2, and axis one of them (高阶API/张量变换/Broadcast)");
    sim::BroadcastMatrix({"Broadcast", "高阶API/张量变换/Broadcast", site}, sim::kDtype<T>, dstLocal.Place(),
                         srcLocal.Place(), dstShape, srcShape, dim, axis, &sharedTmpBuffer.Place());
}
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
void Broadcast(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const uint32_t dstShape[dim],
               const uint32_t srcShape[dim], sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(Broadcast, "张量变换/Broadcast", sim::A2<int8_t, uint8_t, half, float>,
                          sim::M200<int8_t, uint8_t, half, float>);
    static_assert((dim == 1 || dim == 2) && axis >= 0 && axis < dim,
                  "Broadcast: dim is 1 or 2, and axis one of them (高阶API/张量变换/Broadcast)");
    sim::BroadcastMatrix({"Broadcast", "高阶API/张量变换/Broadcast", site}, sim::kDtype<T>, dstLocal.Place(),
                         srcLocal.Place(), dstShape, srcShape, dim, axis, nullptr);
}
// The name it had before.
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
void BroadCast(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const uint32_t dstShape[dim],
               const uint32_t srcShape[dim], LocalTensor<uint8_t>& sharedTmpBuffer,
               sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(BroadCast, "张量变换/Broadcast", sim::A2<int8_t, uint8_t, half, float>,
                          sim::M200<int8_t, uint8_t, half, float>);
    static_assert((dim == 1 || dim == 2) && axis >= 0 && axis < dim,
                  "BroadCast: dim is 1 or 2, and axis one of them (高阶API/张量变换/Broadcast)");
    sim::BroadcastMatrix({"BroadCast", "高阶API/张量变换/Broadcast", site}, sim::kDtype<T>, dstLocal.Place(),
                         srcLocal.Place(), dstShape, srcShape, dim, axis, &sharedTmpBuffer.Place());
}
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
void BroadCast(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const uint32_t dstShape[dim],
               const uint32_t srcShape[dim], sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(BroadCast, "张量变换/Broadcast", sim::A2<int8_t, uint8_t, half, float>,
                          sim::M200<int8_t, uint8_t, half, float>);
    static_assert((dim == 1 || dim == 2) && axis >= 0 && axis < dim,
                  "BroadCast: dim is 1 or 2, and axis one of them (高阶API/张量变换/Broadcast)");
    sim::BroadcastMatrix({"BroadCast", "高阶API/张量变换/Broadcast", site}, sim::kDtype<T>, dstLocal.Place(),
                         srcLocal.Place(), dstShape, srcShape, dim, axis, nullptr);
}

}  // namespace AscendC

#endif
