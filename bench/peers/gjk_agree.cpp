// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Do Tactus, libccd and FCL agree on convex pairs? gjk_agree [PAIRS] asks all three about the same random pairs, in
// families that include the degenerate ones: needles, slabs, faces on faces, parallel edges, touching corners, deep ones;
// sizes from 1e-6 to 1e6. Compared: do they overlap, how far are they apart, how deep are they. The other libraries
// work with absolute tolerances, so they are asked about the same pair at size 1.
//
// Where answers differ, the shapes decide, by their extents along a direction: a direction along which a pair is apart
// proves that it does not overlap, and how far it is apart at least; every direction bounds its depth from above. What
// was proved wrong of ours is an error and fails the program; what was proved wrong of the others is counted.
// Needs Debian's libccd-dev and libfcl-dev.

#include "base/random.h"
#include "tactus/convex.h"

#include <ccd/ccd.h>
#include <fcl/fcl.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace {

// Of the extent. Ours is what include/tactus/convex.h promises, and the rounding of the check. Theirs is what libccd comes
// to when asked for 1e-9. FCL's depths are those of libccd's portal refinement: a move that parts the two, not always
// the shortest.
const double OURS = 2e-10, DISTANCE = 2e-6, DEPTH = 1e-5, DECISION = 2e-6;

TacRandom rng;

double between(double low, double high) {
    return tac_random_between(&rng, low, high);
}

TacVec3 any(double size) {
    return TacVec3{between(-size, size), between(-size, size), between(-size, size)};
}

enum Shape { FAT, NEEDLE, SLAB, LATTICE, SHAPES };
enum Place { ANYWHERE, NEAR, DEEP, TOUCHING, FACES, PARALLEL, PLACES };
const char *const place_names[] = {"anywhere",         "near",           "deep",
                                   "touching corners", "faces on faces", "parallel"};

// One hull at size 1, as each library wants it.
struct Hull {
    std::vector<TacVec3> local, placed;
    TacPolyhedron *ours = nullptr;
    TacConvex shape{};
    std::unique_ptr<fcl::Convexd> theirs;
    TacPose pose{};

    Hull() = default;
    Hull(const Hull &) = delete;
    ~Hull() { tac_polyhedron_destroy(ours); }

    bool make(Shape kind, double size);
    void place(const TacPose &at) {
        pose = at;
        placed.clear();
        for (TacVec3 p : local) placed.push_back(tac_add(at.position, tac_rotate(at.rotation, p)));
    }
};

// False: the points lie in a plane, which FCL's hulls cannot.
bool Hull::make(Shape kind, double size) {
    static const double stretch[SHAPES][3] = {{1, 1, 1}, {1, 1e-3, 1e-3}, {1, 1, 1e-3}, {1, 1, 1}};
    std::vector<double> scaled;
    int count = 4 + (int)(tac_random_bits(&rng) % 9);
    for (int i = 0; i < count; i++) {
        TacVec3 p = any(1);
        if (kind == LATTICE) p = TacVec3{std::round(p.x), std::round(p.y), std::round(p.z)};
        local.push_back(TacVec3{stretch[kind][0] * p.x, stretch[kind][1] * p.y, stretch[kind][2] * p.z});
        for (double c : {local.back().x, local.back().y, local.back().z}) scaled.push_back(size * c);
    }
    if (tac_polyhedron_create(&ours, scaled.data(), local.size(), nullptr) != TAC_OK) std::abort();
    if (tac_polyhedron_dimension(ours) < 3) return false;
    shape = tac_convex_polyhedron(ours);
    auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
    for (size_t v = 0; v < tac_polyhedron_vertex_count(ours); v++) {
        TacVec3 p = tac_scale(tac_polyhedron_vertex(ours, v), 1 / size);
        vertices->emplace_back(p.x, p.y, p.z);
    }
    auto faces = std::make_shared<std::vector<int>>();
    size_t face_count = tac_polyhedron_face_count(ours);
    for (size_t f = 0; f < face_count; f++) {
        size_t sides;
        const uint32_t *loop = tac_polyhedron_face(ours, f, &sides);
        faces->push_back((int)sides);
        for (size_t i = 0; i < sides; i++) faces->push_back((int)loop[i]);
    }
    theirs = std::make_unique<fcl::Convexd>(vertices, (int)face_count, faces, false);
    return true;
}

TacQuat turn() {
    return tac_quat_unit(TacQuat{between(-1, 1), between(-1, 1), between(-1, 1), between(-1, 1)});
}

