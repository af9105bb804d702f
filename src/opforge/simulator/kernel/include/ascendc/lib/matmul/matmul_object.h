// Matmul: the object through which a kernel multiplies matrices.
// Documentation: SIMD-API/高阶API/矩阵计算/Matmul-Kernel侧接口
#ifndef ASCENDC_LIB_MATMUL_OBJECT_H
#define ASCENDC_LIB_MATMUL_OBJECT_H

#include "matmul_tiling.h"
#include "matmul_types.h"
#include "sim/matmul.h"

namespace AscendC {

// CANN's headers have these. Two are for 16 bits: kernels call them with more, and lose what does not fit, as there.
inline uint16_t CeilDiv(uint16_t num1, uint16_t num2) { return static_cast<uint16_t>((num1 + num2 - 1) / num2); }
inline uint16_t CeilAlign(uint16_t num1, uint16_t num2) { return static_cast<uint16_t>(CeilDiv(num1, num2) * num2); }
template <typename T>
constexpr T Align(T num1, T num2) {
    return num2 == 0 ? 0 : (num1 + num2 - 1) / num2 * num2;
}

template <class A, class B, class C, class BIAS, const auto& MM_CFG, class MM_CB, bool kCubeOnly,
          sim::MatmulPolicyKind kPolicy>
class MatmulObject {
    using Types = MatmulTypes<A, B, C, BIAS, MM_CFG, MM_CB, kCubeOnly, kPolicy>;
    using SrcAT = typename Types::SrcAT;
    using SrcBT = typename Types::SrcBT;
    using DstT = typename Types::DstT;
    using BiasT = typename Types::BiasT;
    static constexpr MatmulConfig kConfig = Types::kConfig;
    static constexpr MatmulApiStaticTiling kStatic = Types::kStatic;
    static constexpr bool kQuantised = Types::kQuantised;
    static constexpr bool kIntoL0c = Types::kIntoL0c;

public:
    MatmulObject() = default;

