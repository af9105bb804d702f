// What op_host of operator repositories includes beside the documented classes: reductions of shapes, tiling in steps,
// memory functions with bounds.
#include <cstdio>
#include <string>
#include <vector>

#include "exe_graph/context_data.h"
#include "exe_graph/runtime/kernel_context.h"
#include "exe_graph/runtime/kernel_run_context.h"
#include "graph/operator.h"
#include "infershape_reduce_util.h"
#include "log/error_code.h"
#include "op_host/tiling_base_class.h"
#include "op_host/tiling_base_util.h"
#include "op_host/util/math_util.h"
#include "platform/platform_ascendc.h"
#include "platform/platform_info_def.h"
#include "runtime/tiling_context.h"

static int failures = 0;
#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            ++failures;                                                     \
        }                                                                   \
    } while (0)

using namespace Ops::Base;

static const map<ge::DataType, int> kSizes = {{ge::DT_INT32, 4}};  // as operators call it
static_assert(platform_ascendc::SocVersion::KIRINX90 != platform_ascendc::SocVersion::KIRIN9030, "");

static std::string Reduced(const gert::Shape& x, std::initializer_list<int32_t> axes, bool keep) {
    const std::vector<int32_t> values(axes);
    gert::Shape y = {99};
    const auto count = static_cast<int32_t>(values.size());
    const ge::graphStatus done = keep ? ReduceDimsWithKeepDims<int32_t>(&x, values.data(), count, &y)
                                      : ReduceDimsWithoutKeepDims<int32_t>(&x, values.data(), count, &y);
    return done == ge::GRAPH_SUCCESS ? ToString(y) : "failed";
}

static void Reductions() {
    CHECK(kSizes.at(ge::DT_INT32) == 4);
    CHECK(ge::GetSizeInBytes(3, ge::DT_FLOAT) == 12 && ge::GetSizeInBytes(3, ge::DT_INT4) == 2);
    CHECK(ge::GetSizeInBytes(-1, ge::DT_INT8) == -1 && ge::GetSizeInBytes(INT64_MAX, ge::DT_INT16) == -1);
    const gert::Shape x = {2, 3, 5};
    CHECK(Reduced(x, {1}, true) == "[2, 1, 5]" && Reduced(x, {1}, false) == "[2, 5]");
    CHECK(Reduced(x, {-1, 0}, true) == "[1, 3, 1]" && Reduced(x, {-1, 0}, false) == "[3]");
    CHECK(Reduced(x, {0, 1, 2}, false) == "[]" && Reduced(x, {}, false) == "[2, 3, 5]");
    CHECK(Reduced({}, {0}, true) == "[]" && Reduced({}, {-1}, false) == "[]");
    CHECK(Reduced({-2}, {7}, true) == "[-2]" && Reduced({-2}, {7}, false) == "[-2]");
    CHECK(Reduced(x, {3}, true) == "failed" && Reduced(x, {-4}, false) == "failed");
}

class Steps : public TilingBaseClass {
public:
    Steps(gert::TilingContext* context, bool capable, char failing)
        : TilingBaseClass(context), capable_(capable), failing_(failing) {}
    std::string taken;

protected:
    bool IsCapable() override {
        taken += "c";
        return capable_;
    }
    ge::graphStatus GetPlatformInfo() override { return Took('p'); }
    ge::graphStatus GetShapeAttrsInfo() override { return Took('s'); }
    ge::graphStatus DoOpTiling() override { return Took('t'); }
    ge::graphStatus DoLibApiTiling() override { return Took('l'); }
    uint64_t GetTilingKey() const override { return 42; }
    ge::graphStatus GetWorkspaceSize() override { return Took('w'); }
    ge::graphStatus PostTiling() override { return Took('o'); }

private:
    ge::graphStatus Took(char step) {
        taken += step;
        return step == failing_ ? ge::GRAPH_FAILED : ge::GRAPH_SUCCESS;
    }
    bool capable_;
    char failing_;
};

static void TilingInSteps() {
    sim_host::ContextData data;
    gert::TilingContext context(&data);
    Steps every(&context, true, ' ');
    CHECK(every.DoTiling() == ge::GRAPH_SUCCESS && every.taken == "spctlwo" && context.GetTilingKey() == 42);
    Steps other(&context, false, ' ');
    CHECK(other.DoTiling() == ge::GRAPH_PARAM_INVALID && other.taken == "spc");
    Steps failing(&context, true, 'l');
    CHECK(failing.DoTiling() == ge::GRAPH_FAILED && failing.taken == "spctl");
    CHECK(Steps(nullptr, true, ' ').DoTiling() == ge::GRAPH_FAILED);
    CHECK(!IsRegbaseSocVersion(&context) && EnsureNotScalar({}).GetDim(0) == 1 && EnsureNotScalar({4}).GetDim(0) == 4);
}

static void Memory() {  // declared without securec.h: exe_graph/runtime/tiling_data.h brings it
    char target[8] = "abcdefg";
    CHECK(memset_s(target, 8, 'x', 2) == EOK && std::string(target) == "xxcdefg");
    CHECK(memset_s(target, 2, 'y', 5) != EOK && std::string(target) == "yycdefg");
    CHECK(memset_s(nullptr, 2, 0, 1) != EOK && memset_s(target, 0, 0, 0) != EOK);
    CHECK(memcpy_s(target, 8, "1234", 5) == EOK && std::string(target) == "1234");
    CHECK(strcat_s(target, 8, "567") == EOK && std::string(target) == "1234567" && strcat_s(target, 8, "8") != EOK);
    CHECK(memcpy_s(target, 3, "12345", 5) != EOK && target[0] == 0 && target[2] == 0);
    CHECK(strcpy_s(target, 8, "12345678") != EOK && strcpy_s(target, 8, "1234567") == EOK);
    CHECK(sprintf_s(target, 8, "%d", 1234567) == 7 && sprintf_s(target, 8, "%d", 12345678) == -1);
    CHECK(snprintf_s(target, 8, 3, "%d", 123) == 3 && snprintf_s(target, 8, 3, "%d", 1234) == -1);
}

int main() {
    Reductions();
    TilingInSteps();
    Memory();
    const std::vector<int> values = {3};
    if (std::find(values.begin(), values.end(), 3) != values.end()) {
        OP_LOGE("a message alone");
        OP_LOGD("dropped");
    }
    CHECK(ge::GRAPH_NULL_PTR == 50331538 && ge::GRAPH_PARAM_OUT_OF_RANGE == 50331644);
    CHECK(INVALID_INFER_SHAPE == 14001 && VECTOR_INNER_ERROR == 89999);
    return failures == 0 ? 0 : 1;
}
