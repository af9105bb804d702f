// gert::TilingContext: what a tiling function reads and sets. Page: "TilingContext".
#ifndef OPFORGE_EXE_GRAPH_TILING_CONTEXT_H
#define OPFORGE_EXE_GRAPH_TILING_CONTEXT_H

#include <type_traits>

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/stride.h"
#include "exe_graph/runtime/tiling_data.h"

namespace fe {
class PlatFormInfos;
}

namespace gert {

class __attribute__((visibility("default"))) TilingContext : public ExtendedKernelContext {
public:
    explicit TilingContext(sim_host::ContextData* data) : ExtendedKernelContext(data) {}

    const StorageShape* GetInputShape(size_t index) const;
    const StorageShape* GetRequiredInputShape(size_t ir_index) const;
    const StorageShape* GetOptionalInputShape(size_t ir_index) const;
    const StorageShape* GetDynamicInputShape(size_t ir_index, size_t relative_index) const;
    const Tensor* GetInputTensor(size_t index) const;
    const Tensor* GetRequiredInputTensor(size_t ir_index) const;
    const Tensor* GetOptionalInputTensor(size_t ir_index) const;
    const Tensor* GetDynamicInputTensor(size_t ir_index, size_t relative_index) const;
    const StorageShape* GetOutputShape(size_t index) const;

    fe::PlatFormInfos* GetPlatformInfo() const;
    template <typename T>
    const T* GetCompileInfo() const {
        return static_cast<const T*>(CompileInfo());
    }
    const void* GetCompileInfo() const { return CompileInfo(); }
    int32_t GetDeterministic() const { return 0; }
    int32_t GetDeterministicLevel() const { return 0; }

    // Of inputs with IgnoreContiguous, which reach the kernel as the views they are. Null, or false, for the others.
    const Stride* GetInputStride(size_t index) const;
    const Stride* GetRequiredInputStride(size_t ir_index) const;
    const Stride* GetOptionalInputStride(size_t ir_index) const;
    const Stride* GetDynamicInputStride(size_t ir_index, size_t relative_index) const;
    bool InputIsView(size_t index) const;
    bool RequiredInputIsView(size_t ir_index) const;
    bool OptionalInputIsView(size_t ir_index) const;
    bool DynamicInputIsView(size_t ir_index, size_t relative_index) const;

    ge::graphStatus SetTilingKey(uint64_t key);
    uint64_t GetTilingKey() const;
    ge::graphStatus SetBlockDim(uint32_t block_dim);
    uint32_t GetBlockDim() const;
    // CANN 9's name for the same.
    ge::graphStatus SetSimdNumBlocks(uint32_t blocks) { return SetBlockDim(blocks); }
    uint32_t GetSimdNumBlocks() const { return GetBlockDim(); }
    ge::graphStatus SetNeedAtomic(bool atomic);
    bool NeedAtomic() const;
    // Bytes of the unified buffer that SIMT code needs; taken and kept, there is none on these SoCs.
    ge::graphStatus SetLocalMemorySize(uint32_t bytes);
    uint32_t GetLocalMemorySize() const;
    // For the part of an op on the AI CPU, of which the simulator has none.
    ge::graphStatus SetAicpuBlockDim(uint32_t blocks);
    uint32_t GetAicpuBlockDim() const;
    ge::graphStatus SetScheduleMode(uint32_t mode);
    uint32_t GetScheduleMode() const;
    ge::graphStatus SetTilingCond(int32_t condition);
    int32_t GetTilingCond() const;

    // The buffer taken as T, its data size set to that of T; null where T is larger than the buffer.
    template <typename T>
    T* GetTilingData() {
        TilingData* raw = GetRawTilingData();
        if (raw == nullptr || raw->GetCapacity() < sizeof(T)) {
            return nullptr;
        }
        raw->SetDataSize(sizeof(T));
        T* data = static_cast<T*>(raw->GetData());
        ClearPadding(data, std::is_trivially_copyable<T>());
        return data;
    }
    TilingData* GetRawTilingData();
    // count sizes in bytes, to be filled in; null above 64. The kernel gets one buffer of their sum.
    size_t* GetWorkspaceSizes(size_t count);
    size_t GetWorkspaceNum() const;

private:
    // Nobody writes the bytes between the members; what is found unwritten is a member then.
    template <typename T>
    static void ClearPadding(T* data, std::true_type) {
#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
        __builtin_clear_padding(data);
#endif
#endif
        (void)data;
    }
    template <typename T>
    static void ClearPadding(T*, std::false_type) {}
    const void* CompileInfo() const;
};

}  // namespace gert
#endif
