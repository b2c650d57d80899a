// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGNMENT = 64, BLOCK_BYTES = 1 << 16 };

struct TacArenaBlock {
    TacArenaBlock *next;
    size_t used, size;
    char *data; // aligned, inside the same allocation
};

static TacArenaBlock *block_create(size_t size) {
    if (size > SIZE_MAX - sizeof(TacArenaBlock) - ALIGNMENT) return NULL;
    TacArenaBlock *block = calloc(1, sizeof *block + ALIGNMENT + size);
    if (!block) return NULL;
    uintptr_t start = (uintptr_t)(block + 1);
    block->data =
        (char *)block + (((start + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1)) - (uintptr_t)block);
    block->size = size;
    return block;
}

bool tac_arena_count(TacArena *arena, size_t bytes) {
    size_t limit = arena->limit ? arena->limit : SIZE_MAX;
    if (arena->bytes > limit || bytes > limit - arena->bytes) return false;
    arena->bytes += bytes;
    return true;
}

size_t tac_machine_memory(void) {
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || size <= 0 || (size_t)pages > SIZE_MAX / (size_t)size) return SIZE_MAX;
    return (size_t)pages * (size_t)size;
}

void *tac_arena_alloc(TacArena *arena, size_t bytes) {
    if (bytes > SIZE_MAX / 2) return NULL;
    size_t need = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (need == 0) need = ALIGNMENT;
    if (!tac_arena_count(arena, need)) return NULL;
    TacArenaBlock *block = arena->first;
    if (!block || block->size - block->used < need) {
        block = block_create(need > BLOCK_BYTES ? need : BLOCK_BYTES);
        if (!block) {
            arena->bytes -= need;
            return NULL;
        }
        // a large block goes behind the first one, whose free space stays in use
        if (arena->first && need > BLOCK_BYTES) {
            block->next = arena->first->next;
            arena->first->next = block;
        } else {
            block->next = arena->first;
            arena->first = block;
        }
    }
    void *result = block->data + block->used;
    block->used += need;
    return result;
}

void *tac_arena_array(TacArena *arena, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) return NULL;
    return tac_arena_alloc(arena, bytes);
}

char *tac_arena_text_n(TacArena *arena, const char *text, size_t length) {
    if (length == SIZE_MAX) return NULL;
    char *copy = tac_arena_alloc(arena, length + 1);
    if (copy && length) memcpy(copy, text, length);
    return copy;
}

char *tac_arena_text(TacArena *arena, const char *text) {
    return tac_arena_text_n(arena, text, strlen(text));
}

char *tac_arena_format(TacArena *arena, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = length < 0 ? NULL : tac_arena_alloc(arena, (size_t)length + 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

void tac_arena_destroy(TacArena *arena) {
    TacArenaBlock *block = arena->first;
    while (block) {
        TacArenaBlock *next = block->next;
        free(block);
        block = next;
    }
    *arena = (TacArena){.limit = arena->limit};
}

// Small lists double; of large ones little should be unused, and to enlarge what has pages of its own copies nothing.
enum { FEW = 1 << 12, LEAST = 256 };

bool tac_grow_bare(void *data, size_t *capacity, size_t need, size_t size) {
    if (need <= *capacity) return true;
    size_t count = *capacity < 8 ? 8 : *capacity;
    while (count < need) {
        if (count > SIZE_MAX / 2) return false;
        count += count < FEW ? count : count / 16;
    }
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX) return false;
    void *old;
    memcpy(&old, data, sizeof old);
    char *bigger = realloc(old, bytes);
    if (!bigger) return false;
    memcpy(data, &bigger, sizeof bigger);
    *capacity = count;
    return true;
}

bool tac_grow(void *data, size_t *capacity, size_t need, size_t size) {
    size_t before = *capacity;
    if (need <= before) return true;
    if (!tac_grow_bare(data, capacity, need, size)) return false;
    char *all;
    memcpy(&all, data, sizeof all);
    memset(all + before * size, 0, (*capacity - before) * size);
    return true;
}

static void shorten(void *data, size_t *capacity, size_t count, size_t size) {
    void *old;
    memcpy(&old, data, sizeof old);
    char *smaller = realloc(old, count * size);
    if (!smaller) return;
    memcpy(data, &smaller, sizeof smaller);
    *capacity = count;
}

void tac_trim(void *data, size_t *capacity, size_t need, size_t size) {
    if (*capacity <= LEAST || need > *capacity / 4) return;
    // what is needed next should not have to be asked for at once
    shorten(data, capacity, need + need / 4 + LEAST / 4, size);
}

void tac_fit(void *data, size_t *capacity, size_t need, size_t size) {
    size_t count = need + need / 16 + LEAST;
    if (*capacity > count + need / 16) shorten(data, capacity, count, size);
}

void tac_forget(void *data, size_t bytes) {
    long size = sysconf(_SC_PAGESIZE);
    if (size <= 0) return;
    size_t page = (size_t)size, before = (page - (uintptr_t)data % page) % page;
    if (bytes < before + page) return;
    // advice: where it is not taken, nothing is lost
    (void)madvise((char *)data + before, (bytes - before) / page * page, MADV_DONTNEED);
}
