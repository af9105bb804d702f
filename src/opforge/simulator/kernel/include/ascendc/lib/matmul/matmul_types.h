// Which types and configurations the Matmul object takes.
// Documentation: SIMD-API/高阶API/矩阵计算/Matmul-Kernel侧接口/Matmul使用说明, 表2
#ifndef ASCENDC_LIB_MATMUL_TYPES_H
#define ASCENDC_LIB_MATMUL_TYPES_H

#include "matmul_config.h"
#include "sim/matmul.h"

namespace sim {

constexpr bool MatmulInUb(AscendC::TPosition position) {
    return position == AscendC::TPosition::VECIN || position == AscendC::TPosition::VECOUT ||
           position == AscendC::TPosition::VECCALC;
}

// Matmul使用说明, 表2, as far as the data types are simulated.
template <typename A, typename B, typename Bias, typename C>
inline constexpr bool kMatmulIntegers = std::is_same<A, int8_t>::value && std::is_same<B, int8_t>::value &&
                                        kOneOf<C, int32_t, half, int8_t> && std::is_same<Bias, int32_t>::value;
// They compile, for operators that have them among others; MatmulRegister refuses them.
template <typename A, typename B, typename Bias, typename C>
inline constexpr bool kMatmulFourBits =
    !kOnM200 && !kOn950 && std::is_same<A, AscendC::int4b_t>::value && std::is_same<B, AscendC::int4b_t>::value &&
    kOneOf<C, int32_t, half> && std::is_same<Bias, int32_t>::value;
template <typename A, typename B, typename Bias, typename C>
inline constexpr bool kMatmulTypes =
    kMatmulIntegers<A, B, Bias, C> || kMatmulFourBits<A, B, Bias, C> ||
    (std::is_same<A, B>::value &&
     (kOnM200
          ? std::is_same<A, half>::value && kOneOf<C, half, float> && std::is_same<Bias, float>::value
          : (kOneOf<A, half, bfloat16_t, float> && kOneOf<C, half, bfloat16_t, float> && kOneOf<Bias, float, half>) ||
                (kOneOf<A, half, bfloat16_t> && std::is_same<C, int8_t>::value && std::is_same<Bias, float>::value)));

// What stands for the bias of a kernel that has none.
template <typename A>
using NoBias = std::conditional_t<kOneOf<A, int8_t, AscendC::int4b_t>, int32_t, float>;

constexpr bool MatmulInL1(AscendC::TPosition position) {
    return position == AscendC::TPosition::A1 || position == AscendC::TPosition::B1 ||
           position == AscendC::TPosition::TSCM;
}
// Where A, B and bias may lie: in global memory, in the unified buffer that the vector core hands over, in L1.
template <typename Type, bool cubeOnly>
inline constexpr bool kGiven =
    Type::pos == AscendC::TPosition::GM ||
    (!kOnM200 && (cubeOnly ? MatmulInL1(Type::pos) : MatmulInUb(Type::pos) || Type::pos == AscendC::TPosition::TSCM));
template <typename Type>
inline constexpr bool kInFormat = Type::format == CubeFormat::ND || Type::format == CubeFormat::NZ;
template <typename Type>
inline constexpr bool kOutFormat = Type::format == CubeFormat::ND || Type::format == CubeFormat::ND_ALIGN ||
                                   (Type::format == CubeFormat::NZ && (kOnM200 || !MatmulInUb(Type::pos)));
constexpr MatmulLayout LayoutOf(LayoutMode mode) {
    return mode == LayoutMode::BSNGD     ? MatmulLayout::kBsngd
           : mode == LayoutMode::SBNGD   ? MatmulLayout::kSbngd
           : mode == LayoutMode::BNGS1S2 ? MatmulLayout::kBngs1s2
                                         : MatmulLayout::kNormal;
}
// Where lines of several heads stand side by side.
template <typename Type>
inline constexpr bool kHeads = Type::layout == LayoutMode::BSNGD || Type::layout == LayoutMode::SBNGD;

template <typename T>
constexpr Dtype MatmulBiasType() {
    return kOneOf<T, half, int32_t> ? kDtype<T> : Dtype::kFloat;
}

}  // namespace sim

namespace AscendC {

// What a Matmul object is made of; to name it refuses what is not simulated. `kCubeOnly`: on the cube core itself, with
// no vector cores. `C` stands for `BIAS` where a kernel has none.
template <class A, class B, class C, class BIAS, const auto& MM_CFG, class MM_CB, bool kCubeOnly,
          sim::MatmulPolicyKind kPolicy>
struct MatmulTypes {
    using SrcAT = typename A::T;
    using SrcBT = typename B::T;
    using DstT = typename C::T;
    using BiasT = typename BIAS::T;
    static constexpr MatmulConfig kConfig = sim::ConfigOf(MM_CFG);
    static constexpr MatmulApiStaticTiling kStatic = sim::StaticOf(MM_CFG);
    static constexpr bool kHasBias = !std::is_same<BIAS, C>::value;
    static constexpr bool kQuantised =
        std::is_same<DstT, int8_t>::value || (sim::kOneOf<SrcAT, int8_t, int4b_t> && std::is_same<DstT, half>::value);

