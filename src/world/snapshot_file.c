// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Snapshots in files: snapshot.h has the rules and the layout.

#include "base/checksum.h"
#include "base/text.h"
#include "world/snapshot.h"

#include <assert.h>
#include <math.h>

static const char file_magic[8] = "TACSNAPF";
static const size_t most_bytes = (size_t)16 << 30, room_to_grow = (size_t)1 << 30;

enum {
    CHECKED_FROM = offsetof(TacSnapshotHeader, checksum) + sizeof(uint64_t),
    LIBRARY = 1000000 * TAC_VERSION_MAJOR + 1000 * TAC_VERSION_MINOR + TAC_VERSION_PATCH,
};

static_assert(sizeof(TacSnapshotHeader) == 88 + TAC_SNAPSHOT_NAME, "the header has gaps");
static_assert(sizeof((TacSnapshotInfo){0}.scene) == TAC_SNAPSHOT_NAME, "names are as long as in the file");

// --- writing ----------------------------------------------------------------------------------------------

// As much of it as there is room for, without cutting a character of UTF-8.
static void copy_name(char to[TAC_SNAPSHOT_NAME], const char *name) {
    size_t n = strlen(name);
    if (n >= TAC_SNAPSHOT_NAME)
        for (n = TAC_SNAPSHOT_NAME - 1; n > 0 && ((unsigned char)name[n] & 0xC0) == 0x80; n--) continue;
    memcpy(to, name, n);
}

TacStatus tac_world_save_file(TacWorld *world, const char *path, TacError *error) {
    if (world->failed && world->failure.status != TAC_OK)
        return tac_fail_at(error, world->failure.status, path, 0, 0, "not written: %s",
                           world->failure.message);
    if (world->failed)
        return tac_fail_at(error, TAC_FAILED, path, 0, 0, "not written: the world failed and cannot go on");
    size_t bytes = tac_world_snapshot_size(world), all = sizeof(TacSnapshotHeader) + bytes;
    char *data = calloc(1, all);
    if (!data) return tac_fail_memory(error, all);
    TacSnapshotHeader header = {.version = TAC_SNAPSHOT_VERSION,
                                .header_bytes = sizeof header,
                                .payload_bytes = bytes,
                                .signature = tac_world_signature(world),
                                .values = world->values,
                                .seed = world->seed,
                                .tick = world->now,
                                .time = tac_world_time(world),
                                .beat = world->base.beat,
                                .loose = world->loose != NULL,
                                .library = LIBRARY};
    memcpy(header.magic, file_magic, sizeof file_magic);
    const char *title = tac_world_title(world);
    copy_name(header.scene, *title ? title : tac_world_recording_def(world, NULL)->scene);
    TacStatus status = tac_world_save(world, data + sizeof header, bytes, error);
    memcpy(data, &header, sizeof header);
    header.checksum = tac_checksum(data + CHECKED_FROM, all - CHECKED_FROM);
    memcpy(data, &header, sizeof header);
    TacFileWriter writer;
    if (status == TAC_OK) status = tac_file_writer_open(&writer, path, error);
    if (status == TAC_OK) {
        fwrite(data, 1, all, writer.stream); // finishing asks whether that went well
        status = tac_file_writer_finish(&writer, true, error);
    }
    free(data);
    return status;
}

// --- reading ----------------------------------------------------------------------------------------------

static TacStatus refuse(TacError *error, const char *path, const char *why) {
    return tac_fail_at(error, TAC_BAD_INPUT, path, 0, 0, "%s", why);
}

static TacStatus check_header(TacSnapshotHeader *header, const char *data, size_t bytes, const char *path,
                              TacError *error) {
    if (bytes < CHECKED_FROM || memcmp(data, file_magic, sizeof file_magic) != 0) {
        bool cut = bytes < CHECKED_FROM && bytes && memcmp(data, file_magic, bytes < 8 ? bytes : 8) == 0;
        return refuse(error, path, cut ? "a snapshot that is cut off" : "not a snapshot");
    }
    uint32_t version;
    memcpy(&version, data + sizeof file_magic, sizeof version);
    if (version != TAC_SNAPSHOT_VERSION)
        return tac_fail_at(error, TAC_BAD_INPUT, path, 0, 0,
                           "a snapshot of version %u, which is %s than this program: it reads version %d",
                           version, version > TAC_SNAPSHOT_VERSION ? "newer" : "older", TAC_SNAPSHOT_VERSION);
    if (bytes < sizeof *header) return refuse(error, path, "a snapshot that is cut off");
    memcpy(header, data, sizeof *header);
    size_t payload = bytes - sizeof *header;
    if (header->payload_bytes > payload && header->header_bytes == sizeof *header)
        return tac_fail_at(error, TAC_BAD_INPUT, path, 0, 0,
                           "a snapshot that is cut off: %zu of %llu bytes are there", bytes,
                           (unsigned long long)sizeof *header + (unsigned long long)header->payload_bytes);
    if (header->header_bytes != sizeof *header || header->payload_bytes != payload ||
        header->checksum != tac_checksum(data + CHECKED_FROM, bytes - CHECKED_FROM))
        return refuse(error, path, "a damaged snapshot: its checksum does not agree");
    if (header->scene[TAC_SNAPSHOT_NAME - 1] || header->tick < 0 || !isfinite(header->time) ||
        !(header->beat > 0) || !isfinite(header->beat))
        return refuse(error, path, "a damaged snapshot");
    return TAC_OK;
}

