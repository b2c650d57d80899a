// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// From the bytes of a file to text that XML allows: valid UTF-8, no zero bytes, no control characters; used
// by xml.c alone. Other encodings are recognised by their first bytes or by the XML declaration and converted
// by iconv: libxml2's own conversion prints to standard error when it fails.

#ifndef TACTUS_SCENE_XML_SOURCE_H
#define TACTUS_SCENE_XML_SOURCE_H

#include "tactus/base.h"

// Replaces *text (from malloc, a 0 byte after its end) by its UTF-8 form and checks every character. On
// failure *text is still the caller's to free.
TacStatus tac_xml_to_utf8(char **text, size_t *bytes, const char *file, TacError *error);

#endif
