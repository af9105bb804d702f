// Answers tiling requests: a line of settings in, a line with the result and the fields of TCubeTiling out.
// The classes as an op_host source uses them: C++11, either string ABI.
#include <cstdio>
#include <cstring>
#include <iostream>
#include <map>
#include <sstream>
#include <string>

#include "platform/platform_infos_def.h"
#include "tiling/tiling_api.h"

namespace mt = matmul_tiling;

namespace optiling {
// As an op embeds it.
BEGIN_TILING_DATA_DEF(ProbeTilingData)
TILING_DATA_FIELD_DEF(int64_t, before);
TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, cube);
TILING_DATA_FIELD_DEF(uint8_t, after);
END_TILING_DATA_DEF
REGISTER_TILING_DATA_CLASS(Probe, ProbeTilingData)
}  // namespace optiling

struct PlainProbe {
    int64_t before;
    AscendC::tiling::TCubeTiling cube;
    uint8_t after;
};

typedef std::map<std::string, std::string> Settings;

static int Int(const Settings& settings, const std::string& key, int otherwise) {
    const auto found = settings.find(key);
    return found == settings.end() ? otherwise : std::stoi(found->second);
}

static mt::DataType Type(const Settings& settings, const std::string& key) {
    const std::string name = settings.at(key);
    return name == "float16"    ? mt::DataType::DT_FLOAT16
           : name == "bfloat16" ? mt::DataType::DT_BFLOAT16
           : name == "int4"     ? mt::DataType::DT_INT4
           : name == "int8"     ? mt::DataType::DT_INT8
           : name == "int32"    ? mt::DataType::DT_INT32
           : name == "float64"  ? mt::DataType::DT_DOUBLE
                                : mt::DataType::DT_FLOAT;
}

static void Apply(const Settings& s, mt::MatmulApiTilingBase& tiling, std::ostringstream& statuses) {
    const auto format = [&s](const char* key) { return Int(s, key, 0) != 0 ? mt::CubeFormat::NZ : mt::CubeFormat::ND; };
    if (s.count("a")) {
        tiling.SetAType(mt::TPosition::GM, format("a_nz"), Type(s, "a"), Int(s, "ta", 0) != 0);
    }
    if (s.count("b")) {
        tiling.SetBType(mt::TPosition::GM, format("b_nz"), Type(s, "b"), Int(s, "tb", 0) != 0);
    }
    if (s.count("c")) {
        tiling.SetCType(static_cast<mt::TPosition>(Int(s, "c_pos", 0)),
                        static_cast<mt::CubeFormat>(Int(s, "c_form", static_cast<int>(mt::CubeFormat::ND))),
                        Type(s, "c"));
    }
    if (s.count("bias")) {
        tiling.SetBiasType(mt::TPosition::GM, mt::CubeFormat::ND, Type(s, "bias"));
        statuses << (s.count("batched") ? tiling.SetBias(true) : tiling.EnableBias(true)) << " ";
    }
    if (s.count("m")) {
        statuses << tiling.SetShape(Int(s, "m", -1), Int(s, "n", -1), Int(s, "k", -1)) << " ";
    }
    if (s.count("kb")) {
        statuses << tiling.SetOrgShape(Int(s, "whole_m", 0), Int(s, "whole_n", 0), Int(s, "ka", 0), Int(s, "kb", 0))
                 << " ";
    } else if (s.count("whole_m")) {
        statuses << tiling.SetOrgShape(Int(s, "whole_m", 0), Int(s, "whole_n", 0), Int(s, "whole_k", 0)) << " ";
    }
    if (s.count("base_m") || s.count("base_n")) {
        statuses << tiling.SetFixSplit(Int(s, "base_m", -1), Int(s, "base_n", -1), Int(s, "base_k", -1)) << " ";
    }
    if (s.count("max_base_m") || s.count("max_base_k")) {
        tiling.SetSplitRange(Int(s, "max_base_m", -1), -1, Int(s, "max_base_k", -1));
    }
    if (s.count("l1") || s.count("l0c") || s.count("ub") || s.count("bt")) {
        statuses << tiling.SetBufferSpace(Int(s, "l1", -1), Int(s, "l0c", -1), Int(s, "ub", -1), Int(s, "bt", -1))
                 << " ";
    }
    if (s.count("traverse")) {
        tiling.SetTraverse(static_cast<mt::MatrixTraverse>(Int(s, "traverse", 0)));
    }
    if (s.count("schedule") || s.count("config") || s.count("l1_cache")) {
        tiling.SetMatmulConfigParams(Int(s, "config", 1), Int(s, "l1_cache", 0) != 0,
                                     static_cast<mt::ScheduleType>(Int(s, "schedule", 0)));
    }
    if (s.count("mad")) {
        statuses << tiling.SetMadType(static_cast<mt::MatrixMadType>(Int(s, "mad", 0))) << " ";
    }
    if (s.count("batch")) {
        statuses << tiling.SetBatchNum(Int(s, "batch", 1)) << " ";
    }
    for (const char* key : {"axes_a", "axes_b", "axes_c", "normal"}) {
        if (!s.count(key)) {
            continue;
        }
        std::istringstream words(s.at(key));
        int32_t x[5] = {0, 0, 0, 0, 0};
        for (int32_t& axis : x) {
            words >> axis;
            words.ignore(1);
        }
        const std::string side = key;
        statuses << (side == "axes_a"   ? tiling.SetALayout(x[0], x[1], x[2], x[3], x[4])
                     : side == "axes_b" ? tiling.SetBLayout(x[0], x[1], x[2], x[3], x[4])
                     : side == "axes_c" ? tiling.SetCLayout(x[0], x[1], x[2], x[3], x[4])
                                        : tiling.SetBatchInfoForNormal(x[0], x[1], x[2], x[3], x[4]))
                 << " ";
    }
    const std::string asked = s.count("not_there") ? s.at("not_there") : "";
    if (asked == "sparse") {
        statuses << tiling.SetSparse(true) << " ";
    } else if (asked == "scale_a") {
        statuses << tiling.SetScaleAType(mt::TPosition::GM, mt::CubeFormat::ND) << " ";
    } else if (asked == "scale_b") {
        statuses << tiling.SetScaleBType(mt::TPosition::GM, mt::CubeFormat::ND) << " ";
    }
}

