/* A stand-in for libnvidia-ml.so.1: answers from a file that a test may rewrite at any moment.
 *
 * The file is named by FAKE_NVML; a line each:
 *   count N | init CODE | init_ms MS          GPUs, what nvmlInit gives, how long it takes
 *   error GPU CALL CODE | hang GPU CALL       for one GPU or * (nvmlInit and others of no GPU: *); a hang ends with its line
 *   set GPU NAME NUMBER                       a value other than the default
 *   field GPU ID TYPE CODE NUMBER             a field value; without a line it is not supported
 *   process GPU PID BYTES SM                  a compute process
 *   gone GPU                                  not counted: those after it move up
 *   xid SERIAL GPU NUMBER                     an event, given once
 * Structures are those of nvml.h; only what the helper uses is here, and two newer calls are left out on purpose.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MOST 4096
#define GPUS 16
enum { SUCCESS = 0, INVALID = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, TOO_SMALL = 7, TIMEOUT = 10 };

typedef struct { char word[6][80]; int words; } Line;
static Line lines[MOST];
static int line_count;
static struct timespec read_at;
static struct timespec changed;
static ino_t inode;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int handles[GPUS];
typedef int *Device;

static void reread(void) {
    struct timespec now;
    struct stat state;
    const char *path = getenv("FAKE_NVML");
    clock_gettime(CLOCK_MONOTONIC, &now);
    double since = (now.tv_sec - read_at.tv_sec) + (now.tv_nsec - read_at.tv_nsec) / 1e9;
    if (!path || (line_count && since < 0.005)) return;
    read_at = now;
    if (stat(path, &state)) return;
    if (state.st_ino == inode && !memcmp(&state.st_mtim, &changed, sizeof changed)) return;
    FILE *file = fopen(path, "r");
    if (!file) return;
    inode = state.st_ino;
    changed = state.st_mtim;
    char text[512];
    for (line_count = 0; line_count < MOST && fgets(text, sizeof text, file);) {
        Line *l = &lines[line_count];
        l->words = sscanf(text, "%79s %79s %79s %79s %79s %79s", l->word[0], l->word[1], l->word[2], l->word[3],
                          l->word[4], l->word[5]);
        if (l->words > 0) line_count++;
    }
    fclose(file);
}

static int names(const Line *l, int at, int gpu) {
    return !strcmp(l->word[at], "*") || (gpu >= 0 && atoi(l->word[at]) == gpu);
}

static const Line *find(const char *kind, int gpu, const char *name) {
    for (int i = 0; i < line_count; i++)
        if (!strcmp(lines[i].word[0], kind) && (!name || (names(&lines[i], 1, gpu) && !strcmp(lines[i].word[2], name))))
            return &lines[i];
    return NULL;
}

static double top(const char *kind, double otherwise) {
    pthread_mutex_lock(&lock);
    reread();
    const Line *l = find(kind, -1, NULL);
    double found = l ? atof(l->word[1]) : otherwise;
    pthread_mutex_unlock(&lock);
    return found;
}

/* What a call gives before it does anything: hangs, then an error. */
static int enter(int gpu, const char *call) {
    for (;;) {
        pthread_mutex_lock(&lock);
        reread();
        int hangs = find("hang", gpu, call) != NULL;
        const Line *l = find("error", gpu, call);
        if (!l) l = find("error", gpu, "all");
        int code = l ? atoi(l->word[3]) : 0;
        pthread_mutex_unlock(&lock);
        if (!hangs) return code;
        usleep(5000);
    }
}

static double value(int gpu, const char *name, double otherwise) {
    pthread_mutex_lock(&lock);
    const Line *l = find("set", gpu, name);
    double found = l ? atof(l->word[3]) : otherwise;
    pthread_mutex_unlock(&lock);
    return found;
}

static int gone(int gpu) {
    for (int i = 0; i < line_count; i++)
        if (!strcmp(lines[i].word[0], "gone") && names(&lines[i], 1, gpu)) return 1;
    return 0;
}

