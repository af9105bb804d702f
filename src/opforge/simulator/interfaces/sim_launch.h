// The one contract between the three halves of a simulated launch:
//   nnopbase  (host/)    fills a sim_launch in aclnn's second phase,
//   ascendcl  (device/)  carries it to the device worker process,
//   ascendc_sim (kernel/) runs it there and reports what the hardware would have refused.
// Plain C: the three are built apart, and Python's ctypes calls the engine directly in tests.
#ifndef OPFORGE_SIM_LAUNCH_H
#define OPFORGE_SIM_LAUNCH_H

#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a region is to the kernel.
enum {
    SIM_REGION_MEMORY = 0,     // anything: a description of a list, an output that is written in part
    SIM_REGION_INPUT = 1,      // has values; writable where the op is in place
    SIM_REGION_OUTPUT = 2,     // the kernel writes each byte of it
    SIM_REGION_SHAPED = 3,     // an output, as much of it as the kernel says (OutputShapeDependOnCompute)
    SIM_REGION_WORKSPACE = 4,  // holds nothing before the kernel writes there
    SIM_REGION_COPY = 5,       // the elements of a strided input side by side: nobody sees what is written there
    SIM_REGION_GIVEN = 6,      // an allocation that a launch without signature names: input, output or workspace
};
// A stretch of global memory the kernel was given. Every GM access must stay inside one region.
typedef struct sim_region {
    uint64_t addr;  // device address (mapped at the same address in the worker)
    uint64_t bytes;
    uint32_t writable;  // 0: input, tiling data; 1: output, workspace
    const char* name;   // the argument's name in the spec or OpDef, for messages
    uint32_t role;      // SIM_REGION_*
    uint32_t element;   // bytes of an element; 0: none in particular
    // The tensor's storage, which other tensors may have parts of; 0 bytes: not known.
    uint64_t storage;
    uint64_t storage_bytes;
} sim_region;

// What the kernel engine must know of the SoC. Filled from data/platform_config/<SoC>.ini of the toolkit.
typedef struct sim_soc {
    char name[32];          // "Ascend910B1"
    char short_name[32];    // "ascend910b"
    uint32_t cube_cores;    // AIC
    uint32_t vector_cores;  // AIV
    uint64_t ub_bytes;      // unified buffer per vector core
    uint64_t l1_bytes;
    uint64_t l0a_bytes;
    uint64_t l0b_bytes;
    uint64_t l0c_bytes;
    uint32_t queue_buffers;  // most buffers per TPosition over all queues (8 on A2/A3, 4 on 310P)
} sim_soc;

// How much of what hardware refuses is looked for: $OPFORGE_SIM_CHECKS=fast, full (the default) or off.
enum {
    SIM_CHECKS_FAST = 0,  // bounds, alignment, limits, queues, deadlocks
    SIM_CHECKS_ALL = 1,   // and the order of pipes and cores, undefined bytes, the scalar cache
    SIM_CHECKS_OFF = 2    // only what protects the process: bounds
};
// What $OPFORGE_SIM_CHECKS says; -1 for a value that means nothing. "all" is an older word for full.
static inline int sim_checks_named(const char* text) {
    if (text == 0 || *text == '\0' || strcmp(text, "full") == 0 || strcmp(text, "all") == 0) {
        return SIM_CHECKS_ALL;
    }
    return strcmp(text, "fast") == 0 ? SIM_CHECKS_FAST : strcmp(text, "off") == 0 ? SIM_CHECKS_OFF : -1;
}

// What becomes of a kernel that breaks a rule which devices do not enforce: $OPFORGE_SIM_RULES=documented or device.
enum {
    SIM_RULES_DOCUMENTED = 0,  // it is refused
    SIM_RULES_DEVICE = 1       // it goes on as on a device, with a warning
};
// What $OPFORGE_SIM_RULES says; -1 for a value that means nothing, `otherwise` where it says nothing.
static inline int sim_rules_named(const char* text, int otherwise) {
    if (text == 0 || *text == '\0') {
        return otherwise;
    }
    return strcmp(text, "documented") == 0 ? SIM_RULES_DOCUMENTED : strcmp(text, "device") == 0 ? SIM_RULES_DEVICE : -1;
}