// Reads and checks; the caller frees *data, also where it fails.
static TacStatus read_file(TacSnapshotHeader *header, char **data, size_t *bytes, const char *path,
                           size_t limit, TacError *error) {
    TAC_TRY(tac_read_whole_file(path, limit, data, bytes, error));
    return check_header(header, *data, *bytes, path, error);
}

static TacSnapshotInfo info_of(const TacSnapshotHeader *header, size_t bytes) {
    TacSnapshotInfo info = {.version = (int)header->version,
                            .time = header->time,
                            .beat = header->beat,
                            .tick = header->tick,
                            .seed = header->seed,
                            .bytes = bytes,
                            .loose = header->loose != 0,
                            .library = {(int)(header->library / 1000000),
                                        (int)(header->library / 1000 % 1000), (int)(header->library % 1000)}};
    memcpy(info.scene, header->scene, sizeof info.scene);
    return info;
}

TacStatus tac_snapshot_read_info(TacSnapshotInfo *info, const char *path, TacError *error) {
    TacSnapshotHeader header;
    char *data = NULL;
    size_t bytes;
    *info = (TacSnapshotInfo){0};
    TacStatus status = read_file(&header, &data, &bytes, path, most_bytes, error);
    if (status == TAC_OK) *info = info_of(&header, bytes);
    free(data);
    return status;
}

static TacStatus check_world(const TacWorld *world, const TacSnapshotHeader *header, const char *path,
                             TacError *error) {
    if (header->library != LIBRARY)
        return tac_fail_at(
            error, TAC_BAD_INPUT, path, 0, 0,
            "a snapshot of version %u.%u.%u of the library; this is version %s, and state is laid "
            "out anew with every version",
            header->library / 1000000, header->library / 1000 % 1000, header->library % 1000, tac_version());
    if (header->seed != world->seed)
        return tac_fail_at(error, TAC_BAD_INPUT, path, 0, 0,
                           "a snapshot of a run with seed %llu; this one has %llu",
                           (unsigned long long)header->seed, (unsigned long long)world->seed);
    if (header->beat != world->base.beat)
        return tac_fail_at(error, TAC_BAD_INPUT, path, 0, 0,
                           "a snapshot with a beat of %g s; this scene has %g s", header->beat,
                           world->base.beat);
    if (header->signature != tac_world_signature(world))
        return tac_fail_at(
            error, TAC_BAD_INPUT, path, 0, 0,
            "a snapshot of another scene (%s%s%s): other components, other names or other counts",
            header->scene[0] ? "\"" : "", header->scene[0] ? header->scene : "without a title",
            header->scene[0] ? "\"" : "");
    return TAC_OK;
}

TacStatus tac_world_restore_file(TacWorld *world, const char *path, TacSnapshotInfo *info, TacError *error) {
    TacSnapshotHeader header;
    TacError why = {0};
    char *data = NULL;
    size_t bytes, own = tac_world_snapshot_size(world);
    if (info) *info = (TacSnapshotInfo){0};
    // contact may remember more than it does now, but not without end
    size_t limit = own < (most_bytes - room_to_grow) / 16 ? room_to_grow + 16 * own : most_bytes;
    TacStatus status = read_file(&header, &data, &bytes, path, limit, error);
    if (status == TAC_OK) status = check_world(world, &header, path, error);
    if (status == TAC_OK) {
        status = tac_world_restore(world, data + sizeof header, bytes - sizeof header, &why);
        if (status != TAC_OK) status = tac_fail_at(error, status, path, 0, 0, "%s", why.message);
    }
    if (status == TAC_OK && info) {
        *info = info_of(&header, bytes);
        info->other_values = header.values != world->values;
    }
    free(data);
    return status;
}
