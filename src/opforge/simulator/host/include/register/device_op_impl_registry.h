// Tiling functions that run on the device, as graphs use them ("tiling sink"). A call of aclnn tiles on the host, by
// the function of the definition, so nothing is registered here. Public: metadef
// inc/external/register/device_op_impl_registry.h
#ifndef OPFORGE_REGISTER_DEVICE_OP_IMPL_REGISTRY_H
#define OPFORGE_REGISTER_DEVICE_OP_IMPL_REGISTRY_H

#include <functional>

#include "exe_graph/runtime/tiling_context.h"

namespace optiling {

using SinkTilingFunc = std::function<ge::graphStatus(gert::TilingContext* context)>;

class DeviceOpImplRegister {
public:
    DeviceOpImplRegister(const char*) {}
    DeviceOpImplRegister& Tiling(SinkTilingFunc) { return *this; }
};

}  // namespace optiling

#define DEVICE_IMPL_OP_OPTILING(optype)                                                            \
    static optiling::DeviceOpImplRegister __attribute__((unused)) g_deviceOpImplRegister##optype = \
        optiling::DeviceOpImplRegister(#optype)

#endif
