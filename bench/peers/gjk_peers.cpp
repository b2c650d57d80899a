// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// "Do they touch?" asked of Tactus, libccd and FCL about the same pairs of 32-vertex hulls (../gjk_motion.h),
// in one run, on coherent motion and on random pairs. Disagreements are counted. Each library is asked in its
// fastest way: libccd by ccdGJKIntersect, with a support function that looks at all vertices; FCL by
// its default solver on shapes, without the collide() call around it and without contacts (its other solver,
// which could keep a guess, always runs EPA too: several times slower). Needs Debian's libccd-dev and
// libfcl-dev:
//   g++ -O3 -march=native -Iinclude -Isrc -Ibench bench/peers/gjk_peers.cpp libtactus.a -lccd -lfcl

#include "gjk_motion.h"
#include "tactus/convex.h"

#include <ccd/ccd.h>
#include <fcl/fcl.h>

#include <cstdio>
#include <ctime>
#include <memory>
#include <vector>

namespace {

enum { QUERIES = MOTION_PAIRS * MOTION_STEPS };

struct Query {
    int a, b, pair;
    TacVec3 position;
    TacQuat turn_a, turn_b;
};

struct CcdHull {
    const double *points;
    ccd_vec3_t position;
    ccd_quat_t turn, back;
};

struct Hull {
    double points[3 * MOTION_POINTS];
    TacPolyhedron *polyhedron = nullptr;
    TacConvex shape{};
    std::unique_ptr<fcl::Convexd> fcl;
};

Hull hulls[MOTION_HULLS];

void make_hulls() {
    for (int h = 0; h < MOTION_HULLS; h++) {
        Hull &hull = hulls[h];
        motion_hull(h, hull.points);
        if (tac_polyhedron_create(&hull.polyhedron, hull.points, MOTION_POINTS, nullptr) != TAC_OK)
            std::abort();
        hull.shape = tac_convex_polyhedron(hull.polyhedron);
        auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
        for (size_t v = 0; v < tac_polyhedron_vertex_count(hull.polyhedron); v++) {
            TacVec3 p = tac_polyhedron_vertex(hull.polyhedron, v);
            vertices->emplace_back(p.x, p.y, p.z);
        }
        auto faces = std::make_shared<std::vector<int>>();
        size_t count = tac_polyhedron_face_count(hull.polyhedron);
        for (size_t f = 0; f < count; f++) {
            size_t sides;
            const uint32_t *loop = tac_polyhedron_face(hull.polyhedron, f, &sides);
            faces->push_back((int)sides);
            for (size_t i = 0; i < sides; i++) faces->push_back((int)loop[i]);
        }
        hull.fcl = std::make_unique<fcl::Convexd>(vertices, (int)count, faces, false);
    }
}

TacConvexPair to_pair(const Query &q) {
    TacConvexPair pair{};
    pair.a = &hulls[q.a].shape;
    pair.b = &hulls[q.b].shape;
    pair.pose_a.rotation = q.turn_a;
    pair.pose_b = TacPose{q.position, q.turn_b};
    return pair;
}

void ccd_support(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *point) {
    const CcdHull *hull = static_cast<const CcdHull *>(object);
    ccd_vec3_t d;
    ccdVec3Copy(&d, direction);
    ccdQuatRotVec(&d, &hull->back);
    double x = ccdVec3X(&d), y = ccdVec3Y(&d), z = ccdVec3Z(&d), best = -1e300;
    int found = 0;
    for (int i = 0; i < MOTION_POINTS; i++) {
        const double *p = hull->points + 3 * i;
        double dot = p[0] * x + p[1] * y + p[2] * z;
        if (dot > best) {
            best = dot;
            found = i;
        }
    }
    ccdVec3Set(point, hull->points[3 * found], hull->points[3 * found + 1], hull->points[3 * found + 2]);
    ccdQuatRotVec(point, &hull->turn);
    ccdVec3Add(point, &hull->position);
}

CcdHull to_ccd(int hull, TacVec3 position, TacQuat turn) {
    CcdHull made;
    made.points = hulls[hull].points;
    ccdVec3Set(&made.position, position.x, position.y, position.z);
    ccdQuatSet(&made.turn, turn.x, turn.y, turn.z, turn.w);
    ccdQuatSet(&made.back, -turn.x, -turn.y, -turn.z, turn.w);
    return made;
}

fcl::Transform3d to_fcl(TacVec3 p, TacQuat q) {
    fcl::Transform3d pose = fcl::Transform3d::Identity();
    pose.linear() = fcl::Quaterniond(q.w, q.x, q.y, q.z).toRotationMatrix();
    pose.translation() = fcl::Vector3d(p.x, p.y, p.z);
    return pose;
}

// Million queries per second, the best of several rounds; answers as 0 or 1.
template <typename Ask> double measure(std::vector<char> &answers, Ask ask) {
    double best = 0;
    answers.resize(QUERIES);
    for (int round = 0; round < 30; round++) {
        std::clock_t start = std::clock(); // of the processor: others use the machine too
        for (int i = 0; i < QUERIES; i++) answers[(size_t)i] = ask(i);
        double took = double(std::clock() - start) / CLOCKS_PER_SEC;
        if (took > 0) best = std::max(best, 1e-6 * QUERIES / took);
    }
    return best;
}

long differences(const std::vector<char> &a, const std::vector<char> &b) {
    long count = 0;
    for (size_t i = 0; i < a.size(); i++) count += a[i] != b[i];
    return count;
}

struct Rates {
    double ours, ccd, fcl;
};

Rates compare(const std::vector<Query> &queries, bool coherent) {
    // poses are turned into each library's own form before the clock starts
    std::vector<TacConvexPair> pairs;
    std::vector<CcdHull> ccd;
    std::vector<fcl::Transform3d> poses;
    for (const Query &q : queries) {
        TacVec3 origin = {0, 0, 0};
        pairs.push_back(to_pair(q));
        ccd.push_back(to_ccd(q.a, origin, q.turn_a));
        ccd.push_back(to_ccd(q.b, q.position, q.turn_b));
        poses.push_back(to_fcl(origin, q.turn_a));
        poses.push_back(to_fcl(q.position, q.turn_b));
    }
    std::vector<TacConvexCache> caches(MOTION_PAIRS, TacConvexCache{});
    std::vector<char> ours, theirs_ccd, theirs_fcl;
    Rates rates;
    rates.ours = measure(ours, [&](int i) {
        TacConvexCache *cache = coherent ? &caches[(size_t)queries[(size_t)i].pair] : nullptr;
        return tac_convex_separation(&pairs[(size_t)i], cache).state == TAC_CONVEX_OVERLAPPING;
    });

    ccd_t settings;
    CCD_INIT(&settings);
    settings.support1 = settings.support2 = ccd_support;
    settings.max_iterations = 100;
    rates.ccd = measure(theirs_ccd, [&](int i) {
        return ccdGJKIntersect(&ccd[2 * (size_t)i], &ccd[2 * (size_t)i + 1], &settings) != 0;
    });

    fcl::detail::GJKSolver_libccdd solver;
    rates.fcl = measure(theirs_fcl, [&](int i) {
        const Query &q = queries[(size_t)i];
        return solver.shapeIntersect(*hulls[q.a].fcl, poses[2 * (size_t)i], *hulls[q.b].fcl,
                                     poses[2 * (size_t)i + 1], nullptr);
    });
    std::printf(
        "%s: %ld answers of libccd and %ld of FCL differ from ours, of %d\nrate=%g\nrate=%g\nrate=%g\n",
        coherent ? "coherent" : "random", differences(ours, theirs_ccd), differences(ours, theirs_fcl),
        QUERIES, rates.ours, rates.ccd, rates.fcl);
    return rates;
}

} // namespace

int main() {
    make_hulls();
    std::vector<Query> coherent(QUERIES), random(QUERIES);
    TacRandom numbers = tac_random(1, 1);
    for (int i = 0; i < QUERIES; i++) {
        Query &c = coherent[(size_t)i], &r = random[(size_t)i];
        c.pair = r.pair = i % MOTION_PAIRS;
        c.a = 2 * c.pair;
        c.b = 2 * c.pair + 1;
        motion_coherent(c.pair, i / MOTION_PAIRS, &c.position, &c.turn_a, &c.turn_b);
        motion_random(&numbers, &r.a, &r.b, &r.position, &r.turn_a, &r.turn_b);
    }
    compare(coherent, true);
    compare(random, false);
    for (Hull &hull : hulls) tac_polyhedron_destroy(hull.polyhedron);
    return 0;
}
