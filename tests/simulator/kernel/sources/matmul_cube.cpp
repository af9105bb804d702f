// Products of cube cores alone, straight into the output. The tiling key chooses.
#define ASCENDC_CUBE_ONLY
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

struct CubeTiling {
    TCubeTiling cube;
};

using In = MatmulType<TPosition::GM, CubeFormat::ND, bfloat16_t>;
using Out = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using Bias = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using Product = Matmul<In, In, Out, Bias, CFG_MDL>;

__aicore__ inline int32_t Least(int32_t a, int32_t b) { return a < b ? a : b; }

extern "C" __global__ __aicore__ void matmul_cube(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR z, GM_ADDR workspace,
                                                  GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    REGISTER_TILING_DEFAULT(CubeTiling);
    GET_TILING_DATA(data, tiling);
    const TCubeTiling& t = data.cube;
    GlobalTensor<bfloat16_t> ga, gb;
    GlobalTensor<half> gz, gbias;
    ga.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t*>(a));
    gb.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t*>(b));
    gz.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(z));
    gbias.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(bias));
    TPipe pipe;
    Product mm, other;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t, other, &t);
    const int32_t core = static_cast<int32_t>(GetBlockIdx());
    const int32_t ofM = (t.M + t.singleCoreM - 1) / t.singleCoreM;
    const int32_t row = core % ofM * t.singleCoreM, column = core / ofM * t.singleCoreN;
    if (TILING_KEY_IS(5)) {  // a part of K for each core, and C their sum
        const int32_t part = (t.Ka + GetBlockNum() - 1) / GetBlockNum();
        const int32_t first = core * part;
        if (first < t.Ka) {
            mm.SetSingleShape(t.M, t.N, Least(part, t.Ka - first));
            mm.SetTensorA(ga[first]);
            mm.SetTensorB(gb[static_cast<uint64_t>(first) * t.N]);
            mm.DisableBias();
            mm.IterateAll(gz, 1);
            mm.End();
        }
        return;
    }
    if (core >= t.usedCoreNum || row >= t.M || column >= t.N) {
        return;
    }
    const uint64_t at = static_cast<uint64_t>(row) * t.N + column;
    const auto set = [&](Product& object) {
        object.SetSingleShape(Least(t.singleCoreM, t.M - row), Least(t.singleCoreN, t.N - column), t.Ka);
        object.SetTensorA(ga[static_cast<uint64_t>(row) * t.Ka]);
        object.SetTensorB(gb[column]);
        if (t.isBias != 0) {
            object.SetBias(gbias[column]);
        }
    };
    if (TILING_KEY_IS(1)) {
        set(mm);
        mm.SetHF32(false);
        mm.IterateAll(gz[at]);
        mm.End();
    } else if (TILING_KEY_IS(2)) {
        set(mm);
        while (mm.Iterate()) {
            mm.GetTensorC(gz[at]);
        }
        mm.End();
        set(other);
        other.DisableBias();
        other.IterateAll(gz[at], 1);
        other.End();
    } else if (TILING_KEY_IS(4)) {
        set(mm);
        mm.IterateAll(gz[at]);
        set(other);
        other.IterateAll(gz[at]);  // <- no_end
    }
}
