// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// VTK's legacy files ("VTK File Formats", simple legacy part): text, and binary (always big-endian).
//
// Unstructured grids and polydata in both ways of listing cells (counts and points mixed; OFFSETS and
// CONNECTIVITY from version 5.1 on), structured points, structured and rectilinear grids. The geometry ends
// where POINT_DATA or CELL_DATA begin; of the data only a point array "radius", as our writer leaves it, is
// read. Numbers in text may be broken into lines anywhere, as VTK itself reads them.

#include "base/memory.h"
#include "base/text.h"
#include "geometry/mesh_scan.h"
#include "geometry/vtk_cells.h"

typedef enum Dataset { UNSTRUCTURED, POLYDATA, STRUCTURED_POINTS, STRUCTURED_GRID, RECTILINEAR } Dataset;

// Cells before their types are known: cell i has the points ids[starts[i]] to ids[starts[i + 1]].
typedef struct Cells {
    size_t *starts;
    int64_t *ids;
    size_t count;
    int line;
} Cells;

typedef struct Reader {
    TacScan scan;
    TacMeshBuilder builder;
    TacError *error;
    Dataset dataset;
    bool binary;
    bool has_points, has_cells, has_types, has_sizes;
    Cells cells;
    size_t sizes[3];
    double origin[3], spacing[3];
    double *axes[3]; // coordinates of a rectilinear grid
    size_t axis_counts[3];
} Reader;

#define FAIL(reader, ...) TAC_SCAN_FAIL(&(reader)->scan, (reader)->error, __VA_ARGS__)

// ---- words and numbers

typedef struct TypeName {
    const char *name;
    TacNumber kind;
} TypeName;

// vtkIdType stands for 32 bits in these files.
static const TypeName type_names[] = {
    {"float", TAC_FLOAT32},
    {"double", TAC_FLOAT64},
    {"int", TAC_INT32},
    {"unsigned_int", TAC_UINT32},
    {"long", TAC_INT64},
    {"unsigned_long", TAC_UINT64},
    {"short", TAC_INT16},
    {"unsigned_short", TAC_UINT16},
    {"char", TAC_INT8},
    {"signed_char", TAC_INT8},
    {"unsigned_char", TAC_UINT8},
    {"vtkidtype", TAC_INT32},
    {"vtktypeint64", TAC_INT64},
    {"vtktypeuint64", TAC_UINT64},
    {"vtktypeint32", TAC_INT32},
    {"vtktypeuint32", TAC_UINT32},
    {"vtktypeint16", TAC_INT16},
    {"vtktypeuint16", TAC_UINT16},
    {"vtktypeint8", TAC_INT8},
    {"vtktypeuint8", TAC_UINT8},
    {"vtktypefloat32", TAC_FLOAT32},
    {"vtktypefloat64", TAC_FLOAT64},
};

static TacStatus fail_word(Reader *reader, const char *word, size_t length, const char *expected,
                           const char *const *names, size_t count) {
    char copy[40] = {0};
    memcpy(copy, word, length < sizeof copy - 1 ? length : sizeof copy - 1);
    for (char *c = copy; *c; c++)
        if (*c < 32 || *c > 126) *c = '?';
    const char *nearest = tac_nearest(copy, names, count);
    reader->scan.at = word;
    if (!length) return FAIL(reader, "the file ends where %s was expected", expected);
    if (nearest) return FAIL(reader, "expected %s, not '%s'; did you mean '%s'?", expected, copy, nearest);
    return FAIL(reader, "expected %s, not '%s'", expected, copy);
}

static TacStatus read_type(Reader *reader, TacNumber *kind) {
    const char *word, *names[TAC_COUNT(type_names)];
    size_t length = tac_scan_word(&reader->scan, &word);
    for (size_t i = 0; i < TAC_COUNT(type_names); i++) {
        names[i] = type_names[i].name;
        *kind = type_names[i].kind;
        if (tac_same_word(word, length, names[i])) return TAC_OK;
    }
    return fail_word(reader, word, length, "a type of number such as float", names, TAC_COUNT(names));
}

