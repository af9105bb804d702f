// Answers requests to the tiling functions beside Matmul's, one line each: arguments in; sizes or fields of structs
// out.
//
// The program uses public names only. It is built against a toolkit's headers and its tiling library, the simulated
// one or CANN's, so that both answer the same requests. sampled_others.py writes the lines, and names the words.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>
#include <sys/wait.h>
#include <unistd.h>

#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"

using namespace AscendC;

namespace {

constexpr uint32_t kUntouched = 0xfffffff7;

// The arguments of a line: name=value, where a value is numbers with commas between.
class Request {
public:
    explicit Request(const std::string& line) {
        std::istringstream words(line);
        for (std::string word; words >> word;) {
            const size_t equals = word.find('=');
            words_[word.substr(0, equals)] = word.substr(equals + 1);
        }
    }
    const std::string& Text(const std::string& name) const {
        const auto found = words_.find(name);
        if (found == words_.end()) {
            std::cerr << "the request has no " << name << std::endl;
            std::exit(2);
        }
        return found->second;
    }
    uint32_t Number(const char* name) const { return static_cast<uint32_t>(std::stoll(Text(name))); }
    bool Flag(const char* name) const { return words_.count(name) != 0; }
    TensorShape Shape(const char* name = "shape") const {
        std::vector<int64_t> dims;
        std::istringstream values(Text(name));
        for (std::string value; std::getline(values, value, ',');) {
            dims.push_back(std::stoll(value));
        }
        return TensorShape(dims);
    }
    uint32_t Size() const { return Number("size"); }
    bool Reuse() const { return Flag("reuse"); }
    ge::DataType Type(const char* name = "type") const {
        static const std::map<std::string, ge::DataType> kTypes = {
            {"f32", ge::DT_FLOAT}, {"f16", ge::DT_FLOAT16}, {"bf16", ge::DT_BF16}, {"i8", ge::DT_INT8},
            {"u8", ge::DT_UINT8},  {"i16", ge::DT_INT16},   {"i32", ge::DT_INT32}, {"i64", ge::DT_INT64}};
        return kTypes.at(Text(name));
    }
    const platform_ascendc::PlatformAscendC& Soc() const {
        return *platform_ascendc::PlatformAscendCManager::GetInstance(Text("soc").c_str());
    }

private:
    std::map<std::string, std::string> words_;
};

// "max=.. min=..", where a function left its result alone "-".
void Say(const char* name, uint32_t value) {
    std::cout << name << "=";
    if (value == kUntouched) {
        std::cout << "- ";
    } else {
        std::cout << value << " ";
    }
}

typedef std::function<void(uint32_t&, uint32_t&)> TwoSizes;
void Sizes(const TwoSizes& ask, const char* first = "max", const char* second = "min") {
    uint32_t most = kUntouched;
    uint32_t least = kUntouched;
    ask(most, least);
    Say(first, most);
    Say(second, least);
}
void Nodes(const TwoSizes& ask) { Sizes(ask, "nodes", "extra"); }

// "tiling=" and the words of 32 bits of a struct: a float by its bits.
template <typename Tiling, typename Ask>
void Fields(const Ask& ask) {
    Tiling tiling;
    std::memset(static_cast<void*>(&tiling), 0, sizeof(tiling));
    ask(tiling);
    uint32_t words[sizeof(Tiling) / sizeof(uint32_t)];
    std::memcpy(words, &tiling, sizeof(words));
    std::cout << "tiling=";
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); ++i) {
        std::cout << (i == 0 ? "" : ",") << words[i];
    }
    std::cout << " ";
}

typedef std::map<std::string, void (*)(const Request&)> Functions;

#define PLAIN(Name)                                                                 \
    {#Name, [](const Request& r) {                                                  \
         Sizes([&](uint32_t& most, uint32_t& least) {                               \
             Get##Name##MaxMinTmpSize(r.Shape(), r.Size(), r.Reuse(), most, least); \
         });                                                                        \
     }},
