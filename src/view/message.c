// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// See message.h. A recursive descent without recursion: nothing may be nested.

#include "view/message.h"
#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>

// --- what may be said -------------------------------------------------------------------------------------

typedef enum Type { TEXT, NUMBER, WHOLE, BOOL, VECTOR, SPEED_OR_TEXT } Type;

// Fields, and the bit that says which ones a kind needs.
typedef enum Field {
    HAND,
    TRACK,
    POINT,
    COUNT,
    FRAME,
    INDEX,
    TIME,
    RADIUS,
    STRENGTH,
    ON,
    TARGET,
    CENTER,
    EYE,
    VELOCITY,
    PATH,
    ATTRIBUTE,
    VALUE,
    WHAT,
    BY,
    TYPE,
    FIELDS
} Field;

static const struct {
    const char *name;
    Type type;
    size_t offset, size; // size: of a text
} fields[FIELDS] = {
    [HAND] = {"hand", WHOLE, offsetof(TacMessage, hand), 0},
    [TRACK] = {"track", WHOLE, offsetof(TacMessage, track), 0},
    [POINT] = {"point", WHOLE, offsetof(TacMessage, point), 0},
    [COUNT] = {"n", WHOLE, offsetof(TacMessage, n), 0},
    [FRAME] = {"frame", WHOLE, offsetof(TacMessage, frame), 0},
    [INDEX] = {"index", WHOLE, offsetof(TacMessage, index), 0},
    [TIME] = {"time", NUMBER, offsetof(TacMessage, time), 0},
    [RADIUS] = {"radius", NUMBER, offsetof(TacMessage, radius), 0},
    [STRENGTH] = {"strength", NUMBER, offsetof(TacMessage, strength), 0},
    [ON] = {"on", BOOL, offsetof(TacMessage, on), 0},
    [TARGET] = {"target", VECTOR, offsetof(TacMessage, target), 0},
    [CENTER] = {"center", VECTOR, offsetof(TacMessage, center), 0},
    [EYE] = {"eye", VECTOR, offsetof(TacMessage, eye), 0},
    [VELOCITY] = {"velocity", VECTOR, offsetof(TacMessage, velocity), 0},
    [PATH] = {"path", TEXT, offsetof(TacMessage, path), sizeof((TacMessage *)0)->path},
    [ATTRIBUTE] = {"attribute", TEXT, offsetof(TacMessage, attribute), sizeof((TacMessage *)0)->attribute},
    [VALUE] = {"value", SPEED_OR_TEXT, offsetof(TacMessage, value), sizeof((TacMessage *)0)->value},
    [WHAT] = {"what", TEXT, offsetof(TacMessage, what), sizeof((TacMessage *)0)->what},
    [BY] = {"by", TEXT, offsetof(TacMessage, what), sizeof((TacMessage *)0)->what},
    [TYPE] = {"type", TEXT, 0, 32},
};

#define BIT(field) (1u << (field))

