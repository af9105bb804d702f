// Products in batches: layouts, into the unified buffer, several IterateBatch in one call. The tiling key chooses.
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

struct BatchTiling {
    TCubeTiling cube;
    uint32_t batchA, batchB, loops, sequential;
};

template <LayoutMode layout, bool transposed = false, typename T = half>
using Gm = MatmulType<TPosition::GM, CubeFormat::ND, T, transposed, layout>;
template <LayoutMode layout>
using InUb = MatmulType<TPosition::VECIN, CubeFormat::ND, float, false, layout>;

constexpr MatmulConfig kMany = GetNormalConfig(false, true);
constexpr MatmulConfig kLarge = GetNormalConfig(false, false, false, BatchMode::BATCH_LARGE_THAN_L1);

template <typename T>
__aicore__ inline GlobalTensor<T> At(GM_ADDR address) {
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(address));
    return tensor;
}

// z = a @ b.T + bias, `loops` times at the places that the layouts say.
template <LayoutMode in, LayoutMode out>
__aicore__ inline void Heads(const BatchTiling& t, GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR z, TPipe* pipe) {
    Matmul<Gm<in>, Gm<in, true>, Gm<out, false, float>, Gm<LayoutMode::NONE, false, float>> mm;
    REGIST_MATMUL_OBJ(pipe, GetSysWorkSpacePtr(), mm, &t.cube);
    if (GetBlockIdx() != 0) {
        return;
    }
    if (CeilDiv(33, 16) != 3 || CeilAlign(33, 16) != 48) {
        trap();
    }
    mm.SetTensorA(At<half>(a));
    mm.SetTensorB(At<half>(b), true);
    if (t.cube.isBias != 0) {
        mm.SetBias(At<float>(bias));
    }
    mm.IterateBatch(At<float>(z), t.batchA, t.batchB, t.sequential != 0);  // <- heads
    mm.End();
}

