// Prints what the tiling functions of the high-level kernel API say, as an op_host source calls them: C++11, either
// string ABI. Arguments: type bytes, room, dims.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tiling/tiling_api.h"

namespace optiling {
// As an op embeds it.
BEGIN_TILING_DATA_DEF(ProbeTilingData)
TILING_DATA_FIELD_DEF(uint32_t, before);
TILING_DATA_FIELD_DEF_STRUCT(SoftMaxTiling, softmax);
END_TILING_DATA_DEF
REGISTER_TILING_DATA_CLASS(Probe, ProbeTilingData)
}  // namespace optiling

typedef void (*Sizes)(const AscendC::TensorShape&, const uint32_t, const bool, uint32_t&, uint32_t&);
typedef void (*Factor)(const uint32_t, uint32_t&, uint32_t&);

int main(int, char** arguments) {
    const uint32_t bytes = std::strtoul(arguments[1], nullptr, 10);
    const uint32_t room = std::strtoul(arguments[2], nullptr, 10);
    std::vector<int64_t> dims;
    for (char** dim = arguments + 3; *dim != nullptr; ++dim) {
        dims.push_back(std::atoll(*dim));
    }
    const AscendC::TensorShape shape(dims);
    uint32_t most = 0, least = 0, nodes = 0, extra = 0;
#define BOTH(Function)                                                              \
    {                                                                               \
        const Sizes sizes = AscendC::Get##Function##MaxMinTmpSize;                  \
        const Factor factor = AscendC::Get##Function##TmpBufferFactorSize;          \
        sizes(shape, bytes, false, most, least);                                    \
        factor(bytes, nodes, extra);                                                \
        std::printf("both " #Function " %u %u %u %u\n", most, least, nodes, extra); \
    }
    // clang-format off
    BOTH(Acos)
    BOTH(Acosh)
    BOTH(Asin)
    BOTH(Asinh)
    BOTH(Atan)
    BOTH(Atanh)
    BOTH(Axpy)
    BOTH(Ceil)
    BOTH(Clamp)
    BOTH(Cos)
    BOTH(Cosh)
    BOTH(Digamma)
    BOTH(Erf)
    BOTH(Erfc)
    BOTH(Floor)
    BOTH(Fmod)
    BOTH(Frac)
    BOTH(GeGLU)
    BOTH(Lgamma)
    BOTH(Log)
    BOTH(Log10)
    BOTH(Log2)
    BOTH(Sign)
    BOTH(Sin)
    BOTH(Sinh)
    BOTH(Tan)
    BOTH(Tanh)
    BOTH(Trunc)
    BOTH(Xor)
    // clang-format on
#define SIZES(name, call) \
    call;                 \
    std::printf("sizes " #name " %u %u\n", most, least);
    const platform_ascendc::PlatformAscendC& platform =
        *platform_ascendc::PlatformAscendCManager::GetInstance("Ascend910B1");
    const AscendC::TensorShape one(std::vector<int64_t>(1, 1));
    const uint32_t count = static_cast<uint32_t>(shape.GetShapeSize());
    SIZES(ReGlu, AscendC::GetReGluMaxMinTmpSize(shape, bytes, false, most, least))
    SIZES(Sigmoid, AscendC::GetSigmoidMaxMinTmpSize(shape, bytes, false, most, least))
    SIZES(Exp, if (!AscendC::GetExpMaxMinTmpSize(shape, bytes, false, most, least)) return 1)
    SIZES(Gelu, AscendC::GetGeluMaxMinTmpSize(shape, bytes, most, least))
    SIZES(Gelu2, most = AscendC::GetGeluMaxTmpSize(shape, bytes); least = AscendC::GetGeluMinTmpSize(shape, bytes))
    SIZES(SwiGLU, AscendC::GetSwiGLUMaxMinTmpSize(shape, bytes, most, least, false))
    SIZES(Silu, AscendC::GetSiluTmpSize(shape, bytes, false, most, least))
    SIZES(Swish, AscendC::GetSwishTmpSize(shape, bytes, false, most, least))
    SIZES(Power, AscendC::GetPowerMaxMinTmpSize(one, shape, false, bytes, false, most, least))
    SIZES(Round, AscendC::GetRoundMaxMinTmpSize(platform, shape, bytes, false, most, least))
    SIZES(Sum, AscendC::GetSumMaxMinTmpSize(count, bytes, false, most, least))
    SIZES(Mean, AscendC::GetMeanMaxMinTmpSize(count, bytes, 4, false, most, least))
    SIZES(CumSum, AscendC::GetCumSumMaxMinTmpSize(shape, bytes, true, false, most, least))
    SIZES(Broadcast, AscendC::GetBroadCastMaxMinTmpSize(platform, one, shape, bytes, false, most, least))
    SIZES(ReduceSum,
          AscendC::GetReduceSumMaxMinTmpSize(shape, ge::DT_FLOAT, AscendC::ReducePattern::AR, true, false, most, least))
    SIZES(Select, AscendC::GetSelectMaxMinTmpSize(shape, one, bytes, shape, 1, true, most, least))
    SIZES(Dequant, AscendC::GetAscendDequantMaxMinTmpSize(shape, 4, most, least))
    SIZES(Quant, AscendC::GetAscendQuantMaxMinTmpSize(shape, bytes, most, least))
    SIZES(AntiQuant,
          AscendC::GetAscendAntiQuantMaxMinTmpSize(shape, one, false, ge::DT_INT8, ge::DT_FLOAT16, most, least))
    SIZES(SoftMax, most = AscendC::GetSoftMaxMaxTmpSize(shape, bytes, false);
          least = AscendC::GetSoftMaxMinTmpSize(shape, bytes, false))
    SIZES(FlashV2, most = AscendC::GetSoftMaxFlashV2MaxTmpSize(shape, bytes, 4, true);
          least = AscendC::GetSoftMaxFlashV2MinTmpSize(shape, bytes, 4, true))
    SIZES(FlashV3, AscendC::GetSoftMaxFlashV3MaxMinTmpSize(shape, 2, 4, most, least, true))
    SIZES(Normalize, AscendC::GetNormalizeMaxMinTmpSize(shape, bytes, bytes, false, true, false, most, least))
    SIZES(WelfordUpdate, AscendC::GetWelfordUpdateMaxMinTmpSize(shape, bytes, 4, false, false, most, least))
    SIZES(WelfordFinalize, AscendC::GetWelfordFinalizeMaxMinTmpSize(shape, 4, false, most, least))
    SIZES(LayerNormRstd, AscendC::GetLayerNormMaxMinTmpSize(shape, bytes, false, true, false, most, least))
    SIZES(LayerNorm, AscendC::GetLayerNormMaxMinTmpSize(shape, bytes, false, most, least))
    SIZES(Pad, AscendC::GetPadMaxMinTmpSize(shape, bytes, most, least))
    SIZES(UnPad, AscendC::GetUnPadMaxMinTmpSize(platform, shape, bytes, most, least))
    SIZES(DropOut, AscendC::GetDropOutMaxMinTmpSize(shape, bytes, false, most, least))
    SIZES(DropOut2, most = AscendC::GetDropOutMaxTmpSize(shape, bytes, false);
          least = AscendC::GetDropOutMinTmpSize(shape, bytes, false))
    SIZES(LayerNormGrad, AscendC::GetLayerNormGradMaxMinTmpSize(shape, bytes, false, most, least))
    SIZES(LayerNormGradBeta, AscendC::GetLayerNormGradBetaMaxMinTmpSize(shape, bytes, false, most, least))
    SIZES(GroupNorm, AscendC::GetGroupNormMaxMinTmpSize(shape, bytes, false, 1, most, least))

    optiling::ProbeTilingData embedded;
    AscendC::tiling::SoftMaxTiling plain;
    AscendC::SoftMaxTilingFunc(shape, bytes, room, embedded.softmax);
    AscendC::SoftMaxTilingFunc(shape, bytes, room, plain);
    unsigned char saved[4 + sizeof(plain)];
    embedded.SaveToBuffer(saved, sizeof(saved));
    std::printf("bytes %d\n", std::memcmp(saved + 4, &plain, sizeof(plain)));
    std::printf("text %s\n",
                std::strstr(embedded.GetStructText(), "#include \"kernel_tiling/kernel_tiling.h\"") == nullptr
                    ? "its own"
                    : "of the toolkit");
#define FIELD(type, field) std::printf(" %u", plain.field);
    std::printf("fields");
    SIM_SOFTMAX_TILING_FIELDS(FIELD)
    AscendC::tiling::SoftMaxTiling means;
    AscendC::SoftMaxFlashV3TilingFunc(shape, 2, bytes, room, means, true);
    AscendC::SoftMaxFlashV3TilingFunc(shape, 2, bytes, room, embedded.softmax, true);
    embedded.SaveToBuffer(saved, sizeof(saved));
    std::printf("\nmeans %d", std::memcmp(saved + 4, &means, sizeof(means)));
    std::printf("\nbasic %d %d\n", AscendC::IsBasicBlockInSoftMax(plain, bytes),
                AscendC::IsBasicBlockInSoftMax(embedded.softmax, bytes));

    // Both kinds of tiling of a function hold the same bytes, one of them as a class.
#define FIELDS(Tiling, LIST, call)                                                                       \
    {                                                                                                    \
        optiling::Tiling described;                                                                      \
        AscendC::tiling::Tiling tiling;                                                                  \
        const bool ok = (call(described), call(tiling));                                                 \
        unsigned char bytesOfIt[sizeof(tiling)];                                                         \
        described.SaveToBuffer(bytesOfIt, sizeof(bytesOfIt));                                            \
        std::printf(#Tiling " ok %d same %d", ok, std::memcmp(bytesOfIt, &tiling, sizeof(tiling)) == 0); \
        LIST(NAMED)                                                                                      \
        std::printf("\n");                                                                               \
    }
#define NAMED(type, field) std::printf(" " #field " %g", static_cast<double>(tiling.field));
    std::vector<int64_t> wide = dims;
    if (dims.size() == 3) {
        wide.back() = (dims.back() * bytes + 31) / 32 * 32 / bytes;
    }
    const AscendC::TensorShape padded(wide);
#define RMS(t) AscendC::GetRmsNormTilingInfo(padded, shape, room, bytes, t)
#define RMS_BASIC(t) AscendC::GetRmsNormTilingInfo(padded, shape, room, bytes, t, true)
#define LAYER(t) (AscendC::GetLayerNormNDTilingInfo(shape, room, bytes, false, t), true)
#define SEPARATE(t) (AscendC::GetLayerNormNDTilingInfo(shape, room, bytes, false, true, t), true)
    FIELDS(RmsNormTiling, SIM_RMS_NORM_TILING_FIELDS, RMS)
    FIELDS(LayerNormTiling, SIM_LAYER_NORM_TILING_FIELDS, LAYER)
    FIELDS(LayerNormSeparateTiling, SIM_LAYER_NORM_SEPARATE_TILING_FIELDS, SEPARATE)
#define GRAD(t) (AscendC::GetLayerNormGradNDTilingInfo(shape, room / bytes, bytes, false, t), true)
#define BETA(t) (AscendC::GetLayerNormGradBetaNDTilingInfo(shape, room / bytes, bytes, false, t), true)
#define DEEP(t) AscendC::GetDeepNormTilingInfo(padded, shape, room, bytes, false, false, t)
#define DEEP_BASIC(t) AscendC::GetDeepNormTilingInfo(padded, shape, room, bytes, false, true, t)
#define GROUP(t) (AscendC::GetGroupNormNDTilingInfo(shape, room, bytes, false, 2, t), true)
#define BATCH(t) AscendC::GetBatchNormNDTilingInfo(padded, shape, room, bytes, false, t)
#define BATCH_BASIC(t) AscendC::GetBatchNormNDTilingInfo(padded, shape, room, bytes, false, t, true)
    FIELDS(LayerNormGradTiling, SIM_LAYER_NORM_GRAD_TILING_FIELDS, GRAD)
    FIELDS(LayerNormGradBetaTiling, SIM_LAYER_NORM_GRAD_BETA_TILING_FIELDS, BETA)
    FIELDS(DeepNormTiling, SIM_DEEP_NORM_TILING_FIELDS, DEEP)
    FIELDS(GroupNormTiling, SIM_GROUP_NORM_TILING_FIELDS, GROUP)
    FIELDS(BatchNormTiling, SIM_BATCH_NORM_TILING_FIELDS, BATCH)
    std::vector<int64_t> narrow = dims;
    narrow.back() -= 1;
    const AscendC::TensorShape origin(narrow);
#define PAD(t) (AscendC::PadTilingFunc(shape, origin, room, bytes, t), true)
#define UN_PAD(t) (AscendC::UnPadTilingFunc(shape, room, bytes, t), true)
    FIELDS(PadTiling, SIM_PAD_TILING_FIELDS, PAD)
    FIELDS(UnPadTiling, SIM_UN_PAD_TILING_FIELDS, UN_PAD)
    for (uint32_t scene = 0; scene <= 8; ++scene) {
        const AscendC::TensorShape heads(scene == 7 ? std::vector<int64_t>{32, 48} : std::vector<int64_t>{2, 3, 17, 5});
        optiling::ConfusionTransposeTiling described;
        AscendC::tiling::ConfusionTransposeTiling tiling, before, only;
        AscendC::GetTransposeTilingInfo(heads, 1024, bytes, scene, described);
        AscendC::GetTransposeTilingInfo(heads, 1024, bytes, scene, tiling);
        AscendC::GetConfusionTransposeTilingInfo(heads, 1024, bytes, scene, before);
        AscendC::GetConfusionTransposeOnlyTilingInfo(heads, 1024, bytes, only);
        uint32_t rooms[2], others[2];
        unsigned char bytesOfIt[sizeof(tiling)];
        described.SaveToBuffer(bytesOfIt, sizeof(bytesOfIt));
        AscendC::GetTransposeMaxMinTmpSize(heads, bytes, scene, rooms[0], rooms[1]);
        AscendC::GetConfusionTransposeMaxMinTmpSize(heads, bytes, scene, others[0], others[1]);
        std::printf("scene%u same %d %d %d %d %d room %u %u is %u %u %u %u %u %u %u\n", scene,
                    std::memcmp(bytesOfIt, &tiling, sizeof(tiling)) == 0,
                    std::memcmp(&before, &tiling, sizeof(tiling)) == 0,
                    std::memcmp(&only, &tiling, sizeof(tiling)) == 0, others[0] == rooms[0], others[1] == rooms[1],
                    rooms[0], rooms[1], tiling.param0, tiling.param1, tiling.param2, tiling.param3, tiling.param4,
                    tiling.param6, tiling.param7);
    }
    AscendC::tiling::DeepNormTiling deep;
    AscendC::tiling::BatchNormTiling batch;
    std::printf("norms %d %d %d %d %d %d\n", AscendC::GetDeepNormMaxMinTmpSize(shape, bytes, false, false, most, least),
                AscendC::GetDeepNormMaxMinTmpSize(shape, bytes, false, true, most, least), DEEP_BASIC(deep),
                AscendC::GetBatchNormMaxMinTmpSize(padded, shape, bytes, false, most, least),
                AscendC::GetBatchNormMaxMinTmpSize(padded, shape, bytes, false, most, least, true), BATCH_BASIC(batch));
    std::printf("text %s\n", std::strstr(optiling::LayerNormGradTiling().GetStructText(),
                                         "#include \"kernel_tiling/kernel_tiling.h\"") == nullptr
                                 ? "its own"
                                 : "of the toolkit");
    const AscendC::TensorShape five(std::vector<int64_t>{1, 16, 2, 4, 4}), six(std::vector<int64_t>{1, 2, 1, 4, 4, 16});
    const AscendC::TransDataConfig to = {AscendC::DataFormat::NCDHW, AscendC::DataFormat::NDC1HWC0};
    const AscendC::TransDataConfig from = {AscendC::DataFormat::NDC1HWC0, AscendC::DataFormat::NCDHW};
    uint32_t roomOfFormat[2];
    AscendC::GetTransDataMaxMinTmpSize(platform, six, five, ge::DT_INT16, from, roomOfFormat[0], roomOfFormat[1]);
    std::printf("formats %d %d %d %d %u %u\n",
                AscendC::GetTransDataMaxMinTmpSize(platform, five, six, ge::DT_FLOAT16, to, most, least),
                AscendC::GetTransDataMaxMinTmpSize(platform, six, five, ge::DT_INT16, from, most, least),
                AscendC::GetTransDataMaxMinTmpSize(platform, five, six, ge::DT_INT32, to, most, least),
                AscendC::GetTransDataMaxMinTmpSize(platform, six, five, ge::DT_FLOAT16, to, most, least),
                roomOfFormat[0], roomOfFormat[1]);
    AscendC::tiling::RmsNormTiling basic;
    std::printf("rooms %d %d %d\n", AscendC::GetRmsNormMaxMinTmpSize(shape, bytes, most, least),
                AscendC::GetRmsNormMaxMinTmpSize(shape, bytes, most, least, true), RMS_BASIC(basic));
    optiling::LayerNormTiling before;
    AscendC::GetLayerNormNDTillingInfo(shape, room, bytes, false, before);
    std::printf("before %u\n", before.get_inputXSize());
    return 0;
}