    static constexpr bool kPolicyOfAll = kPolicy == sim::MatmulPolicyKind::kAll;

    static_assert(
        sim::kGiven<A, kCubeOnly> && sim::kGiven<B, kCubeOnly> &&
            (!kHasBias || BIAS::pos == TPosition::GM || (!kCubeOnly && BIAS::pos == TPosition::VECOUT)),
        "Matmul: of vector cores A and B lie in global memory, the unified buffer or TSCM, the bias in global memory "
        "or VECOUT; of cube cores alone A and B in global memory, A1, B1 or TSCM; on ascend310p all but global memory "
        "is not simulated");
    static constexpr bool kIntoL0c = C::pos == TPosition::CO1;
    static_assert(!kConfig.enableRelu && kConfig.decompMode == DecompressionMode::DECOMP_NONE,
                  "Matmul: enableRelu and decompMode are of other products (Matmul-Kernel侧接口/MatmulConfig)");
    static_assert(C::pos == TPosition::GM || sim::MatmulInUb(C::pos) || kIntoL0c,
                  "Matmul: C in L1 (TSCM) is not simulated: take it in global memory, VECIN or CO1");
    static_assert(!kIntoL0c || (kCubeOnly && !sim::kOnM200 && C::format == CubeFormat::NZ && kPolicyOfAll &&
                                std::is_same<DstT, typename GetMmDstType<SrcAT>::Type>::value),
                  "Matmul: C in CO1 is NZ of float, or int32_t of int8_t, on cube cores of Atlas A2 and A3 (Iterate)");
    static_assert(kPolicy != sim::MatmulPolicyKind::kNBuffer33 ||
                      (kCubeOnly && kConfig.doMultiDataLoad && A::pos == TPosition::GM && B::pos == TPosition::GM),
                  "Matmul: NBuffer33MatmulPolicy needs the MDL template, a cube core alone, A and B in global memory "
                  "(MatmulPolicy)");
    static_assert(kPolicyOfAll || kPolicy == sim::MatmulPolicyKind::kNBuffer33 || kConfig.doNorm ||
                      kConfig.doMultiDataLoad,
                  "Matmul: TrianUpperMatmulPolicy and TrianLowerMatmulPolicy need the Norm or MDL template "
                  "(MatmulPolicy)");
    static_assert((sim::kInFormat<A> || A::format == CubeFormat::VECTOR) && sim::kInFormat<B> && sim::kOutFormat<C>,
                  "Matmul: of the formats, ND and NZ of A and B, VECTOR of A, and of C ND, ND_ALIGN, and NZ in global "
                  "memory and in the unified buffer of ascend310p are simulated");
    static_assert(
        sim::kMatmulTypes<SrcAT, SrcBT, sim::NoBias<SrcAT>, DstT>,  // SetBias asks for the type of a bias
        "Matmul: these data types of A, B and C are not in the table for this SoC (Matmul使用说明, "
        "表2; ascend310p has no float and no bfloat16_t operands), or int8_t with half, which is not simulated");
    static_assert(sim::LayoutOf(A::layout) == sim::LayoutOf(B::layout),
                  "Matmul: the layouts of A and B are the same (IterateBatch)");
    static_assert(!(sim::kHeads<A> || sim::kHeads<B> || sim::kHeads<C>) ||
                      (A::format == CubeFormat::ND && B::format == CubeFormat::ND && C::format == CubeFormat::ND),
                  "Matmul: with the layouts BSNGD and SBNGD the format is ND (IterateBatch)");
    static_assert(A::ibShare == B::ibShare || kConfig.doIBShareNorm,
                  "Matmul: IBShare of A or B alone needs the IBShare template (GetIBShareNormConfig)");
    static_assert(!(A::ibShare || B::ibShare) || !kCubeOnly, "Matmul: IBShare is for vector cores");
    static_assert(
        !kConfig.doSpecialBasicBlock && !kConfig.enableMixDualMaster && !kConfig.isPartialOutput &&
            !kConfig.intraBlockPartSum,
        "Matmul: of the templates, Norm, BasicBlock, MDL, SpecialMDL and IBShare without enableMixDualMaster, "
        "isPartialOutput and intraBlockPartSum are simulated");
    static_assert(!sim::kOnM200 || !(A::ibShare || B::ibShare || kConfig.doIBShareNorm || MM_CB::DataCopyOutPtr ||
                                     MM_CB::CopyA1Ptr || MM_CB::CopyB1Ptr),
                  "Matmul: ascend310p has no MatmulCallBackFunc and no IBShare (MatmulCallBackFunc)");
    static_assert(
        MM_CB::DataCopyOutPtr == nullptr || (!kQuantised && C::pos == TPosition::GM),
        "Matmul: DataCopyOut of MatmulCallBackFunc is simulated into global memory and without SetQuantScalar "
        "and SetQuantVector");
    static_assert((MM_CB::CopyA1Ptr == nullptr || A::pos == TPosition::GM) &&
                      (MM_CB::CopyB1Ptr == nullptr || B::pos == TPosition::GM),
                  "Matmul: CopyA1 and CopyB1 of MatmulCallBackFunc copy from global memory");
};

}  // namespace AscendC

#endif
