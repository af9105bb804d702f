// Matmul: the object through which a kernel multiplies matrices.
// Documentation: SIMD-API/高阶API/矩阵计算/Matmul-Kernel侧接口
#ifndef ASCENDC_LIB_MATMUL_OBJECT_H
#define ASCENDC_LIB_MATMUL_OBJECT_H

#include "matmul_config.h"
#include "kernel_tiling/kernel_tiling.h"
#include "sim/matmul.h"

namespace sim {

constexpr bool MatmulInUb(AscendC::TPosition position) {
    return position == AscendC::TPosition::VECIN || position == AscendC::TPosition::VECOUT ||
           position == AscendC::TPosition::VECCALC;
}

// Matmul使用说明, 表2, as far as the data types are simulated.
template <typename A, typename B, typename Bias, typename C>
inline constexpr bool kMatmulTypes =
    std::is_same<A, B>::value && kOneOf<A, half, bfloat16_t, float> && kOneOf<C, half, bfloat16_t, float> &&
    (std::is_same<Bias, float>::value || std::is_same<Bias, half>::value);

template <typename T>
constexpr Dtype MatmulBiasType() {
    return std::is_same<T, half>::value ? Dtype::kHalf : Dtype::kFloat;
}

}  // namespace sim

namespace AscendC {

// `kCubeOnly`: on the cube core itself, with no vector cores. `C` stands for `BIAS` where a kernel has none.
template <class A, class B, class C, class BIAS, const auto& MM_CFG, class MM_CB, bool kCubeOnly>
class MatmulObject {
    using SrcAT = typename A::T;
    using SrcBT = typename B::T;
    using DstT = typename C::T;
    using BiasT = typename BIAS::T;
    static constexpr MatmulConfig kConfig = MM_CFG;
    static constexpr bool kHasBias = !std::is_same<BIAS, C>::value;

    static_assert(A::pos == TPosition::GM && B::pos == TPosition::GM &&
                      BIAS::pos == (kHasBias ? TPosition::GM : C::pos),
                  "Matmul: A, B and bias in the unified buffer or L1 (VECOUT, TSCM) are not simulated: pass them in "
                  "global memory");
    static_assert(C::pos == TPosition::GM || sim::MatmulInUb(C::pos),
                  "Matmul: C in L0C or L1 (CO1, TSCM) is not simulated: take it in global memory or VECIN");
    static_assert(A::format == CubeFormat::ND && B::format == CubeFormat::ND && C::format == CubeFormat::ND,
                  "Matmul: only the format ND is simulated");
    static_assert(sim::kMatmulTypes<SrcAT, SrcBT, std::conditional_t<kHasBias, BiasT, float>, DstT>,
                  "Matmul: A and B are both half, bfloat16_t or float, C is half, bfloat16_t or float, bias is half or "
                  "float (Matmul使用说明, 表2); int8_t and int4b_t are not simulated");
    static_assert(A::layout == LayoutMode::NONE && B::layout == LayoutMode::NONE && !kConfig.isNBatch,
                  "Matmul: batched products (LayoutMode, isNBatch) are not simulated");
    static_assert(!A::ibShare && !B::ibShare && !kConfig.doIBShareNorm,
                  "Matmul: IBShare (two vector cores sharing A or B in L1) is not simulated");
    static_assert(!kConfig.doBasicBlock && !kConfig.doSpecialBasicBlock && !kConfig.doSpecialMDL &&
                      !kConfig.enableMixDualMaster && !kConfig.isPartialOutput && !kConfig.intraBlockPartSum &&
                      kConfig.scheduleType == ScheduleType::INNER_PRODUCT,
                  "Matmul: of the templates, Norm and MDL without enableMixDualMaster, isPartialOutput, "
                  "intraBlockPartSum and OUTER_PRODUCT are simulated");
    static_assert(MM_CB::kEmpty, "Matmul: callback functions (MatmulCallBackFunc) are not simulated");

public:
    MatmulObject() = default;