#define ENTER(device) \
    int gpu = (int)((device) - handles); \
    int code = enter(gpu, __func__); \
    if (code) return code
#define VALUE(name, otherwise) value(gpu, name, otherwise)

int nvmlInitWithFlags(unsigned flags) {
    (void)flags;
    int code = enter(-1, "nvmlInitWithFlags");
    usleep((unsigned)(top("init_ms", 0) * 1000));
    return code ? code : (int)top("init", 0);
}
int nvmlInit_v2(void) { return enter(-1, __func__); }
int nvmlShutdown(void) { return 0; }

int nvmlDeviceGetCount_v2(unsigned *count) {
    int code = enter(-1, __func__);
    if (code) return code;
    unsigned all = (unsigned)top("count", 1), left = 0;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < all; i++) left += !gone((int)i);
    pthread_mutex_unlock(&lock);
    *count = left;
    return SUCCESS;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, Device *device) {
    int all = (int)top("count", 1), gpu = -1;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < all && gpu < 0; i++)
        if (!gone(i) && index-- == 0) gpu = i;
    pthread_mutex_unlock(&lock);
    if (gpu < 0) return INVALID;
    int code = enter(gpu, __func__);
    if (!code) *device = &handles[gpu];
    return code;
}

int nvmlDeviceGetUUID(Device d, char *text, unsigned size) { ENTER(d); snprintf(text, size, "GPU-%04d", gpu); return 0; }
int nvmlDeviceGetName(Device d, char *text, unsigned size) { ENTER(d); snprintf(text, size, "Fake H100 no %d", gpu); return 0; }

int nvmlDeviceGetUtilizationRates(Device d, unsigned *both) {
    ENTER(d);
    both[0] = (unsigned)VALUE("gpu", 50 + gpu);
    both[1] = (unsigned)VALUE("mem", 20 + gpu);
    return 0;
}

typedef struct { unsigned version; unsigned long long total, reserved, free, used; } Memory2;
int nvmlDeviceGetMemoryInfo_v2(Device d, Memory2 *memory) {
    ENTER(d);
    if (memory->version != (sizeof(Memory2) | 2u << 24)) return 25;
    memory->total = 80ull << 30;
    memory->used = (unsigned long long)VALUE("used", 1e9 * (gpu + 1));
    return 0;
}
int nvmlDeviceGetMemoryInfo(Device d, unsigned long long *memory) {
    ENTER(d);
    memory[0] = 80ull << 30;
    memory[2] = (unsigned long long)VALUE("used", 1e9 * (gpu + 1)) + (1 << 20);
    return 0;
}

#define UNSIGNED(call, name, otherwise) \
    int call(Device d, unsigned *out) { ENTER(d); *out = (unsigned)VALUE(name, otherwise); return 0; }
UNSIGNED(nvmlDeviceGetPowerUsage, "power", 300000 + 1000 * gpu)
UNSIGNED(nvmlDeviceGetEnforcedPowerLimit, "limit", 700000)
UNSIGNED(nvmlDeviceGetFanSpeed, "fan", 40 + gpu)
UNSIGNED(nvmlDeviceGetPcieReplayCounter, "replays", gpu)
UNSIGNED(nvmlDeviceGetCurrPcieLinkWidth, "width", 16)
UNSIGNED(nvmlDeviceGetMaxPcieLinkWidth, "maxwidth", 16)
UNSIGNED(nvmlDeviceGetCurrPcieLinkGeneration, "gen", 5)

int nvmlDeviceGetTemperature(Device d, unsigned sensor, unsigned *out) {
    ENTER(d);
    if (sensor) return INVALID;
    *out = (unsigned)VALUE("temperature", 40 + gpu);
    return 0;
}
typedef struct { unsigned version; int margin; } Margin;
int nvmlDeviceGetMarginTemperature(Device d, Margin *out) {
    ENTER(d);
    if (out->version != (sizeof(Margin) | 1u << 24)) return 25;
    out->margin = (int)VALUE("margin", 47 - gpu);
    return 0;
}
int nvmlDeviceGetTemperatureThreshold(Device d, unsigned which, unsigned *out) {
    ENTER(d);
    *out = which == 1 ? 90 : 99;
    return 0;
}
int nvmlDeviceGetClockInfo(Device d, unsigned type, unsigned *out) {
    ENTER(d);
    *out = type == 1 ? (unsigned)VALUE("clock", 990) : 1;
    return 0;
}
int nvmlDeviceGetMaxClockInfo(Device d, unsigned type, unsigned *out) { ENTER(d); *out = type == 1 ? 1980 : 1; return 0; }

