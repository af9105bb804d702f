// What op_host tells the kernel. A plain struct: both sides see the same bytes.
#ifndef {{ guard }}_TILING_H
#define {{ guard }}_TILING_H

#include <cstdint>

struct {{ op_type }}TilingData {
    // Elements of the first output, and of each core's part but the last.
    int64_t totalElements;
    int64_t elementsPerBlock;
    // Elements that two buffers for every tensor have room for.
    uint32_t tileElements;
{% if counts %}

    // Tensors of a list, which the list itself does not tell.
{% for count in counts %}
    uint32_t {{ count }};
{% endfor %}
{% endif %}
{% if flags %}

    // 1 where an optional input is given.
{% for flag in flags %}
    uint32_t {{ flag }};
{% endfor %}
{% endif %}
{% if attrs %}

{% for attr in attrs %}
    {{ attr.ctype }} {{ attr.member }};
{% endfor %}
{% endif %}
};

#endif  // {{ guard }}_TILING_H
