// z = x @ y + bias by the Matmul object: each vector core, or core with both units, asks for the
// rectangle of z that the tiling gives it.
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

using Operand = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using Result = MatmulType<TPosition::GM, CubeFormat::ND, float>;

__aicore__ inline int32_t Least(int32_t a, int32_t b) { return a < b ? a : b; }

extern "C" __global__ __aicore__ void matmul_object_bias(GM_ADDR x, GM_ADDR y, GM_ADDR bias, GM_ADDR z,
                                                         GM_ADDR workspace, GM_ADDR tiling) {
#if __NPU_ARCH__ == 2002
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AICORE);
#else
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
#endif
    GET_TILING_DATA(data, tiling);
    const TCubeTiling& t = data.cube;
    GlobalTensor<half> xGlobal, yGlobal;
    GlobalTensor<float> biasGlobal, zGlobal;
    xGlobal.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x), t.M * t.Ka);
    yGlobal.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(y), t.Kb * t.N);
    biasGlobal.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(bias), t.N);
    zGlobal.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z), t.M * t.N);

    TPipe pipe;
#if __NPU_ARCH__ == 2002
    // a core with both units changes formats in its unified buffer
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, data.room);
#endif
    Matmul<Operand, Operand, Result, Result> product;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &t);
    const int32_t core = static_cast<int32_t>(GetBlockIdx());
    const int32_t down = (t.M + t.singleCoreM - 1) / t.singleCoreM;
    const int32_t row = core % down * t.singleCoreM, column = core / down * t.singleCoreN;
    if (core >= t.usedCoreNum || column >= t.N) {
        return;
    }
#if __NPU_ARCH__ == 2002
    product.SetLocalWorkspace(buffer.Get<uint8_t>());
#endif
    product.SetTail(Least(t.M - row, t.singleCoreM), Least(t.N - column, t.singleCoreN), t.Ka);
    product.SetTensorA(xGlobal[static_cast<uint64_t>(row) * t.Ka]);
    product.SetTensorB(yGlobal[column]);
    product.SetBias(biasGlobal[column]);
    product.IterateAll(zGlobal[static_cast<uint64_t>(row) * t.N + column]);
    product.End();
}
