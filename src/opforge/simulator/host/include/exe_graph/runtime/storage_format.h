// gert::StorageFormat lives with the tensor it describes.
#ifndef OPFORGE_EXE_GRAPH_STORAGE_FORMAT_H
#define OPFORGE_EXE_GRAPH_STORAGE_FORMAT_H
#include "exe_graph/runtime/tensor.h"
#endif
