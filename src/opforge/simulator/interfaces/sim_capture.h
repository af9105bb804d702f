// Graph capture (aclmdlRICaptureBegin): how the parts of the simulator that do work on a stream hand it to a graph
// instead. libascendcl.so exports these functions; nnopbase and the ATen library call them.
#ifndef OPFORGE_SIM_CAPTURE_H
#define OPFORGE_SIM_CAPTURE_H

#ifdef __cplusplus
extern "C" {
#endif

// A piece of work that a graph runs at each replay. It owns `context`, which holds copies of everything that the work
// needs except the contents of device memory.
typedef struct sim_task {
    const char* name;           // for messages: "VectorAdd", "aten::add"
    int (*run)(void* context);  // an aclError; on failure the message is left for aclGetRecentErrMsg
    void (*forget)(void* context);
    void* context;
} sim_task;

// Whether any stream is captured: 1 or 0. Cheap, for those who then look for their stream.
int sim_captures_anything(void);

// Whether calls on the stream are recorded for a graph: 1 or 0.
int sim_stream_captures(void* stream);

// Gives the task to the graph that captures the stream, at the end. Fails, and forgets the task, where an earlier call
// has made the capture invalid.
int sim_capture_record(void* stream, const sim_task* task);

// Refuses work on a captured stream: the capture is invalid from now on. Returns `code`; the message is left for
// aclGetRecentErrMsg.
int sim_capture_refuse(void* stream, int code, const char* message);

// Whether this thread may call `function`, which copies or sets memory at once: 0, or the code with a message.
int sim_capture_check_copy(const char* function);

// Whether an address is host memory of aclrtMallocHost, which copies on a captured stream need: 1 or 0.
int sim_is_pinned(const void* address);

#ifdef __cplusplus
}
#endif
#endif
