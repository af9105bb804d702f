#ifndef CHUNKS_KERNEL_H
#define CHUNKS_KERNEL_H

#include "chunks_bindings.h"

// One core copies all pieces.
class ChunksKernel : public ChunksBindings {
public:
    __aicore__ inline void Init(AscendC::TPipe& pipe) {
        pipe.InitBuffer(queue, 2, tiling->tileElements * sizeof(TypeX));
    }

    __aicore__ inline void Process() {
        if (AscendC::GetBlockIdx() != 0) {
            return;
        }
        int64_t begin = 0;
        for (uint32_t i = 0; i < tiling->args.ysCount; i++) {
            Copy(xGm[begin], YsAt(i), tiling->lengths[i]);
            begin += tiling->lengths[i];
        }
        Copy(xGm[begin], restGm, tiling->rest);
        if (tiling->args.hasTail != 0) {
            Copy(tailGm, restGm[tiling->rest], tiling->tail);
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

#endif  // CHUNKS_KERNEL_H