// A rule that this launch may break, as opforge.yaml's `simulator: {allow: ...}` says.
typedef struct sim_allow {
    const char* rule;  // its id; "": any that devices do not enforce
    const char* file;  // the end of the path of the kernel's source; "": any
    uint32_t warn;     // 1: with a warning, 0: without a word
} sim_allow;

// Whether messages say what to write into an opforge.yaml.
enum {
    SIM_PROJECT_NONE = 0,
    SIM_PROJECT_PLAIN = 1,     // the op is of a package
    SIM_PROJECT_SIMULATOR = 2  // and its opforge.yaml has `simulator` already
};

// What sim_kernel_type(tiling_key) of a kernel object returns: of which cores a block is made.
enum {
    SIM_KERNEL_AIV_ONLY = 0,     // one AIV
    SIM_KERNEL_AIC_ONLY = 1,     // one AIC
    SIM_KERNEL_MIX_AIC_1_1 = 2,  // one AIC and one AIV
    SIM_KERNEL_MIX_AIC_1_2 = 3,  // one AIC and two AIVs
    SIM_KERNEL_MIX_AIV_1_0 = 4,  // one AIV, and the hardware's flags between blocks
    SIM_KERNEL_MIX_AIC_1_0 = 5,  // one AIC, and the hardware's flags between blocks
    // Coupled cores (ascend310p), which have a vector and a cube unit:
    SIM_KERNEL_AICORE = 6,          // one AI Core
    SIM_KERNEL_MIX_VECTOR_CORE = 8  // one AI Core or Vector Core
};
// And for a key that a template kernel (ASCENDC_TPL_SEL) was not compiled for:
#define SIM_KERNEL_NOT_SELECTED 0xFFFFFFFEu

typedef struct sim_launch {
    const char* op_type;      // "VectorAdd"
    const char* object_path;  // the kernel's shared object; exports sim_kernel_entry and sim_kernel_type
    uint32_t block_dim;       // SetBlockDim's value: blocks as the kernel type has them
    uint64_t tiling_key;
    uint32_t checks;   // SIM_CHECKS_*
    uint32_t threads;  // host threads to run blocks on; 0: as many as the machine has
    const sim_soc* soc;
    uint32_t arg_count;  // kernel arguments in order: inputs, outputs, (shapes,) workspace, tiling
    const uint64_t* args;
    uint32_t region_count;  // regions for everything in args but the tiling data
    const sim_region* regions;
    const void*
        tiling;  // host bytes; the engine passes its own copy as the last argument, whose args[] entry is ignored
    uint64_t tiling_bytes;
    // NULL, or for each byte of the tiling data whether the tiling function has written it.
    const unsigned char* tiling_set;
    // 1: <<<>>>'s blocks, which may be more than there are cores unless they wait for each other.
    uint32_t logical_blocks;
    // All memory of the device, where raw pointers of the kernel are looked at; 0 bytes: only inside of the regions.
    uint64_t gm_begin;
    uint64_t gm_bytes;
    uint32_t rules;  // SIM_RULES_*
    uint32_t allow_count;
    const sim_allow* allow;
    uint32_t project;  // SIM_PROJECT_*
} sim_launch;

// The kernel object's entry, written by asc_opc: calls the kernel function with args[0..n).
typedef void (*sim_kernel_entry_fn)(const uint64_t* args);

// The pipes of a core.
enum { SIM_PIPE_S, SIM_PIPE_V, SIM_PIPE_MTE1, SIM_PIPE_MTE2, SIM_PIPE_MTE3, SIM_PIPE_M, SIM_PIPE_FIX, SIM_PIPES };

// The memories of a core whose use is counted.
enum { SIM_MEMORY_UB, SIM_MEMORY_L1, SIM_MEMORY_L0A, SIM_MEMORY_L0B, SIM_MEMORY_L0C, SIM_MEMORIES };