static TacStatus fail_number(Reader *reader, const char *expected) {
    tac_scan_space(&reader->scan);
    if (reader->scan.at == reader->scan.end)
        return FAIL(reader, "the file ends where %s was expected", expected);
    return FAIL(reader, "expected %s", expected);
}

static TacStatus read_size(Reader *reader, size_t limit, size_t *size) {
    int64_t value;
    *size = 0;
    if (!tac_read_int(&reader->scan.at, reader->scan.end, &value))
        return fail_number(reader, "a whole number");
    if (value < 0 || (uint64_t)value > limit)
        return FAIL(reader, "%lld is not a number from 0 to %zu", (long long)value, limit);
    *size = (size_t)value;
    return TAC_OK;
}

// The most numbers that the rest of the file can hold: a digit and a blank in text.
static size_t room(const Reader *reader, TacNumber kind) {
    size_t left = tac_scan_left(&reader->scan);
    return reader->binary ? left / tac_number_size(kind) : left / 2 + 1;
}

static TacStatus check_room(Reader *reader, size_t count, TacNumber kind) {
    if (count <= room(reader, kind)) return TAC_OK;
    return FAIL(reader, "%zu numbers are announced, but the file has room for at most %zu", count,
                room(reader, kind));
}

// Binary numbers start behind the end of the line.
static TacStatus begin_numbers(Reader *reader, size_t count, TacNumber kind) {
    if (!tac_scan_line_end(&reader->scan)) return FAIL(reader, "expected the end of the line");
    TAC_TRY(check_room(reader, count, kind));
    reader->builder.line = tac_scan_line(&reader->scan);
    return TAC_OK;
}

static TacStatus next_int(Reader *reader, TacNumber kind, int64_t *value) {
    if (!reader->binary)
        return tac_read_int(&reader->scan.at, reader->scan.end, value)
                   ? TAC_OK
                   : fail_number(reader, "a whole number");
    size_t size = tac_number_size(kind);
    if (tac_scan_left(&reader->scan) < size) return FAIL(reader, "the file ends too early");
    *value = tac_number_int(kind, reader->scan.at, true);
    reader->scan.at += size;
    return TAC_OK;
}

static TacStatus next_real(Reader *reader, TacNumber kind, double *value) {
    if (!reader->binary)
        return tac_read_real(&reader->scan.at, reader->scan.end, value)
                   ? TAC_OK
                   : fail_number(reader, "a finite number");
    size_t size = tac_number_size(kind);
    if (tac_scan_left(&reader->scan) < size) return FAIL(reader, "the file ends too early");
    *value = tac_number_real(kind, reader->scan.at, true);
    reader->scan.at += size;
    return TAC_OK;
}

static void *new_array(Reader *reader, size_t count, size_t size) {
    void *array = calloc(count ? count : 1, size);
    if (!array) tac_fail_memory(reader->error, count * size);
    return array;
}

// ---- points and axes

static TacStatus read_points(Reader *reader) {
    size_t count;
    TacNumber kind;
    if (reader->has_points) return FAIL(reader, "a second list of points");
    TAC_TRY(read_size(reader, INT32_MAX, &count));
    TAC_TRY(read_type(reader, &kind));
    TAC_TRY(begin_numbers(reader, 3 * count, kind));
    for (size_t i = 0; i < count; i++) {
        double xyz[3];
        for (int j = 0; j < 3; j++) TAC_TRY(next_real(reader, kind, &xyz[j]));
        reader->builder.line = tac_scan_line(&reader->scan);
        TAC_TRY(tac_mesh_builder_point(&reader->builder, xyz[0], xyz[1], xyz[2], reader->error));
    }
    reader->has_points = true;
    return TAC_OK;
}