static const struct {
    const char *name;
    unsigned needs;
} kinds[TAC_MESSAGE_KINDS] = {
    [TAC_MESSAGE_PAUSE] = {"pause", 0},
    [TAC_MESSAGE_PLAY] = {"play", 0},
    [TAC_MESSAGE_STEP] = {"step", 0},
    [TAC_MESSAGE_RESET] = {"reset", 0},
    [TAC_MESSAGE_SPEED] = {"speed", BIT(VALUE)},
    [TAC_MESSAGE_ACK] = {"ack", BIT(FRAME)},
    [TAC_MESSAGE_SEEK] = {"seek", BIT(TIME)},
    [TAC_MESSAGE_TREE] = {"tree", 0},
    [TAC_MESSAGE_SET] = {"set", BIT(PATH) | BIT(ATTRIBUTE) | BIT(VALUE)},
    [TAC_MESSAGE_UNDO] = {"undo", 0},
    [TAC_MESSAGE_GRAB] = {"grab", BIT(HAND) | BIT(TRACK) | BIT(POINT) | BIT(TARGET) | BIT(STRENGTH)},
    [TAC_MESSAGE_DRAG] = {"drag", BIT(HAND) | BIT(TARGET)},
    [TAC_MESSAGE_RELEASE] = {"release", BIT(HAND)},
    [TAC_MESSAGE_PIN] = {"pin", BIT(TRACK) | BIT(POINT)},
    [TAC_MESSAGE_UNPIN] = {"unpin", BIT(TRACK) | BIT(POINT)},
    [TAC_MESSAGE_SPHERE] = {"sphere", BIT(ON)},
    [TAC_MESSAGE_CAMERA] = {"camera", BIT(EYE) | BIT(TARGET)},
    [TAC_MESSAGE_SELECT] = {"select", BIT(PATH)},
    [TAC_MESSAGE_COLOUR] = {"colour", BIT(BY)},
    [TAC_MESSAGE_SHOW] = {"show", BIT(WHAT) | BIT(ON)},
    [TAC_MESSAGE_SAVE] = {"save", BIT(WHAT)},
    [TAC_MESSAGE_GALLERY] = {"gallery", BIT(INDEX)},
};

// --- JSON -------------------------------------------------------------------------------------------------

typedef struct Reader {
    const char *start, *at, *end;
    TacError *error;
} Reader;

static TacStatus fail(const Reader *r, const char *expected) {
    return tac_fail(r->error, TAC_BAD_INPUT, "the message makes no sense at byte %zu: expected %s",
                    (size_t)(r->at - r->start), expected);
}

static void skip_blanks(Reader *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r')) r->at++;
}

static bool take(Reader *r, char c) {
    skip_blanks(r);
    if (r->at >= r->end || *r->at != c) return false;
    r->at++;
    return true;
}

static bool take_word(Reader *r, const char *word) {
    size_t n = strlen(word);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n)) return false;
    r->at += n;
    return true;
}

// The number of bytes of the UTF-8 character here; 0: it is none (RFC 3629: shortest form, no surrogates).
static size_t utf8_length(const char *at, const char *end) {
    const unsigned char *p = (const unsigned char *)at;
    size_t left = (size_t)(end - at);
    if (p[0] < 0x80) return 1;
    size_t n = p[0] >= 0xC2 && p[0] < 0xE0   ? 2
               : p[0] >= 0xE0 && p[0] < 0xF0 ? 3
               : p[0] >= 0xF0 && p[0] < 0xF5 ? 4
                                             : 0;
    if (n == 0 || n > left) return 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xC0) != 0x80) return 0;
    bool bad = (p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] > 0x9F) ||
               (p[0] == 0xF0 && p[1] < 0x90) || (p[0] == 0xF4 && p[1] > 0x8F);
    return bad ? 0 : n;
}

static bool take_hex4(Reader *r, unsigned *code) {
    if (r->end - r->at < 4) return false;
    *code = 0;
    for (int i = 0; i < 4; i++) {
        char c = *r->at++;
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                                : 16;
        if (digit > 15) return false;
        *code = 16 * *code + digit;
    }
    return true;
}

// \uXXXX, or two of them for one character, behind the u.
static bool take_code(Reader *r, unsigned *code) {
    if (!take_hex4(r, code)) return false;
    if (*code < 0xD800 || *code > 0xDFFF) return *code != 0;
    unsigned low;
    if (*code > 0xDBFF || !take_word(r, "\\u") || !take_hex4(r, &low) || low < 0xDC00 || low > 0xDFFF)
        return false;
    *code = 0x10000 + ((*code - 0xD800) << 10) + (low - 0xDC00);
    return true;
}

static size_t put_utf8(unsigned code, char out[4]) {
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char lead[5] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = n - 1; i > 0; i--, code >>= 6) out[i] = (char)(0x80 | (code & 0x3F));
    out[0] = (char)(lead[n] | code);
    return n;
}

