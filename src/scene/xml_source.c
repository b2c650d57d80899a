// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "scene/xml_source.h"
#include "base/memory.h"
#include "scene/xml.h"
#include "scene/xml_scan.h"

#include <errno.h>
#include <iconv.h>
#include <stdio.h>
#include <strings.h>

enum { LONGEST_ENCODING = 40 };

typedef struct Encoding {
    char name[LONGEST_ENCODING + 1]; // empty: UTF-8
    size_t mark;                     // bytes of the byte order mark
} Encoding;

static bool starts_with(const char *text, size_t bytes, const char *start, size_t length) {
    return bytes >= length && memcmp(text, start, length) == 0;
}

// The name in encoding="..." of an XML declaration, if it is one that could be right.
static void declared_encoding(const char *text, size_t bytes, Encoding *encoding) {
    if (!starts_with(text, bytes, "<?xml", 5)) return;
    const char *end = strstr(text, "?>"), *p = strstr(text, "encoding");
    if (!end || !p || p > end) return;
    for (p += 8; p < end && strchr(" \t\r\n=", *p); p++) {
    }
    if (p >= end || (*p != '"' && *p != '\'')) return;
    size_t n = 0;
    for (p++; p < end && n < LONGEST_ENCODING; p++) {
        bool letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z');
        if (!letter && !(*p >= '0' && *p <= '9') && *p != '-' && *p != '_' && *p != '.') break;
        encoding->name[n++] = *p;
    }
}

// By the first bytes, as XML's appendix F says; a declaration that is readable as ASCII cannot be UTF-16.
static Encoding find_encoding(const char *text, size_t bytes) {
    static const struct {
        const char *start;
        size_t length, mark;
        const char *name;
    } starts[] = {
        {"\xef\xbb\xbf", 3, 3, ""},         {"\0\0\xfe\xff", 4, 4, "UTF-32BE"},
        {"\xff\xfe\0\0", 4, 4, "UTF-32LE"}, {"\xfe\xff", 2, 2, "UTF-16BE"},
        {"\xff\xfe", 2, 2, "UTF-16LE"},     {"\0\0\0<", 4, 0, "UTF-32BE"},
        {"<\0\0\0", 4, 0, "UTF-32LE"},      {"\0<\0", 3, 0, "UTF-16BE"},
        {"<\0", 2, 0, "UTF-16LE"},
    };
    Encoding encoding = {0};
    for (size_t i = 0; i < TAC_COUNT(starts); i++)
        if (starts_with(text, bytes, starts[i].start, starts[i].length)) {
            snprintf(encoding.name, sizeof encoding.name, "%s", starts[i].name);
            encoding.mark = starts[i].mark;
            return encoding;
        }
    declared_encoding(text, bytes, &encoding);
    static const char *const plain[] = {"UTF-8", "UTF8", "ASCII", "US-ASCII"};
    for (size_t i = 0; i < TAC_COUNT(plain); i++)
        if (strcasecmp(encoding.name, plain[i]) == 0) encoding.name[0] = 0;
    if (strncasecmp(encoding.name, "UTF-16", 6) == 0 || strncasecmp(encoding.name, "UTF-32", 6) == 0)
        encoding.name[0] = 0;
    return encoding;
}

// The encodings that scene files are met in. The C library knows many more; some of those have decoders that
// hostile input has crashed.
static bool is_trusted(const char *name) {
    static const char *const starts[] = {"UTF-16", "UTF-32", "ISO-8859-", "latin1",    "windows-125", "CP125",
                                         "KOI8-",  "GBK",    "GB18030",   "Shift_JIS", "Big5"};
    for (size_t i = 0; i < TAC_COUNT(starts); i++)
        if (strncasecmp(name, starts[i], strlen(starts[i])) == 0) return true;
    return false;
}

typedef struct Conversion {
    char *text;
    size_t bytes, capacity;
} Conversion;

