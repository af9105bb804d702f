#ifndef TILED_KERNEL_H
#define TILED_KERNEL_H

#include "tiled_bindings.h"

// The cores write copies of x in turn.
class TiledKernel : public TiledBindings {
public:
    __aicore__ inline void Init(AscendC::TPipe& pipe) {
        pipe.InitBuffer(queue, 2, tiling->tileElements * sizeof(TypeX));
    }

    __aicore__ inline void Process() {
        for (int64_t at = AscendC::GetBlockIdx() * tiling->size; at < tiling->args.totalElements;
             at += AscendC::GetBlockNum() * tiling->size) {
            Copy(xGm, yGm[at], tiling->size);
        }
    }

private:
    __aicore__ inline void Copy(const AscendC::GlobalTensor<TypeX>& from, const AscendC::GlobalTensor<TypeX>& to,
                                int64_t size) {
        for (int64_t offset = 0; offset < size; offset += tiling->tileElements) {
            const int64_t left = size - offset;
            const uint32_t count = left < tiling->tileElements ? static_cast<uint32_t>(left) : tiling->tileElements;
            const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(TypeX)), 0, 0, 0};
            AscendC::LocalTensor<TypeX> tile = queue.AllocTensor<TypeX>();
            AscendC::DataCopyPad(tile, from[offset], copy, AscendC::DataCopyPadExtParams<TypeX>());
            queue.EnQue(tile);
            tile = queue.DeQue<TypeX>();
            AscendC::DataCopyPad(to[offset], tile, copy);
            queue.FreeTensor(tile);
        }
    }

    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> queue;
};

#endif  // TILED_KERNEL_H
