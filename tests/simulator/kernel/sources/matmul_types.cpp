// Matmul objects of the data types, formats and templates beside half and float in rows. The tiling key chooses; every
// vector core computes a part of the rows.
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

struct TypesTiling {
    TCubeTiling cube;
    uint64_t scale;
    uint32_t batchA, batchB;
};

template <typename T, CubeFormat format = CubeFormat::ND, LayoutMode layout = LayoutMode::NONE>
using Gm = MatmulType<TPosition::GM, format, T, false, layout>;
template <typename T>
using Across = MatmulType<TPosition::GM, CubeFormat::ND, T, true>;

constexpr MatmulConfig kSpecial = GetSpecialMDLConfig();
constexpr MatmulConfig kBasic = GetBasicConfig(16, 16, 32);
constexpr MatmulShapeParams kShape{32, 48, 40, 16, 16, 16};
constexpr MatmulFuncParams kLong{true};
constexpr MatmulConfig kCustom =
    GetMMConfig<MatmulConfigMode::CONFIG_NORM>(kShape, kLong, MatmulQuantParams{}, MatmulBatchParams{});
constexpr MatmulShapeParams kLargeShape{256, 1024, 128, 256, 128, 128};  // A's block fills L0A
constexpr auto kLarge = GetMatmulApiTiling<Gm<half>, Gm<half>, Gm<float>, Gm<float>>(
    GetMMConfig<MatmulConfigMode::CONFIG_NORM>(kLargeShape));
static_assert(kLarge.dbL0A == 1 && kLarge.dbL0B == 2, "L0");
constexpr MatmulConfig kCustomMdl = GetMMConfig<MatmulConfigMode::CONFIG_MDL>();
constexpr auto kStatic = GetMatmulApiTiling<Gm<half>, Gm<half>, Gm<float>, Gm<float>>(kCustom);
static_assert(kStatic.singleCoreM == 32 && kStatic.baseK == 16 && kCustomMdl.doMultiDataLoad, "constants");
static_assert(GetMMConfig<MatmulConfigMode::CONFIG_SPECIALMDL>().doSpecialMDL, "constants");

struct Data {
    const TypesTiling& tiling;
    GM_ADDR a;
    GM_ADDR b;
    GM_ADDR bias;
    GM_ADDR scales;
    GM_ADDR z;
    TPipe* pipe;
};

template <typename T>
__aicore__ inline GlobalTensor<T> At(GM_ADDR address, uint64_t offset = 0) {
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(address) + offset);
    return tensor;
}

// z = a @ b (+ bias), each core singleCoreM rows.
template <class Object, typename A, typename Bias, typename C>
__aicore__ inline void Rows(Data& d, Object& mm, bool vector, bool fractals = false, bool transposed = false) {
    const TCubeTiling& t = d.tiling.cube;
    const int32_t row = static_cast<int32_t>(GetBlockIdx()) * t.singleCoreM;
    if (row >= t.M) {
        return;
    }
    const uint64_t first = static_cast<uint64_t>(row);
    mm.SetSubBlockIdx(0);
    mm.ClearBias();
    mm.DisableBias();
    mm.SetUserDefInfo(1);
    mm.SetSelfDefineData(2);
    mm.SetTail(row + t.singleCoreM > t.M ? t.M - row : t.singleCoreM);
    mm.SetTensorA(At<A>(d.a, fractals ? first * 32 / sizeof(A) : transposed ? first : first * t.Ka), transposed);
    mm.SetTensorB(At<A>(d.b), transposed);
    if (t.isBias != 0) {
        mm.SetBias(At<Bias>(d.bias));
    }
    if constexpr (std::is_same<C, int8_t>::value || (std::is_same<A, int8_t>::value && std::is_same<C, half>::value)) {
        if (vector) {
            mm.SetQuantVector(At<uint64_t>(d.scales));
        } else {
            mm.SetQuantScalar(d.tiling.scale);
        }
    }
    mm.IterateAll(At<C>(d.z, fractals ? first * 16 : first * t.N));
    mm.End();
}

