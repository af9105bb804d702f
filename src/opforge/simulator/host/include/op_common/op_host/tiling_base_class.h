// Ops::Base::TilingBaseClass: tiling in steps that an op's classes fill in, as operator repositories derive theirs.
// The steps and their order are those of the header that CANN installs under this name.
#ifndef OPFORGE_OP_COMMON_OP_HOST_TILING_BASE_CLASS_H
#define OPFORGE_OP_COMMON_OP_HOST_TILING_BASE_CLASS_H

#include <cstdint>
#include <string>

#include "exe_graph/runtime/tiling_context.h"
#include "graph/utils/type_utils.h"
#include "op_common/log/log.h"
#include "platform/soc_spec.h"
#include "tiling/platform/platform_ascendc.h"

#ifndef ASCENDC_EXTERN_C
#define ASCENDC_EXTERN_C
#endif

namespace Ops {
namespace Base {

struct AiCoreParams {
    uint64_t ubSize = 0;
    uint64_t numBlocks = 0;
    uint64_t aicNum = 0;
    uint64_t l1Size = 0;
    uint64_t l0aSize = 0;
    uint64_t l0bSize = 0;
    uint64_t l0cSize = 0;
};

struct CompileInfoCommon {
    uint32_t aivNum;
    uint32_t aicNum;
    uint64_t ubSize;
    uint64_t l1Size;
    uint64_t l0aSize;
    uint64_t l0bSize;
    uint64_t l0cSize;
    uint64_t l2CacheSize;
    int64_t coreNum;
    int32_t socVersion;
    uint32_t rsvd;
};

class TilingBaseClass {
public:
    explicit TilingBaseClass(gert::TilingContext* context) : context_(context) {}
    virtual ~TilingBaseClass() = default;

    // GRAPH_PARAM_INVALID: this class is not for these arguments, and another may be tried.
    ge::graphStatus DoTiling() {
        if (context_ == nullptr) {
            return ge::GRAPH_FAILED;
        }
        ge::graphStatus done = GetShapeAttrsInfo();
        done = done == ge::GRAPH_SUCCESS ? GetPlatformInfo() : done;
        if (done != ge::GRAPH_SUCCESS) {
            return done;
        }
        if (!IsCapable()) {
            return ge::GRAPH_PARAM_INVALID;
        }
        done = DoOpTiling();
        done = done == ge::GRAPH_SUCCESS ? DoLibApiTiling() : done;
        done = done == ge::GRAPH_SUCCESS ? GetWorkspaceSize() : done;
        done = done == ge::GRAPH_SUCCESS ? PostTiling() : done;
        if (done == ge::GRAPH_SUCCESS) {
            context_->SetTilingKey(GetTilingKey());
            DumpTilingInfo();
        }
        return done;
    }

    virtual void Reset(gert::TilingContext* context) { context_ = context; }

protected:
    virtual bool IsCapable() = 0;
    virtual ge::graphStatus GetPlatformInfo() = 0;
    virtual ge::graphStatus GetShapeAttrsInfo() = 0;
    virtual ge::graphStatus DoOpTiling() = 0;
    virtual ge::graphStatus DoLibApiTiling() = 0;
    virtual uint64_t GetTilingKey() const = 0;
    virtual ge::graphStatus GetWorkspaceSize() = 0;
    virtual ge::graphStatus PostTiling() = 0;
    virtual void DumpTilingInfo() {}

    // Blocks of a kernel on both kinds of cores, where `slices` is the work of the vector cores.
    static uint32_t CalcTschBlockDim(uint32_t slices, uint32_t aicCores, uint32_t aivCores) {
        if (aicCores == 0 || aivCores == 0 || aicCores > aivCores) {
            return slices;
        }
        const uint32_t ratio = aivCores / aicCores;
        return (slices + ratio - 1) / ratio;
    }

    template <typename T>
    std::string GetShapeDebugStr(const T& shape) const {
        return ToString(shape);
    }

    gert::TilingContext* context_ = nullptr;
    uint32_t numBlocks_ = 0;
    uint64_t workspaceSize_ = 0;
    uint64_t tilingKey_ = 0;
    AiCoreParams aicoreParams_;
};

}  // namespace Base
}  // namespace Ops
#endif
