// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// VTK's XML files of unstructured grids (.vtu; "VTK File Formats", XML part).
//
// The document is walked with libxml2's SAX interface, which keeps nothing: of each piece we note where its
// points and cells stand (numbers inside the document are copied, appended ones stay in the file) and decode
// them once the whole document has been seen to be well formed. A document type, and with it every entity, is
// refused where it begins; nothing outside the file is ever opened. Appended data need not be XML (raw
// bytes): the document is cut at the start of the appended section and closed by us.

#define _GNU_SOURCE
#include "base/memory.h"
#include "base/text.h"
#include "geometry/vtk_cells.h"
#include "geometry/vtu_array.h"

#include <libxml/parser.h>
#include <libxml/xmlerror.h>

enum { DEEPEST = 16, MOST_PIECES = 1 << 16 };

typedef enum Role { POINTS, CONNECTIVITY, OFFSETS, TYPES, RADII, ROLES } Role;

static const char *const role_names[ROLES] = {"points", "connectivity", "offsets", "types", "radii"};

typedef struct Array {
    bool given, appended, ascii;
    TacNumber kind;
    int line;
    size_t offset; // of appended ones
    char *text;    // of the others
    size_t length, capacity;
} Array;

typedef struct Piece {
    size_t points, cells;
    int line;
    Array arrays[ROLES];
} Piece;

// Elements that matter, by where they stand.
typedef enum Place {
    OUTSIDE,
    IN_FILE,
    IN_GRID,
    IN_PIECE,
    IN_POINTS,
    IN_CELLS,
    IN_POINT_DATA,
    IN_APPENDED,
    IN_ARRAY,
    ELSEWHERE,
} Place;

typedef struct Reader {
    const TacMeshInput *input;
    TacError *error;
    TacStatus status; // of the first thing that went wrong
    xmlParserCtxtPtr parser;
    TacMeshBuilder builder;
    TacVtuFormat format;
    Place places[DEEPEST];
    int depth;
    Array *array; // the one whose text is being read
    Piece *pieces;
    size_t piece_count, piece_capacity;
    const char *appended; // behind its "_"; NULL when there is none
    bool appended_encoded;
    bool radii;  // every piece so far had good ones
    size_t used; // bytes of the file decoded so far
} Reader;

static int current_line(const Reader *reader) {
    return xmlSAX2GetLineNumber(reader->parser);
}

#define FAIL(reader, ...)                                                                                    \
    tac_fail_at((reader)->error, TAC_BAD_INPUT, (reader)->input->name, current_line(reader), 0, __VA_ARGS__)

// ---- the document

typedef struct Attributes {
    const xmlChar **list; // five pointers each: name, prefix, URI, value, end of value
    int count;
} Attributes;

// The value as text; false when it is not there. One that does not fit is cut, and then matches nothing.
static bool attribute(Attributes attributes, const char *name, char *text, size_t size) {
    for (int i = 0; i < attributes.count; i++) {
        const xmlChar **a = attributes.list + 5 * i;
        if (strcmp((const char *)a[0], name) != 0) continue;
        size_t length = (size_t)(a[4] - a[3]);
        if (length >= size) length = size - 1;
        memcpy(text, a[3], length);
        text[length] = 0;
        return true;
    }
    return false;
}

static TacStatus size_attribute(Reader *reader, Attributes attributes, const char *name, size_t limit,
                                size_t *value) {
    char text[32];
    int64_t number;
    if (!attribute(attributes, name, text, sizeof text)) return FAIL(reader, "%s is missing", name);
    const char *cursor = text, *end = text + strlen(text);
    if (!tac_read_int(&cursor, end, &number) || cursor != end || number < 0 || (uint64_t)number > limit)
        return FAIL(reader, "%s is \"%s\"; expected a whole number from 0 to %zu", name, text, limit);
    *value = (size_t)number;
    return TAC_OK;
}

// The number of the name that the attribute has; `missing` when it is not there.
static TacStatus choice(Reader *reader, Attributes attributes, const char *name, const char *const *names,
                        size_t count, size_t missing, size_t *chosen) {
    char text[64];
    *chosen = missing;
    if (!attribute(attributes, name, text, sizeof text)) {
        if (missing < count) return TAC_OK;
        return FAIL(reader, "%s is missing", name);
    }
    for (size_t i = 0; i < count; i++)
        if (strcmp(text, names[i]) == 0) {
            *chosen = i;
            return TAC_OK;
        }
    const char *nearest = tac_nearest(text, names, count);
    return FAIL(reader, "%s is \"%s\"; expected \"%s\"", name, text, nearest ? nearest : names[0]);
}

