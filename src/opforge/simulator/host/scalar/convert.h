// Converting one scalar between element types, as the runtime does for Scalar().To(type) and InitValue.
#ifndef OPFORGE_HOST_SCALAR_CONVERT_H
#define OPFORGE_HOST_SCALAR_CONVERT_H

#include "graph/types.h"

namespace scalar {

// Writes value, of type from, as type to (at most 8 bytes). Floats round to nearest even; a float becomes an integer
// by truncation and saturation. False where either type is not a plain number.
bool Convert(const void* value, ge::DataType from, ge::DataType to, void* result);

}  // namespace scalar
#endif
