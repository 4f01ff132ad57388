// Bytes that grow, text that is formatted into them, and the little that is read of a request, for exactserver.c.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { char *data; size_t len, room; } Buffer;

static void *grown(void *block, size_t *room, size_t need, size_t each) {
    if (need <= *room) return block;
    while (*room < need) *room = *room ? *room * 2 : 1024;
    void *more = realloc(block, *room * each);
    if (!more) { perror("memory"); exit(1); }
    return more;
}

static void add(Buffer *buffer, const char *data, size_t len) {
    buffer->data = grown(buffer->data, &buffer->room, buffer->len + len, 1);
    memcpy(buffer->data + buffer->len, data, len);
    buffer->len += len;
}

// Formatted text; a single quote stands for a double one, so that JSON can be read here.
static int say(char *text, size_t room, const char *format, va_list values) {
    int len = vsnprintf(text, room, format, values);
    for (char *at = text; (at = strchr(at, '\'')); at++) *at = '"';
    return len;
}

static void addf(Buffer *buffer, const char *format, ...) {
    char text[2048];
    va_list values;
    va_start(values, format);
    add(buffer, text, say(text, sizeof text, format, values));
    va_end(values);
}

// Words in all strings behind a key.
static int words_of(const char *body, const char *key) {
    int words = 0;
    for (const char *at = body; (at = strstr(at, key));) {
        at += strlen(key);
        while (*at == ' ' || *at == ':') at++;
        if (*at++ != '"') continue;
        for (int inside = 0; *at && *at != '"'; at++) {
            int blank = *at == ' ' || (*at == '\\' && (at[1] == 'n' || at[1] == 't' || at[1] == 'r'));
            words += !blank && !inside;
            inside = !blank;
            if (*at == '\\') at++;
        }
    }
    return words;
}

// The number behind a name, wherever in the body it stands.
static double number_of(const char *body, const char *name, double otherwise) {
    char key[64];
    snprintf(key, sizeof key, "\"%s\"", name);
    const char *at = strstr(body, key);
    return at ? strtod(at + strlen(key) + strspn(at + strlen(key), " :"), NULL) : otherwise;
}