// One character of a text into `out`; 0: there is none.
static size_t take_character(Reader *r, char out[4]) {
    if (*r->at != '\\') {
        size_t n = (unsigned char)*r->at < 0x20 ? 0 : utf8_length(r->at, r->end);
        memcpy(out, r->at, n);
        r->at += n;
        return n;
    }
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    if (++r->at >= r->end) return 0;
    char c = *r->at++;
    if (c == 'u') {
        unsigned code;
        return take_code(r, &code) ? put_utf8(code, out) : 0;
    }
    const char *found = c ? strchr(names, c) : NULL;
    if (!found) return 0;
    out[0] = values[found - names];
    return 1;
}

static TacStatus take_text(Reader *r, char *text, size_t size) {
    if (!take(r, '"')) return fail(r, "a text in quotes");
    size_t n = 0;
    while (r->at < r->end && *r->at != '"') {
        char out[4];
        size_t bytes = take_character(r, out);
        if (bytes == 0) return fail(r, "a character, or the end of the text");
        if (n + bytes >= size) return fail(r, "a shorter text");
        memcpy(text + n, out, bytes);
        n += bytes;
    }
    text[n] = 0;
    return r->at++ < r->end ? TAC_OK : fail(r, "the end of the text");
}

static size_t digits(const char **at, const char *end) {
    const char *start = *at;
    while (*at < end && **at >= '0' && **at <= '9') (*at)++;
    return (size_t)(*at - start);
}

// As JSON writes numbers: no sign in front of plus, no leading zeros, digits on both sides of a point.
static TacStatus take_number(Reader *r, double *value) {
    skip_blanks(r);
    const char *at = r->at, *first;
    if (at < r->end && *at == '-') at++;
    first = at;
    size_t whole = digits(&at, r->end);
    bool good = whole > 0 && !(whole > 1 && *first == '0');
    if (good && at < r->end && *at == '.') {
        at++;
        good = digits(&at, r->end) > 0;
    }
    if (good && at < r->end && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < r->end && (*at == '+' || *at == '-')) at++;
        good = digits(&at, r->end) > 0;
    }
    const char *cursor = r->at;
    if (!good || !tac_read_real(&cursor, at, value) || cursor != at) return fail(r, "a finite number");
    r->at = at;
    return TAC_OK;
}

static TacStatus take_vector(Reader *r, TacVec3 *value) {
    double v[3];
    if (!take(r, '[')) return fail(r, "a list of three numbers");
    for (int i = 0; i < 3; i++) {
        if (i > 0 && !take(r, ',')) return fail(r, "a comma");
        TAC_TRY(take_number(r, &v[i]));
    }
    if (!take(r, ']')) return fail(r, "the end of three numbers");
    *value = tac_vec3(v[0], v[1], v[2]);
    return TAC_OK;
}

// A value that nobody asked for.
static TacStatus skip_value(Reader *r) {
    char unused[1024];
    double number;
    skip_blanks(r);
    if (take_word(r, "true") || take_word(r, "false") || take_word(r, "null")) return TAC_OK;
    if (r->at < r->end && *r->at == '"') return take_text(r, unused, sizeof unused);
    if (!take(r, '[')) return take_number(r, &number);
    for (int i = 0; i < 3 && !take(r, ']'); i++) {
        if (i > 0 && !take(r, ',')) return fail(r, "a comma");
        TAC_TRY(take_number(r, &number));
        if (i == 2) return take(r, ']') ? TAC_OK : fail(r, "the end of a list of three at most");
    }
    return TAC_OK;
}

// --- messages ---------------------------------------------------------------------------------------------

static TacStatus take_whole(Reader *r, int64_t *value) {
    double number;
    TAC_TRY(take_number(r, &number));
    if (number != floor(number) || fabs(number) > 9007199254740992.0) return fail(r, "a whole number");
    *value = (int64_t)number;
    return TAC_OK;
}