static TacStatus convert_all(Conversion *c, iconv_t converter, char *text, size_t left, const char *file,
                             const char *name, TacError *error) {
    while (left) {
        size_t room = left + 64;
        if (!tac_grow(&c->text, &c->capacity, c->bytes + room + 1, 1)) return tac_fail_memory(error, room);
        char *out = c->text + c->bytes;
        size_t before = left;
        size_t result = iconv(converter, &text, &left, &out, &room);
        int reason = errno;
        c->bytes = (size_t)(out - c->text);
        if (c->bytes > TAC_XML_MOST_BYTES)
            return tac_fail_at(error, TAC_BAD_INPUT, file, 0, 0, "has more than %d MB as UTF-8",
                               TAC_XML_MOST_BYTES / 1000000);
        if (result != (size_t)-1 || (reason == E2BIG && left < before)) continue;
        int line, column;
        tac_xml_place(c->text, c->bytes, &line, &column);
        return tac_fail_at(error, TAC_BAD_INPUT, file, line, 0,
                           "a character is not valid in the file's encoding, %s; save the file as UTF-8",
                           name);
    }
    return TAC_OK;
}

static TacStatus convert(char **text, size_t *bytes, Encoding encoding, const char *file, TacError *error) {
    errno = 0;
    iconv_t converter = is_trusted(encoding.name) ? iconv_open("UTF-8", encoding.name) : (iconv_t)-1;
    if (converter == (iconv_t)-1 && errno == ENOMEM) return tac_fail_memory(error, 0);
    if (converter == (iconv_t)-1)
        return tac_fail_at(error, TAC_BAD_INPUT, file, 1, 0,
                           "the encoding '%s' is not known; save the file as UTF-8", encoding.name);
    Conversion c = {0};
    TacStatus status =
        convert_all(&c, converter, *text + encoding.mark, *bytes - encoding.mark, file, encoding.name, error);
    iconv_close(converter);
    if (status == TAC_OK && !tac_grow(&c.text, &c.capacity, c.bytes + 1, 1))
        status = tac_fail_memory(error, c.bytes);
    if (status != TAC_OK) {
        free(c.text);
        return status;
    }
    c.text[c.bytes] = 0;
    free(*text);
    *text = c.text;
    *bytes = c.bytes;
    return TAC_OK;
}

// Length of the valid UTF-8 sequence at p, 0 if there is none or XML does not allow the character.
static size_t character_bytes(const unsigned char *p, size_t left) {
    if (p[0] < 0x80) return p[0] >= 0x20 || p[0] == '\t' || p[0] == '\n' || p[0] == '\r';
    size_t n = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4 || left < n) return 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    if (p[0] == 0xe0 && p[1] < 0xa0) return 0;                  // too long a form
    if (p[0] == 0xed && p[1] >= 0xa0) return 0;                 // surrogates
    if (p[0] == 0xef && p[1] == 0xbf && p[2] >= 0xbe) return 0; // U+FFFE and U+FFFF
    if (p[0] == 0xf0 && p[1] < 0x90) return 0;                  // too long a form
    if (p[0] == 0xf4 && p[1] >= 0x90) return 0;                 // above U+10FFFF
    return n;
}

static TacStatus check_characters(const char *text, size_t bytes, const char *file, TacError *error) {
    const unsigned char *p = (const unsigned char *)text;
    for (size_t i = 0; i < bytes;) {
        size_t n = character_bytes(p + i, bytes - i);
        i += n;
        if (n) continue;
        int line, column;
        tac_xml_place(text, i, &line, &column);
        if (p[i] < 0x80 || p[i] == 0xef)
            return tac_fail_at(error, TAC_BAD_INPUT, file, line, column,
                               "a character (byte 0x%02x) that XML does not allow", p[i]);
        return tac_fail_at(error, TAC_BAD_INPUT, file, line, column,
                           "byte 0x%02x is not valid UTF-8; save the file as UTF-8, or declare its encoding "
                           "in the first line: <?xml version=\"1.0\" encoding=\"...\"?>",
                           p[i]);
    }
    return TAC_OK;
}

TacStatus tac_xml_to_utf8(char **text, size_t *bytes, const char *file, TacError *error) {
    Encoding encoding = find_encoding(*text, *bytes);
    if (encoding.name[0]) {
        TAC_TRY(convert(text, bytes, encoding, file, error));
    } else if (encoding.mark) {
        *bytes -= encoding.mark;
        memmove(*text, *text + encoding.mark, *bytes + 1);
    }
    return check_characters(*text, *bytes, file, error);
}