// Both forms of the result must be the same bytes, also as part of other tiling data.
static bool SameBytes(mt::MatmulApiTilingBase& tiling, const AscendC::tiling::TCubeTiling& plain) {
    optiling::ProbeTilingData data;
    data.set_before(5);
    data.set_after(7);
    if (tiling.GetTiling(data.cube) != 0 || data.GetDataSize() != sizeof(PlainProbe)) {
        return false;
    }
    PlainProbe copy;
    data.SaveToBuffer(&copy, sizeof(copy));
    return copy.before == 5 && copy.after == 7 && std::memcmp(&copy.cube, &plain, sizeof(plain)) == 0 &&
           data.cube.get_baseM() == plain.baseM && data.cube.get_mxTypePara() == 0;
}

static void Answer(mt::MatmulApiTilingBase& tiling, const std::string& statuses, const std::string& extra) {
    AscendC::tiling::TCubeTiling plain;
    plain.mxTypePara = 77;
    const int64_t status = tiling.GetTiling(plain);
    std::cout << "[" << statuses << "] " << status;
    if (status != 0) {
        std::cout << (plain.mxTypePara == 77 && plain.baseM == 0 ? "" : " touched") << std::endl;
        return;
    }
    const bool same = SameBytes(tiling, plain) && tiling.GetBaseM() == plain.baseM &&
                      tiling.GetBaseN() == plain.baseN && tiling.GetBaseK() == plain.baseK;
    const int32_t* fields = reinterpret_cast<const int32_t*>(&plain);
    for (size_t i = 0; i < sizeof(plain) / sizeof(int32_t); ++i) {
        std::cout << " " << fields[i];
    }
    std::cout << (same ? "" : " different") << extra << std::endl;
}

static void AnswerMany(mt::MultiCoreMatmulTiling& tiling, const Settings& s) {
    std::ostringstream statuses;
    Apply(s, tiling, statuses);
    if (s.count("dim")) {
        statuses << tiling.SetDim(Int(s, "dim", 1)) << " ";
    }
    tiling.SetSingleShape(Int(s, "single_m", -1), Int(s, "single_n", -1), Int(s, "single_k", -1));
    if (s.count("align_m") || s.count("align_n")) {
        tiling.SetAlignSplit(Int(s, "align_m", -1), Int(s, "align_n", -1), -1);
    }
    if (s.count("max_single_m")) {
        tiling.SetSingleRange(Int(s, "max_single_m", -1), -1, -1, -1, Int(s, "min_single_n", -1));
    }
    tiling.EnableMultiCoreSplitK(Int(s, "split_k", 0) != 0);
    Answer(tiling, statuses.str(), "");
    int32_t dim = 0, m_dim = 0, n_dim = 0, m = 0, n = 0, k = 0;
    const int32_t cores = tiling.GetCoreNum(dim, m_dim, n_dim);
    const int32_t single = tiling.GetSingleShape(m, n, k);
    std::cout << cores << " " << dim << " " << m_dim << " " << n_dim << " " << single << " " << m << " " << n << " "
              << k << std::endl;
}

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        Settings settings;
        std::istringstream words(line);
        for (std::string word; words >> word;) {
            const size_t equals = word.find('=');
            settings[word.substr(0, equals)] = word.substr(equals + 1);
        }
        std::cerr << "> " << line << std::endl;
        fe::PlatFormInfos* infos = sim_platform_infos(settings.at("soc").c_str());
        if (infos == nullptr) {
            return 1;
        }
        platform_ascendc::PlatformAscendC platform(infos);
        if (settings.count("one_core")) {
            mt::PlatformInfo info;
            info.socVersion = platform.GetSocVersion();
            platform.GetCoreMemSize(platform_ascendc::CoreMemType::L1, info.l1Size);
            platform.GetCoreMemSize(platform_ascendc::CoreMemType::L0_C, info.l0CSize);
            platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, info.ubSize);
            platform.GetCoreMemSize(platform_ascendc::CoreMemType::L0_A, info.l0ASize);
            platform.GetCoreMemSize(platform_ascendc::CoreMemType::L0_B, info.l0BSize);
            mt::MatmulApiTiling tiling(info);
            std::ostringstream statuses;
            Apply(settings, tiling, statuses);
            Answer(tiling, statuses.str(), "");
            std::cout << std::endl;
        } else if (settings.count("batched")) {
            mt::BatchMatmulTiling tiling(platform);
            std::ostringstream statuses;
            Apply(settings, tiling, statuses);
            Answer(tiling, statuses.str(), "");
            int32_t of[5] = {0, 0, 0, 0, 0};
            std::cout << tiling.GetCoreNum(of[0], of[1], of[2], of[3], of[4]);
            for (const int32_t cores : of) {
                std::cout << " " << cores;
            }
            std::cout << std::endl;
        } else {
            mt::MultiCoreMatmulTiling tiling(platform);
            AnswerMany(tiling, settings);
        }
    }
    return 0;
}
