// The exact server in C, for what is beyond the one in Python (tests/load/exactserver): the same model, wire format and
// log for plain answers, at 116,000 tokens/s in less than a core. It has no scenarios, no TLS and no metrics.
//
//   cc -O2 -o exactserver tests/bench/exactserver.c
//   ./exactserver [--bound] [slots=256] [itl_ms=5] [itl_us_per_running=0] [prefill_ms=50] [prefill_us_per_token=0]
//
// Prints one line of JSON with its URL. Ends on SIGTERM, and with --bound when standard input closes. One thread. The
// memory of requests is kept for the log until `POST /admin {"clear": true}` with nothing under way.
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "exactbytes.h"

enum { MAX_FDS = 8192, IN_BYTES = 1 << 18, BATCH = 256 };

typedef struct Conn Conn;
typedef struct {
    int number, connection, nth, prompt_tokens, want, got, usage, chat;
    int64_t arrival_ns, arrival_mono, admitted_mono, ended_ns, due, *due_mono, *wrote_ns;
    const char *ended;
    Conn *conn;
    char base[256];
} Request;
struct Conn { int fd, number, requests; size_t came_len; char *came; Buffer going; Request *live; int64_t ns, mono; };
typedef struct { int64_t due; uint64_t order; Request *request; } Due;

static double slots = 256, itl_ms = 5, itl_us_per_running = 0, prefill_ms = 50, prefill_us_per_token = 0;
static struct { const char *name; double *value; } settings[] = {
    {"slots", &slots}, {"itl_ms", &itl_ms}, {"itl_us_per_running", &itl_us_per_running},
    {"prefill_ms", &prefill_ms}, {"prefill_us_per_token", &prefill_us_per_token}};
static Conn *conns[MAX_FDS];
static Request **requests, **queue;
static Due *heap;
static size_t n_requests, room_requests, n_heap, room_heap, queue_head, queue_tail, room_queue;
static int epoll_fd, listen_fd, running, most_running, n_conns, next_conn;
static uint64_t order;
static int64_t tokens;

