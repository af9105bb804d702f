// z = x + y, and then the first `doubled` elements of z once more times 2. Two phases, one memory: the queues of the
// second phase lie where those of the first were.
#include "kernel_operator.h"
#include "tbuf_pool_add_tiling.h"

using namespace AscendC;

class Phases {
public:
    __aicore__ inline Phases(TPipe* pipe, const TbufPoolAddTilingData& tiling) : tiling_(tiling) {
        const uint32_t bytes = tiling.tile * sizeof(float);
        pipe->InitBufPool(adding_, 3 * bytes);
        pipe->InitBufPool(doubling_, 3 * bytes, adding_);
    }

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x), tiling_.total);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), tiling_.total);
        z_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z), tiling_.total);
    }

    __aicore__ inline void Process() {
        Add();
        adding_.Reset();
        PipeBarrier<PIPE_ALL>();  // z is read again
        Double();
        doubling_.Reset();
    }

private:
    __aicore__ inline void Add() {
        TQue<TPosition::VECIN, 1> xs, ys;
        TQue<TPosition::VECOUT, 1> zs;
        adding_.InitBuffer(xs, 1, tiling_.tile * sizeof(float));
        adding_.InitBuffer(ys, 1, tiling_.tile * sizeof(float));
        adding_.InitBuffer(zs, 1, tiling_.tile * sizeof(float));
        for (uint32_t at = GetBlockIdx() * tiling_.tile; at < tiling_.total; at += GetBlockNum() * tiling_.tile) {
            const uint32_t count = Least(tiling_.total - at, tiling_.tile);
            LocalTensor<float> x = Load(xs, x_[at], count), y = Load(ys, y_[at], count);
            LocalTensor<float> z = zs.AllocTensor<float>();
            AscendC::Add(z, x, y, count);
            xs.FreeTensor(x);
            ys.FreeTensor(y);
            Store(zs, z_[at], z, count);
        }
    }

    __aicore__ inline void Double() {
        TQue<TPosition::VECIN, 1> in;
        TQue<TPosition::VECOUT, 1> out;
        doubling_.InitBuffer(in, 2, tiling_.tile / 2 * sizeof(float));
        doubling_.InitBuffer(out, 2, tiling_.tile / 2 * sizeof(float));
        const uint32_t end = Least(tiling_.loud, tiling_.total);
        // the tiles that this core has computed, in halves
        for (uint32_t at = GetBlockIdx() * tiling_.tile; at < end; at += GetBlockNum() * tiling_.tile) {
            for (uint32_t half = 0; half < 2 && at + half * tiling_.tile / 2 < end; ++half) {
                const uint32_t from = at + half * tiling_.tile / 2;
                const uint32_t count = Least(end - from, tiling_.tile / 2);
                LocalTensor<float> x = Load(in, z_[from], count);
                LocalTensor<float> z = out.AllocTensor<float>();
                Muls(z, x, 2.0f, count);
                in.FreeTensor(x);
                Store(out, z_[from], z, count);
            }
        }
    }

    __aicore__ inline static uint32_t Least(uint32_t a, uint32_t b) { return a < b ? a : b; }

    template <class Queue>
    __aicore__ inline LocalTensor<float> Load(Queue& queue, const GlobalTensor<float>& from, uint32_t count) {
        LocalTensor<float> tensor = queue.template AllocTensor<float>();
        DataCopyPad(tensor, from, {1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0}, {false, 0, 0, 0.0f});
        queue.EnQue(tensor);
        return queue.template DeQue<float>();
    }

    template <class Queue>
    __aicore__ inline void Store(Queue& queue, const GlobalTensor<float>& to, LocalTensor<float> tensor,
                                 uint32_t count) {
        queue.EnQue(tensor);
        tensor = queue.template DeQue<float>();
        DataCopyPad(to, tensor, {1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0});
        queue.FreeTensor(tensor);
    }

    const TbufPoolAddTilingData& tiling_;
    TBufPool<TPosition::VECCALC> adding_, doubling_;
    GlobalTensor<float> x_, y_, z_;
};

extern "C" __global__ __aicore__ void tbuf_pool_add(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace,
                                                    GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(TbufPoolAddTilingData);
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    Phases phases(&pipe, data);
    phases.Init(x, y, z);
    phases.Process();
}
