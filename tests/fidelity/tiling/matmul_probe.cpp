// Answers requests for Matmul tilings, one line each: settings in, what the tiling library says out.
//
// The program uses public names only. It is built against a toolkit's headers and its tiling library, the simulated
// one or CANN's, so that both answer the same requests. sampled.py writes the lines, and names the words.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

namespace mt = matmul_tiling;

namespace {

// The words of a line: name=value, where a value is words or numbers with commas between.
typedef std::map<std::string, std::vector<std::string>> Request;

Request Parse(const std::string& line) {
    Request request;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
        const size_t equals = word.find('=');
        std::istringstream values(word.substr(equals + 1));
        std::vector<std::string>& list = request[word.substr(0, equals)];
        for (std::string value; std::getline(values, value, ',');) {
            list.push_back(value);
        }
    }
    return request;
}

template <typename Value>
Value Named(const std::map<std::string, Value>& names, const std::string& name) {
    const auto found = names.find(name);
    if (found == names.end()) {
        std::cerr << "the probe does not know " << name << std::endl;
        std::exit(2);
    }
    return found->second;
}

const std::map<std::string, mt::DataType> kTypes = {
    {"f32", mt::DataType::DT_FLOAT}, {"f16", mt::DataType::DT_FLOAT16}, {"bf16", mt::DataType::DT_BFLOAT16},
    {"i8", mt::DataType::DT_INT8},   {"i32", mt::DataType::DT_INT32},   {"i4", mt::DataType::DT_INT4},
    {"u8", mt::DataType::DT_UINT8},  {"f64", mt::DataType::DT_DOUBLE},  {"BF16", mt::DataType::DT_BF16}};
const std::map<std::string, mt::TPosition> kPositions = {
    {"gm", mt::TPosition::GM},         {"tscm", mt::TPosition::TSCM},       {"vecin", mt::TPosition::VECIN},
    {"vecout", mt::TPosition::VECOUT}, {"veccalc", mt::TPosition::VECCALC}, {"co1", mt::TPosition::CO1},
    {"a1", mt::TPosition::A1}};
const std::map<std::string, mt::CubeFormat> kFormats = {
    {"nd", mt::CubeFormat::ND},         {"nz", mt::CubeFormat::NZ},
    {"zn", mt::CubeFormat::ZN},         {"nd_align", mt::CubeFormat::ND_ALIGN},
    {"vector", mt::CubeFormat::VECTOR}, {"scalar", mt::CubeFormat::SCALAR}};

// The numbers of a setting; `count` of them.
struct Numbers {
    std::vector<int32_t> list;
    Numbers(const std::vector<std::string>& words, size_t count) {
        for (const std::string& word : words) {
            list.push_back(static_cast<int32_t>(std::stoll(word)));
        }
        if (list.size() != count) {
            std::cerr << "a setting has " << list.size() << " numbers instead of " << count << std::endl;
            std::exit(2);
        }
    }
    int32_t operator[](size_t i) const { return list[i]; }
};

// What the setters returned, and the numbers of a setting.
class Setter {
public:
    explicit Setter(const Request& request) : request_(request) {}

    // Calls `set` with the setting's numbers where the request has it.
    template <typename Set>
    void Call(const char* name, size_t count, const Set& set) {
        const auto found = request_.find(name);
        if (found != request_.end()) {
            Keep(name, set(Numbers(found->second, count)));
        }
    }
    // The same for a matrix: position, format, type, and whether it is transposed.
    template <typename Set>
    void Matrix(const char* name, const Set& set) {
        const auto found = request_.find(name);
        if (found != request_.end()) {
            const std::vector<std::string>& v = found->second;
            Keep(name, set(Named(kPositions, v.at(0)), Named(kFormats, v.at(1)), Named(kTypes, v.at(2)),
                           v.size() > 3 && v[3] == "t"));
        }
    }
    const std::string& Refused() const { return refused_; }

private:
    void Keep(const char* name, int32_t status) {
        if (status != 0) {
            refused_ += (refused_.empty() ? "" : ",") + std::string(name);
        }
    }
    const Request& request_;
    std::string refused_;
};