void place_pair(Hull &a, Hull &b, Place place) {
    TacPose pa{any(3), turn()}, pb{pa.position, turn()};
    if (place == ANYWHERE) pb.position = tac_add(pa.position, any(2));
    if (place == NEAR || place == PARALLEL) pb.position = tac_add(pa.position, any(1));
    if (place == PARALLEL) pb.rotation = pa.rotation;
    if (place == FACES) {
        TacVec3 step = any(2);
        pa = TacPose{TacVec3{0, 0, 0}, tac_quat_identity()};
        pb =
            TacPose{TacVec3{std::round(step.x), std::round(step.y), std::round(step.z)}, tac_quat_identity()};
    }
    if (place == TOUCHING)
        pb.position = tac_sub(tac_add(pa.position, tac_rotate(pa.rotation, a.local[0])),
                              tac_rotate(pb.rotation, b.local[0]));
    a.place(pa);
    b.place(pb);
}

// How far B has to go along a unit direction until it is clear of A; negative: it is clear by that much.
double overlap(const Hull &a, const Hull &b, TacVec3 along) {
    double high = -1e300, low = 1e300;
    for (TacVec3 p : a.placed) high = std::max(high, tac_dot(along, p));
    for (TacVec3 p : b.placed) low = std::min(low, tac_dot(along, p));
    return high - low;
}

// One library's answer: depth negative: apart by that. `along` is what it rests on; zero: it gave none.
struct Answer {
    bool overlaps = false, known = false; // known: it found a distance or a depth
    double depth = 0;
    TacVec3 along{0, 0, 0};
};

void ccd_support(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *point) {
    TacVec3 d{ccdVec3X(direction), ccdVec3Y(direction), ccdVec3Z(direction)}, best{0, 0, 0};
    double most = -1e300;
    for (TacVec3 p : static_cast<const Hull *>(object)->placed)
        if (tac_dot(d, p) > most) {
            most = tac_dot(d, p);
            best = p;
        }
    ccdVec3Set(point, best.x, best.y, best.z);
}

Answer ask_ccd(const Hull &a, const Hull &b) {
    ccd_t settings;
    CCD_INIT(&settings);
    settings.support1 = settings.support2 = ccd_support;
    settings.max_iterations = 500;
    settings.epa_tolerance = 1e-9;
    Answer answer;
    ccd_real_t depth;
    ccd_vec3_t along, at;
    answer.overlaps = ccdGJKIntersect(&a, &b, &settings) != 0;
    if (answer.overlaps && ccdGJKPenetration(&a, &b, &settings, &depth, &along, &at) == 0) {
        answer.known = true;
        answer.depth = depth;
        answer.along = TacVec3{ccdVec3X(&along), ccdVec3Y(&along), ccdVec3Z(&along)};
    }
    return answer;
}

fcl::Transform3d to_fcl(const TacPose &p) {
    fcl::Transform3d pose = fcl::Transform3d::Identity();
    pose.linear() =
        fcl::Quaterniond(p.rotation.w, p.rotation.x, p.rotation.y, p.rotation.z).toRotationMatrix();
    pose.translation() = fcl::Vector3d(p.position.x, p.position.y, p.position.z);
    return pose;
}

Answer ask_fcl(const Hull &a, const Hull &b) {
    fcl::detail::GJKSolver_libccdd solver;
    solver.collision_tolerance = 1e-9;
    solver.max_collision_iterations = 500;
    fcl::Transform3d pa = to_fcl(a.pose), pb = to_fcl(b.pose);
    Answer answer;
    std::vector<fcl::ContactPointd> contacts;
    answer.overlaps = solver.shapeIntersect(*a.theirs, pa, *b.theirs, pb, &contacts);
    if (answer.overlaps) {
        answer.known = !contacts.empty();
        if (answer.known) {
            answer.depth = contacts[0].penetration_depth;
            answer.along = TacVec3{contacts[0].normal[0], contacts[0].normal[1], contacts[0].normal[2]};
        }
        return answer;
    }
    double distance = -1;
    fcl::Vector3d p, q;
    answer.known = solver.shapeDistance(*a.theirs, pa, *b.theirs, pb, &distance, &p, &q) && distance > 0;
    answer.depth = -distance;
    answer.along = TacVec3{q[0] - p[0], q[1] - p[1], q[2] - p[2]};
    return answer;
}

// What has been found of one peer in one family.
struct Tally {
    long asked = 0, decided_alike = 0, wrong = 0, coarse = 0;
    double distance = 0, depth = 0; // largest differences where it was not wrong, of the extent
};

long our_errors = 0;

