// The arguments of an operator as its op_host sees them, for results whose shapes op_host computes.
#ifndef OPFORGE_HOST_SHAPES_H
#define OPFORGE_HOST_SHAPES_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>
#include <c10/util/Exception.h>

namespace opforge {

using HostShapes = std::vector<std::vector<int64_t>>;

// The shapes of an input: of one tensor, of several, or none.
inline void put(const at::Tensor& tensor, HostShapes* shapes) { shapes->push_back(tensor.sizes().vec()); }
inline void put(const std::vector<at::Tensor>& tensors, HostShapes* shapes) {
    for (const at::Tensor& tensor : tensors) {
        put(tensor, shapes);
    }
}

// Attributes, and values that the host reads. op_host has float where the dispatcher has double.
template <typename Given, typename Held>
void put(const Given& given, Held* held) {
    *held = static_cast<Held>(given);
}
template <typename Given, typename Held>
void put(const std::vector<Given>& given, std::vector<Held>* held) {
    held->assign(given.begin(), given.end());
}
inline void put(const c10::List<bool>& given, std::vector<bool>* held) { held->assign(given.begin(), given.end()); }

template <typename Given, typename Held>
void put(const std::optional<Given>& given, Held* held) {
    if (given.has_value()) {
        put(*given, held);
    }
}

// A list of tensors without data, one for each shape.
inline std::vector<at::Tensor> of_shapes(const at::Tensor& like, const HostShapes& shapes, at::ScalarType dtype) {
    std::vector<at::Tensor> made;
    made.reserve(shapes.size());
    for (const std::vector<int64_t>& shape : shapes) {
        for (const int64_t extent : shape) {
            TORCH_CHECK_VALUE(extent >= 0, "op_host gives a result an extent of ", extent);
        }
        made.push_back(like.new_empty(shape, dtype));
    }
    return made;
}

}  // namespace opforge

#endif  // OPFORGE_HOST_SHAPES_H
