// z = condition ? x : y: the bytes of condition become half, those a bit each, and the bits select.
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t kCompared = 128;  // halves of one repeat of Compares

template <typename T>
class WhereSelect {
public:
    __aicore__ inline WhereSelect(TPipe* pipe, uint32_t total, uint32_t tile) : total_(total), tile_(tile) {
        pipe->InitBuffer(conditions_, 2, tile);
        pipe->InitBuffer(xs_, 2, tile * sizeof(T));
        pipe->InitBuffer(ys_, 2, tile * sizeof(T));
        pipe->InitBuffer(zs_, 2, tile * sizeof(T));
        pipe->InitBuffer(wide_, tile * sizeof(half));
        pipe->InitBuffer(bits_, tile / 8);
    }

    __aicore__ inline void Init(GM_ADDR condition, GM_ADDR x, GM_ADDR y, GM_ADDR z) {
        condition_.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(condition), total_);
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x), total_);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y), total_);
        z_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(z), total_);
    }

    __aicore__ inline void Process() {
        for (uint32_t offset = GetBlockIdx() * tile_; offset < total_; offset += GetBlockNum() * tile_) {
            const uint32_t count = total_ - offset < tile_ ? total_ - offset : tile_;
            CopyIn(conditions_, condition_, offset, count);
            CopyIn(xs_, x_, offset, count);
            CopyIn(ys_, y_, offset, count);
            Compute(count);
            LocalTensor<T> z = zs_.template DeQue<T>();
            DataCopyPad(z_[offset], z, {1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0});
            zs_.FreeTensor(z);
        }
    }

private:
    using Queue = TQue<TPosition::VECIN, 2>;

    template <typename U>
    __aicore__ inline void CopyIn(Queue& queue, const GlobalTensor<U>& from, uint32_t offset, uint32_t count) {
        LocalTensor<U> local = queue.AllocTensor<U>();
        DataCopyPad(local, from[offset], {1, static_cast<uint32_t>(count * sizeof(U)), 0, 0, 0}, {false, 0, 0, 0});
        queue.EnQue(local);
    }

    __aicore__ inline void Compute(uint32_t count) {
        LocalTensor<uint8_t> condition = conditions_.DeQue<uint8_t>();
        LocalTensor<T> x = xs_.DeQue<T>();
        LocalTensor<T> y = ys_.DeQue<T>();
        LocalTensor<T> z = zs_.template AllocTensor<T>();
        LocalTensor<half> wide = wide_.Get<half>();
        LocalTensor<uint8_t> bits = bits_.Get<uint8_t>();
        Cast(wide, condition, RoundMode::CAST_NONE, count);
        // Whole repeats are compared; the bits behind the last element select nothing that is stored.
        const uint32_t compared = (count + kCompared - 1) / kCompared * kCompared;
        Compares(bits, wide, static_cast<half>(0), CMPMODE::NE, compared);
        Select(z, bits, x, y, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
        conditions_.FreeTensor(condition);
        xs_.FreeTensor(x);
        ys_.FreeTensor(y);
        zs_.EnQue(z);
    }

    Queue conditions_, xs_, ys_;
    TQue<TPosition::VECOUT, 2> zs_;
    TBuf<TPosition::VECCALC> wide_, bits_;
    GlobalTensor<uint8_t> condition_;
    GlobalTensor<T> x_, y_, z_;
    uint32_t total_, tile_;
};

extern "C" __global__ __aicore__ void where_select(GM_ADDR condition, GM_ADDR x, GM_ADDR y, GM_ADDR z,
                                                   GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    WhereSelect<DTYPE_X> op(&pipe, tilingData.total, tilingData.tile);
    op.Init(condition, x, y, z);
    op.Process();
}