static TacStatus begin_file(Reader *reader, Attributes attributes) {
    static const char *const types[] = {"UnstructuredGrid"};
    static const char *const orders[] = {"LittleEndian", "BigEndian"};
    static const char *const headers[] = {"UInt32", "UInt64"};
    static const char *const compressors[] = {"", "vtkZLibDataCompressor"};
    size_t type, order, header, compressor;
    TAC_TRY(choice(reader, attributes, "type", types, 1, 1, &type));
    TAC_TRY(choice(reader, attributes, "byte_order", orders, 2, 0, &order));
    TAC_TRY(choice(reader, attributes, "header_type", headers, 2, 0, &header));
    TAC_TRY(choice(reader, attributes, "compressor", compressors, 2, 0, &compressor));
    reader->format = (TacVtuFormat){order == 1, header == 1, compressor == 1};
    return TAC_OK;
}

static TacStatus begin_piece(Reader *reader, Attributes attributes) {
    if (reader->piece_count == MOST_PIECES) return FAIL(reader, "more than %d pieces", MOST_PIECES);
    if (!tac_grow(&reader->pieces, &reader->piece_capacity, reader->piece_count + 1, sizeof *reader->pieces))
        return tac_fail_memory(reader->error, (reader->piece_count + 1) * sizeof *reader->pieces);
    Piece *piece = &reader->pieces[reader->piece_count++];
    piece->line = current_line(reader);
    TAC_TRY(size_attribute(reader, attributes, "NumberOfPoints", INT32_MAX, &piece->points));
    return size_attribute(reader, attributes, "NumberOfCells", INT32_MAX, &piece->cells);
}

static TacStatus begin_appended(Reader *reader, Attributes attributes) {
    static const char *const encodings[] = {"base64", "raw"};
    size_t encoding;
    TAC_TRY(choice(reader, attributes, "encoding", encodings, 2, 0, &encoding));
    reader->appended_encoded = encoding == 0;
    return TAC_OK;
}

// Which of the arrays we want this one is; ROLES when none.
static Role role_of(Place parent, Attributes attributes) {
    char name[64] = "";
    attribute(attributes, "Name", name, sizeof name);
    if (parent == IN_POINTS) return POINTS;
    if (parent == IN_POINT_DATA) return strcmp(name, "radius") == 0 ? RADII : ROLES;
    for (int role = CONNECTIVITY; role <= TYPES; role++)
        if (parent == IN_CELLS && strcmp(name, role_names[role]) == 0) return (Role)role;
    return ROLES;
}

static TacStatus begin_array(Reader *reader, Place parent, Attributes attributes) {
    static const char *const types[] = {"Int8",   "UInt8", "Int16",  "UInt16",  "Int32",
                                        "UInt32", "Int64", "UInt64", "Float32", "Float64"};
    static const char *const formats[] = {"ascii", "binary", "appended"};
    Role role = role_of(parent, attributes);
    if (role == ROLES) return TAC_OK;
    Array *array = &reader->pieces[reader->piece_count - 1].arrays[role];
    if (array->given) return FAIL(reader, "a second array of %s in one piece", role_names[role]);

    size_t type, format, components = role == POINTS ? 3 : 1;
    char text[8];
    TAC_TRY(choice(reader, attributes, "type", types, TAC_NUMBER_KINDS, TAC_NUMBER_KINDS, &type));
    TAC_TRY(choice(reader, attributes, "format", formats, 3, 0, &format));
    if (attribute(attributes, "NumberOfComponents", text, sizeof text))
        TAC_TRY(size_attribute(reader, attributes, "NumberOfComponents", 1000, &components));
    if (role == RADII && components != 1) return TAC_OK;
    if (role == POINTS && components != 3)
        return FAIL(reader, "points of %zu coordinates; expected 3", components);
    if (format == 2)
        TAC_TRY(size_attribute(reader, attributes, "offset", reader->input->bytes, &array->offset));

    array->given = true;
    array->ascii = format == 0;
    array->appended = format == 2;
    array->kind = (TacNumber)type;
    array->line = current_line(reader);
    if (!array->appended) reader->array = array;
    return TAC_OK;
}

static bool is(const xmlChar *name, const char *text) {
    return strcmp((const char *)name, text) == 0;
}