    // Without a tiling where all of it is known when the kernel is compiled (GetMatmulApiTiling).
    // On cube cores alone the object needs no REGIST_MATMUL_OBJ: Init is enough (CANN's impl/adv_api/detail/matmul).
    void Init(const TCubeTiling* tiling, TPipe* pipe = nullptr, sim::Site site = sim::Site::Here()) {
        if (kCubeOnly && id_ < 0) {
            Register(pipe == nullptr ? GetTPipePtr() : pipe, nullptr, site);
        }
        sim::MatmulInit(id_, sim::BlocksOf(tiling, kStatic, kConfig.iterateOrder), site);
    }
    // What callback functions are given: of no meaning without them.
    void SetUserDefInfo(const uint64_t tilingPtr, sim::Site site = sim::Site::Here()) {
        sim::MatmulSetInfo(id_, tilingPtr, site);
    }
    void SetSelfDefineData(const uint64_t dataPtr, sim::Site site = sim::Site::Here()) {
        sim::MatmulSetData(id_, dataPtr, site);
    }
    // How float sums become int8_t, and int32_t sums half or int8_t: one word for all, or one a column.
    void SetQuantScalar(uint64_t quantScalar, sim::Site site = sim::Site::Here()) {
        static_assert(kQuantised, "SetQuantScalar: C is int8_t, or half with int8_t operands (SetQuantScalar)");
        sim::MatmulSetQuant(id_, "SetQuantScalar", quantScalar, 0, site);
    }
    void SetQuantVector(const GlobalTensor<uint64_t>& quantTensor, sim::Site site = sim::Site::Here()) {
        static_assert(kQuantised, "SetQuantVector: C is int8_t, or half with int8_t operands (SetQuantVector)");
        sim::MatmulSetQuant(id_, "SetQuantVector", 0, quantTensor.Address(), site);
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
    void SetTensorA(const LocalTensor<SrcAT>& leftMatrix, bool isTransposeA = false,
                    sim::Site site = sim::Site::Here()) {
        static_assert(A::pos != TPosition::GM, "SetTensorA: the position of A in its MatmulType is GM");
        sim::MatmulSetLocal(id_, sim::MatmulOperand::kA, leftMatrix.Place(), isTransposeA, site);
    }
    void SetTensorB(const LocalTensor<SrcBT>& rightMatrix, bool isTransposeB = false,
                    sim::Site site = sim::Site::Here()) {
        static_assert(B::pos != TPosition::GM, "SetTensorB: the position of B in its MatmulType is GM");
        sim::MatmulSetLocal(id_, sim::MatmulOperand::kB, rightMatrix.Place(), isTransposeB, site);
    }
    // All of A is this value.
    void SetTensorA(SrcAT aScalar, sim::Site site = sim::Site::Here()) {
        static_assert(sim::kOneOf<SrcAT, half, float>, "SetTensorA: a value is half or float (SetTensorA)");
        sim::MatmulSetScalarA(id_, sim::ScalarBits(aScalar), site);
    }
    void SetBias(const LocalTensor<BiasT>& inputBias, sim::Site site = sim::Site::Here()) {
        static_assert(BIAS::pos == TPosition::VECOUT, "SetBias: the position of the bias in its MatmulType is VECOUT");
        static_assert(sim::kMatmulTypes<SrcAT, SrcBT, BiasT, DstT>,
                      "SetBias: this data type of the bias is not in the table for these of A, B and C, and this SoC "
                      "(Matmul使用说明, 表2)");
        sim::MatmulSetLocal(id_, sim::MatmulOperand::kBias, inputBias.Place(), false, site);
    }
    void SetBias(const GlobalTensor<BiasT>& gm, sim::Site site = sim::Site::Here()) {
        static_assert(sim::kMatmulTypes<SrcAT, SrcBT, BiasT, DstT>,
                      "SetBias: this data type of the bias is not in the table for these of A, B and C, and this SoC "
                      "(Matmul使用说明, 表2)");
        sim::MatmulSetBias(id_, gm.Address(), site);
    }
    void DisableBias(sim::Site site = sim::Site::Here()) { sim::MatmulDisableBias(id_, "DisableBias", site); }
    void ClearBias(sim::Site site = sim::Site::Here()) { sim::MatmulDisableBias(id_, "ClearBias", site); }
    void SetHF32(bool enableHF32 = false, int32_t transMode = 0, sim::Site site = sim::Site::Here()) {
        static_assert(kCubeOnly, "SetHF32 is documented for kernels of cube cores alone (ASCENDC_CUBE_ONLY)");
        static_assert(sim::kNotOnM200<SrcAT>, "SetHF32: not there on ascend310p (SetHF32)");
        sim::MatmulSetHf32(id_, enableHF32, transMode, site);
    }
    // Room for changes of format by the vector unit, which the cube cores of Atlas A2 and A3 do without.
    void SetLocalWorkspace(const LocalTensor<uint8_t>& tmpBuffer, sim::Site site = sim::Site::Here()) {
        if constexpr (sim::kOnM200) {
            sim::MatmulSetLocalWorkspace(id_, tmpBuffer.Place(), site);
        }
    }
    template <class T>
    void SetWorkspace(GlobalTensor<T>& addr, sim::Site site = sim::Site::Here()) {
        static_assert(sim::kNotOnM200<T>, "SetWorkspace: not there on ascend310p (SetWorkspace)");
        sim::MatmulSetWorkspace(id_, addr.Address(), site);
    }
    template <class T>
    void SetWorkspace(__gm__ const T* addr, int, sim::Site site = sim::Site::Here()) {
        static_assert(sim::kNotOnM200<T>, "SetWorkspace: not there on ascend310p (SetWorkspace)");
        sim::MatmulSetWorkspace(id_, reinterpret_cast<uint64_t>(addr), site);
    }

    template <bool sync = true>
    bool Iterate(bool enPartialSum = false, sim::Site site = sim::Site::Here()) {
        static_assert(sync || sim::MatmulInUb(C::pos),
                      "Iterate<false>: the position of C must be VECIN (GetTensorC, asynchronous)");
        static_assert(sync || !sim::kOnM200, "Iterate<false>: ascend310p has no asynchronous mode (GetTensorC)");
        static_assert(!(A::ibShare && B::ibShare), "Iterate: with IBShare of A and B only IterateAll computes");
        static_assert(
            kConfig.scheduleType == ScheduleType::INNER_PRODUCT && !kIntoL0c &&
                kPolicy != sim::MatmulPolicyKind::kNBuffer33,
            "Iterate: OUTER_PRODUCT and NBuffer33MatmulPolicy are simulated with IterateAll, and with C in CO1 "
            "Iterate takes the tensor");
        return sim::MatmulIterate(id_, sync, enPartialSum, site);
    }
    // The block into L0C that the kernel has taken, out of which it copies by Fixpipe.
    template <bool sync = true, typename T>
    bool Iterate(bool enPartialSum, const LocalTensor<T>& localCmatrix, sim::Site site = sim::Site::Here()) {
        static_assert(kIntoL0c && std::is_same<T, DstT>::value,
                      "Iterate: a tensor for C needs the position CO1 in C's MatmulType, and its data type");
        return sim::MatmulIterateInto(id_, enPartialSum, localCmatrix.Place(), site);
    }
    template <bool sync = true>
    void GetTensorC(const GlobalTensor<DstT>& gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                    sim::Site site = sim::Site::Here()) {
        sim::MatmulGetTensorC(id_, sync, gm.Address(), {enAtomic, enSequentialWrite}, site);
    }
    template <bool sync = true>
    void GetTensorC(const LocalTensor<DstT>& c, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                    sim::Site site = sim::Site::Here()) {
        static_assert(!kCubeOnly || sim::kOnM200, "GetTensorC: a cube core has no unified buffer");
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
        static_assert(!kCubeOnly || sim::kOnM200, "GetTensorC: a cube core has no unified buffer");
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
                    bool waitIterateAll = false, bool fakeMsg = false, sim::Site site = sim::Site::Here()) {
        sim::MatmulIterateAll(id_, sync, waitIterateAll, fakeMsg && kConfig.doIBShareNorm, gm.Address(),
                              {enAtomic, enSequentialWrite}, site);
    }
    template <bool sync = true>
    void IterateAll(const LocalTensor<DstT>&, uint8_t = 0) {
        static_assert(!std::is_same<DstT, DstT>::value,
                      "IterateAll: Atlas A2 and A3 write a LocalTensor only into TSCM, which is not simulated: use "
                      "Iterate and GetTensorC");
    }
    // `batchA` products, or `batchB` where that is more: the fewer matrices of the other operand serve several each.
    // How the matrices lie the layouts of the types say; matrixStride replaces the step to the next one.
    template <bool sync = true, bool waitIterateBatch = false>
    void IterateBatch(const GlobalTensor<DstT>& gm, uint32_t batchA, uint32_t batchB, bool enSequentialWrite,
                      const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0,
                      const uint32_t matrixStrideC = 0, const bool enPartialSum = false, const uint8_t enAtomic = 0,
                      sim::Site site = sim::Site::Here()) {
        CheckBatched();
        sim::MatmulIterateBatch(id_, sync, waitIterateBatch, gm.Address(),
                                Batches(batchA, batchB, matrixStrideA, matrixStrideB, matrixStrideC, enPartialSum),
                                {enAtomic, enSequentialWrite}, site);
    }
    template <bool sync = true, bool waitIterateBatch = false>
    void IterateBatch(const LocalTensor<DstT>& ubCmatrix, uint32_t batchA, uint32_t batchB, bool enSequentialWrite,
                      const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0,
                      const uint32_t matrixStrideC = 0, const bool enPartialSum = false, const uint8_t enAtomic = 0,
                      sim::Site site = sim::Site::Here()) {
        CheckBatched();
        static_assert(sync, "IterateBatch<false>: into the unified buffer it is synchronous");
        static_assert(!kCubeOnly, "IterateBatch: a cube core has no unified buffer");
        sim::MatmulIterateBatchInUb(id_, ubCmatrix.Place(),
                                    Batches(batchA, batchB, matrixStrideA, matrixStrideB, matrixStrideC, enPartialSum),
                                    {enAtomic, enSequentialWrite}, site);
    }
    // On a cube core the numbers come from SetBatchNum.
    template <bool alone = kCubeOnly, std::enable_if_t<alone, int> = 0>
    void IterateBatch(const GlobalTensor<DstT>& gm, bool enPartialSum, uint8_t enAtomic, bool enSequentialWrite,
                      const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0,
                      const uint32_t matrixStrideC = 0, sim::Site site = sim::Site::Here()) {
        CheckBatched();
        sim::MatmulIterateBatch(id_, true, false, gm.Address(),
                                Batches(batchA_, batchB_, matrixStrideA, matrixStrideB, matrixStrideC, enPartialSum),
                                {enAtomic, enSequentialWrite}, site);
    }
    // `batchLoop` times IterateBatch, into the workspace.
    template <bool sync = true, bool waitIterateBatch = false>
    void IterateNBatch(const uint32_t batchLoop, uint32_t batchA, uint32_t batchB, bool enSequentialWrite,
                       const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0,
                       const uint32_t matrixStrideC = 0, const bool enPartialSum = false, const uint8_t enAtomic = 0,
                       sim::Site site = sim::Site::Here()) {
        CheckBatched();
        static_assert(kConfig.isNBatch, "IterateNBatch: the MatmulConfig has isNBatch (IterateNBatch)");
        static_assert(sim::kNotOnM200<SrcAT>, "IterateNBatch: not there on ascend310p (IterateNBatch)");
        sim::MatmulIterateNBatch(id_, sync, waitIterateBatch, batchLoop,
                                 Batches(batchA, batchB, matrixStrideA, matrixStrideB, matrixStrideC, enPartialSum),
                                 {enAtomic, enSequentialWrite}, site);
    }
    // The next of those that an asynchronous IterateNBatch computes.
    template <bool sync = true>
    GlobalTensor<DstT> GetBatchTensorC(uint32_t batchA, uint32_t batchB, bool = false,
                                       sim::Site site = sim::Site::Here()) {
        static_assert(kConfig.isNBatch, "GetBatchTensorC: the MatmulConfig has isNBatch (IterateNBatch)");
        static_assert(!sync, "GetBatchTensorC is asynchronous: GetBatchTensorC<false>");
        GlobalTensor<DstT> batch;
        batch.SetGlobalBuffer(reinterpret_cast<DstT*>(sim::MatmulNextBatch(id_, batchA, batchB, site)));
        return batch;
    }
    template <bool sync = true>
    void GetBatchTensorC(const LocalTensor<DstT>&, uint32_t, uint32_t, bool = false) {
        static_assert(!std::is_same<DstT, DstT>::value,
                      "GetBatchTensorC: into the unified buffer it is not simulated: take the GlobalTensor and copy");
    }
    template <bool sync = true>
    void GetBatchC(const LocalTensor<DstT>& c, uint32_t batchA, uint32_t batchB, bool enSequentialWrite = false) {
        GetBatchTensorC<sync>(c, batchA, batchB, enSequentialWrite);
    }
    template <bool sync = true>
    GlobalTensor<DstT> GetBatchC(uint32_t batchA, uint32_t batchB, bool enSequentialWrite = false,
                                 sim::Site site = sim::Site::Here()) {
        return GetBatchTensorC<sync>(batchA, batchB, enSequentialWrite, site);
    }
    void SetBatchNum(int32_t batchA, int32_t batchB) {
        static_assert(kCubeOnly, "SetBatchNum is for kernels of cube cores alone (ASCENDC_CUBE_ONLY)");
        batchA_ = static_cast<uint32_t>(batchA);
        batchB_ = static_cast<uint32_t>(batchB);
    }
    void WaitIterateBatch(sim::Site site = sim::Site::Here()) {
        static_assert(sim::kNotOnM200<SrcAT>, "WaitIterateBatch: not there on ascend310p (WaitIterateBatch)");
        sim::MatmulWaitIterateAll(id_, site);
    }
    void WaitIterateAll(sim::Site site = sim::Site::Here()) {
        static_assert(sim::kNotOnM200<SrcAT>, "WaitIterateAll: not there on ascend310p (WaitIterateAll)");
        sim::MatmulWaitIterateAll(id_, site);
    }
    void End(sim::Site site = sim::Site::Here()) { sim::MatmulEnd(id_, site); }

    static constexpr bool kInPlace = kCubeOnly;
    // All of the tiling is known when the kernel is compiled.
    static constexpr bool kNoTiling = kStatic.singleCoreM > 0;
    void Register(TPipe* pipe, const void* workspace, sim::Site site) {
        const sim::MatmulSpec spec{
            sim::kDtype<SrcAT>,
            sim::kDtype<SrcBT>,
            sim::kDtype<DstT>,
            sim::MatmulBiasType<BiasT>(),
            A::isTrans,
            B::isTrans,
            kConfig.doMultiDataLoad || kConfig.doSpecialMDL,
            kConfig.intrinsicsCheck,
            kConfig.enUnitFlag,
            kCubeOnly,
            sim::MatmulInUb(C::pos),
            A::format == CubeFormat::NZ,
            B::format == CubeFormat::NZ,
            C::format == CubeFormat::NZ,
            sim::LayoutOf(A::layout),
            sim::LayoutOf(B::layout),
            sim::LayoutOf(C::layout),
            kConfig.batchMode == BatchMode::BATCH_LESS_THAN_L1,
            C::format == CubeFormat::ND_ALIGN,
            A::format == CubeFormat::VECTOR,
            sim::MatmulInL1(A::pos),
            sim::MatmulInL1(B::pos),
            A::ibShare,
            B::ibShare,
            {MM_CB::DataCopyOutPtr != nullptr ? &CallOut : nullptr, MM_CB::CopyA1Ptr != nullptr ? &CallA : nullptr,
             MM_CB::CopyB1Ptr != nullptr ? &CallB : nullptr},
            kPolicy};
        id_ = sim::MatmulRegister(spec, pipe, workspace, site);
    }

private:
    static void CallOut(uint64_t gm, const sim::Ub& co1, const sim::MatmulCopyOut& block, uint64_t info,
                        uint64_t data) {
        if constexpr (MM_CB::DataCopyOutPtr != nullptr) {
            DataCopyOutParams params;
            params.cBurstNum = block.bursts;
            params.burstLen = block.length;
            params.dstStride = block.stride;
            params.oriNSize = block.columns;
            params.enUnitFlag = kConfig.enUnitFlag;
            params.curM = block.row;
            params.curN = block.column;
            MM_CB::DataCopyOutPtr(reinterpret_cast<const __gm__ void*>(gm), {co1, TPosition::CO1}, &params, info, data);
        }
    }
    static void CallA(const sim::Ub& l1, uint64_t gm, int32_t row, int32_t column, int32_t useM, int32_t useK,
                      uint64_t info, uint64_t data) {
        if constexpr (MM_CB::CopyA1Ptr != nullptr) {
            MM_CB::CopyA1Ptr({l1, TPosition::A1}, reinterpret_cast<const __gm__ void*>(gm), row, column, useM, useK,
                             info, data);
        }
    }
    static void CallB(const sim::Ub& l1, uint64_t gm, int32_t row, int32_t column, int32_t useK, int32_t useN,
                      uint64_t info, uint64_t data) {
        if constexpr (MM_CB::CopyB1Ptr != nullptr) {
            MM_CB::CopyB1Ptr({l1, TPosition::B1}, reinterpret_cast<const __gm__ void*>(gm), row, column, useK, useN,
                             info, data);
        }
    }

    static void CheckBatched() {
        static_assert(A::pos == TPosition::GM && B::pos == TPosition::GM,
                      "IterateBatch: A and B in the core are not simulated: pass them in global memory");
        static_assert(!kQuantised, "IterateBatch: products with SetQuantScalar or SetQuantVector have no batches");
        static_assert(!kConfig.doMultiDataLoad && !kConfig.doSpecialMDL,
                      "IterateBatch: of the templates only Norm has batches");
    }
    static sim::MatmulBatches Batches(uint32_t batchA, uint32_t batchB, uint32_t a, uint32_t b, uint32_t c,
                                      bool partialSum) {
        return {batchA, batchB, a, b, c, kConfig.isBiasBatch, partialSum};
    }

    // As the client does it: whole blocks by MTE2, and the vector unit waits for them.
    static void CopyToUb(const LocalTensor<DstT>& to, const GlobalTensor<DstT>& from, sim::Site site) {
        constexpr uint32_t kBlock = 32 / sizeof(DstT);
        DataCopy(to, from, to.GetSize() / kBlock * kBlock, site);
        const TEventID id = GetTPipePtr()->FetchEventID(HardEvent::MTE2_V, site);
        SetFlag<HardEvent::MTE2_V>(id, site);
        WaitFlag<HardEvent::MTE2_V>(id, site);
    }

    int32_t id_ = -1;
    uint32_t batchA_ = 1, batchB_ = 1;
};

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto& MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>,
          template <const auto&, typename, typename, typename, typename, typename> class MATMUL_POLICY = MatmulPolicy>
using MatmulImpl = MatmulObject<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, true,
                                MATMUL_POLICY<MM_CFG, void, A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE>::kKind>;

#ifdef ASCENDC_CUBE_ONLY
inline constexpr bool kMatmulCubeOnly = true;
#else
inline constexpr bool kMatmulCubeOnly = false;
#endif

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto& MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>,
          template <const auto&, typename, typename, typename, typename, typename> class MATMUL_POLICY = MatmulPolicy>
using Matmul = MatmulObject<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, kMatmulCubeOnly,
                            MATMUL_POLICY<MM_CFG, void, A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE>::kKind>;

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
