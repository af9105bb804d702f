// libmspti: the profiler's tool interface, by CANN's names. Every subscription succeeds and no activity is ever
// reported, because the simulated device has no timeline of its own.
#define SIM_NO_ACTIVITY(name) \
    extern "C" __attribute__((visibility("default"))) int name(void) { return 0; }

SIM_NO_ACTIVITY(msptiSubscribe)
SIM_NO_ACTIVITY(msptiUnsubscribe)
SIM_NO_ACTIVITY(msptiActivityEnable)
SIM_NO_ACTIVITY(msptiActivityDisable)
SIM_NO_ACTIVITY(msptiActivityIsEnabled)
SIM_NO_ACTIVITY(msptiActivityRegisterCallbacks)
SIM_NO_ACTIVITY(msptiActivityFlushAll)
SIM_NO_ACTIVITY(msptiActivityGetNextRecord)
SIM_NO_ACTIVITY(msptiActivityPushExternalCorrelationId)
SIM_NO_ACTIVITY(msptiActivityPopExternalCorrelationId)