static int64_t now_of(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

// ---- the heap of due tokens, and the schedule ----

static int before(Due a, Due b) { return a.due != b.due ? a.due < b.due : a.order < b.order; }

static void push(Request *request, int64_t due) {
    heap = grown(heap, &room_heap, n_heap + 1, sizeof *heap);
    size_t at = n_heap++;
    Due entry = {request->due = due, ++order, request};
    for (; at && before(entry, heap[(at - 1) / 2]); at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
    heap[at] = entry;
}

static Due pop(void) {
    Due first = heap[0], last = heap[--n_heap];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < n_heap; at = child) {
        if (child + 1 < n_heap && before(heap[child + 1], heap[child])) child++;
        if (!before(heap[child], last)) break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return first;
}

static void admit(int64_t moment) {
    while (queue_head < queue_tail && running < slots) {
        Request *request = queue[queue_head++];
        if (request->ended) continue;
        if (++running > most_running) most_running = running;
        request->admitted_mono = moment > request->arrival_mono ? moment : request->arrival_mono;
        double prefill = prefill_ms * 1e6 + prefill_us_per_token * 1e3 * request->prompt_tokens;
        push(request, request->admitted_mono + (int64_t)prefill);
    }
    if (queue_head == queue_tail) queue_head = queue_tail = 0;
}

static void end(Request *request, const char *how, int64_t mono) {
    int ran = request->admitted_mono != 0 && request->got < request->want;
    request->ended = how;
    request->ended_ns = now_of(CLOCK_REALTIME);
    request->conn->live = NULL;
    if (ran) { running--; admit(mono); }
}

// ---- bytes ----

static void watch(Conn *conn, int how, uint32_t also) {
    epoll_ctl(epoll_fd, how, conn->fd, &(struct epoll_event){EPOLLIN | EPOLLRDHUP | also, {.fd = conn->fd}});
}

static void hand_over(Conn *conn, const char *data, size_t len) {
    ssize_t sent = conn->going.len ? 0 : send(conn->fd, data, len, MSG_NOSIGNAL);
    if (sent < 0) sent = errno == EAGAIN ? 0 : (ssize_t)len;  // the end of a connection is seen where it is read
    if ((size_t)sent < len) {
        add(&conn->going, data + sent, len - sent);
        watch(conn, EPOLL_CTL_MOD, EPOLLOUT);
    }
}

static void chunk(Buffer *into, const char *format, ...) {
    char text[1024];
    va_list values;
    va_start(values, format);
    int len = say(text, sizeof text, format, values);
    va_end(values);
    addf(into, "%x\r\n%s\r\n", len, text);
}

static void text_chunk(Buffer *into, Request *request, const char *said, const char *finish) {
    const char *event = "data: {%s,'choices':[{'index':0,%s,'logprobs':null,'finish_reason':%s}]}\n\n";
    chunk(into, event, request->base, said, finish);
}

static void page(Conn *conn, int status, const char *body, size_t len) {
    Buffer answer = {0};
    addf(&answer, "HTTP/1.1 %d %s\r\nserver: exact\r\n", status, status == 200 ? "OK" : "Not Found");
    addf(&answer, "content-type: application/json\r\ncontent-length: %zu\r\n\r\n", len);
    add(&answer, body, len);
    hand_over(conn, answer.data, answer.len);
    free(answer.data);
}

static void token(Due due) {
    static Buffer out;
    Request *request = due.request;
    int64_t moment;
    out.len = 0;
    int last = request->got == request->want - 1;
    const char *text = request->chat ? "'delta':{'content':' tok'}" : "'text':' tok'";
    if (request->got == 0 && request->chat)
        text_chunk(&out, request, "'delta':{'role':'assistant','content':''}", "null");
    text_chunk(&out, request, text, last ? "'length'" : "null");
    moment = now_of(CLOCK_REALTIME);
    hand_over(request->conn, out.data, out.len);
    request->due_mono[request->got] = due.due;
    request->wrote_ns[request->got++] = moment;
    tokens++;
    if (!last) {
        push(request, due.due + (int64_t)(itl_ms * 1e6 + itl_us_per_running * 1e3 * running));
        return;
    }
    running--;
    admit(due.due);
    out.len = 0;
    if (request->usage) {
        int prompt = request->prompt_tokens, output = request->want;
        chunk(&out, "data: {%s,'choices':[],'usage':{'prompt_tokens':%d,'total_tokens':%d,'completion_tokens':%d}}\n\n",
              request->base, prompt, prompt + output, output);
    }
    chunk(&out, "data: [DONE]\n\n");
    addf(&out, "0\r\n\r\n");
    hand_over(request->conn, out.data, out.len);
    end(request, "done", due.due);
}

// ---- requests ----

static void take(Conn *conn, int chat, const char *body) {
    Request *request = calloc(1, sizeof *request);
    requests = grown(requests, &room_requests, n_requests + 1, sizeof *requests);
    request->number = n_requests;
    requests[n_requests++] = request;
    request->conn = conn;
    request->connection = conn->number;
    request->nth = conn->requests++;
    request->chat = chat;
    request->arrival_ns = conn->ns;
    request->arrival_mono = conn->mono;
    request->want = number_of(body, "max_tokens", number_of(body, "max_completion_tokens", 16));
    if (request->want < 1 || request->want > 1000000) request->want = 16;
    request->prompt_tokens = words_of(body, chat ? "\"content\"" : "\"prompt\"");
    if (chat) request->prompt_tokens += 8 + words_of(body, "\"text\"");
    const char *usage = strstr(body, "\"include_usage\"");
    request->usage = usage && strncmp(usage + 15 + strspn(usage + 15, " :"), "true", 4) == 0;
    request->due_mono = calloc(request->want, sizeof(int64_t));
    request->wrote_ns = calloc(request->want, sizeof(int64_t));
    Buffer base = {.data = request->base, .room = sizeof request->base};
    addf(&base, "'id':'%s-%012d','object':'%s'", chat ? "chatcmpl" : "cmpl", request->number,
         chat ? "chat.completion.chunk" : "text_completion");
    addf(&base, ",'created':%lld,'model':'exact'", (long long)(conn->ns / 1000000000));
    const char *head = "HTTP/1.1 200 OK\r\nserver: exact\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
                       "transfer-encoding: chunked\r\n\r\n";
    hand_over(conn, head, strlen(head));
    conn->live = request;
    queue = grown(queue, &room_queue, queue_tail + 1, sizeof *queue);
    queue[queue_tail++] = request;
    admit(conn->mono);
}

static void numbers(Buffer *into, const char *name, const int64_t *values, int count) {
    addf(into, ",'%s':[", name);
    for (int i = 0; i < count; i++) addf(into, i ? ",%lld" : "%lld", (long long)values[i]);
    addf(into, "]");
}

static void log_page(Conn *conn) {
    Buffer body = {0};
    addf(&body, "{'offset_ns':%lld,'requests':[", (long long)(now_of(CLOCK_REALTIME) - now_of(CLOCK_MONOTONIC)));
    for (size_t i = 0; i < n_requests; i++) {
        Request *r = requests[i];
        addf(&body, "%s{'number':%d,'connection':%d,'nth':%d", i ? "," : "", r->number, r->connection, r->nth);
        addf(&body, ",'prompt_tokens':%d,'want':%d,'ended':'%s'", r->prompt_tokens, r->want, r->ended ? r->ended : "");
        addf(&body, ",'arrival_ns':%lld,'arrival_mono':%lld", (long long)r->arrival_ns, (long long)r->arrival_mono);
        addf(&body, ",'admitted_mono':%lld,'ended_ns':%lld", (long long)r->admitted_mono, (long long)r->ended_ns);
        numbers(&body, "due_mono", r->due_mono, r->got);
        numbers(&body, "wrote_ns", r->wrote_ns, r->got);
        add(&body, "}", 1);
    }
    addf(&body, "]}");
    page(conn, 200, body.data, body.len);
    free(body.data);
}

static void admin(Conn *conn, const char *body) {
    struct rusage use;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        *settings[i].value = number_of(body, settings[i].name, *settings[i].value);
    if (strstr(body, "\"clear\"") && !n_heap && queue_head == queue_tail) {
        while (n_requests) {
            Request *request = requests[--n_requests];
            free(request->due_mono);
            free(request->wrote_ns);
            free(request);
        }
        most_running = 0;
    }
    getrusage(RUSAGE_SELF, &use);
    double cpu = use.ru_utime.tv_sec + use.ru_stime.tv_sec + (use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
    Buffer said = {0};
    addf(&said, "{'running':%d,'waiting':%zu,'most_running':%d", running, queue_tail - queue_head, most_running);
    addf(&said, ",'connections':%d,'requests':%zu", n_conns, n_requests);
    addf(&said, ",'tokens':%lld,'cpu_s':%f}", (long long)tokens, cpu);
    page(conn, 200, said.data, said.len);
    free(said.data);
}

static void respond(Conn *conn, const char *target, const char *body) {
    const char *models = "{\"object\":\"list\",\"data\":[{\"id\":\"exact\",\"object\":\"model\",\"created\":0,"
                         "\"owned_by\":\"vllm\",\"root\":\"exact\",\"parent\":null,\"max_model_len\":1000000}]}";
    if (!strncmp(target, "POST /v1/chat/completions ", 26)) take(conn, 1, body);
    else if (!strncmp(target, "POST /v1/completions ", 21)) take(conn, 0, body);
    else if (!strncmp(target, "GET /v1/models ", 15)) page(conn, 200, models, strlen(models));
    else if (!strncmp(target, "GET /health ", 12)) page(conn, 200, "", 0);
    else if (!strncmp(target, "GET /log ", 9)) log_page(conn);
    else if (!strncmp(target, "GET /admin ", 11) || !strncmp(target, "POST /admin ", 12)) admin(conn, body);
    else page(conn, 404, "{\"detail\":\"Not Found\"}", 22);
}

// Take the requests that came whole; one that does not fit into the buffer is never answered.
static void understand(Conn *conn) {
    char *head_end;
    while (!conn->live && (conn->came[conn->came_len] = 0, head_end = strstr(conn->came, "\r\n\r\n"))) {
        char *length = strcasestr(conn->came, "content-length:");
        size_t size = length && length < head_end ? strtoul(length + 15, NULL, 10) : 0;
        size_t whole = head_end + 4 - conn->came + size;
        if (conn->came_len < whole) return;
        char after = conn->came[whole];
        conn->came[whole] = 0;
        respond(conn, conn->came, head_end + 4);
        conn->came[whole] = after;
        memmove(conn->came, conn->came + whole, conn->came_len -= whole);
    }
}

static void drop(Conn *conn) {
    if (conn->live) end(conn->live, "aborted", now_of(CLOCK_MONOTONIC));
    conns[conn->fd] = NULL;
    n_conns--;
    close(conn->fd);
    free(conn->came);
    free(conn->going.data);
    free(conn);
}

static void greet(void) {
    for (int fd; (fd = accept4(listen_fd, NULL, NULL, SOCK_NONBLOCK)) >= 0;) {
        if (fd >= MAX_FDS) { close(fd); continue; }
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
        Conn *conn = conns[fd] = calloc(1, sizeof *conn);
        conn->fd = fd;
        conn->number = next_conn++;
        conn->came = malloc(IN_BYTES);
        n_conns++;
        watch(conn, EPOLL_CTL_ADD, 0);
    }
}

static void talk(Conn *conn, uint32_t events) {
    if (events & EPOLLOUT && conn->going.len) {
        Buffer rest = conn->going;
        conn->going = (Buffer){0};
        watch(conn, EPOLL_CTL_MOD, 0);
        hand_over(conn, rest.data, rest.len);
        free(rest.data);
    }
    if (!(events & ~EPOLLOUT)) return;
    ssize_t got = recv(conn->fd, conn->came + conn->came_len, IN_BYTES - 1 - conn->came_len, 0);
    if (got == 0 || (got < 0 && errno != EAGAIN)) { drop(conn); return; }
    if (got < 0) return;
    conn->came_len += got;
    conn->ns = now_of(CLOCK_REALTIME);
    conn->mono = now_of(CLOCK_MONOTONIC);
}

static void serve(void) {
    struct epoll_event events[512];
    for (;;) {
        int64_t left = n_heap ? heap[0].due - now_of(CLOCK_MONOTONIC) : 1000000000;
        if (left > 0) {
            struct timespec wait = {left / 1000000000, left % 1000000000};
            ppoll(&(struct pollfd){epoll_fd, POLLIN, 0}, 1, &wait, NULL);
        }
        int count = epoll_wait(epoll_fd, events, 512, 0);
        for (int i = 0; i < count; i++) {  // all reads come first: none is to wait until others were understood
            if (events[i].data.fd == listen_fd) greet();
            else if (events[i].data.fd == STDIN_FILENO) return;
            else if (conns[events[i].data.fd]) talk(conns[events[i].data.fd], events[i].events);
        }
        for (int i = 0; i < count; i++) {
            Conn *conn = events[i].data.fd == listen_fd ? NULL : conns[events[i].data.fd];
            if (conn && conn->came_len && !conn->live) understand(conn);
        }
        int64_t now = now_of(CLOCK_MONOTONIC);
        for (int i = 0; i < BATCH && n_heap && heap[0].due <= now; i++) {
            Due due = pop();
            Conn *conn = due.request->conn;
            if (due.request->ended || due.request->due != due.due) continue;
            token(due);
            if (!conn->live && conn->came_len) understand(conn);
        }
    }
}

int main(int argc, char **argv) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    struct rlimit files;
    prctl(PR_SET_TIMERSLACK, 1000UL);
    setpriority(PRIO_PROCESS, 0, -10);  // where it is allowed: a server that is late has no truth to tell
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    epoll_fd = epoll_create1(0);
    for (int i = 1; i < argc; i++)
        for (size_t s = 0; s < sizeof settings / sizeof *settings; s++) {
            size_t len = strlen(settings[s].name);
            if (strncmp(argv[i], settings[s].name, len) || argv[i][len] != '=') continue;
            *settings[s].value = strtod(argv[i] + len + 1, NULL);
        }
    if (argc > 1 && !strcmp(argv[1], "--bound"))
        epoll_ctl(epoll_fd, EPOLL_CTL_ADD, STDIN_FILENO, &(struct epoll_event){EPOLLRDHUP, {.fd = STDIN_FILENO}});
    listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (bind(listen_fd, (struct sockaddr *)&address, size) || listen(listen_fd, 4096)) { perror("listen"); return 1; }
    getsockname(listen_fd, (struct sockaddr *)&address, &size);
    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, listen_fd, &(struct epoll_event){EPOLLIN, {.fd = listen_fd}});
    printf("{\"url\": \"http://127.0.0.1:%d\", \"port\": %d}\n", ntohs(address.sin_port), ntohs(address.sin_port));
    fflush(stdout);
    serve();
    return 0;
}
