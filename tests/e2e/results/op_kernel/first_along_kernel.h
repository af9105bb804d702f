#ifndef FIRST_ALONG_KERNEL_H
#define FIRST_ALONG_KERNEL_H

#include "first_along_bindings.h"

// Each core has a stretch of the result's rows: the elements that lie behind each other in x, too.
class FirstAlongKernel : public FirstAlongBindings {
public:
    __aicore__ inline void Init(AscendC::TPipe& pipe) {
        pipe.InitBuffer(queue, 2, tiling->tileElements * sizeof(TypeX));
    }

    __aicore__ inline void Process() {
        const int64_t rows = tiling->inner == 0 ? 0 : tiling->args.totalElements / tiling->inner;
        for (int64_t row = AscendC::GetBlockIdx(); row < rows; row += AscendC::GetBlockNum()) {
            for (int64_t offset = 0; offset < tiling->inner; offset += tiling->tileElements) {
                const int64_t left = tiling->inner - offset;
                Copy(row * tiling->step + offset, row * tiling->inner + offset,
                     left < tiling->tileElements ? static_cast<uint32_t>(left) : tiling->tileElements);
            }
        }
    }

private:
    __aicore__ inline void Copy(int64_t from, int64_t to, uint32_t elementCount) {
        const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(elementCount * sizeof(TypeX)), 0, 0, 0};
        AscendC::LocalTensor<TypeX> tile = queue.AllocTensor<TypeX>();
        AscendC::DataCopyPad(tile, xGm[from], copy, AscendC::DataCopyPadExtParams<TypeX>());
        queue.EnQue(tile);
        tile = queue.DeQue<TypeX>();
        AscendC::DataCopyPad(yGm[to], tile, copy);
        queue.FreeTensor(tile);
    }

    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> queue;
};

#endif  // FIRST_ALONG_KERNEL_H
