// What the device's own standard library has, by the host's.
// Documentation: Utils-API/CPP标准库
#include "private.h"
#ifndef ASCENDC_SIM_STD_H
#define ASCENDC_SIM_STD_H

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace AscendC {
namespace Std {

using std::add_const;
using std::add_const_t;
using std::add_cv;
using std::add_cv_t;
using std::add_lvalue_reference;
using std::add_lvalue_reference_t;
using std::add_pointer;
using std::add_pointer_t;
using std::add_rvalue_reference;
using std::add_rvalue_reference_t;
using std::add_volatile;
using std::add_volatile_t;
using std::conditional;
using std::conditional_t;
using std::decay;
using std::decay_t;
using std::enable_if;
using std::enable_if_t;
using std::false_type;
using std::forward;
using std::get;
using std::ignore;
using std::index_sequence;
using std::integral_constant;
using std::is_array;
using std::is_array_v;
using std::is_base_of;
using std::is_base_of_v;
using std::is_const;
using std::is_const_v;
using std::is_convertible;
using std::is_convertible_v;
using std::is_floating_point;
using std::is_floating_point_v;
using std::is_integral;
using std::is_integral_v;
using std::is_pointer;
using std::is_pointer_v;
using std::is_reference;
using std::is_reference_v;
using std::is_same;
using std::is_same_v;
using std::is_void;
using std::is_void_v;
using std::make_index_sequence;
using std::make_tuple;
using std::move;
using std::remove_const;
using std::remove_const_t;
using std::remove_cv;
using std::remove_cv_t;
using std::remove_pointer;
using std::remove_pointer_t;
using std::remove_reference;
using std::remove_reference_t;
using std::remove_volatile;
using std::remove_volatile_t;
using std::tie;
using std::true_type;
using std::tuple;
using std::tuple_element;
using std::tuple_size;
using std::tuple_size_v;
using std::void_t;

// Of two values of one type. Documentation: Utils-API/CPP标准库/算法/max-267, min-268
template <typename T, typename U>
constexpr T max(const T& src0, const U& src1) {
    static_assert(std::is_same<T, U>::value, "Std::max: the operands have one data type (CPP标准库/算法/max)");
    return src0 < src1 ? src1 : src0;
}
template <typename T, typename U>
constexpr T min(const T& src0, const U& src1) {
    static_assert(std::is_same<T, U>::value, "Std::min: the operands have one data type (CPP标准库/算法/min)");
    return src1 < src0 ? src1 : src0;
}

}  // namespace Std
}  // namespace AscendC

#endif