extern "C" __global__ __aicore__ void matmul_batch(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR z, GM_ADDR workspace,
                                                   GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    KERNEL_TASK_TYPE(10, KERNEL_TYPE_AIC_ONLY);
    REGISTER_TILING_DEFAULT(BatchTiling);
    GET_TILING_DATA(t, tiling);
    TPipe pipe;
    if (TILING_KEY_IS(1)) {
        Heads<LayoutMode::BSNGD, LayoutMode::BSNGD>(t, a, b, bias, z, &pipe);
    } else if (TILING_KEY_IS(2)) {
        Heads<LayoutMode::SBNGD, LayoutMode::SBNGD>(t, a, b, bias, z, &pipe);
    } else if (TILING_KEY_IS(3)) {
        Heads<LayoutMode::BNGS1S2, LayoutMode::BSNGD>(t, a, b, bias, z, &pipe);
    } else if (TILING_KEY_IS(4)) {
        Heads<LayoutMode::BSNGD, LayoutMode::BNGS1S2>(t, a, b, bias, z, &pipe);
    } else if (TILING_KEY_IS(5)) {
        Matmul<Gm<LayoutMode::NORMAL>, Gm<LayoutMode::NORMAL, true>, InUb<LayoutMode::NORMAL>> mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t.cube);
        if (GetBlockIdx() == 0) {
            TQue<TPosition::VECIN, 1> queue;
            const uint32_t count = t.batchA * static_cast<uint32_t>(t.cube.singleCoreM * t.cube.singleCoreN);
            pipe.InitBuffer(queue, 1, count * sizeof(float));
            LocalTensor<float> c = queue.AllocTensor<float>();
            mm.SetTensorA(At<half>(a));
            mm.SetTensorB(At<half>(b), true);
            mm.IterateBatch(c, t.batchA, t.batchB, true);
            mm.End();
            Adds(c, c, 1.0f, static_cast<int32_t>(count));
            const TEventID id = GetTPipePtr()->FetchEventID(HardEvent::V_MTE3);
            SetFlag<HardEvent::V_MTE3>(id);
            WaitFlag<HardEvent::V_MTE3>(id);
            DataCopy(At<float>(z), c, count);
            queue.FreeTensor(c);
        }
    } else if (TILING_KEY_IS(6) || TILING_KEY_IS(7) || TILING_KEY_IS(11)) {
        Matmul<Gm<LayoutMode::BSNGD>, Gm<LayoutMode::BSNGD, true>, Gm<LayoutMode::BNGS1S2, false, float>,
               Gm<LayoutMode::NONE, false, float>, kMany>
            mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t.cube);
        if (GetBlockIdx() == 0) {
            mm.SetTensorA(At<half>(a));
            mm.SetTensorB(At<half>(b), true);
            if (t.cube.isBias != 0) {
                mm.SetBias(At<float>(bias));
            }
            GlobalTensor<float> to = At<float>(TILING_KEY_IS(7) ? GetUserWorkspace(workspace) : z);
            if (!TILING_KEY_IS(11)) {
                mm.SetWorkspace(to);
            }
            const uint32_t count = t.batchA * static_cast<uint32_t>(t.cube.singleCoreM * t.cube.singleCoreN);
            TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
            pipe.InitBuffer(queue, 1, count * sizeof(float));
            if (TILING_KEY_IS(6)) {
                mm.IterateNBatch(t.loops, t.batchA, t.batchB, false);
                LocalTensor<float> c = queue.AllocTensor<float>();
                DataCopy(c, to, count);  // what a synchronous call has written is there
                queue.EnQue(c);
                c = queue.DeQue<float>();
                DataCopy(to, c, count);
                queue.FreeTensor(c);
            } else {
                mm.IterateNBatch<false>(t.loops, t.batchA, t.batchB, false);  // <- many
                for (uint32_t i = 0; i < t.loops + (t.sequential != 0 ? 1 : 0); ++i) {
                    GlobalTensor<float> batch = i % 2 == 0 ? mm.GetBatchTensorC<false>(t.batchA, t.batchB)  // <- next
                                                           : mm.GetBatchC<false>(t.batchA, t.batchB);
                    LocalTensor<float> c = queue.AllocTensor<float>();
                    DataCopy(c, batch, count);
                    queue.EnQue(c);
                    c = queue.DeQue<float>();
                    DataCopy(At<float>(z)[i * count], c, count);
                    queue.FreeTensor(c);
                }
            }
            mm.End();
        }
    } else if (TILING_KEY_IS(8) || TILING_KEY_IS(9)) {
        Matmul<Gm<LayoutMode::NORMAL>, Gm<LayoutMode::NORMAL, true>, Gm<LayoutMode::NORMAL, false, float>> mm;
        Matmul<Gm<LayoutMode::NORMAL>, Gm<LayoutMode::NORMAL, true>, Gm<LayoutMode::NORMAL, false, float>,
               Gm<LayoutMode::NORMAL, false, float>, kLarge>
            large;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t.cube, large, &t.cube);
        if (GetBlockIdx() == 0) {
            if (TILING_KEY_IS(8)) {
                mm.SetTensorA(At<half>(a));
                mm.SetTensorB(At<half>(b), true);
                mm.IterateBatch(At<float>(z), t.batchA, t.batchB, false);  // <- too many
                mm.End();
            } else {
                large.SetTensorA(At<half>(a));
                large.SetTensorB(At<half>(b), true);
                large.IterateBatch(At<float>(z), t.batchA, t.batchB, false);
                large.End();
            }
        }
    } else if (TILING_KEY_IS(10)) {
        MatmulImpl<Gm<LayoutMode::NORMAL>, Gm<LayoutMode::NORMAL, true>, Gm<LayoutMode::NORMAL, false, float>> mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t.cube);
        mm.SetTensorA(At<half>(a));
        mm.SetTensorB(At<half>(b), true);
        mm.SetBatchNum(static_cast<int32_t>(t.batchA), static_cast<int32_t>(t.batchB));
        mm.IterateBatch(At<float>(z), false, 0, false);
        mm.End();
    }
}