void SetMany(Setter& set, mt::MultiCoreMatmulTiling& tiling) {
    set.Call("dim", 1, [&](const Numbers& n) { return tiling.SetDim(n[0]); });
    set.Call("single", 3, [&](const Numbers& n) { return tiling.SetSingleShape(n[0], n[1], n[2]); });
    set.Call("single_range", 6,
             [&](const Numbers& n) { return tiling.SetSingleRange(n[0], n[1], n[2], n[3], n[4], n[5]); });
    set.Call("align", 3, [&](const Numbers& n) { return tiling.SetAlignSplit(n[0], n[1], n[2]); });
    set.Call("split_k", 1, [&](const Numbers& n) {
        tiling.EnableMultiCoreSplitK(n[0] != 0);
        return 0;
    });
}

void SetShapes(Setter& set, mt::MatmulApiTilingBase& tiling, bool whole_first) {
    const auto whole = [&] {
        set.Call("org", 3, [&](const Numbers& n) { return tiling.SetOrgShape(n[0], n[1], n[2]); });
        set.Call("org_ab", 4, [&](const Numbers& n) { return tiling.SetOrgShape(n[0], n[1], n[2], n[3]); });
    };
    if (whole_first) {
        whole();
    }
    set.Call("shape", 3, [&](const Numbers& n) { return tiling.SetShape(n[0], n[1], n[2]); });
    if (!whole_first) {
        whole();
    }
}

void Set(Setter& set, mt::MatmulApiTilingBase& tiling, bool whole_first) {
    typedef mt::TPosition P;
    typedef mt::CubeFormat F;
    typedef mt::DataType T;
    set.Matrix("a", [&](P p, F f, T t, bool trans) { return tiling.SetAType(p, f, t, trans); });
    set.Matrix("b", [&](P p, F f, T t, bool trans) { return tiling.SetBType(p, f, t, trans); });
    set.Matrix("c", [&](P p, F f, T t, bool) { return tiling.SetCType(p, f, t); });
    set.Matrix("bias", [&](P p, F f, T t, bool) { return tiling.SetBiasType(p, f, t); });
    SetShapes(set, tiling, whole_first);
    set.Call("has_bias", 1, [&](const Numbers& n) { return tiling.EnableBias(n[0] != 0); });
    set.Call("dequant", 1, [&](const Numbers& n) { return tiling.SetDequantType(static_cast<mt::DequantType>(n[0])); });
    set.Call("fix", 3, [&](const Numbers& n) { return tiling.SetFixSplit(n[0], n[1], n[2]); });
    set.Call("range", 6, [&](const Numbers& n) { return tiling.SetSplitRange(n[0], n[1], n[2], n[3], n[4], n[5]); });
    set.Call("space", 4, [&](const Numbers& n) { return tiling.SetBufferSpace(n[0], n[1], n[2], n[3]); });
    set.Call("traverse", 1,
             [&](const Numbers& n) { return tiling.SetTraverse(static_cast<mt::MatrixTraverse>(n[0])); });
    set.Call("mad", 1, [&](const Numbers& n) { return tiling.SetMadType(static_cast<mt::MatrixMadType>(n[0])); });
    set.Call("double", 6, [&](const Numbers& n) {
        return tiling.SetDoubleBuffer(n[0] != 0, n[1] != 0, n[2] != 0, n[3] != 0, n[4] != 0, n[5] != 0);
    });
    set.Call("config", 5, [&](const Numbers& n) {
        tiling.SetMatmulConfigParams(n[0], n[1] != 0, static_cast<mt::ScheduleType>(n[2]),
                                     static_cast<mt::MatrixTraverse>(n[3]), n[4] != 0);
        return 0;
    });
    set.Call("normal", 5, [&](const Numbers& n) { return tiling.SetBatchInfoForNormal(n[0], n[1], n[2], n[3], n[4]); });
    set.Call("axes_a", 5, [&](const Numbers& n) { return tiling.SetALayout(n[0], n[1], n[2], n[3], n[4]); });
    set.Call("axes_b", 5, [&](const Numbers& n) { return tiling.SetBLayout(n[0], n[1], n[2], n[3], n[4]); });
    set.Call("axes_c", 5, [&](const Numbers& n) { return tiling.SetCLayout(n[0], n[1], n[2], n[3], n[4]); });
    set.Call("batch", 1, [&](const Numbers& n) { return tiling.SetBatchNum(n[0]); });
}

typedef int32_t (*BufferSizes)(AscendC::tiling::TCubeTiling&, mt::SysTilingTempBufSize&);