#define FACTOR(Name)                                                                                               \
    {#Name "Nodes", [](const Request& r) {                                                                         \
         Nodes([&](uint32_t& nodes, uint32_t& extra) { Get##Name##TmpBufferFactorSize(r.Size(), nodes, extra); }); \
     }},
#define BOTH(Name) PLAIN(Name) FACTOR(Name)
#define REDUCE(Name)                                                                                             \
    {#Name, [](const Request& r) {                                                                               \
         Sizes([&](uint32_t& most, uint32_t& least) {                                                            \
             Get##Name##MaxMinTmpSize(r.Shape(), r.Type(), r.Flag("ra") ? ReducePattern::RA : ReducePattern::AR, \
                                      r.Flag("pad"), r.Reuse(), most, least);                                    \
         });                                                                                                     \
     }},
// A call that takes `most` and `least`.
#define SIZES(name, ...) {name, [](const Request& r) { Sizes([&](uint32_t& most, uint32_t& least) { __VA_ARGS__; }); }},
// Two calls, each with one size.
#define EACH(name, largest, smallest)                 \
    {name, [](const Request& r) {                     \
         Sizes([&](uint32_t& most, uint32_t& least) { \
             most = largest;                          \
             least = smallest;                        \
         });                                          \
     }},
#define FIELDS(name, Struct, call) \
    {name, [](const Request& r) { Fields<tiling::Struct>([&](tiling::Struct& t) { call; }); }},

const Functions kMath = {
    BOTH(Acos) BOTH(Acosh) BOTH(Asin) BOTH(Asinh) BOTH(Atan) BOTH(Atanh) BOTH(Axpy) BOTH(Ceil) BOTH(Clamp) BOTH(Cos)
    BOTH(Cosh) BOTH(Digamma) BOTH(Erf) BOTH(Erfc) BOTH(Floor) BOTH(Fmod) BOTH(Frac) BOTH(GeGLU) BOTH(Lgamma) BOTH(Log)
    BOTH(Log10) BOTH(Log2) BOTH(Sign) BOTH(Sin) BOTH(Sinh) BOTH(Tan) BOTH(Tanh) BOTH(Trunc) BOTH(Xor)
    PLAIN(ReGlu) PLAIN(ReduceXorSum) PLAIN(Sigmoid) PLAIN(Exp) PLAIN(DropOut) FACTOR(Exp) FACTOR(SwiGLU)
    SIZES("Gelu", GetGeluMaxMinTmpSize(r.Shape(), r.Size(), most, least))
    SIZES("SwiGLU", GetSwiGLUMaxMinTmpSize(r.Shape(), r.Size(), most, least, r.Reuse()))
    SIZES("Silu", GetSiluTmpSize(r.Shape(), r.Size(), r.Reuse(), most, least))
    SIZES("Swish", GetSwishTmpSize(r.Shape(), r.Size(), r.Reuse(), most, least))
    SIZES("Power", GetPowerMaxMinTmpSize(r.Shape(), r.Shape("shape2"), r.Flag("int"), r.Size(), r.Reuse(), most, least))
    SIZES("Round", GetRoundMaxMinTmpSize(r.Soc(), r.Shape(), r.Size(), r.Reuse(), most, least))
    {"PowerNodes", [](const Request& r) {
        Nodes([&](uint32_t& nodes, uint32_t& extra) {
            GetPowerTmpBufferFactorSize(r.Flag("base"), r.Flag("exp"), r.Flag("int"), r.Size(), nodes, extra);
        });
    }},
    {"RoundNodes", [](const Request& r) {
        Nodes([&](uint32_t& nodes, uint32_t& extra) { GetRoundTmpBufferFactorSize(r.Soc(), r.Size(), nodes, extra); });
    }},
};

