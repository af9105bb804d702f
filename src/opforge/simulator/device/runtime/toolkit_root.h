// Where this toolkit lies, found from the library's own place: the toolkit can be moved as a whole.
#pragma once

#include <string>

namespace sim {

// The directory that holds lib64/, bin/ and data/. No trailing slash.
const std::string& ToolkitRoot();

}  // namespace sim
