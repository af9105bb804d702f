// z = alpha x + beta y. What is the same for all elements is a template parameter: y is not even read where beta is 0,
// and nothing is multiplied where both factors are 1.
#include "kernel_operator.h"
#include "axpby_tpl_key.h"
#include "axpby_tpl_tiling.h"

using namespace AscendC;

template <typename T, bool hasY, bool isSum>
class Axpby {
public:
    __aicore__ inline Axpby(TPipe* pipe, const AxpbyTplTilingData& tiling) : tiling_(tiling) {
        pipe->InitBuffer(xs_, 2, tiling.tile * sizeof(T));
        pipe->InitBuffer(zs_, 2, tiling.tile * sizeof(T));
        if constexpr (hasY) {
            pipe->InitBuffer(ys_, 2, tiling.tile * sizeof(T));
        }
    }

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x), tiling_.total);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y), tiling_.total);
        z_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(z), tiling_.total);
    }

    __aicore__ inline void Process() {
        for (uint32_t at = GetBlockIdx() * tiling_.tile; at < tiling_.total; at += GetBlockNum() * tiling_.tile) {
            const uint32_t count = tiling_.total - at < tiling_.tile ? tiling_.total - at : tiling_.tile;
            const DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
            LocalTensor<T> x = Load(xs_, x_[at], copy);
            LocalTensor<T> z = zs_.template AllocTensor<T>();
            if constexpr (hasY) {
                LocalTensor<T> y = Load(ys_, y_[at], copy);
                if constexpr (isSum) {
                    Add(z, x, y, count);
                } else {
                    Muls(z, x, static_cast<T>(tiling_.alpha), count);
                    Axpy(z, y, static_cast<T>(tiling_.beta), count);
                }
                ys_.FreeTensor(y);
            } else {
                Muls(z, x, static_cast<T>(tiling_.alpha), count);
            }
            xs_.FreeTensor(x);
            zs_.EnQue(z);
            z = zs_.template DeQue<T>();
            DataCopyPad(z_[at], z, copy);
            zs_.FreeTensor(z);
        }
    }

private:
    using Queue = TQue<TPosition::VECIN, 1>;

    __aicore__ inline LocalTensor<T> Load(Queue& queue, const GlobalTensor<T>& from, const DataCopyExtParams& copy) {
        LocalTensor<T> tensor = queue.template AllocTensor<T>();
        DataCopyPad(tensor, from, copy, {false, 0, 0, 0});
        queue.EnQue(tensor);
        return queue.template DeQue<T>();
    }

    const AxpbyTplTilingData& tiling_;
    Queue xs_, ys_;
    TQue<TPosition::VECOUT, 1> zs_;
    GlobalTensor<T> x_, y_, z_;
};

template <typename D_T_X, int TERMS, bool IS_SUM>
__global__ __aicore__ void axpby_tpl(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(AxpbyTplTilingData);
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    Axpby<D_T_X, TERMS == 2, IS_SUM> op(&pipe, data);
    op.Init(x, y, z);
    op.Process();
}