static TacStatus begin_element(Reader *reader, const xmlChar *name, Attributes attributes, Place *place) {
    Place parent = reader->depth ? reader->places[reader->depth - 1] : OUTSIDE;
    *place = ELSEWHERE;
    if (parent == OUTSIDE) {
        *place = IN_FILE;
        if (!is(name, "VTKFile")) return FAIL(reader, "the root element is not VTKFile");
        return begin_file(reader, attributes);
    }
    if (parent == IN_FILE && is(name, "UnstructuredGrid")) *place = IN_GRID;
    if (parent == IN_FILE && is(name, "AppendedData")) {
        *place = IN_APPENDED;
        return begin_appended(reader, attributes);
    }
    if (parent == IN_GRID && is(name, "Piece")) {
        *place = IN_PIECE;
        return begin_piece(reader, attributes);
    }
    if (parent == IN_PIECE && is(name, "Points")) *place = IN_POINTS;
    if (parent == IN_PIECE && is(name, "Cells")) *place = IN_CELLS;
    if (parent == IN_PIECE && is(name, "PointData")) *place = IN_POINT_DATA;
    if ((parent == IN_POINTS || parent == IN_CELLS || parent == IN_POINT_DATA) && is(name, "DataArray")) {
        *place = IN_ARRAY;
        return begin_array(reader, parent, attributes);
    }
    return TAC_OK;
}

// Records the first failure and ends the walk.
static void settle(Reader *reader, TacStatus status) {
    if (status == TAC_OK || reader->status != TAC_OK) return;
    reader->status = status;
    xmlStopParser(reader->parser);
}

static void on_start(void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int spaces,
                     const xmlChar **space_list, int count, int defaulted, const xmlChar **list) {
    Reader *reader = data;
    (void)prefix, (void)uri, (void)spaces, (void)space_list, (void)defaulted;
    if (reader->status != TAC_OK) return;
    if (reader->depth == DEEPEST) {
        settle(reader, FAIL(reader, "elements nested deeper than %d", DEEPEST));
        return;
    }
    Place place;
    TacStatus status = begin_element(reader, name, (Attributes){list, count}, &place);
    reader->places[reader->depth++] = place;
    settle(reader, status);
}