typedef struct { unsigned id, scope; int64_t at, latency; unsigned type, code; union { double d; uint64_t u; } value; } Field;
int nvmlDeviceGetFieldValues(Device d, int count, Field *fields) {
    ENTER(d);
    pthread_mutex_lock(&lock);
    for (Field *f = fields; f < fields + count; f++) {
        f->code = NOT_SUPPORTED;
        for (int i = 0; i < line_count; i++) {
            Line *l = &lines[i];
            if (strcmp(l->word[0], "field") || !names(l, 1, gpu) || (unsigned)atoi(l->word[2]) != f->id) continue;
            f->type = (unsigned)atoi(l->word[3]);
            f->code = (unsigned)atoi(l->word[4]);
            if (f->type) f->value.u = strtoull(l->word[5], NULL, 10);
            else f->value.d = atof(l->word[5]);
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

#define LONG(call, name, otherwise) \
    int call(Device d, unsigned long long *out) { ENTER(d); *out = (unsigned long long)VALUE(name, otherwise); return 0; }
LONG(nvmlDeviceGetCurrentClocksEventReasons, "reasons", 1)
LONG(nvmlDeviceGetTotalEnergyConsumption, "energy", 5e6 + gpu)
int nvmlDeviceGetTotalEccErrors(Device d, unsigned type, unsigned counter, unsigned long long *out) {
    ENTER(d);
    *out = type == 1 && counter == 0 ? (unsigned long long)VALUE("ecc", 0) : 77;
    return 0;
}
int nvmlDeviceGetRemappedRows(Device d, unsigned *one, unsigned *two, unsigned *pending, unsigned *failed) {
    ENTER(d);
    *one = (unsigned)VALUE("remapped", 0);
    *two = 1;
    *pending = (unsigned)VALUE("pending", 0);
    *failed = 0;
    return 0;
}
int nvmlDeviceGetNvLinkState(Device d, unsigned link, unsigned *out) {
    ENTER(d);
    if (link >= 18) return INVALID;
    *out = link < (unsigned)VALUE("links", 18);
    return 0;
}
typedef struct { unsigned version; unsigned char uuid[16]; int status; unsigned clique; unsigned char state; unsigned health; } Fabric;
int nvmlDeviceGetGpuFabricInfoV(Device d, Fabric *out) {
    ENTER(d);
    if (out->version != (sizeof(Fabric) | 2u << 24)) return 25;
    memset(&out->state, 0xAA, 4); /* the three bytes after the state are anything */
    out->state = (unsigned char)VALUE("fabric", 3);
    return 0;
}
int nvmlDeviceGetMigMode(Device d, unsigned *now, unsigned *later) { ENTER(d); *now = *later = (unsigned)VALUE("mig", 0); return 0; }
int nvmlDeviceGetP2PStatus(Device d, Device other, unsigned index, unsigned *out) {
    ENTER(d);
    (void)other;
    *out = index == 0 ? (unsigned)VALUE("p2p", 0) : index == 2 ? (unsigned)VALUE("nvlinked", 0) : 9;
    return 0;
}

typedef struct { unsigned pid; unsigned long long used; unsigned instance, compute; } Process;
int nvmlDeviceGetComputeRunningProcesses_v3(Device d, unsigned *count, Process *out) {
    ENTER(d);
    unsigned room = *count, found = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < line_count; i++) {
        Line *l = &lines[i];
        if (strcmp(l->word[0], "process") || !names(l, 1, gpu)) continue;
        if (found < room) out[found] = (Process){(unsigned)atoi(l->word[2]), strtoull(l->word[3], NULL, 10), 0, 0};
        found++;
    }
    pthread_mutex_unlock(&lock);
    *count = found;
    return found > room ? TOO_SMALL : 0;
}
int nvmlDeviceGetMPSComputeRunningProcesses_v3(Device d, unsigned *count, Process *out) {
    ENTER(d);
    unsigned room = *count;
    *count = (unsigned)VALUE("mps", 0);
    if (*count > room) return TOO_SMALL;
    for (unsigned i = 0; i < *count; i++) out[i] = (Process){1000 + i, 0, 0, 0};
    return 0;
}
typedef struct { unsigned pid; unsigned long long at; unsigned sm, mem, enc, dec; } Sample;
int nvmlDeviceGetProcessUtilization(Device d, Sample *out, unsigned *count, unsigned long long since) {
    ENTER(d);
    unsigned room = *count, found = 0;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    unsigned long long us = (unsigned long long)now.tv_sec * 1000000 + (unsigned long long)now.tv_nsec / 1000;
    pthread_mutex_lock(&lock);
    for (int i = 0; us > since && i < line_count; i++) {
        Line *l = &lines[i];
        if (strcmp(l->word[0], "process") || !names(l, 1, gpu) || l->words < 5) continue;
        if (found < room) out[found] = (Sample){(unsigned)atoi(l->word[2]), us, (unsigned)atoi(l->word[4]), 0, 0, 0};
        found++;
    }
    pthread_mutex_unlock(&lock);
    *count = found;
    return !found ? NOT_FOUND : found > room ? TOO_SMALL : 0;
}

typedef struct { unsigned id, code; double value; const char *names[3]; } Metric;
typedef struct { unsigned version, count; int *one, *two; Metric metrics[]; } Metrics;
typedef struct { unsigned version, supported; } Support;
int nvmlGpmQueryDeviceSupport(Device d, Support *out) { ENTER(d); out->supported = VALUE("gpm", 1) > 0; return 0; }
int nvmlGpmSampleAlloc(int **sample) { *sample = calloc(1, sizeof(int)); return 0; }
int nvmlGpmSampleFree(int *sample) { free(sample); return 0; }
int nvmlGpmSampleGet(Device d, int *sample) { ENTER(d); *sample = 100 + gpu; return 0; }
int nvmlGpmMetricsGet(Metrics *question) {
    if (*question->one < 100 || *question->two < 100) return INVALID;
    int gpu = *question->two - 100;
    for (Metric *m = question->metrics; m < question->metrics + question->count; m++) {
        m->code = 0;
        m->value = m->id + gpu;
    }
    return 0;
}

typedef struct { Device device; unsigned long long type, data; unsigned instance, compute; } Event;
static int events_of[GPUS], given;
int nvmlEventSetCreate(int **set) { int code = enter(-1, __func__); if (!code) *set = calloc(1, sizeof(int)); return code; }
int nvmlDeviceRegisterEvents(Device d, unsigned long long types, int *set) {
    ENTER(d);
    (void)set;
    events_of[gpu] = types == 8;
    return 0;
}
int nvmlEventSetWait_v2(int *set, Event *event, unsigned timeout_ms) {
    (void)set;
    for (unsigned waited = 0;; waited += 100) {
        int code = enter(-1, __func__), found = 0;
        if (code) return code;
        pthread_mutex_lock(&lock);
        for (int i = 0; i < line_count && !found; i++) {
            Line *l = &lines[i];
            if (strcmp(l->word[0], "xid") || atoi(l->word[1]) <= given || !events_of[atoi(l->word[2])]) continue;
            given = atoi(l->word[1]);
            *event = (Event){&handles[atoi(l->word[2])], 8, strtoull(l->word[3], NULL, 10), 0, 0};
            found = 1;
        }
        pthread_mutex_unlock(&lock);
        if (found) return 0;
        if (waited >= timeout_ms) return TIMEOUT;
        usleep(100000);
    }
}