const Functions kRows = {
    REDUCE(ReduceSum) REDUCE(ReduceMean) REDUCE(ReduceProd) REDUCE(ReduceMax) REDUCE(ReduceMin) REDUCE(ReduceAll)
        REDUCE(ReduceAny) SIZES("Sum", GetSumMaxMinTmpSize(r.Number("n"), r.Size(), r.Reuse(), most, least)) SIZES(
            "Mean", GetMeanMaxMinTmpSize(r.Number("n"), r.Size(), r.Number("size2"), r.Reuse(), most, least))
            SIZES("CumSum", GetCumSumMaxMinTmpSize(r.Shape(), r.Size(), r.Flag("last"), r.Reuse(), most, least)) SIZES(
                "BroadCast",
                GetBroadCastMaxMinTmpSize(r.Soc(), r.Shape(), r.Shape("shape2"), r.Size(), r.Reuse(), most, least))
                SIZES("Select", GetSelectMaxMinTmpSize(r.Shape(), r.Shape("shape2"), r.Size(), r.Shape("mask"), 1,
                                                       r.Reuse(), most, least))
                    SIZES("SelectWithBytesMask",
                          GetSelectWithBytesMaskMaxMinTmpSize(r.Shape(), r.Shape("shape2"), r.Size(), r.Shape("mask"),
                                                              1, r.Reuse(), most, least))
                        SIZES("AscendQuant", GetAscendQuantMaxMinTmpSize(r.Shape(), r.Size(), most, least)) SIZES(
                            "AscendDequant", GetAscendDequantMaxMinTmpSize(r.Shape(), r.Size(), most, least))
                            SIZES("AscendAntiQuant",
                                  GetAscendAntiQuantMaxMinTmpSize(
                                      r.Shape(), r.Shape("shape2"), r.Flag("trans"), r.Type(), r.Type("type2"), most,
                                      least)) EACH("SoftMax", GetSoftMaxMaxTmpSize(r.Shape(), r.Size(), r.Reuse()),
                                                   GetSoftMaxMinTmpSize(r.Shape(), r.Size(), r.Reuse()))
                                EACH("SoftMaxFlash",
                                     GetSoftMaxFlashMaxTmpSize(r.Shape(), r.Size(), r.Flag("update"), r.Reuse()),
                                     GetSoftMaxFlashMinTmpSize(r.Shape(), r.Size(), r.Flag("update"), r.Reuse()))
                                    EACH("SoftMaxFlashV2",
                                         GetSoftMaxFlashV2MaxTmpSize(r.Shape(), r.Size(), r.Number("size2"),
                                                                     r.Flag("update"), r.Flag("basic")),
                                         GetSoftMaxFlashV2MinTmpSize(
                                             r.Shape(), r.Size(), r.Number("size2"), r.Flag("update"),
                                             r.Flag("basic"))) SIZES("SoftMaxFlashV3",
                                                                     GetSoftMaxFlashV3MaxMinTmpSize(
                                                                         r.Shape(), r.Size(), r.Number("size2"), most,
                                                                         least, r.Flag("update"), r.Flag("basic")))
                                        EACH("SoftMaxGrad",
                                             GetSoftMaxGradMaxTmpSize(r.Shape(), r.Size(), r.Flag("front"), r.Reuse()),
                                             GetSoftMaxGradMinTmpSize(r.Shape(), r.Size(), r.Flag("front"), r.Reuse()))
                                            EACH("LogSoftMax", GetLogSoftMaxMaxTmpSize(r.Shape(), r.Size(), r.Reuse()),
                                                 GetLogSoftMaxMinTmpSize(r.Shape(), r.Size(), r.Reuse()))
                                                FIELDS("SoftMaxTiling", SoftMaxTiling,
                                                       SoftMaxTilingFunc(r.Shape(), r.Size(), r.Number("room"), t))
                                                    FIELDS("SoftMaxFlashTiling", SoftMaxTiling,
                                                           SoftMaxFlashTilingFunc(r.Shape(), r.Size(), r.Number("room"),
                                                                                  t, r.Flag("update")))
                                                        FIELDS("SoftMaxFlashV2Tiling", SoftMaxTiling,
                                                               SoftMaxFlashV2TilingFunc(
                                                                   r.Shape(), r.Size(),
                                                                   r.Number("size2"), r.Number("room"), t,
                                                                   r.Flag("update"), r.Flag("basic")))
                                                            FIELDS("SoftMaxFlashV3Tiling", SoftMaxTiling,
                                                                   SoftMaxFlashV3TilingFunc(
                                                                       r.Shape(), r.Size(),
                                                                       r.Number("size2"), r.Number("room"), t,
                                                                       r.Flag("update"), r.Flag("basic")))
                                                                FIELDS("SoftMaxGradTiling", SoftMaxTiling,
                                                                       SoftMaxGradTilingFunc(r.Shape(), r.Size(),
                                                                                             r.Number("room"), t,
                                                                                             r.Flag("front")))
                                                                    FIELDS("LogSoftMaxTiling", LogSoftMaxTiling,
                                                                           LogSoftMaxTilingFunc(r.Shape(), r.Size(),
                                                                                                r.Number("room"), t))};