static TacStatus read_axis(Reader *reader, int axis) {
    size_t count;
    TacNumber kind;
    if (reader->axes[axis]) return FAIL(reader, "a second list of coordinates of this axis");
    TAC_TRY(read_size(reader, INT32_MAX, &count));
    TAC_TRY(read_type(reader, &kind));
    TAC_TRY(begin_numbers(reader, count, kind));
    reader->axes[axis] = new_array(reader, count, sizeof(double));
    if (!reader->axes[axis]) return TAC_NO_MEMORY;
    reader->axis_counts[axis] = count;
    for (size_t i = 0; i < count; i++) TAC_TRY(next_real(reader, kind, &reader->axes[axis][i]));
    return TAC_OK;
}

static TacStatus read_three_reals(Reader *reader, double values[3]) {
    for (int i = 0; i < 3; i++)
        if (!tac_read_real(&reader->scan.at, reader->scan.end, &values[i]))
            return fail_number(reader, "a finite number");
    return TAC_OK;
}

// The points of a grid need not stand in the file. Ones that do (as data) take a byte at least; a small grid
// may come without any.
static TacStatus read_sizes(Reader *reader) {
    enum { FREE_POINTS = 1 << 18 };
    size_t limit = FREE_POINTS + (size_t)(reader->scan.end - reader->scan.start), points = 1;
    for (int i = 0; i < 3; i++) {
        TAC_TRY(read_size(reader, INT32_MAX, &reader->sizes[i]));
        if (reader->sizes[i] && points > limit / reader->sizes[i])
            return FAIL(reader, "a grid of more than %zu points in a file of %zu bytes", limit,
                        limit - FREE_POINTS);
        points *= reader->sizes[i];
    }
    reader->has_sizes = true;
    return TAC_OK;
}

// ---- cells

static TacStatus check_id(Reader *reader, int64_t id) {
    if (id >= 0 && (uint64_t)id < reader->builder.point_count) return TAC_OK;
    return FAIL(reader, "point %lld does not exist; there are %zu points", (long long)id,
                reader->builder.point_count);
}

static TacStatus take_cells(Reader *reader, Cells *cells, size_t count, size_t ids) {
    cells->count = count;
    cells->starts = new_array(reader, count + 1, sizeof *cells->starts);
    cells->ids = cells->starts ? new_array(reader, ids, sizeof *cells->ids) : NULL;
    return cells->ids ? TAC_OK : TAC_NO_MEMORY;
}

static void free_cells(Cells *cells) {
    free(cells->starts);
    free(cells->ids);
    memset(cells, 0, sizeof *cells);
}

// "n id ... id" for each cell; `size` numbers in all.
static TacStatus read_mixed_cells(Reader *reader, Cells *cells, size_t count, size_t size) {
    if (count > size) return FAIL(reader, "%zu cells cannot stand in %zu numbers", count, size);
    TAC_TRY(begin_numbers(reader, size, TAC_INT32));
    TAC_TRY(take_cells(reader, cells, count, size - count));
    size_t used = 0, ids = size - count;
    for (size_t c = 0; c < count; c++) {
        int64_t points;
        TAC_TRY(next_int(reader, TAC_INT32, &points));
        if (points < 0 || (uint64_t)points > ids - used)
            return FAIL(reader, "a cell of %lld points, where %zu numbers are left", (long long)points,
                        ids - used);
        for (int64_t i = 0; i < points; i++) {
            TAC_TRY(next_int(reader, TAC_INT32, &cells->ids[used]));
            TAC_TRY(check_id(reader, cells->ids[used++]));
        }
        cells->starts[c + 1] = used;
    }
    if (used != ids) return FAIL(reader, "%zu numbers of the list of cells are left over", ids - used);
    return TAC_OK;
}

