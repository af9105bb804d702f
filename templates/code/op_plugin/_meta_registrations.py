# What belongs into op_plugin/python/meta/_meta_registrations.py, where `impl`, `m` and `torch` are known.
{% for op in ops %}


@impl(m, "{{ op.name }}")
{{ op.signature }}
{% for line in op.lines %}
    {{ line }}
{% endfor %}
{% endfor %}
