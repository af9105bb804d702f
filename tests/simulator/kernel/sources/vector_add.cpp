// z = x + y: TQue double buffering, tails by DataCopyPad, a block takes every GetBlockNum()-th tile.
#include "kernel_operator.h"

struct VectorAddTiling {
    uint64_t total;
    uint32_t tile;
};

template <typename T>
class VectorAdd {
public:
    __aicore__ inline VectorAdd() {}

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, const VectorAddTiling& tiling, AscendC::TPipe* pipe) {
        tiling_ = tiling;
        xGm_.SetGlobalBuffer((__gm__ T*)x, tiling.total);
        yGm_.SetGlobalBuffer((__gm__ T*)y, tiling.total);
        zGm_.SetGlobalBuffer((__gm__ T*)z, tiling.total);
        pipe->InitBuffer(xQueue_, 2, tiling.tile * sizeof(T));
        pipe->InitBuffer(yQueue_, 2, tiling.tile * sizeof(T));
        pipe->InitBuffer(zQueue_, 2, tiling.tile * sizeof(T));
    }

    __aicore__ inline void Process() {
        const uint64_t step = static_cast<uint64_t>(tiling_.tile) * AscendC::GetBlockNum();
        for (uint64_t at = static_cast<uint64_t>(tiling_.tile) * AscendC::GetBlockIdx(); at < tiling_.total;
             at += step) {
            const uint64_t left = tiling_.total - at;
            const uint32_t count = left < tiling_.tile ? static_cast<uint32_t>(left) : tiling_.tile;
            CopyIn(at, count);
            Compute(count);
            CopyOut(at, count);
        }
    }

private:
    __aicore__ inline void CopyIn(uint64_t at, uint32_t count) {
        const AscendC::DataCopyExtParams params{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        const AscendC::DataCopyPadExtParams<T> pad{false, 0, 0, 0};
        AscendC::LocalTensor<T> x = xQueue_.template AllocTensor<T>();
        AscendC::LocalTensor<T> y = yQueue_.template AllocTensor<T>();
        AscendC::DataCopyPad(x, xGm_[at], params, pad);
        AscendC::DataCopyPad(y, yGm_[at], params, pad);
        xQueue_.EnQue(x);
        yQueue_.EnQue(y);
    }

    __aicore__ inline void Compute(uint32_t count) {
        AscendC::LocalTensor<T> x = xQueue_.template DeQue<T>();
        AscendC::LocalTensor<T> y = yQueue_.template DeQue<T>();
        AscendC::LocalTensor<T> z = zQueue_.template AllocTensor<T>();
        AscendC::Add(z, x, y, count);
        zQueue_.template EnQue<T>(z);
        xQueue_.FreeTensor(x);
        yQueue_.FreeTensor(y);
    }

    __aicore__ inline void CopyOut(uint64_t at, uint32_t count) {
        const AscendC::DataCopyExtParams params{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        AscendC::LocalTensor<T> z = zQueue_.template DeQue<T>();
        AscendC::DataCopyPad(zGm_[at], z, params);
        zQueue_.FreeTensor(z);
    }

    VectorAddTiling tiling_;
    AscendC::GlobalTensor<T> xGm_, yGm_, zGm_;
    AscendC::TQue<AscendC::TPosition::VECIN, 2> xQueue_, yQueue_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> zQueue_;
};

extern "C" __global__ __aicore__ void vector_add(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(VectorAddTiling);
    GET_TILING_DATA(data, tiling);
    AscendC::TPipe pipe;
    VectorAdd<DTYPE_X> op;
    op.Init(x, y, z, data, &pipe);
    op.Process();
}