// What one core did in a launch; kernel/README.md says what counts.
typedef struct sim_core_counts {
    uint32_t cube;   // 1: an AIC, 0: an AIV, 2: an AI Core with both units
    uint32_t block;  // and which core of that kind in the block
    uint32_t sub;
    uint64_t gm_read;  // bytes
    uint64_t gm_written;
    uint64_t vector_elements;     // results of the vector unit
    uint64_t macs;                // multiplications with an addition of the cube unit
    uint64_t instructions;        // of the vector, cube and transfer pipes
    uint64_t peak[SIM_MEMORIES];  // bytes allocated at once
    // By the model of time, if sim_counts asks for it; in cycles:
    uint64_t busy[SIM_PIPES];
    uint64_t span;      // from the start to the end of the last instruction; 0 without full checks
    uint64_t crossed;   // bytes of sectors of global memory that rows touch because they are not aligned
    uint64_t bypassed;  // bytes of gm_read that the kernel keeps out of the L2 cache
} sim_core_counts;

// What somebody asks of a launch beside its outcome.
typedef struct sim_counts {
    sim_core_counts* cores;  // room for `capacity`; block_dim times three is always enough
    uint32_t capacity;
    uint32_t count;  // how many cores the launch had
    char* defect;    // NULL, or room for what a launch that failed says as one line of JSON, NUL-terminated
    uint64_t defect_capacity;
    // NULL, or what takes the time line of a launch that ended well: one line of JSON, by estimates, with full checks
    // only.
    void (*trace)(void* context, const char* line, uint64_t bytes);
    void* trace_context;
    // NULL, or what takes a warning at once, on the thread that runs the kernel: a text for people, and the same as one
    // line of JSON.
    void (*warn)(void* context, const char* text, uint64_t text_bytes, const char* line, uint64_t line_bytes);
    void* warn_context;
    // Not 0: how long the kernel takes on hardware is estimated, and these are filled: bytes of global memory that any
    // core has touched, each once.
    uint64_t timed;
    uint64_t gm_read_once;
    uint64_t gm_written_once;
} sim_counts;

// Runs every block. 0 on success, else an aclError of the kind the hardware reports (507015 AI Core exception,
// 507035 vector core exception, 507014 timeout); report then holds a NUL-terminated message that names
// op, block, file:line, rule and numbers. `counts` is filled on success; NULL where nobody asks. Never throws, never
// exits.
int sim_engine_run(const sim_launch* launch, sim_kernel_entry_fn entry, char* report, uint64_t report_capacity,
                   sim_counts* counts);

// Where each core of the launch that runs in this process is, a line for each behind a line feed: for one that has run
// for too long. From a thread that runs no kernel; the launch does not go on afterwards, so the process is to end.
void sim_engine_standing(char* text, uint64_t capacity);

// For a process that will have no right to start programs: starts a helper process, which ends with this one and runs
// addr2line for reports. To be called while the process has one thread. 0, or an errno value; reports then lack the way
// through the kernel's functions.
int sim_engine_before_sandbox(void);

// ---- exported by libascendcl.so, for nnopbase --------------------------------------------------------------

// Runs a launch on the current device's worker and waits for it. Returns as sim_engine_run; the message is left for
// aclGetRecentErrMsg. A worker that crashed is reported (signal, op) and replaced.
int sim_device_launch(const sim_launch* launch);

// The host's own view of a device address, or NULL if the address is not device memory. Host code of the runtime only.
void* sim_host_view(const void* device_address);

// Sets what aclGetRecentErrMsg returns next on this thread.
void sim_set_error_message(const char* message);

// The SoC this process simulates ($OPFORGE_SOC, default Ascend910B1), read from the toolkit's platform_config. Never
// NULL.
const sim_soc* sim_current_soc(void);

// For leak tests, over all devices: how many of a kind ("device_allocation", "device_bytes", "stream", "event") this
// process has and has not given back; -1 for a kind that does not exist.
int64_t opforgeSimLiveDevice(const char* kind);

#ifdef __cplusplus
}
#endif
#endif