extern "C" __global__ __aicore__ void matmul_types(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR scales, GM_ADDR z,
                                                   GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    REGISTER_TILING_DEFAULT(TypesTiling);
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    Data d{data, a, b, bias, scales, z, &pipe};
    if (TILING_KEY_IS(0)) {
        Matmul<Gm<int8_t>, Gm<int8_t>, Gm<int32_t>, Gm<int32_t>> mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
        Rows<decltype(mm), int8_t, int32_t, int32_t>(d, mm, false);
    } else if (TILING_KEY_IS(1) || TILING_KEY_IS(2)) {
        Matmul<Across<int8_t>, Across<int8_t>, Gm<half>, Gm<int32_t>, CFG_MDL> mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
        Rows<decltype(mm), int8_t, int32_t, half>(d, mm, TILING_KEY_IS(2), false, true);
    } else if (TILING_KEY_IS(3) || TILING_KEY_IS(4)) {
        Matmul<Gm<int8_t>, Gm<int8_t>, Gm<int8_t>, Gm<int32_t>> mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
        Rows<decltype(mm), int8_t, int32_t, int8_t>(d, mm, TILING_KEY_IS(4));
    } else if (TILING_KEY_IS(5) || TILING_KEY_IS(6)) {
        Matmul<Gm<half>, Gm<half>, Gm<int8_t>, Gm<float>> mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
        Rows<decltype(mm), half, float, int8_t>(d, mm, TILING_KEY_IS(6));
    } else if (TILING_KEY_IS(7)) {
        Matmul<Gm<half, CubeFormat::NZ>, Gm<half, CubeFormat::NZ>, Gm<float, CubeFormat::NZ>, Gm<float>> mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
        Rows<decltype(mm), half, float, float>(d, mm, false, true);
    } else if (TILING_KEY_IS(8)) {
        Matmul<Gm<half>, Gm<half>, Gm<float>, Gm<float>, kStatic> mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, static_cast<const TCubeTiling*>(nullptr));
        mm.SetOrgShape(data.cube.M, data.cube.N, data.cube.Ka);
        Rows<decltype(mm), half, float, float>(d, mm, false);
    } else if (TILING_KEY_IS(9)) {
        Matmul<Gm<half>, Gm<half>, Gm<float>, Gm<float>, kSpecial> mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
        Rows<decltype(mm), half, float, float>(d, mm, false);
    } else if (TILING_KEY_IS(10)) {
        Matmul<Gm<half>, Gm<half>, Gm<float>, Gm<float>, kBasic> mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
        Rows<decltype(mm), half, float, float>(d, mm, false);
    } else if (TILING_KEY_IS(11) || TILING_KEY_IS(12)) {
        Matmul<Gm<half, CubeFormat::ND, LayoutMode::NORMAL>, Gm<half, CubeFormat::ND, LayoutMode::NORMAL>,
               Gm<float, CubeFormat::ND, LayoutMode::NORMAL>, Gm<float>>
            mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
        if (GetBlockIdx() == 0) {
            mm.SetTensorA(At<half>(a));
            mm.SetTensorB(At<half>(b));
            if (data.cube.isBias != 0) {
                mm.SetBias(At<float>(bias));
            }
            if (TILING_KEY_IS(11)) {
                mm.IterateBatch(At<float>(z), data.batchA, data.batchB, false);
            } else {
                mm.IterateBatch<false, true>(At<float>(z), data.batchA, data.batchB, false);
                mm.WaitIterateBatch();
            }
            mm.End();
        }
    } else if (TILING_KEY_IS(20)) {
        Matmul<Gm<int8_t>, Gm<int8_t>, Gm<half>, Gm<int32_t>> mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
        mm.SetTensorA(At<int8_t>(a));
        mm.SetTensorB(At<int8_t>(b));
        mm.IterateAll(At<half>(z));  // <- never scaled
        mm.End();
    } else if (TILING_KEY_IS(21)) {
        Matmul<Gm<int8_t>, Gm<int8_t>, Gm<int8_t>, Gm<int32_t>> mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
        mm.SetTensorA(At<int8_t>(a));
        mm.SetTensorB(At<int8_t>(b));
        mm.SetQuantScalar(data.scale);
        mm.IterateAll(At<int8_t>(z), 1);  // <- added to bytes
        mm.End();
    } else if (TILING_KEY_IS(22)) {
        Matmul<Gm<half>, Gm<half>, Gm<float>> mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
        mm.SetTensorA(At<half>(a));
        mm.SetTensorB(At<half>(b));
        mm.IterateBatch(At<float>(z), 3, 2, false);  // <- odd batches
        mm.End();
    } else if (TILING_KEY_IS(23)) {
        Matmul<Gm<half>, Gm<half>, Gm<float>> mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
        mm.SetTensorA(At<half>(a));
        mm.SetTensorB(At<half>(b));
        mm.IterateBatch(At<float>(z), 2, 2, false, 0, 0, 0, true);  // <- partial batches
        mm.End();
    }
}