void blame(const char *what, int family, double ours, double shown) {
    our_errors++;
    if (our_errors <= 20)
        std::printf("wrong: %s, family %d: %.12g where %.12g is shown\n", what, family, ours, shown);
}

// The overlap along the direction that an answer rests on, whichever way it points; infinite without one.
double shown_by(const Hull &a, const Hull &b, const Answer &answer) {
    double length = tac_norm(answer.along);
    if (!(length > 0) || !std::isfinite(length)) return 1e300;
    TacVec3 along = tac_scale(answer.along, 1 / length);
    return std::min(overlap(a, b, along), overlap(a, b, tac_scale(along, -1)));
}

// `ours` was checked by itself: when apart, it is proved.
void compare(const Hull &a, const Hull &b, double ours, const Answer &theirs, double extent, int family,
             Tally &t) {
    t.asked++;
    double shown = shown_by(a, b, theirs);
    if (ours > 0 && shown < ours - OURS * extent) blame("depth is not the least", family, ours, shown);
    bool clear = std::fabs(ours) > DECISION * extent; // nearer, either answer is right
    bool alike = (ours > 0) == theirs.overlaps;
    t.decided_alike += alike || !clear;
    t.wrong += !alike && clear;
    if (!alike || !theirs.known || !clear) return;
    double off = std::fabs(theirs.depth - ours) / extent;
    double &largest = ours > 0 ? t.depth : t.distance;
    // deeper than need be, or a distance that is not there
    if (off > (ours > 0 ? DEPTH : DISTANCE))
        t.coarse++;
    else
        largest = std::max(largest, off);
}

// Our answer at size 1, checked: a distance against the gap that its normal shows and against its two points, a depth
// against what its normal shows.
double ask_ours(const Hull &a, const Hull &b, double size, double extent, int family) {
    TacConvexPair pair{};
    pair.a = &a.shape;
    pair.b = &b.shape;
    pair.pose_a = TacPose{tac_scale(a.pose.position, size), a.pose.rotation};
    pair.pose_b = TacPose{tac_scale(b.pose.position, size), b.pose.rotation};
    TacConvexPenetration p = tac_convex_penetration(&pair, nullptr);
    double depth = p.depth / size, shown = overlap(a, b, p.normal);
    if (p.state == TAC_CONVEX_FAILED || !std::isfinite(depth)) blame("failed", family, depth, 0);
    if (!(std::fabs(shown - depth) <= OURS * extent)) blame("normal", family, depth, shown);
    if (p.state == TAC_CONVEX_SEPARATED) {
        double apart = tac_norm(tac_sub(p.point_b, p.point_a)) / size;
        if (!(std::fabs(apart + depth) <= OURS * extent)) blame("closest points", family, apart, -depth);
    }
    if (tac_convex_separation(&pair, nullptr).state != p.state && std::fabs(depth) > OURS * extent)
        blame("separation", family, depth, 0);
    return depth;
}

void report(const char *who, const Tally &t) {
    std::printf(
        "  %-6s  decides alike %ld of %ld, wrongly %ld; distances within %.1e, depths within %.1e, but %ld "
        "farther off\n",
        who, t.decided_alike, t.asked, t.wrong, t.distance, t.depth, t.coarse);
}

} // namespace

int main(int count, char **words) {
    long pairs = count > 1 ? std::atol(words[1]) : 1000000;
    std::vector<Tally> ccd(PLACES), fcl_tally(PLACES);
    rng = tac_random(5, 1);
    for (long i = 0; i < pairs; i++) {
        Hull a, b;
        double size = std::pow(10, between(-6, 6));
        Shape kind_a = (Shape)(tac_random_bits(&rng) % SHAPES),
              kind_b = (Shape)(tac_random_bits(&rng) % SHAPES);
        Place place = (Place)(tac_random_bits(&rng) % PLACES);
        if (place == FACES) kind_a = kind_b = LATTICE;
        bool solid = a.make(kind_a, size);
        if (!b.make(kind_b, size) || !solid) continue;
        place_pair(a, b, place);
        double extent = 2 + tac_norm(tac_sub(b.pose.position, a.pose.position));
        double ours = ask_ours(a, b, size, extent, place);
        compare(a, b, ours, ask_ccd(a, b), extent, place, ccd[place]);
        compare(a, b, ours, ask_fcl(a, b), extent, place, fcl_tally[place]);
    }
    for (int p = 0; p < PLACES; p++) {
        std::printf("%s\n", place_names[p]);
        report("libccd", ccd[(size_t)p]);
        report("FCL", fcl_tally[(size_t)p]);
    }
    std::printf("%ld of our answers are wrong\n", our_errors);
    return our_errors > 0;
}