static void on_end(void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {
    Reader *reader = data;
    (void)name, (void)prefix, (void)uri;
    if (reader->status != TAC_OK || !reader->depth) return;
    if (reader->places[--reader->depth] == IN_ARRAY) reader->array = NULL;
}

// Text directly inside the array, not inside the information keys that may stand there too.
static void on_text(void *data, const xmlChar *text, int length) {
    Reader *reader = data;
    Array *array = reader->array;
    if (reader->status != TAC_OK || !array || length <= 0) return;
    if (!reader->depth || reader->places[reader->depth - 1] != IN_ARRAY) return;
    if (!tac_grow(&array->text, &array->capacity, array->length + (size_t)length, 1)) {
        settle(reader, tac_fail_memory(reader->error, array->length + (size_t)length));
        return;
    }
    memcpy(array->text + array->length, text, (size_t)length);
    array->length += (size_t)length;
}

static void on_document_type(void *data, const xmlChar *name, const xmlChar *external,
                             const xmlChar *system) {
    Reader *reader = data;
    (void)name, (void)external, (void)system;
    settle(reader, FAIL(reader, "a document type (DOCTYPE) is not accepted"));
}

static bool feed(Reader *reader, const char *data, size_t bytes, bool last) {
    enum { PIECE = 1 << 16 };
    while (bytes && reader->status == TAC_OK) {
        int now = bytes < PIECE ? (int)bytes : PIECE;
        if (xmlParseChunk(reader->parser, data, now, 0) != 0 && !reader->parser->wellFormed) return false;
        data += now;
        bytes -= (size_t)now;
    }
    if (last && reader->status == TAC_OK) xmlParseChunk(reader->parser, NULL, 0, 1);
    return reader->status == TAC_OK && reader->parser->wellFormed;
}

static TacStatus fail_document(Reader *reader) {
    if (reader->status != TAC_OK) return reader->status;
    const xmlError *problem = xmlCtxtGetLastError(reader->parser);
    if (problem && problem->code == XML_ERR_NO_MEMORY) return tac_fail_memory(reader->error, 0);
    char text[256] = "it ends too early";
    if (problem && problem->message) snprintf(text, sizeof text, "%s", problem->message);
    text[strcspn(text, "\r\n")] = 0;
    return tac_fail_at(reader->error, TAC_BAD_INPUT, reader->input->name, problem ? problem->line : 0, 0,
                       "is not well-formed XML: %s", text);
}

// Where the document can be cut: behind the start tag of the appended data. NULL when there are none.
static const char *find_appended(const TacMeshInput *input) {
    static const char tag[] = "<AppendedData";
    const char *end = input->data + input->bytes;
    const char *start = memmem(input->data, input->bytes, tag, strlen(tag));
    const char *close = start ? memchr(start, '>', (size_t)(end - start)) : NULL;
    return close && close[-1] != '/' ? close + 1 : NULL;
}

static TacStatus walk_document(Reader *reader) {
    xmlSAXHandler handler = {.initialized = XML_SAX2_MAGIC,
                             .startElementNs = on_start,
                             .endElementNs = on_end,
                             .characters = on_text,
                             .cdataBlock = on_text,
                             .ignorableWhitespace = on_text,
                             .internalSubset = on_document_type};
    reader->parser = xmlCreatePushParserCtxt(&handler, reader, NULL, 0, NULL);
    if (!reader->parser) return tac_fail_memory(reader->error, sizeof *reader->parser);
    xmlCtxtUseOptions(reader->parser, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);

    const TacMeshInput *input = reader->input;
    const char *cut = find_appended(input), *end = input->data + input->bytes;
    static const char closing[] = "</AppendedData></VTKFile>";
    bool good = feed(reader, input->data, cut ? (size_t)(cut - input->data) : input->bytes, !cut);
    if (good && cut) good = feed(reader, closing, strlen(closing), true);
    TacStatus status = good ? TAC_OK : fail_document(reader);
    xmlFreeParserCtxt(reader->parser);
    reader->parser = NULL;
    if (status != TAC_OK || !cut) return status;

    while (cut < end && (*cut == ' ' || *cut == '\n' || *cut == '\r' || *cut == '\t')) cut++;
    if (cut == end || *cut != '_')
        return tac_fail_at(reader->error, TAC_BAD_INPUT, input->name, 0, 0,
                           "appended data do not start with \"_\"");
    reader->appended = cut + 1;
    return TAC_OK;
}

// ---- the numbers

static TacStatus decode(Reader *reader, const Piece *piece, Role role, size_t count, TacVtuArray *array) {
    const Array *from = &piece->arrays[role];
    const TacMeshInput *input = reader->input;
    if (!from->given) {
        if (!count) return TAC_OK;
        return tac_fail_at(reader->error, TAC_BAD_INPUT, input->name, piece->line, 0,
                           "a piece without an array of %s", role_names[role]);
    }
    TacVtuSource source = {.file = input->name,
                           .line = from->line,
                           .role = role_names[role],
                           .kind = from->kind,
                           .text = from->ascii,
                           .encoded = !from->appended || reader->appended_encoded,
                           .data = from->text ? from->text : ""};
    source.end = source.data + from->length;
    if (from->appended) {
        const char *end = input->data + input->bytes;
        if (!reader->appended || from->offset > (size_t)(end - reader->appended))
            return tac_fail_at(reader->error, TAC_BAD_INPUT, input->name, from->line, 0,
                               "the array of %s lies behind the end of the file", role_names[role]);
        source.data = reader->appended + from->offset;
        source.end = end;
    }
    TAC_TRY(tac_vtu_array_read(array, &source, &reader->format, count, &reader->used, reader->error));
    if (reader->used <= input->bytes) return TAC_OK;
    return tac_fail_at(reader->error, TAC_BAD_INPUT, input->name, from->line, 0,
                       "arrays lie on top of each other in the appended data");
}

static TacStatus add_points(Reader *reader, const Piece *piece) {
    TacVtuArray points = {0};
    TacMeshBuilder *builder = &reader->builder;
    TacStatus status = decode(reader, piece, POINTS, 3 * piece->points, &points);
    builder->line = piece->arrays[POINTS].line;
    for (size_t i = 0; status == TAC_OK && i < piece->points; i++)
        status = tac_mesh_builder_point(builder, tac_vtu_array_real(&points, 3 * i),
                                        tac_vtu_array_real(&points, 3 * i + 1),
                                        tac_vtu_array_real(&points, 3 * i + 2), reader->error);
    tac_vtu_array_destroy(&points);
    return status;
}

// Radii that some piece lacks, or that are not positive, are data of another kind: none are kept.
static void add_radii(Reader *reader, const Piece *piece) {
    TacError *error = reader->error, unused;
    TacVtuArray radii = {0};
    size_t used = reader->used;
    reader->error = &unused;
    bool good = reader->radii && piece->arrays[RADII].given &&
                decode(reader, piece, RADII, piece->points, &radii) == TAC_OK;
    for (size_t i = 0; good && i < piece->points; i++) {
        double radius = tac_vtu_array_real(&radii, i);
        good = radius > 0 && tac_mesh_builder_radius(&reader->builder, radius, &unused) == TAC_OK;
    }
    tac_vtu_array_destroy(&radii);
    if (!good) reader->used = used;
    if (!good) reader->builder.radius_count = 0;
    reader->radii = good;
    reader->error = error;
}

typedef struct Cells {
    TacVtuArray types, offsets, connectivity;
    int64_t *ids; // of one cell
    size_t capacity;
} Cells;

// The points of one cell, numbered in the whole mesh.
static TacStatus gather_ids(Reader *reader, const Piece *piece, Cells *cells, size_t begin, size_t end,
                            size_t first_point) {
    if (!tac_grow(&cells->ids, &cells->capacity, end - begin, sizeof *cells->ids))
        return tac_fail_memory(reader->error, (end - begin) * sizeof *cells->ids);
    for (size_t i = begin; i < end; i++) {
        int64_t id = tac_vtu_array_int(&cells->connectivity, i);
        if (id < 0 || (uint64_t)id >= piece->points)
            return tac_fail_at(
                reader->error, TAC_BAD_INPUT, reader->input->name, piece->arrays[CONNECTIVITY].line, 0,
                "point %lld does not exist; the piece has %zu points", (long long)id, piece->points);
        cells->ids[i - begin] = id + (int64_t)first_point;
    }
    return TAC_OK;
}

static TacStatus add_decoded_cells(Reader *reader, const Piece *piece, Cells *cells, size_t first_point) {
    const char *name = reader->input->name;
    size_t begin = 0;
    TAC_TRY(decode(reader, piece, TYPES, piece->cells, &cells->types));
    TAC_TRY(decode(reader, piece, OFFSETS, piece->cells, &cells->offsets));
    if (!piece->cells) return TAC_OK;

    // the last offset is the length of the list of points
    int64_t total = tac_vtu_array_int(&cells->offsets, piece->cells - 1);
    if (total < 0) total = 0;
    TAC_TRY(decode(reader, piece, CONNECTIVITY, (size_t)total, &cells->connectivity));
    for (size_t c = 0; c < piece->cells; c++) {
        int64_t end = tac_vtu_array_int(&cells->offsets, c);
        if (end < (int64_t)begin || end > total)
            return tac_fail_at(reader->error, TAC_BAD_INPUT, name, piece->arrays[OFFSETS].line, 0,
                               "the offset %lld is out of order", (long long)end);
        TAC_TRY(gather_ids(reader, piece, cells, begin, (size_t)end, first_point));
        TAC_TRY(tac_vtk_add_cell(&reader->builder, tac_vtu_array_int(&cells->types, c), cells->ids,
                                 (size_t)end - begin, reader->error));
        begin = (size_t)end;
    }
    return TAC_OK;
}

static TacStatus add_cells(Reader *reader, const Piece *piece, size_t first_point) {
    Cells cells = {0};
    reader->builder.line = piece->arrays[TYPES].line;
    TacStatus status = add_decoded_cells(reader, piece, &cells, first_point);
    tac_vtu_array_destroy(&cells.types);
    tac_vtu_array_destroy(&cells.offsets);
    tac_vtu_array_destroy(&cells.connectivity);
    free(cells.ids);
    return status;
}

static TacStatus read_file(Reader *reader) {
    TAC_TRY(walk_document(reader));
    reader->radii = true;
    for (size_t i = 0; i < reader->piece_count; i++) {
        const Piece *piece = &reader->pieces[i];
        size_t first_point = reader->builder.point_count;
        TAC_TRY(add_points(reader, piece));
        add_radii(reader, piece);
        TAC_TRY(add_cells(reader, piece, first_point));
    }
    return TAC_OK;
}

TacStatus tac_mesh_parse_vtu(TacMesh *mesh, const TacMeshInput *input, TacError *error) {
    Reader reader = {.input = input, .error = error, .builder = {.name = input->name}};
    TacStatus status = read_file(&reader);
    if (status == TAC_OK)
        status = tac_mesh_builder_finish(&reader.builder, mesh, error);
    else
        tac_mesh_builder_destroy(&reader.builder);
    for (size_t i = 0; i < reader.piece_count; i++)
        for (int role = 0; role < ROLES; role++) free(reader.pieces[i].arrays[role].text);
    free(reader.pieces);
    return status;
}

// ---- writing

// An array of numbers as the machine holds them: the number of bytes, then the bytes, all in one piece of
// base64.
static TacBase64Writer begin_data(FILE *out, const char *type, const char *name, int components,
                                  size_t bytes) {
    uint64_t header = bytes;
    TacBase64Writer writer = {.out = out};
    fprintf(out, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"binary\">\n", type,
            name, components);
    tac_base64_write(&writer, &header, sizeof header);
    return writer;
}

static void end_data(TacBase64Writer *writer) {
    tac_base64_finish(writer);
    fprintf(writer->out, "\n</DataArray>\n");
}

static void write_connectivity(const TacMesh *mesh, FILE *out, bool vertices) {
    size_t bytes = vertices ? mesh->point_count * sizeof(int32_t) : 0;
    for (int kind = 0; kind < TAC_ELEMENT_KINDS; kind++)
        bytes += mesh->elements[kind].count * (size_t)tac_element_size((TacElement)kind) * sizeof(int32_t);
    TacBase64Writer writer = begin_data(out, "Int32", "connectivity", 1, bytes);
    for (int32_t i = 0; vertices && (size_t)i < mesh->point_count; i++)
        tac_base64_write(&writer, &i, sizeof i);
    for (int kind = 0; kind < TAC_ELEMENT_KINDS; kind++)
        tac_base64_write(&writer, mesh->elements[kind].indices,
                         mesh->elements[kind].count * (size_t)tac_element_size((TacElement)kind) *
                             sizeof(int32_t));
    end_data(&writer);
}

static void write_offsets_and_types(const TacMesh *mesh, FILE *out, size_t cells, bool vertices) {
    TacBase64Writer writer = begin_data(out, "Int64", "offsets", 1, cells * sizeof(int64_t));
    int64_t offset = 0;
    for (size_t i = 0; vertices && i < cells; i++) {
        offset++;
        tac_base64_write(&writer, &offset, sizeof offset);
    }
    for (int kind = 0; kind < TAC_ELEMENT_KINDS; kind++)
        for (size_t e = 0; e < mesh->elements[kind].count; e++) {
            offset += tac_element_size((TacElement)kind);
            tac_base64_write(&writer, &offset, sizeof offset);
        }
    end_data(&writer);

    writer = begin_data(out, "UInt8", "types", 1, cells);
    unsigned char type = TAC_VTK_VERTEX;
    for (size_t i = 0; vertices && i < cells; i++) tac_base64_write(&writer, &type, 1);
    for (int kind = 0; kind < TAC_ELEMENT_KINDS; kind++) {
        type = (unsigned char)tac_vtk_type((TacElement)kind);
        for (size_t e = 0; e < mesh->elements[kind].count; e++) tac_base64_write(&writer, &type, 1);
    }
    end_data(&writer);
}

TacStatus tac_mesh_write_vtu(const TacMesh *mesh, FILE *out, TacError *error) {
    static const int one = 1;
    (void)error;
    // points without elements are written as vertices, which viewers show
    size_t cells = 0;
    for (int kind = 0; kind < TAC_ELEMENT_KINDS; kind++) cells += mesh->elements[kind].count;
    bool vertices = cells == 0;
    if (vertices) cells = mesh->point_count;

    fprintf(out,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"%s\"",
            *(const char *)&one ? "LittleEndian" : "BigEndian");
    fprintf(out, " header_type=\"UInt64\">\n<UnstructuredGrid>\n");
    fprintf(out, "<Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n", mesh->point_count, cells);
    if (mesh->radii) {
        fprintf(out, "<PointData Scalars=\"radius\">\n");
        TacBase64Writer radii = begin_data(out, "Float64", "radius", 1, mesh->point_count * sizeof(double));
        tac_base64_write(&radii, mesh->radii, mesh->point_count * sizeof(double));
        end_data(&radii);
        fprintf(out, "</PointData>\n");
    }
    fprintf(out, "<Points>\n");
    TacBase64Writer points = begin_data(out, "Float64", "Points", 3, mesh->point_count * 3 * sizeof(double));
    tac_base64_write(&points, mesh->points, mesh->point_count * 3 * sizeof(double));
    end_data(&points);
    fprintf(out, "</Points>\n<Cells>\n");
    write_connectivity(mesh, out, vertices);
    write_offsets_and_types(mesh, out, cells, vertices);
    fprintf(out, "</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
    return TAC_OK;
}
