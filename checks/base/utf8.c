#include "base/utf8.h"

/* How many bytes a character has that begins with this one; 0: none does. */
static size_t size_by_first(unsigned char first)
{
    return first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
}

size_t utf8_read(const char *bytes, size_t length, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)bytes;
    const size_t size = length > 0 ? size_by_first(at[0]) : 0;

    if (size == 0 || size > length)
        return 0;
    uint32_t value = size == 1 ? at[0] : at[0] & (0x7fU >> size);
    for (size_t i = 1; i < size; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (at[i] & 0x3fU);
    }
    if (value < least[size] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
        return 0;
    *code = value;
    return size;
}

bool utf8_is_hidden(uint32_t code)
{
    static const uint32_t ranges[][2] = {
        {0x00, 0x1f},     {0x7f, 0xa0},     {0xad, 0xad},        {0x300, 0x36f},   {0x61c, 0x61c},
        {0x115f, 0x1160}, {0x1680, 0x1680}, {0x180b, 0x180f},    {0x2000, 0x200f}, {0x2028, 0x202f},
        {0x205f, 0x206f}, {0x3164, 0x3164}, {0xe000, 0xf8ff},    {0xfe00, 0xfe0f}, {0xfeff, 0xfeff},
        {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0x10ffff},
    };

    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1])
            return true;
    return false;
}