const Functions kMoves = {
    SIZES("Pad", GetPadMaxMinTmpSize(r.Shape(), r.Size(), most, least)) SIZES(
        "UnPad", GetUnPadMaxMinTmpSize(r.Soc(), r.Shape(), r.Size(), most, least))
        SIZES("Transpose", GetTransposeMaxMinTmpSize(r.Shape(), r.Size(), r.Number("scene"), most, least)) SIZES(
            "ConfusionTranspose",
            GetConfusionTransposeMaxMinTmpSize(r.Shape(), r.Size(), r.Number("scene"), most, least))
            FIELDS("PadTiling", PadTiling, PadTilingFunc(r.Shape(), r.Shape("shape2"), r.Number("room"), r.Size(), t))
                FIELDS("UnPadTiling", UnPadTiling, UnPadTilingFunc(r.Shape(), r.Number("room"), r.Size(), t)) FIELDS(
                    "TransposeTiling", ConfusionTransposeTiling,
                    GetTransposeTilingInfo(r.Shape(), r.Number("room"), r.Size(), r.Number("scene"), t))
                    FIELDS("ConfusionTransposeTiling", ConfusionTransposeTiling,
                           GetConfusionTransposeTilingInfo(r.Shape(), r.Number("room"), r.Size(), r.Number("scene"),
                                                           t)) FIELDS("MatrixTransposeTiling", ConfusionTransposeTiling,
                                                                      GetConfusionTransposeOnlyTilingInfo(
                                                                          r.Shape(), r.Number("room"), r.Size(), t))
                        SIZES("TransData", TransDataConfig config{static_cast<DataFormat>(r.Number("from")),
                                                                  static_cast<DataFormat>(r.Number("to"))};
                              Say("rc", GetTransDataMaxMinTmpSize(r.Soc(), r.Shape(), r.Shape("shape2"), r.Type(),
                                                                  config, most, least))){
                            "Concat",
                            [](const Request& r) { Say("bytes", GetConcatTmpSize(r.Soc(), r.Number("n"), r.Size())); }},
    {"Sort", [](const Request& r) { Say("bytes", GetSortTmpSize(r.Soc(), r.Number("n"), r.Size())); }},
    SIZES("TopK", Say("rc", GetTopKMaxMinTmpSize(r.Soc(), r.Number("n"), r.Number("rows"), r.Reuse(), r.Flag("index"),
                                                 r.Flag("small") ? TopKMode::TOPK_NSMALL : TopKMode::TOPK_NORMAL,
                                                 r.Flag("largest"), r.Size(), most, least)))
        FIELDS("TopKTiling", TopkTiling,
               Say("rc", TopKTilingFunc(
                             r.Soc(), r.Number("n"), r.Number("rows"), r.Number("k"), r.Size(), r.Flag("index"),
                             r.Flag("small") ? TopKMode::TOPK_NSMALL : TopKMode::TOPK_NORMAL, r.Flag("largest"), t)))};

