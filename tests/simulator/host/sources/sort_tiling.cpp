// Prints what the host is told about sorts. C++11, as op_host sources are built.
#include <cstdio>
#include <cstring>

#include "platform/platform_infos_def.h"
#include "tiling/tiling_api.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ProbeTilingData)
TILING_DATA_FIELD_DEF(int64_t, before);
TILING_DATA_FIELD_DEF_STRUCT(TopkTiling, topk);
END_TILING_DATA_DEF
REGISTER_TILING_DATA_CLASS(Probe, ProbeTilingData)
}  // namespace optiling

struct PlainProbe {
    int64_t before;
    AscendC::tiling::TopkTiling topk;
};

int main(int, char** arguments) {
    platform_ascendc::PlatformAscendC platform(sim_platform_infos(arguments[1]));
    for (int mode = 0; mode < 2; ++mode) {
        for (int inner = 31; inner <= 4160; inner += inner % 32 == 1 ? 30 : 1) {
            for (int outter = 0; outter < 4; ++outter) {
                for (unsigned bytes = 1; bytes <= 4; ++bytes) {
                    uint32_t most = 0;
                    uint32_t least = 0;
                    const AscendC::TopKMode topk = static_cast<AscendC::TopKMode>(mode);
                    const bool found = AscendC::GetTopKMaxMinTmpSize(platform, inner, outter, false, false, topk, true,
                                                                     bytes, most, least);
                    optiling::ProbeTilingData data;
                    PlainProbe plain = {};
                    const bool both =
                        AscendC::TopKTilingFunc(platform, inner, outter, 5, bytes, false, topk, true, data.topk) &&
                        AscendC::TopKTilingFunc(platform, inner, outter, 5, bytes, false, topk, true, plain.topk);
                    uint8_t saved[sizeof(PlainProbe)] = {};
                    data.SaveToBuffer(saved, sizeof(saved));
                    const bool same = data.GetDataSize() == sizeof(plain) && memcmp(saved, &plain, sizeof(plain)) == 0;
                    printf("%d %d %d %u %d %u %u %d %d %d %d\n", mode, inner, outter, bytes, found, least, most, both,
                           same, plain.topk.allDataSize, plain.topk.tmpLocalSize);
                }
            }
        }
    }
    for (unsigned bytes = 2; bytes <= 4; bytes += 2) {
        uint32_t most = 1;
        uint32_t least = 1;
        AscendC::GetArangeMaxMinTmpSize(most, least);
        printf("sort %u %u %u %u\n", bytes, AscendC::GetSortTmpSize(platform, 96, bytes),
               AscendC::GetConcatTmpSize(platform, 96, bytes), most + least);
    }
    return 0;
}
