// REGIST_MATMUL_OBJ: names the kernel's Matmul objects and their tiling; on the cube core of a MIX kernel it computes
// for the vector cores and then leaves the kernel function.
// Documentation: SIMD-API/高阶API/矩阵计算/Matmul-Kernel侧接口/REGIST_MATMUL_OBJ
#ifndef ASCENDC_LIB_MATMUL_REGISTER_H
#define ASCENDC_LIB_MATMUL_REGISTER_H

#include "matmul_object.h"

namespace sim {

inline void MatmulRegisterAll(AscendC::TPipe*, const void*, Site) {}

template <class Object, class... Rest>
void MatmulRegisterAll(AscendC::TPipe* pipe, const void* workspace, Site site, Object& object, Rest&&... rest);

template <class Object, class Next, class... Rest>
void MatmulRegisterNext(AscendC::TPipe* pipe, const void* workspace, Site site, Object& object, Next& next,
                        Rest&&... rest) {
    if constexpr (std::is_convertible<Next, const TCubeTiling*>::value) {
        if (next != nullptr || Object::kNoTiling) {
            object.Init(next, pipe, site);
        }
        MatmulRegisterAll(pipe, workspace, site, rest...);
    } else {
        MatmulRegisterAll(pipe, workspace, site, next, rest...);
    }
}

template <class Object, class... Rest>
void MatmulRegisterAll(AscendC::TPipe* pipe, const void* workspace, Site site, Object& object, Rest&&... rest) {
    object.Register(pipe, workspace, site);
    if constexpr (sizeof...(rest) != 0) {
        MatmulRegisterNext(pipe, workspace, site, object, rest...);
    }
}

template <class Object, class... Rest>
constexpr bool MatmulInPlace(const Object&, Rest&&...) {
    return Object::kInPlace;
}

// True where the kernel function is to return.
template <class... Objects>
bool MatmulRegisterOrServe(Site site, AscendC::TPipe* pipe, const void* workspace, Objects&&... objects) {
    if (MatmulServe(MatmulInPlace(objects...), site)) {
        return true;
    }
    MatmulRegisterAll(pipe, workspace, site, objects...);
    return false;
}

// Ends with the scope of REGIST_MATMUL_OBJ: what the client then says to the cube core.
struct MatmulClientScope {
    MatmulClientScope() = default;
    MatmulClientScope(const MatmulClientScope&) = delete;
    MatmulClientScope& operator=(const MatmulClientScope&) = delete;
    ~MatmulClientScope() { MatmulLeave(); }
};

}  // namespace sim

#define REGIST_MATMUL_OBJ(tpipe, workspace, ...)                                        \
    if (sim::MatmulRegisterOrServe(sim::Site::Here(), tpipe, workspace, __VA_ARGS__)) { \
        return;                                                                         \
    }                                                                                   \
    sim::MatmulClientScope asMatmulClientScope
#define REGIST_MATMUL_OBJ_STATIC REGIST_MATMUL_OBJ
#define REGIST_CUBE_OBJ REGIST_MATMUL_OBJ

#endif
