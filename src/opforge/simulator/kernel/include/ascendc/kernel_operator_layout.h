// Shapes and strides of tensors as values.
// Documentation: SIMD-API/基础API/辅助数据结构/Layout
#ifndef ASCENDC_KERNEL_OPERATOR_LAYOUT_H
#define ASCENDC_KERNEL_OPERATOR_LAYOUT_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "sim/std.h"

namespace sim {

// The whole, or the element that the indices lead to: a further index is one inside the first one's element.
template <typename Tuple>
constexpr decltype(auto) ElementAt(Tuple& tuple) {
    return (tuple);
}
template <size_t first, size_t... rest, typename Tuple>
constexpr decltype(auto) ElementAt(Tuple& tuple) {
    return ElementAt<rest...>(AscendC::Std::get<first>(tuple));
}

}  // namespace sim

namespace AscendC {

template <typename... Shapes>
using Shape = Std::tuple<Shapes...>;
template <typename... Strides>
using Stride = Std::tuple<Strides...>;

template <typename... Ts>
constexpr Shape<Ts...> MakeShape(const Ts&... t) {
    return {t...};
}

template <typename... Ts>
constexpr Stride<Ts...> MakeStride(const Ts&... t) {
    return {t...};
}

template <typename ShapeType, typename StrideType>
struct Layout {
    constexpr Layout(const ShapeType& shape = {}, const StrideType& stride = {}) : shape_(shape), stride_(stride) {}

    constexpr decltype(auto) layout() { return *this; }
    constexpr decltype(auto) layout() const { return *this; }
    template <size_t... at>
    constexpr decltype(auto) GetShape() {
        return sim::ElementAt<at...>(shape_);
    }
    template <size_t... at>
    constexpr decltype(auto) GetShape() const {
        return sim::ElementAt<at...>(shape_);
    }
    template <size_t... at>
    constexpr decltype(auto) GetStride() {
        return sim::ElementAt<at...>(stride_);
    }
    template <size_t... at>
    constexpr decltype(auto) GetStride() const {
        return sim::ElementAt<at...>(stride_);
    }

private:
    ShapeType shape_;
    StrideType stride_;
};

template <typename ShapeType, typename StrideType>
constexpr auto MakeLayout(const ShapeType& shape, const StrideType& stride) {
    return Layout<ShapeType, StrideType>(shape, stride);
}

template <typename T>
struct is_layout : Std::false_type {};
template <typename ShapeType, typename StrideType>
struct is_layout<Layout<ShapeType, StrideType>> : Std::true_type {};

}  // namespace AscendC

#endif