    void Init(const TCubeTiling* tiling, TPipe* = nullptr, sim::Site site = sim::Site::Here()) {
        const TCubeTiling& t = *tiling;
        const bool nFirst = kConfig.iterateOrder == IterateOrder::ORDER_N ||
                            (kConfig.iterateOrder == IterateOrder::UNDEF && t.iterateOrder == 1);
        const sim::MatmulBlocks blocks{t.usedCoreNum,  t.M,           t.N,     t.Ka,     t.Kb,     t.singleCoreM,
                                       t.singleCoreN,  t.singleCoreK, t.baseM, t.baseN,  t.baseK,  t.depthA1,
                                       t.depthB1,      t.stepM,       t.stepN, t.stepKa, t.stepKb, t.isBias,
                                       nFirst ? 1 : 0, t.dbL0A,       t.dbL0B, t.dbL0C};
        sim::MatmulInit(id_, blocks, site);
    }
    void SetSubBlockIdx(uint8_t) {}
    void SetOrgShape(int orgM, int orgN, int orgK, sim::Site site = sim::Site::Here()) {
        sim::MatmulSetOrgShape(id_, {orgM, orgN, orgK, orgK, orgN}, site);
    }
    void SetOrgShape(int orgM, int orgN, int orgKa, int orgKb, int orgKc = 0, sim::Site site = sim::Site::Here()) {
        sim::MatmulSetOrgShape(id_, {orgM, orgN, orgKa, orgKb, orgKc}, site);
    }
    void SetSingleShape(int singleM, int singleN, int singleK, sim::Site site = sim::Site::Here()) {
        sim::MatmulSetSingleShape(id_, "SetSingleShape", singleM, singleN, singleK, site);
    }
    void SetTail(int tailM = -1, int tailN = -1, int tailK = -1, sim::Site site = sim::Site::Here()) {
        sim::MatmulSetSingleShape(id_, "SetTail", tailM, tailN, tailK, site);
    }
    void SetTensorA(const GlobalTensor<SrcAT>& gm, bool isTransposeA = false, sim::Site site = sim::Site::Here()) {
        sim::MatmulSetTensor(id_, sim::MatmulOperand::kA, gm.Address(), isTransposeA, site);
    }
    void SetTensorB(const GlobalTensor<SrcBT>& gm, bool isTransposeB = false, sim::Site site = sim::Site::Here()) {
        sim::MatmulSetTensor(id_, sim::MatmulOperand::kB, gm.Address(), isTransposeB, site);
    }
    void SetBias(const GlobalTensor<BiasT>& gm, sim::Site site = sim::Site::Here()) {
        static_assert(sim::kOneOf<BiasT, half, float>, "SetBias: bias is half or float (Matmul使用说明, 表2)");
        sim::MatmulSetBias(id_, gm.Address(), site);
    }
    void DisableBias(sim::Site site = sim::Site::Here()) { sim::MatmulDisableBias(id_, "DisableBias", site); }
    void ClearBias(sim::Site site = sim::Site::Here()) { sim::MatmulDisableBias(id_, "ClearBias", site); }
    void SetHF32(bool enableHF32 = false, int32_t = 0, sim::Site site = sim::Site::Here()) {
        static_assert(kCubeOnly, "SetHF32 is documented for kernels of cube cores alone (ASCENDC_CUBE_ONLY)");
        sim::MatmulSetHf32(id_, enableHF32, site);
    }
    // Room for changes of format by the vector unit, which the cube cores of Atlas A2 and A3 do without.
    void SetLocalWorkspace(const LocalTensor<uint8_t>&) {}
    template <class T>
    void SetWorkspace(GlobalTensor<T>& addr, sim::Site site = sim::Site::Here()) {
        sim::MatmulSetWorkspace(id_, addr.Address(), site);
    }
    template <class T>
    void SetWorkspace(__gm__ const T* addr, int, sim::Site site = sim::Site::Here()) {
        sim::MatmulSetWorkspace(id_, reinterpret_cast<uint64_t>(addr), site);
    }

