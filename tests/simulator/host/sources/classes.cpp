// The host classes that need no call around them. Exits with the line of the first surprise.
#include <climits>
#include <cstdio>
#include <cstring>

#include "exe_graph/runtime/tiling_data.h"
#include "platform/platform_infos_def.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

#define CHECK(condition)                                                 \
    do {                                                                 \
        if (!(condition)) {                                              \
            std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
            return 1;                                                    \
        }                                                                \
    } while (0)

static int Shapes() {
    gert::Shape shape({3, 4, 5});
    CHECK(shape.GetDimNum() == 3 && shape.GetDim(2) == 5 && shape[1] == 4 && shape.GetShapeSize() == 60);
    CHECK(shape.GetDim(3) == gert::Shape::kInvalidDimValue);
    CHECK(gert::Shape().GetShapeSize() == 1 && gert::Shape().IsScalar());
    CHECK(gert::Shape({7, 0, INT64_MAX, INT64_MAX}).GetShapeSize() == 0);
    CHECK(gert::Shape({INT64_MAX, INT64_MAX, 0}).GetShapeSize() == 0);
    CHECK(gert::Shape({int64_t{1} << 32, int64_t{1} << 30}).GetShapeSize() == int64_t{1} << 62);
    CHECK(gert::Shape({int64_t{1} << 32, int64_t{1} << 31}).GetShapeSize() == -1);
    CHECK(gert::Shape({2, -1}).GetShapeSize() == -1);
    CHECK(gert::Shape({2, 3}) == gert::Shape({2, 3}) && gert::Shape({2, 3}) != gert::Shape({2, 3, 1}));
    shape.SetDimNum(26);
    CHECK(shape.GetDimNum() == gert::Shape::kMaxDimNum);
    shape.AppendDim(9);
    CHECK(shape.GetDimNum() == gert::Shape::kMaxDimNum);
    shape[99] = 1;  // lands in the spare place
    shape.SetDim(99, 1);
    shape.SetScalar();
    CHECK(shape.GetShapeSize() == 1);
    return 0;
}

static int TilingBuffers() {
    char bytes[10];
    gert::TilingData data(bytes, sizeof(bytes));
    const int32_t values[2] = {1, 2};
    CHECK(data.Append(values, 2) == ge::GRAPH_SUCCESS && data.GetDataSize() == 8);
    CHECK(data.Append(values[0]) == ge::GRAPH_FAILED && data.GetDataSize() == 8);
    CHECK(data.Append(int16_t(7)) == ge::GRAPH_SUCCESS && data.GetDataSize() == 10);
    return 0;
}

static int Strings() {
    ge::AscendString text("abc");
    ge::AscendString copy = text;
    text = "abd";
    CHECK(copy == "abc" && copy < text && copy.GetLength() == 3 && strcmp(text.GetString(), "abd") == 0);
    CHECK(ge::AscendString().GetLength() == 0 && ge::AscendString(nullptr) == "");
    CHECK(ge::GetSizeByDataType(ge::DT_BF16) == 2 && ge::GetSizeByDataType(ge::DT_STRING) == -1);
    CHECK(ge::GetSizeByDataType(ge::DT_INT4) == ge::kDataTypeSizeBitOffset + 4);
    return 0;
}

static int Platforms() {
    CHECK(sim_platform_infos("Ascend999") == nullptr && sim_platform_infos("../Ascend910B1") == nullptr);
    fe::PlatFormInfos* infos = sim_platform_infos("Ascend910B1");
    CHECK(infos != nullptr && infos == sim_platform_infos("Ascend910B1"));
    std::string value;
    CHECK(infos->GetPlatformRes("version", "SoC_version", value) && value == "Ascend910B1");
    CHECK(!infos->GetPlatformRes("version", "no such key", value) && value.empty());
    platform_ascendc::PlatformAscendC b1(infos);
    CHECK(b1.GetCoreNum() == 24 && b1.GetCoreNumAic() == 24 && b1.GetCoreNumAiv() == 48);
    CHECK(b1.GetSocVersion() == platform_ascendc::SocVersion::ASCEND910B);
    CHECK(b1.GetCurNpuArch() == NpuArch::DAV_2201 && b1.GetCoreNumVector() == 0);
    CHECK(b1.GetLibApiWorkSpaceSize() == 16777216);
    uint64_t size = 0;
    b1.GetCoreMemSize(platform_ascendc::CoreMemType::UB, size);
    CHECK(size == 196608 - 256);
    b1.GetCoreMemSize(platform_ascendc::CoreMemType::L0_C, size);
    CHECK(size == 131072);
    b1.ReserveLocalMemory(platform_ascendc::ReservedSize::RESERVED_SIZE_8K);
    b1.GetCoreMemSize(platform_ascendc::CoreMemType::UB, size);
    CHECK(size == 196608 - 256 - 8192);
    CHECK(b1.CalcTschBlockDim(5, 24, 48) == 3 && b1.CalcTschBlockDim(49, 24, 48) == 0);
    CHECK(b1.CalcTschBlockDim(5, 0, 48) == 5);
    platform_ascendc::PlatformAscendC b4(sim_platform_infos("Ascend910B4"));
    CHECK(b4.GetCoreNumAic() == 20 && b4.GetCoreNumAiv() == 40);
    platform_ascendc::PlatformAscendC a3(sim_platform_infos("Ascend910_9391"));
    CHECK(a3.GetSocVersion() == platform_ascendc::SocVersion::ASCEND910B);
    platform_ascendc::PlatformAscendC p3(sim_platform_infos("Ascend310P3"));
    p3.GetCoreMemSize(platform_ascendc::CoreMemType::UB, size);
    CHECK(size == 262144 && p3.GetCoreNumAic() == 8 && p3.GetCoreNumVector() == 7);
    CHECK(p3.GetLibApiWorkSpaceSize() == 2 * 1024 * 1024);
    return 0;
}

int main() { return Shapes() | TilingBuffers() | Strings() | Platforms(); }
