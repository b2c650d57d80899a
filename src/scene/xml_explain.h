// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Turns libxml2's error codes into messages for people who write scenes: what is wrong, where it began, and
// what would be right; used by xml.c alone.

#ifndef TACTUS_SCENE_XML_EXPLAIN_H
#define TACTUS_SCENE_XML_EXPLAIN_H

#include "scene/xml.h"
#include "scene/xml_scan.h"

typedef struct TacXmlTrouble {
    const TacXmlScan *scan;
    const TacXmlElement *open; // the innermost element that is open; NULL at top level
    size_t started;            // elements begun so far: the next tag of the scan
    int code;                  // libxml2's
    size_t at;                 // offset that libxml2 had reached, in the original text
    const char *detail;        // libxml2's own words
} TacXmlTrouble;

TacStatus tac_xml_explain(const TacXmlTrouble *trouble, TacError *error);

#endif