static TacStatus expect_word(Reader *reader, const char *expected) {
    const char *word;
    size_t length = tac_scan_word(&reader->scan, &word);
    if (tac_same_word(word, length, expected)) return TAC_OK;
    return fail_word(reader, word, length, expected, &expected, 1);
}

// OFFSETS and CONNECTIVITY. VTK writes one offset more than there are cells, or none at all.
static TacStatus read_offset_cells(Reader *reader, Cells *cells, size_t offsets, size_t ids) {
    TacNumber kind;
    TAC_TRY(expect_word(reader, "OFFSETS"));
    TAC_TRY(read_type(reader, &kind));
    TAC_TRY(begin_numbers(reader, offsets, kind));
    TAC_TRY(check_room(reader, ids, TAC_INT8));
    TAC_TRY(take_cells(reader, cells, offsets ? offsets - 1 : 0, ids));
    int64_t last = 0;
    for (size_t i = 0; i < offsets; i++) {
        int64_t offset;
        TAC_TRY(next_int(reader, kind, &offset));
        if (offset < last || (uint64_t)offset > ids || (i == 0 && offset != 0))
            return FAIL(reader, "the offset %lld is out of order", (long long)offset);
        cells->starts[i] = (size_t)offset;
        last = offset;
    }
    TAC_TRY(expect_word(reader, "CONNECTIVITY"));
    TAC_TRY(read_type(reader, &kind));
    TAC_TRY(begin_numbers(reader, ids, kind));
    for (size_t i = 0; i < ids; i++) {
        TAC_TRY(next_int(reader, kind, &cells->ids[i]));
        TAC_TRY(check_id(reader, cells->ids[i]));
    }
    return TAC_OK;
}

static TacStatus read_cells(Reader *reader, Cells *cells) {
    size_t first, second;
    if (!reader->has_points) return FAIL(reader, "the cells stand before the points they use");
    TAC_TRY(read_size(reader, room(reader, TAC_INT8), &first));
    TAC_TRY(read_size(reader, room(reader, TAC_INT8), &second));
    cells->line = tac_scan_line(&reader->scan);

    // the word OFFSETS tells the newer way of listing from the older one
    TacScan ahead = reader->scan;
    const char *word;
    size_t length = tac_scan_word(&ahead, &word);
    if (tac_same_word(word, length, "OFFSETS")) return read_offset_cells(reader, cells, first, second);
    return read_mixed_cells(reader, cells, first, second);
}

// Lines, polygons and strips of polydata: cells of one type.
static TacStatus read_cells_of_type(Reader *reader, int type) {
    Cells cells = {0};
    TacStatus status = read_cells(reader, &cells);
    reader->builder.line = cells.line;
    for (size_t i = 0; status == TAC_OK && i < cells.count; i++)
        status = tac_vtk_add_cell(&reader->builder, type, cells.ids + cells.starts[i],
                                  cells.starts[i + 1] - cells.starts[i], reader->error);
    free_cells(&cells);
    return status;
}

static TacStatus read_types(Reader *reader) {
    size_t count;
    const Cells *cells = &reader->cells;
    if (!reader->has_cells || reader->has_types)
        return FAIL(reader, "types of cells without a list of cells");
    TAC_TRY(read_size(reader, INT32_MAX, &count));
    if (count != cells->count) return FAIL(reader, "%zu types of cells for %zu cells", count, cells->count);
    TAC_TRY(begin_numbers(reader, count, TAC_INT32));
    for (size_t i = 0; i < count; i++) {
        int64_t type;
        TAC_TRY(next_int(reader, TAC_INT32, &type));
        reader->builder.line = tac_scan_line(&reader->scan);
        TAC_TRY(tac_vtk_add_cell(&reader->builder, type, cells->ids + cells->starts[i],
                                 cells->starts[i + 1] - cells->starts[i], reader->error));
    }
    reader->has_types = true;
    return TAC_OK;
}

// ---- what is skipped

