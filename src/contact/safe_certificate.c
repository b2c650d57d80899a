// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The certificates that there are, one after the other without holes: sweeps go through them. A pair whose layers are looked
// at has none.

#include "contact/safe_parts.h"

bool tac_safe_take_certificate(TacSafe *safe, uint32_t id) {
    TacPair *p = &safe->pairs[id];
    if (p->certificate != TAC_SAFE_NONE) return true;
    if (!tac_grow_bare(&safe->certificates, &safe->certificate_capacity, safe->certificate_count + 1,
                       sizeof *safe->certificates))
        return false;
    p->certificate = (uint32_t)safe->certificate_count++;
    safe->certificates[p->certificate] = (TacCertificate){.pair = id, .level = TAC_LEVEL_NONE};
    return true;
}

void tac_safe_drop_certificate(TacSafe *safe, uint32_t id) {
    TacPair *p = &safe->pairs[id];
    if (p->armed >= 0 || p->certificate == TAC_SAFE_NONE) return;
    TacCertificate *c = &safe->certificates[p->certificate];
    const TacCertificate *last = &safe->certificates[--safe->certificate_count];
    if (c->level == TAC_LEVEL_TIMED) tac_wheel_cancel(&safe->pair_wheel, id);
    *c = *last;
    safe->pairs[c->pair].certificate = p->certificate;
    p->certificate = TAC_SAFE_NONE;
}

void tac_safe_certify_at(TacSafe *safe, uint32_t id, TacLevel level, const float d[3]) {
    const TacPair *p = &safe->pairs[id];
    TacCertificate *c = &safe->certificates[p->certificate];
    if (c->level == TAC_LEVEL_TIMED) tac_wheel_cancel(&safe->pair_wheel, id);
    c->level = (uint8_t)level;
    memcpy(c->d, d, sizeof c->d);
    int na, n = tac_safe_vertices(safe, p, c->v, &na);
    for (int i = n; i < 4; i++) c->v[i] = c->v[n - 1];
    double reach =
        tac_safe_pair_radius(safe, p) + tac_layers_limit(&safe->types[p->type].layers, p->shift, -1);
    c->reach = (float)(reach * (1 + 1e-6));
    if (na == 2) c->reach = -c->reach;
    bool on_plans = level == TAC_LEVEL_PLAN || level == TAC_LEVEL_TIMED;
    for (int i = 0; on_plans && !c->listed && i < 4; i++) safe->vertices[c->v[i]].late = true;
}
