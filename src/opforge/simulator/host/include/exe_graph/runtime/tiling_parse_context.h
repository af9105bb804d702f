// gert::TilingParseContext: prepares an op's compile info once. Page: "TilingParse" of OpImplRegister.
#ifndef OPFORGE_EXE_GRAPH_TILING_PARSE_CONTEXT_H
#define OPFORGE_EXE_GRAPH_TILING_PARSE_CONTEXT_H

#include "exe_graph/runtime/extended_kernel_context.h"

namespace fe {
class PlatFormInfos;
}

namespace gert {

class __attribute__((visibility("default"))) TilingParseContext : public ExtendedKernelContext {
public:
    explicit TilingParseContext(sim_host::ContextData* data) : ExtendedKernelContext(data) {}
    fe::PlatFormInfos* GetPlatformInfo() const;
    // The op's JSON compile info; Ascend C ops have none.
    const char* GetCompiledJson() const { return "{}"; }
    template <typename T>
    T* GetCompiledInfo() {
        return static_cast<T*>(CompiledInfo());
    }

private:
    void* CompiledInfo() const;
};

}  // namespace gert
#endif