// Information about the array before it, up to an empty line.
static void skip_metadata(Reader *reader) {
    tac_scan_skip_line(&reader->scan);
    while (reader->scan.at < reader->scan.end) {
        const char *start = reader->scan.at;
        tac_scan_blanks(&reader->scan);
        bool empty = *reader->scan.at == '\n';
        reader->scan.at = start;
        tac_scan_skip_line(&reader->scan);
        if (empty) return;
    }
}

static TacStatus skip_words(Reader *reader, size_t count) {
    const char *word;
    for (size_t i = 0; i < count; i++)
        if (!tac_scan_word(&reader->scan, &word)) return FAIL(reader, "the file ends too early");
    return TAC_OK;
}

// A binary string: the two highest bits tell how many bytes its length takes.
static TacStatus skip_string(Reader *reader) {
    if (reader->scan.at == reader->scan.end) return FAIL(reader, "the file ends too early");
    size_t bytes = (size_t)8 >> ((unsigned char)*reader->scan.at >> 6), length = 0;
    if (tac_scan_left(&reader->scan) < bytes) return FAIL(reader, "the file ends too early");
    for (size_t i = 0; i < bytes; i++) {
        unsigned char byte = (unsigned char)*reader->scan.at++;
        length = length << 8 | (i ? byte : byte & 0x3Fu);
    }
    if (length > tac_scan_left(&reader->scan)) return FAIL(reader, "the file ends inside a string");
    reader->scan.at += length;
    return TAC_OK;
}

static TacStatus skip_strings(Reader *reader, size_t count) {
    tac_scan_skip_line(&reader->scan);
    for (size_t i = 0; i < count; i++) {
        if (reader->scan.at == reader->scan.end) return FAIL(reader, "the file ends too early");
        if (reader->binary)
            TAC_TRY(skip_string(reader));
        else
            tac_scan_skip_line(&reader->scan);
    }
    return TAC_OK;
}

static TacStatus skip_numbers(Reader *reader, size_t count, TacNumber kind) {
    TAC_TRY(begin_numbers(reader, count, kind));
    if (!reader->binary) return skip_words(reader, count);
    reader->scan.at += count * tac_number_size(kind);
    return TAC_OK;
}

// Strings and bits are known here only, where nothing of them is wanted.
static TacStatus skip_array(Reader *reader, size_t count) {
    const char *word;
    TacScan ahead = reader->scan;
    size_t length = tac_scan_word(&ahead, &word);
    bool bits = tac_same_word(word, length, "bit");
    if (bits || tac_same_word(word, length, "string")) reader->scan = ahead;
    if (tac_same_word(word, length, "string")) return skip_strings(reader, count);
    if (bits) return skip_numbers(reader, reader->binary ? (count + 7) / 8 : count, TAC_UINT8);

    TacNumber kind;
    TAC_TRY(read_type(reader, &kind));
    return skip_numbers(reader, count, kind);
}

// Leaves the reader where it was. Radii that cannot be used are no radii.
static void take_radii(Reader *reader, size_t count) {
    TacScan start = reader->scan;
    TacError *error = reader->error, unused;
    TacNumber kind;
    reader->error = &unused;
    bool good = read_type(reader, &kind) == TAC_OK && begin_numbers(reader, count, kind) == TAC_OK;
    for (size_t i = 0; good && i < count; i++) {
        double radius = 0;
        good = next_real(reader, kind, &radius) == TAC_OK && radius > 0 &&
               tac_mesh_builder_radius(&reader->builder, radius, &unused) == TAC_OK;
    }
    if (!good) reader->builder.radius_count = 0;
    reader->error = error;
    reader->scan = start;
}

