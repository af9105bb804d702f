// libopapi.so: on a real system the built-in operators. Here it only brings libnnopbase, whose meta functions dlsym
// finds through it.
extern "C" __attribute__((visibility("default"))) int sim_opapi_built_in_operators() { return 0; }