const Functions kNorms = {
    PLAIN(LayerNorm) PLAIN(LayerNormGrad) PLAIN(LayerNormGradBeta)
        SIZES("RmsNorm", Say("rc", GetRmsNormMaxMinTmpSize(r.Shape(), r.Size(), most, least, r.Flag("basic")))) SIZES(
            "LayerNormRstd", GetLayerNormMaxMinTmpSize(r.Shape(), r.Size(), r.Reuse(), true, false, most, least))
            SIZES("Normalize", GetNormalizeMaxMinTmpSize(r.Shape(), r.Size(), r.Number("size2"), r.Reuse(), true, false,
                                                         most, least))
                SIZES("WelfordUpdate", GetWelfordUpdateMaxMinTmpSize(r.Shape(), r.Size(), r.Number("size2"), r.Reuse(),
                                                                     r.Flag("inplace"), most, least))
                    SIZES("WelfordFinalize",
                          GetWelfordFinalizeMaxMinTmpSize(r.Shape(), r.Size(), r.Reuse(), most, least))
                        SIZES("DeepNorm", Say("rc", GetDeepNormMaxMinTmpSize(r.Shape(), r.Size(), r.Reuse(),
                                                                             r.Flag("basic"), most, least)))
                            SIZES("GroupNorm", GetGroupNormMaxMinTmpSize(r.Shape(), r.Size(), r.Reuse(),
                                                                         r.Number("groups"), most, least))
                                SIZES("BatchNorm", Say("rc", GetBatchNormMaxMinTmpSize(r.Shape(), r.Shape("shape2"),
                                                                                       r.Size(), r.Reuse(), most, least,
                                                                                       r.Flag("basic"))))
                                    FIELDS(
                                        "RmsNormTiling", RmsNormTiling,
                                        Say("rc", GetRmsNormTilingInfo(r.Shape(), r.Shape("shape2"), r.Number("room"),
                                                                       r.Size(), t, r.Flag("basic"))))
                                        FIELDS("LayerNormTiling", LayerNormTiling,
                                               GetLayerNormNDTilingInfo(
                                                   r.Shape(), r.Number("room"), r.Size(), r.Reuse(),
                                                   t)) FIELDS("LayerNormRstdTiling", LayerNormSeparateTiling,
                                                              GetLayerNormNDTilingInfo(r.Shape(), r.Number("room"),
                                                                                       r.Size(), r.Reuse(), true, t))
                                            FIELDS("LayerNormGradTiling", LayerNormGradTiling,
                                                   GetLayerNormGradNDTilingInfo(r.Shape(), r.Number("room"), r.Size(),
                                                                                r.Reuse(), t))
                                                FIELDS("LayerNormGradBetaTiling", LayerNormGradBetaTiling,
                                                       GetLayerNormGradBetaNDTilingInfo(r.Shape(), r.Number("room"),
                                                                                        r.Size(), r.Reuse(), t))
                                                    FIELDS("DeepNormTiling", DeepNormTiling,
                                                           Say("rc", GetDeepNormTilingInfo(
                                                                         r.Shape(), r.Shape("shape2"), r.Number("room"),
                                                                         r.Size(), r.Reuse(), r.Flag("basic"), t)))
                                                        FIELDS("GroupNormTiling", GroupNormTiling,
                                                               GetGroupNormNDTilingInfo(r.Shape(), r.Number("room"),
                                                                                        r.Size(), r.Reuse(),
                                                                                        r.Number("groups"), t))
                                                            FIELDS("BatchNormTiling", BatchNormTiling,
                                                                   Say("rc", GetBatchNormNDTilingInfo(
                                                                                 r.Shape(), r.Shape("shape2"),
                                                                                 r.Number("room"), r.Size(), r.Reuse(),
                                                                                 t, r.Flag("basic"))))};

void Answer(const Request& request) {
    const std::string& name = request.Text("fn");
    request.Soc();  // some functions ask the platform by themselves
    for (const Functions* functions : {&kMath, &kRows, &kMoves, &kNorms}) {
        const auto found = functions->find(name);
        if (found != functions->end()) {
            found->second(request);
            std::cout << std::endl;
            return;
        }
    }
    std::cerr << "the probe does not know " << name << std::endl;
    std::exit(2);
}

}  // namespace

// Each request in a process of its own: one that the library crashes on must not end the others.
int main() {
    for (std::string line; std::getline(std::cin, line);) {
        std::cout.flush();
        const pid_t child = fork();
        if (child == 0) {
            Answer(Request(line));
            std::cout.flush();
            _exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status)) {
            std::cout << "crash=" << WTERMSIG(status) << std::endl;
        } else if (WEXITSTATUS(status) != 0) {
            return WEXITSTATUS(status);
        }
    }
    return 0;
}