// "FIELD name arrays", then "name components tuples type" and the numbers of each array.
static TacStatus read_field(Reader *reader, bool of_points) {
    const char *word;
    size_t arrays, done = 0;
    tac_scan_word(&reader->scan, &word);
    TAC_TRY(read_size(reader, tac_scan_left(&reader->scan), &arrays));
    while (done < arrays) {
        size_t components, tuples, length = tac_scan_word(&reader->scan, &word);
        if (tac_same_word(word, length, "METADATA")) {
            skip_metadata(reader);
            continue;
        }
        bool radius = of_points && tac_same_word(word, length, "radius");
        TAC_TRY(read_size(reader, 1 << 20, &components));
        TAC_TRY(read_size(reader, tac_scan_left(&reader->scan) * 8, &tuples));
        if (radius && components == 1 && tuples == reader->builder.point_count &&
            !reader->builder.radius_count)
            take_radii(reader, tuples);
        TAC_TRY(skip_array(reader, components * tuples));
        done++;
    }
    return TAC_OK;
}

// Our own writer's radii follow POINT_DATA as a field; other data end the geometry and are left unread.
static void read_point_data(Reader *reader) {
    const char *word;
    TacError *error = reader->error, unused;
    reader->error = &unused;
    if (tac_scan_word(&reader->scan, &word) && expect_word(reader, "FIELD") == TAC_OK)
        read_field(reader, true);
    reader->error = error;
}

// ---- the file

static TacStatus read_header(Reader *reader) {
    static const char *const datasets[] = {"UNSTRUCTURED_GRID", "POLYDATA", "STRUCTURED_POINTS",
                                           "STRUCTURED_GRID", "RECTILINEAR_GRID"};
    static const char *const encodings[] = {"ASCII", "BINARY"};
    static const char magic[] = "# vtk DataFile";
    if (tac_scan_left(&reader->scan) < strlen(magic) || !tac_same_word(reader->scan.at, strlen(magic), magic))
        return FAIL(reader, "expected \"# vtk DataFile Version\"");
    tac_scan_skip_line(&reader->scan);
    tac_scan_skip_line(&reader->scan);

    const char *word;
    size_t length = tac_scan_word(&reader->scan, &word);
    reader->binary = tac_same_word(word, length, "BINARY");
    if (!reader->binary && !tac_same_word(word, length, "ASCII"))
        return fail_word(reader, word, length, "ASCII or BINARY", encodings, TAC_COUNT(encodings));
    TAC_TRY(expect_word(reader, "DATASET"));
    length = tac_scan_word(&reader->scan, &word);
    for (size_t i = 0; i < TAC_COUNT(datasets); i++)
        if (tac_same_word(word, length, datasets[i])) {
            reader->dataset = (Dataset)i;
            reader->scan.binary = reader->binary;
            return TAC_OK;
        }
    return fail_word(reader, word, length, "a kind of dataset", datasets, TAC_COUNT(datasets));
}

enum {
    KEY_POINTS,
    KEY_CELLS,
    KEY_CELL_TYPES,
    KEY_VERTICES,
    KEY_LINES,
    KEY_POLYGONS,
    KEY_TRIANGLE_STRIPS,
    KEY_DIMENSIONS,
    KEY_ORIGIN,
    KEY_SPACING,
    KEY_ASPECT_RATIO,
    KEY_X,
    KEY_Y,
    KEY_Z,
    KEY_FIELD,
    KEY_METADATA,
    KEY_POINT_DATA,
    KEY_CELL_DATA,
    KEY_COUNT
};

static const char *const keys[KEY_COUNT] = {
    "POINTS",          "CELLS",         "CELL_TYPES", "VERTICES", "LINES",        "POLYGONS",
    "TRIANGLE_STRIPS", "DIMENSIONS",    "ORIGIN",     "SPACING",  "ASPECT_RATIO", "X_COORDINATES",
    "Y_COORDINATES",   "Z_COORDINATES", "FIELD",      "METADATA", "POINT_DATA",   "CELL_DATA"};

