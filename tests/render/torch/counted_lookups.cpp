// Linked into an adapter with --wrap: counts how often it looks for libraries and symbols.
#include <atomic>

extern "C" {
void* __real_dlopen(const char* path, int mode);
void* __real_dlsym(void* handle, const char* name);

static std::atomic<int> count{0};

void* __wrap_dlopen(const char* path, int mode) {
    ++count;
    return __real_dlopen(path, mode);
}
void* __wrap_dlsym(void* handle, const char* name) {
    ++count;
    return __real_dlsym(handle, name);
}
__attribute__((visibility("default"))) int counted_lookups() { return count; }
}
