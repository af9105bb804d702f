# What belongs into op_plugin/python/meta/_meta_registrations.py, where `impl`, `m` and `torch` are known.
{% for op in ops %}


@impl(m, "{{ op.name }}")
def {{ op.name }}_meta({{ op.parameters | wrap }}):
{% for output in op.outputs %}
    {{ output.name }} = torch.empty({{ output.arguments | wrap }})
{% endfor %}
    return {{ op.returned | wrap }}
{% endfor %}
