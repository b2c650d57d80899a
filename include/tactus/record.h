// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Recordings (.tacrec): what a run leaves on disk; and what can be made of them: exports, plots, pictures.
//
// A recording has *tracks* (one per recorded matter: points or frames over time, with the mesh between them
// and how it looks) and *channels* (one number per frame each: energies, probes, clocks). It is append-only
// and checksummed in chunks: whatever ends a run, all frames written before can be read.
// docs/recording-format.md describes every byte. Nothing here knows of worlds; tactus/world.h has the call
// that records one.

#ifndef TACTUS_RECORD_H
#define TACTUS_RECORD_H

#include "tactus/base.h"
#include "tactus/math.h"

#ifdef __cplusplus
extern "C" {
#endif

// Kinds of matter, with the numbers per point in positions and in velocities.
typedef enum TacMatterKind {
    TAC_VEC1,   // 1, 1: x
    TAC_VEC2,   // 2, 2: x y
    TAC_VEC3,   // 3, 3: x y z
    TAC_RIGID2, // 3, 3: x y angle
    TAC_RIGID3, // 7, 6: x y z qx qy qz qw; velocity and angular velocity, both in world axes
    TAC_MATTER_KINDS
} TacMatterKind;

TAC_API int tac_position_size(TacMatterKind kind);
TAC_API int tac_velocity_size(TacMatterKind kind);
TAC_API const char *tac_matter_kind_name(TacMatterKind kind); // "Vec1" ... "Rigid3"

// The elements drawn between a track's points. All lists may be empty; then points are drawn as balls.
typedef struct TacTrackMesh {
    TacInts triangles;  // 3 indices each, outward normals
    TacInts edges;      // 2 indices each
    TacInts tetrahedra; // 4 indices each; for VTU only
} TacTrackMesh;

typedef struct TacTrackDef {
    const char *name; // the matter's path, "/liver/points"; unique
    TacMatterKind kind;
    size_t point_count; // at the start, and the most there will be when the count changes
    TacTrackMesh mesh;  // at the start
    TacReals radii;     // one per point, or empty
    double radius;      // m; of balls and of wires where `radii` is empty; 0: chosen by whoever draws
    double color[3];    // red, green, blue, 0..1
    double opacity;     // 0..1
    bool visible;
} TacTrackDef;

typedef struct TacChannelDef {
    const char *name; // "energy/total", "/liver/local time"; unique
    const char *unit; // "J"; "1" where it has none
} TacChannelDef;

// A ground that is drawn: all points p with dot(normal, p) = offset.
typedef struct TacGround {
    TacVec3 normal;
    double offset;
    bool visible;
} TacGround;

// Where the picture is taken from; all zero: chosen so that everything is seen.
typedef struct TacCamera {
    TacVec3 eye, target;
    double field_of_view; // degrees, vertical
} TacCamera;

typedef struct TacRecordingDef {
    const char *scene; // where it came from, for people
    double beat;       // s
    double fps;        // frames per simulated second that were asked for; 0: irregular
    TacVec3 up;        // unit vector
    TacGround ground;
    TacCamera camera;
    bool velocities;       // frames hold velocities too
    bool single_precision; // positions and velocities are stored as 32-bit floats
    const TacTrackDef *tracks;
    size_t track_count;
    const TacChannelDef *channels;
    size_t channel_count;
} TacRecordingDef;

// y up, no ground, no tracks: fill in the rest.
TAC_API TacRecordingDef tac_recording_def_default(void);

typedef struct TacFrameTrack {
    double time;              // the track's own time, s: differs from the frame's in loose runs
    size_t count;             // points in this frame
    const double *positions;  // tac_position_size(kind) each
    const double *velocities; // tac_velocity_size(kind) each; NULL where not recorded
    const TacTrackMesh *mesh; // NULL: as before; otherwise it holds from this frame on
} TacFrameTrack;

typedef struct TacFrame {
    double time;                 // s
    const TacFrameTrack *tracks; // as many as the recording has
    const double *channels;      // as many as the recording has
} TacFrame;

// Writing. The file is created at once, replacing an older one only when the header is whole; each frame is
// handed to the system whole. Frames must come in ascending time.
typedef struct TacRecorder TacRecorder;
TAC_API TacStatus tac_recorder_open(TacRecorder **recorder, const char *path, const TacRecordingDef *def,
                                    TacError *error);
TAC_API TacStatus tac_recorder_frame(TacRecorder *recorder, const TacFrame *frame, TacError *error);
TAC_API uint64_t tac_recorder_bytes(const TacRecorder *recorder); // written so far
// Writes the index and closes. The recorder is gone afterwards, whatever is returned. NULL is allowed.
TAC_API TacStatus tac_recorder_close(TacRecorder *recorder, TacError *error);

// Reading. Opens whole recordings and ones that were cut off; damaged chunks end them and are reported by
// tac_recording_damage. Everything returned lives until the recording is closed; a frame until the next one
// is read.
typedef struct TacRecording TacRecording;
TAC_API TacStatus tac_recording_open(TacRecording **recording, const char *path, TacError *error);
TAC_API void tac_recording_close(TacRecording *recording);
TAC_API const TacRecordingDef *tac_recording_def(const TacRecording *recording);
TAC_API size_t tac_recording_frame_count(const TacRecording *recording);
TAC_API double tac_recording_frame_time(const TacRecording *recording, size_t frame); // s
TAC_API TacStatus tac_recording_frame(TacRecording *recording, size_t frame, const TacFrame **result,
                                      TacError *error);
// The mesh that holds at a frame that was read.
TAC_API const TacTrackMesh *tac_recording_mesh(const TacRecording *recording, size_t track);
// NULL when the file is whole; otherwise what is missing ("cut off after frame 17").
TAC_API const char *tac_recording_damage(const TacRecording *recording);

// Exports by the extension of `path`: .obj (with a .pc2 beside it per track), .pvd (with a folder of .vtu),
// .usda, .csv (channels), a folder name ending in / for OBJ frames. Tracks whose count changes are resampled
// at their finest for PC2. progress may be NULL; returning false from it stops the export.
typedef bool (*TacProgress)(void *data, double done); // done: 0..1
TAC_API TacStatus tac_recording_export(TacRecording *recording, const char *path, TacProgress progress,
                                       void *data, TacError *error);

// Two recordings, compared frame by frame and track by track.
typedef struct TacTrackDifference {
    const char *name;    // owned by the first recording
    double largest, rms; // of positions, over all frames, m (and rad)
    double largest_at;   // s
    bool shape_differs;  // other kind or number of points: not compared further
} TacTrackDifference;

typedef struct TacDifference {
    bool same;          // bit for bit, times and channels (but for wall time) included
    size_t first_frame; // that differs; SIZE_MAX when none does
    size_t frames;      // that both have
    size_t frames_a, frames_b;
    size_t only_a, only_b;  // tracks that the other one lacks
    size_t channels_differ; // channels, of those in both, that differ anywhere
    TacTrackDifference *tracks;
    size_t track_count;
} TacDifference;

// Fills `difference`, to be destroyed afterwards. Reads every frame of both.
TAC_API TacStatus tac_recording_compare(TacRecording *a, TacRecording *b, TacDifference *difference,
                                        TacError *error);
TAC_API void tac_difference_destroy(TacDifference *difference);

// Plots channels over time. `what` is a channel's name, a prefix of several ("energy"), or a list of these
// with commas. .png or .svg.
typedef struct TacPlotDef {
    const char *what;
    const char *title; // NULL: made from `what`
    int width, height; // pixels; default 1000 x 600
    double from, to;   // s; from >= to: all
    bool dark;
    bool logarithmic;
    bool distribution; // how often each value occurs, instead of values over time
} TacPlotDef;
TAC_API TacPlotDef tac_plot_def_default(void);
TAC_API TacStatus tac_recording_plot(TacRecording *recording, const TacPlotDef *def, const char *path,
                                     TacError *error);

// Draws frames in software: shaded meshes, wires, balls, shadows on the ground.
typedef struct TacRenderDef {
    int width, height; // pixels of one picture; default 1280 x 720
    double at;         // s: the frame nearest to it; NaN: the last one
    int strip;         // > 1: this many moments side by side, from first to last
    bool movie;        // every frame, numbered: out.png gives out-00000.png ...
    TacCamera camera;  // all zero: the recording's, or chosen
    int samples;       // per pixel side, for smooth edges; default 2
    bool dark;
} TacRenderDef;
TAC_API TacRenderDef tac_render_def_default(void);
TAC_API TacStatus tac_recording_render(TacRecording *recording, const TacRenderDef *def, const char *path,
                                       TacProgress progress, void *data, TacError *error);

// --- sounds -----------------------------------------------------------------------------------------------

typedef struct TacSound {
    int rate;             // samples a second: 1000 to 384000
    int channels;         // 1 or 2
    size_t frames;        // of `channels` samples each
    const float *samples; // channels beside each other; beyond -1 to 1 they are cut off
} TacSound;

// Writes a sound, 24 bits a sample: .wav or .flac. Nothing is seen at `path` before it is whole.
TAC_API TacStatus tac_sound_write(const TacSound *sound, const char *path, TacError *error);

#ifdef __cplusplus
}
#endif

#endif
