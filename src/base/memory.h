// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Memory: an arena for what lives as long as its owner, and geometric growth for arrays that grow.
//
// Everything that a scene, a world or a recording builds once comes from its arena, so that one call frees it
// and a failure half-way needs no clean-up code. Allocation returns NULL when there is no memory; callers
// pass that on as TAC_NO_MEMORY. Nothing here keeps state outside the structs given.

#ifndef TACTUS_BASE_MEMORY_H
#define TACTUS_BASE_MEMORY_H

#include "tactus/base.h"

#include <stdlib.h>
#include <string.h>

// Returns from the calling function when a call did not come to TAC_OK.
#define TAC_TRY(call)                                                                                        \
    do {                                                                                                     \
        TacStatus tac_try_status = (call);                                                                   \
        if (tac_try_status != TAC_OK) return tac_try_status;                                                 \
    } while (0)

#define TAC_COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef struct TacArenaBlock TacArenaBlock;

// A zeroed struct is a valid empty arena.
typedef struct TacArena {
    TacArenaBlock *first;
    size_t bytes; // handed out so far
    size_t limit; // of bytes; 0: none
} TacArena;

// Zeroed memory aligned to 64 bytes (one cache line, one wide register); NULL when there is none. A size of 0
// gives a valid pointer.
void *tac_arena_alloc(TacArena *arena, size_t bytes);

// Counts memory that is held elsewhere against the limit. False, and nothing counted, when it is too much.
bool tac_arena_count(TacArena *arena, size_t bytes);

// The machine's memory, in bytes.
size_t tac_machine_memory(void);

// count * size bytes; NULL also when the product overflows.
void *tac_arena_array(TacArena *arena, size_t count, size_t size);

char *tac_arena_text(TacArena *arena, const char *text);
char *tac_arena_text_n(TacArena *arena, const char *text, size_t length);
char *tac_arena_format(TacArena *arena, const char *format, ...) TAC_PRINTF(2, 3);
void tac_arena_destroy(TacArena *arena);

// Makes room for `need` elements of `size` bytes in *data, by more than is needed now. False, and nothing changed,
// when there is no memory or the size overflows. New elements are zeroed.
bool tac_grow(void *data, size_t *capacity, size_t need, size_t size);

// The same, but new elements read as anything: pages of them that nobody writes to take no memory.
bool tac_grow_bare(void *data, size_t *capacity, size_t need, size_t size);

// Gives back what was needed once: nothing happens unless that is most of it. The first `need` elements stay.
void tac_trim(void *data, size_t *capacity, size_t need, size_t size);

// Gives back what is more than an eighth beyond the first `need` elements, which stay. For long lists, of which to give back
// some copies nothing.
void tac_fit(void *data, size_t *capacity, size_t need, size_t size);

// What is there is not needed any more, and reads as anything from now on: whole pages of it go back to the system until
// they are written.
void tac_forget(void *data, size_t bytes);

#endif
