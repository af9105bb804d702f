// The captures as aclmdlRI... functions begin, end and replay them.
#pragma once

#include <memory>

#include "capture.h"

namespace sim {

aclError BeginCapture(aclrtStream stream, int mode);
// Gives the finished graph; on failure the graph is gone, and the stream is an ordinary one again.
aclError EndCapture(aclrtStream stream, const Graph** result);
aclmdlRICaptureStatus CaptureStatus(aclrtStream stream, const Graph** graph);
// Sets this thread's mode and returns the one before.
int ExchangeMode(int mode);

// nullptr where the handle is not alive.
std::shared_ptr<Graph> FindGraph(const void* handle);
void DropGraph(const std::shared_ptr<Graph>& graph);

}  // namespace sim
