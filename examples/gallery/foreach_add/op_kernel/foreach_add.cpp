// x[i] + y[i] for lists of tensors, all sums behind each other in one flat tensor, as optimizers keep parameters. The
// tiles of all tensors are numbered through, and dealt to the cores in turn.
#include "kernel_operator.h"
#include "kernel_operator_list_tensor_intf.h"
#include "foreach_add_tiling.h"

using namespace AscendC;

template <typename T>
class ForeachAdd {
public:
    __aicore__ inline ForeachAdd(TPipe* pipe, const ForeachAddTilingData& tiling) : tiling_(tiling) {
        pipe->InitBuffer(xs_, 2, tiling.tile * sizeof(T));
        pipe->InitBuffer(ys_, 2, tiling.tile * sizeof(T));
        pipe->InitBuffer(zs_, 2, tiling.tile * sizeof(T));
    }

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
        x_.Init(reinterpret_cast<__gm__ void*>(x));
        y_.Init(reinterpret_cast<__gm__ void*>(y));
        z_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(z));
    }

    __aicore__ inline void Process() {
        uint64_t number = 0;  // of the next tile
        uint64_t done = 0;    // elements of the tensors before
        for (uint32_t i = 0; i < tiling_.count; ++i) {
            GlobalTensor<T> x, y;
            x.SetGlobalBuffer(x_.GetDataPtr<T>(i), tiling_.sizes[i]);
            y.SetGlobalBuffer(y_.GetDataPtr<T>(i), tiling_.sizes[i]);
            for (uint64_t at = 0; at < tiling_.sizes[i]; at += tiling_.tile) {
                if (number++ % GetBlockNum() == GetBlockIdx()) {
                    const uint64_t left = tiling_.sizes[i] - at;
                    Add(x[at], y[at], z_[done + at], left < tiling_.tile ? left : tiling_.tile);
                }
            }
            done += tiling_.sizes[i];
        }
    }

private:
    __aicore__ inline void Add(const GlobalTensor<T>& x, const GlobalTensor<T>& y, const GlobalTensor<T>& z,
                               uint32_t count) {
        const DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        const DataCopyPadExtParams<T> noPadding{false, 0, 0, 0};
        LocalTensor<T> a = xs_.template AllocTensor<T>(), b = ys_.template AllocTensor<T>();
        DataCopyPad(a, x, copy, noPadding);
        DataCopyPad(b, y, copy, noPadding);
        xs_.EnQue(a);
        ys_.EnQue(b);
        a = xs_.template DeQue<T>();
        b = ys_.template DeQue<T>();
        LocalTensor<T> c = zs_.template AllocTensor<T>();
        AscendC::Add(c, a, b, count);
        xs_.FreeTensor(a);
        ys_.FreeTensor(b);
        zs_.EnQue(c);
        c = zs_.template DeQue<T>();
        DataCopyPad(z, c, copy);
        zs_.FreeTensor(c);
    }

    const ForeachAddTilingData& tiling_;
    TQue<TPosition::VECIN, 1> xs_, ys_;
    TQue<TPosition::VECOUT, 1> zs_;
    ListTensorDesc x_, y_;
    GlobalTensor<T> z_;
};

extern "C" __global__ __aicore__ void foreach_add(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(ForeachAddTilingData);
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    ForeachAdd<DTYPE_X> op(&pipe, data);
    op.Init(x, y, z);
    op.Process();
}