static TacStatus read_part(Reader *reader, size_t key) {
    switch (key) {
    case KEY_POINTS: return read_points(reader);
    case KEY_CELLS:
        if (reader->has_cells) return FAIL(reader, "a second list of cells");
        reader->has_cells = true;
        return read_cells(reader, &reader->cells);
    case KEY_CELL_TYPES: return read_types(reader);
    case KEY_VERTICES: return read_cells_of_type(reader, TAC_VTK_VERTEX);
    case KEY_LINES: return read_cells_of_type(reader, TAC_VTK_POLY_LINE);
    case KEY_POLYGONS: return read_cells_of_type(reader, TAC_VTK_POLYGON);
    case KEY_TRIANGLE_STRIPS: return read_cells_of_type(reader, TAC_VTK_TRIANGLE_STRIP);
    case KEY_DIMENSIONS: return read_sizes(reader);
    case KEY_ORIGIN: return read_three_reals(reader, reader->origin);
    case KEY_SPACING:
    case KEY_ASPECT_RATIO: return read_three_reals(reader, reader->spacing);
    case KEY_X: return read_axis(reader, 0);
    case KEY_Y: return read_axis(reader, 1);
    case KEY_Z: return read_axis(reader, 2);
    case KEY_FIELD: return read_field(reader, false);
    case KEY_METADATA: skip_metadata(reader); return TAC_OK;
    default: return TAC_OK;
    }
}

static TacStatus read_parts(Reader *reader) {
    for (;;) {
        const char *word;
        size_t key = 0, length = tac_scan_word(&reader->scan, &word);
        if (!length) return TAC_OK;
        while (key < KEY_COUNT && !tac_same_word(word, length, keys[key])) key++;
        if (key == KEY_COUNT) return fail_word(reader, word, length, "a part of a dataset", keys, KEY_COUNT);
        if (key == KEY_POINT_DATA) read_point_data(reader);
        if (key == KEY_POINT_DATA || key == KEY_CELL_DATA) return TAC_OK;
        TAC_TRY(read_part(reader, key));
    }
}

static TacStatus add_grid_points(Reader *reader) {
    const size_t *n = reader->sizes;
    bool rectilinear = reader->dataset == RECTILINEAR;
    for (size_t k = 0; k < n[2]; k++)
        for (size_t j = 0; j < n[1]; j++)
            for (size_t i = 0; i < n[0]; i++) {
                size_t at[3] = {i, j, k};
                double p[3];
                for (int a = 0; a < 3; a++)
                    p[a] = rectilinear ? reader->axes[a][at[a]]
                                       : reader->origin[a] + (double)at[a] * reader->spacing[a];
                TAC_TRY(tac_mesh_builder_point(&reader->builder, p[0], p[1], p[2], reader->error));
            }
    return TAC_OK;
}

static TacStatus finish_grid(Reader *reader) {
    const size_t *n = reader->sizes;
    if (!reader->has_sizes) return FAIL(reader, "a grid without DIMENSIONS");
    for (int a = 0; reader->dataset == RECTILINEAR && a < 3; a++)
        if (!reader->axes[a] || reader->axis_counts[a] != n[a])
            return FAIL(reader, "expected %zu %c_COORDINATES, not %zu", n[a], "XYZ"[a],
                        reader -> axis_counts[a]);
    if (reader->dataset != STRUCTURED_GRID && reader->has_points)
        return FAIL(reader, "POINTS in a regular grid");
    if (reader->dataset != STRUCTURED_GRID) TAC_TRY(add_grid_points(reader));
    if (reader->builder.point_count != n[0] * n[1] * n[2])
        return FAIL(reader, "%zu points for a grid of %zu x %zu x %zu", reader->builder.point_count, n[0],
                    n[1], n[2]);
    return tac_vtk_add_grid(&reader->builder, n, reader->error);
}