// "rc=.. refused=.. tiling=50 numbers base=3 buffers=rc,ub,l1,l0c", then what the class adds.
bool Answer(const Setter& set, mt::MatmulApiTilingBase& tiling, BufferSizes sizes) {
    AscendC::tiling::TCubeTiling plain;
    std::memset(&plain, 0, sizeof(plain));
    const int64_t status = tiling.GetTiling(plain);
    std::cout << "rc=" << status;
    if (!set.Refused().empty()) {
        std::cout << " refused=" << set.Refused();
    }
    if (status == -1) {
        return false;
    }
    const int32_t* fields = reinterpret_cast<const int32_t*>(&plain);
    std::cout << " tiling=";
    for (size_t i = 0; i < sizeof(plain) / sizeof(int32_t); ++i) {
        std::cout << (i == 0 ? "" : ",") << fields[i];
    }
    optiling::TCubeTiling data;
    std::vector<uint8_t> bytes(sizeof(plain));
    if (tiling.GetTiling(data) != status || data.GetDataSize() != sizeof(plain)) {
        std::cout << " other_form=1";
    } else {
        data.SaveToBuffer(bytes.data(), bytes.size());
        if (std::memcmp(bytes.data(), &plain, sizeof(plain)) != 0) {
            std::cout << " other_form=1";
        }
    }
    std::cout << " base=" << tiling.GetBaseM() << "," << tiling.GetBaseN() << "," << tiling.GetBaseK();
    mt::SysTilingTempBufSize buffers;
    const int32_t done = sizes(plain, buffers);
    std::cout << " buffers=" << done << "," << buffers.ubSize << "," << buffers.l1Size << "," << buffers.l0cSize;
    return true;
}

void AnswerLine(const Request& request) {
    const std::string soc = request.at("soc")[0];
    platform_ascendc::PlatformAscendC* platform = platform_ascendc::PlatformAscendCManager::GetInstance(soc.c_str());
    if (platform == nullptr) {
        std::cerr << "no platform " << soc << std::endl;
        std::exit(2);
    }
    const std::string kind = request.at("kind")[0];
    const bool whole_first = request.count("whole_first") != 0;
    Setter set(request);
    if (kind == "one") {
        mt::MatmulApiTiling tiling(*platform);
        Set(set, tiling, whole_first);
        if (Answer(set, tiling, MatmulGetTmpBufSizeV2)) {
            std::cout << " banks=" << tiling.EnableL1BankConflictOptimise();
        }
    } else if (kind == "batch") {
        mt::BatchMatmulTiling tiling(*platform);
        Set(set, tiling, whole_first);
        if (Answer(set, tiling, BatchMatmulGetTmpBufSizeV2)) {
            int32_t of[5] = {-7, -7, -7, -7, -7};
            const int32_t status = tiling.GetCoreNum(of[0], of[1], of[2], of[3], of[4]);
            std::cout << " cores=" << status << "," << of[0] << "," << of[1] << "," << of[2] << "," << of[3] << ","
                      << of[4];
        }
    } else {
        mt::MultiCoreMatmulTiling tiling(*platform);
        SetMany(set, tiling);
        Set(set, tiling, whole_first);
        if (Answer(set, tiling, MultiCoreMatmulGetTmpBufSizeV2)) {
            int32_t of[6] = {-7, -7, -7, -7, -7, -7};
            const int32_t cores = tiling.GetCoreNum(of[0], of[1], of[2]);
            const int32_t single = tiling.GetSingleShape(of[3], of[4], of[5]);
            std::cout << " cores=" << cores << "," << of[0] << "," << of[1] << "," << of[2] << " single=" << single
                      << "," << of[3] << "," << of[4] << "," << of[5]
                      << " banks=" << tiling.EnableL1BankConflictOptimise();
        }
    }
    std::cout << std::endl;
}

// In a process of its own: a request that the library crashes on must not end the others.
void AnswerApart(const Request& request) {
    std::cout.flush();
    const pid_t child = fork();
    if (child == 0) {
        AnswerLine(request);
        std::cout.flush();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) {
        std::cout << "crash=" << WTERMSIG(status) << std::endl;
    } else if (WEXITSTATUS(status) != 0) {
        std::exit(WEXITSTATUS(status));
    }
}

}  // namespace

// With an argument all requests are answered in this process, which is faster.
int main(int argc, char**) {
    for (std::string line; std::getline(std::cin, line);) {
        const Request request = Parse(line);
        if (argc > 1) {
            AnswerLine(request);
        } else {
            AnswerApart(request);
        }
    }
    return 0;
}