    template <bool sync = true>
    bool Iterate(bool enPartialSum = false, sim::Site site = sim::Site::Here()) {
        static_assert(sync || sim::MatmulInUb(C::pos),
                      "Iterate<false>: the position of C must be VECIN (GetTensorC, asynchronous)");
        return sim::MatmulIterate(id_, sync, enPartialSum, site);
    }
    template <bool sync = true>
    void GetTensorC(const GlobalTensor<DstT>& gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                    sim::Site site = sim::Site::Here()) {
        sim::MatmulGetTensorC(id_, sync, gm.Address(), {enAtomic, enSequentialWrite}, site);
    }
    template <bool sync = true>
    void GetTensorC(const LocalTensor<DstT>& c, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                    sim::Site site = sim::Site::Here()) {
        static_assert(!kCubeOnly, "GetTensorC: a cube core has no unified buffer");
        if (sim::MatmulIsCached(id_, site)) {
            GlobalTensor<DstT> cached;
            cached.SetGlobalBuffer(reinterpret_cast<DstT*>(sim::MatmulNextCached(id_, site)));
            CopyToUb(c, cached, site);
        } else {
            sim::MatmulGetTensorCInUb(id_, c.Place(), {enAtomic, enSequentialWrite}, site);
        }
    }
    template <bool sync = true>
    void GetTensorC(const GlobalTensor<DstT>& gm, const LocalTensor<DstT>& co2Local, uint8_t enAtomic = 0,
                    bool enSequentialWrite = false, sim::Site site = sim::Site::Here()) {
        static_assert(!kCubeOnly, "GetTensorC: a cube core has no unified buffer");
        sim::MatmulGetTensorC(id_, sync, gm.Address(), {enAtomic, enSequentialWrite}, site);
        CopyToUb(co2Local, gm, site);
    }
    // The cached block of an asynchronous Iterate, where it lies.
    template <bool sync = true>
    GlobalTensor<DstT> GetTensorC(uint8_t = 0, bool = false, sim::Site site = sim::Site::Here()) {
        GlobalTensor<DstT> cached;
        cached.SetGlobalBuffer(reinterpret_cast<DstT*>(sim::MatmulNextCached(id_, site)));
        return cached;
    }
    template <bool sync = true>
    void IterateAll(const GlobalTensor<DstT>& gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                    bool waitIterateAll = false, bool = false, sim::Site site = sim::Site::Here()) {
        sim::MatmulIterateAll(id_, sync, waitIterateAll, gm.Address(), {enAtomic, enSequentialWrite}, site);
    }
    template <bool sync = true>
    void IterateAll(const LocalTensor<DstT>&, uint8_t = 0) {
        static_assert(!std::is_same<DstT, DstT>::value,
                      "IterateAll: Atlas A2 and A3 write a LocalTensor only into TSCM, which is not simulated: use "
                      "Iterate and GetTensorC");
    }
    void WaitIterateAll(sim::Site site = sim::Site::Here()) { sim::MatmulWaitIterateAll(id_, site); }
    void End(sim::Site site = sim::Site::Here()) { sim::MatmulEnd(id_, site); }

    static constexpr bool kInPlace = kCubeOnly;
    void Register(TPipe* pipe, const void* workspace, sim::Site site) {
        const sim::MatmulSpec spec{sim::kDtype<SrcAT>,
                                   sim::kDtype<SrcBT>,
                                   sim::kDtype<DstT>,
                                   sim::MatmulBiasType<BiasT>(),
                                   A::isTrans,
                                   B::isTrans,
                                   kConfig.doMultiDataLoad,
                                   kConfig.intrinsicsCheck,
                                   kCubeOnly,
                                   sim::MatmulInUb(C::pos)};
        id_ = sim::MatmulRegister(spec, pipe, workspace, site);
    }

private:
    // As the client does it: whole blocks by MTE2, and the vector unit waits for them.
    static void CopyToUb(const LocalTensor<DstT>& to, const GlobalTensor<DstT>& from, sim::Site site) {
        constexpr uint32_t kBlock = 32 / sizeof(DstT);
        DataCopy(to, from, to.GetSize() / kBlock * kBlock, site);
        const TEventID id = GetTPipePtr()->FetchEventID(HardEvent::MTE2_V, site);
        SetFlag<HardEvent::MTE2_V>(id, site);
        WaitFlag<HardEvent::MTE2_V>(id, site);
    }

    int32_t id_ = -1;
};

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto& MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>,
          template <const auto&, typename, typename, typename, typename, typename> class MATMUL_POLICY = MatmulPolicy>
using MatmulImpl = MatmulObject<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, true>;

#ifdef ASCENDC_CUBE_ONLY
inline constexpr bool kMatmulCubeOnly = true;
#else
inline constexpr bool kMatmulCubeOnly = false;
#endif

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto& MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>,
          template <const auto&, typename, typename, typename, typename, typename> class MATMUL_POLICY = MatmulPolicy>
using Matmul = MatmulObject<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, kMatmulCubeOnly>;

}  // namespace AscendC

// The names by which older kernels know them, and with `using namespace matmul` all others.
namespace matmul {
using namespace AscendC;
using AscendC::Matmul;
using AscendC::MatmulCallBackFunc;
using AscendC::MatmulImpl;
using AscendC::MatmulPolicy;
using AscendC::MatmulType;
}  // namespace matmul

#endif