static TacStatus read_file(Reader *reader) {
    TAC_TRY(read_header(reader));
    TAC_TRY(read_parts(reader));
    if (reader->dataset >= STRUCTURED_POINTS) return finish_grid(reader);
    if (!reader->has_points) return FAIL(reader, "no POINTS");
    if (reader->has_cells && !reader->has_types) return FAIL(reader, "CELLS without CELL_TYPES");
    return TAC_OK;
}

TacStatus tac_mesh_parse_vtk(TacMesh *mesh, const TacMeshInput *input, TacError *error) {
    Reader reader = {
        .scan = tac_scan(input), .builder = {.name = input->name}, .error = error, .spacing = {1, 1, 1}};
    TacStatus status = read_file(&reader);
    if (status == TAC_OK)
        status = tac_mesh_builder_finish(&reader.builder, mesh, error);
    else
        tac_mesh_builder_destroy(&reader.builder);
    free_cells(&reader.cells);
    for (int a = 0; a < 3; a++) free(reader.axes[a]);
    return status;
}

// ---- writing

static void write_cells(const TacMesh *mesh, FILE *out) {
    size_t cells = 0, numbers = 0;
    for (int kind = 0; kind < TAC_ELEMENT_KINDS; kind++) {
        cells += mesh->elements[kind].count;
        numbers += mesh->elements[kind].count * (1 + (size_t)tac_element_size((TacElement)kind));
    }
    fprintf(out, "CELLS %zu %zu\n", cells, numbers);
    for (int kind = 0; kind < TAC_ELEMENT_KINDS; kind++) {
        int size = tac_element_size((TacElement)kind);
        const int32_t *index = mesh->elements[kind].indices;
        for (size_t e = 0; e < mesh->elements[kind].count; e++) {
            fprintf(out, "%d", size);
            for (int i = 0; i < size; i++) fprintf(out, " %d", *index++);
            fputc('\n', out);
        }
    }
    fprintf(out, "CELL_TYPES %zu\n", cells);
    for (int kind = 0; kind < TAC_ELEMENT_KINDS; kind++)
        for (size_t e = 0; e < mesh->elements[kind].count; e++)
            fprintf(out, "%d\n", tac_vtk_type((TacElement)kind));
}

// Points without elements are written as vertices, which viewers show.
static void write_vertices(const TacMesh *mesh, FILE *out) {
    fprintf(out, "CELLS %zu %zu\n", mesh->point_count, 2 * mesh->point_count);
    for (size_t i = 0; i < mesh->point_count; i++) fprintf(out, "1 %zu\n", i);
    fprintf(out, "CELL_TYPES %zu\n", mesh->point_count);
    for (size_t i = 0; i < mesh->point_count; i++) fprintf(out, "%d\n", TAC_VTK_VERTEX);
}

TacStatus tac_mesh_write_vtk(const TacMesh *mesh, FILE *out, TacError *error) {
    (void)error;
    fprintf(out, "# vtk DataFile Version 3.0\nmesh written by tactus\nASCII\nDATASET UNSTRUCTURED_GRID\n");
    fprintf(out, "POINTS %zu double\n", mesh->point_count);
    for (size_t i = 0; i < 3 * mesh->point_count; i++) {
        tac_print_real(out, mesh->points[i], 0);
        fputc(i % 3 == 2 ? '\n' : ' ', out);
    }
    size_t elements = 0;
    for (int kind = 0; kind < TAC_ELEMENT_KINDS; kind++) elements += mesh->elements[kind].count;
    if (elements)
        write_cells(mesh, out);
    else
        write_vertices(mesh, out);
    if (!mesh->radii) return TAC_OK;

    fprintf(out, "POINT_DATA %zu\nFIELD FieldData 1\nradius 1 %zu double\n", mesh->point_count,
            mesh->point_count);
    for (size_t i = 0; i < mesh->point_count; i++) {
        tac_print_real(out, mesh->radii[i], 0);
        fputc('\n', out);
    }
    return TAC_OK;
}