static TacStatus take_field(Reader *r, Field field, TacMessage *message, char *type) {
    void *to = (char *)message + fields[field].offset;
    skip_blanks(r);
    switch (fields[field].type) {
    case TEXT: return take_text(r, field == TYPE ? type : to, fields[field].size);
    case NUMBER: return take_number(r, to);
    case WHOLE: return take_whole(r, to);
    case VECTOR: return take_vector(r, to);
    case BOOL:
        *(bool *)to = r->at < r->end && *r->at == 't';
        return take_word(r, "true") || take_word(r, "false") ? TAC_OK : fail(r, "true or false");
    case SPEED_OR_TEXT:
        if (r->at < r->end && *r->at == '"') return take_text(r, to, fields[field].size);
        return take_number(r, &message->speed);
    }
    return TAC_OK;
}

static TacStatus take_pair(Reader *r, TacMessage *message, char *type, unsigned *given) {
    char name[32];
    TAC_TRY(take_text(r, name, sizeof name));
    if (!take(r, ':')) return fail(r, "a colon");
    for (int f = 0; f < FIELDS; f++) {
        if (strcmp(name, fields[f].name)) continue;
        if (*given & BIT(f)) return tac_fail(r->error, TAC_BAD_INPUT, "\"%s\" is given twice", name);
        *given |= BIT(f);
        return take_field(r, (Field)f, message, type);
    }
    return skip_value(r);
}

static TacStatus check_value(TacMessage *message, unsigned given, TacError *error) {
    bool is_text = message->value[0] != 0 || message->speed == 0;
    if (message->kind == TAC_MESSAGE_SPEED && message->value[0])
        return tac_fail(error, TAC_BAD_INPUT, "\"value\" of speed must be a number");
    if (message->kind == TAC_MESSAGE_SET && !is_text)
        return tac_fail(error, TAC_BAD_INPUT, "\"value\" of set must be a text");
    if (message->kind == TAC_MESSAGE_STEP && !(given & BIT(COUNT))) message->n = 1;
    if (message->kind == TAC_MESSAGE_SPHERE && message->on && !(given & BIT(CENTER) && given & BIT(RADIUS)))
        return tac_fail(error, TAC_BAD_INPUT, "sphere needs \"center\" and \"radius\"");
    message->has_velocity = (given & BIT(VELOCITY)) != 0;
    message->has_center = (given & BIT(CENTER)) != 0;
    return TAC_OK;
}

static TacStatus find_kind(TacMessage *message, const char *type, unsigned given, TacError *error) {
    if (!(given & BIT(TYPE))) return tac_fail(error, TAC_BAD_INPUT, "the message has no \"type\"");
    for (int k = 0; k < TAC_MESSAGE_KINDS; k++) {
        if (strcmp(type, kinds[k].name)) continue;
        message->kind = (TacMessageKind)k;
        for (int f = 0; f < FIELDS; f++)
            if (kinds[k].needs & ~given & BIT(f))
                return tac_fail(error, TAC_BAD_INPUT, "%s needs \"%s\"", type, fields[f].name);
        return check_value(message, given, error);
    }
    return tac_fail(error, TAC_BAD_INPUT, "no message is of type \"%.31s\"", type);
}

TacStatus tac_message_read(TacMessage *message, const char *text, size_t bytes, TacError *error) {
    Reader r = {text, text, text + bytes, error};
    char type[32] = "";
    unsigned given = 0;
    memset(message, 0, sizeof *message);
    if (bytes > TAC_MESSAGE_BYTES) return tac_fail(error, TAC_BAD_INPUT, "the message is too long");
    if (!take(&r, '{')) return fail(&r, "{");
    if (!take(&r, '}')) do
            TAC_TRY(take_pair(&r, message, type, &given));
        while (take(&r, ','));
    else
        r.at--;
    if (!take(&r, '}')) return fail(&r, "a comma or }");
    skip_blanks(&r);
    if (r.at != r.end) return fail(&r, "nothing more");
    return find_kind(message, type, given, error);
}
